/**
 * Finds the redirects with the most hits over a range of days exactly, without summing all of them: the threshold
 * algorithm of Fagin, Lotem and Naor (2001). For each day it reads the first redirects along an index that is sorted by
 * tier. A redirect that was not read for a day has at most the hits of the last tier read there. These bounds tell
 * which redirects to sum over all days, and whether a redirect outside the read ones could have as many hits.
 *
 *   day 1:  A 900  B 400 | at most 400        A: 900 + at most 250 = 1150 at most
 *   day 2:  C 300  B 250 | at most 250        not read on any day: 400 + 250 = 650 at most
 */
import type { Queryable } from '../../db/connection/client.ts';
import { sql, type SQL } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { countedHits, type DayRange, type HitScope, inRanges, storedDays } from './hit-rows.ts';

export interface TopSearch {
  websiteId: number;
  environment: Environment;
  /** condition on `h.day` */
  days: SQL;
  /** what is counted, at most the human hits of each day; default: these */
  hits?: SQL;
  /** condition on `redirects r` */
  where?: SQL;
  /** order of the ids of redirects with equal hits */
  ties: 'asc' | 'desc';
  /** the last result of the previous page; requires `ties` "desc" */
  after?: { hits: number; id: number } | undefined;
  limit: number;
  /** redirects to read for each day */
  depth: number;
  /** sums what it has read, even if the result cannot be exact */
  isEstimate?: boolean;
}

/** A row of `topQuery`. There is at least one; `id` and `hits` are null if no redirect was summed. */
export interface TopRow {
  id: number | null;
  hits: number | null;
  /** the most hits of a redirect that was not read for any day */
  unseen: number;
  /** redirects that may have fewer hits than this were not summed */
  floor: number;
  /** the index has no further rows: a larger depth gives the same result */
  isIndexRead: boolean;
}

/** With a position, a few candidates turn out to precede it. This many more keep the page full. */
const SLACK = 20;

/** Returns SQL text of a query for the first redirects, most hits first, with the columns of TopRow in snake_case. */
export function topQuery(search: TopSearch): SQL {
  const { websiteId, environment, days, hits = sql`h.hits`, where = sql`true`, after, limit, depth } = search;
  const ofWebsite = sql`h.website_id = ${websiteId} and h.environment = ${environment}`;
  const ties = sql.raw(search.ties);
  const notBefore = after ? sql` and s.at_least <= ${after.hits}::bigint` : sql``;
  const beyond = after ? sql`where (s.hits, s.id) < (${after.hits}::bigint, ${after.id}::bigint)` : sql``;
  return sql`
    with days as materialized (
      select h.day, h.hits from website_hits h where ${ofWebsite} and h.hits > 0 and ${days}),
    tops as materialized (
      select top.* from days
      cross join lateral (
        select h.day, h.redirect_id, ${hits} as hits, h.tier from redirect_hits h where ${ofWebsite} and h.day = days.day and ${INDEXED}
        order by h.tier desc, h.redirect_id limit ${depth}) top),
    ends as materialized (
      select days.day, count(tops.tier) < ${depth} as is_read, least(days.hits,
        case when count(tops.tier) = ${depth} then ${maxHitsOfTier(sql`min(tops.tier)`)} else ${MAX_UNINDEXED} end) as hits
      from days left join tops using (day) group by days.day, days.hits),
    unseen as materialized (
      select coalesce(sum(hits), 0)::bigint as hits, coalesce(bool_and(is_read), true) as is_index_read from ends),
    seen as (
      select t.redirect_id, sum(t.hits)::bigint as at_least,
        ((select hits from unseen) + sum(t.hits - e.hits))::bigint as at_most
      from tops t join ends e using (day) group by 1),
    wanted as materialized (
      select s.* from seen s join redirects r on r.website_id = ${websiteId} and r.id = s.redirect_id
      where ${where}${notBefore}),
    floors as materialized (
      select at_least from wanted order by at_least desc offset ${after ? limit - 1 + SLACK : limit - 1} limit 1),
    bounds as materialized (
      select hits as unseen, is_index_read, coalesce((select at_least from floors), 0) as floor from unseen),
    sums as materialized (
      select w.redirect_id as id, (
        select sum((${hits})::float8)::bigint from redirect_hits h
        where ${ofWebsite} and h.redirect_id = w.redirect_id and ${days}) as hits
      from wanted w, bounds b
      -- A much lower floor means that the result cannot be exact: skip the sums.
      where w.at_most >= b.floor and (${search.isEstimate ?? false} or b.floor * 1.5 > b.unseen))
    select b.*, k.id, k.hits
    from bounds b
    left join (select s.* from sums s ${beyond} order by s.hits desc, s.id ${ties} limit ${limit}) k on true
    order by k.hits desc, k.id ${ties}`;
}

/** True if `rows`, the result of a `topQuery` with this limit, are the first ones of all redirects. */
export function isExactTop(rows: Pick<TopRow, 'hits' | 'unseen' | 'floor'>[], limit: number): boolean {
  const last = rows.at(-1);
  if (rows.length < limit || last?.hits == null) return false;
  // Equal to `unseen` is not enough: a redirect that was not read may have as many hits and precede by its id.
  return last.hits > last.unseen && last.hits >= last.floor;
}

/** Depths to try before summing all redirects, which is cheaper if all have about as many hits. */
const DEPTHS = [50, 400];

export interface RedirectTotal {
  redirectId: number;
  /** counted hits: those of humans without a filter */
  hits: number;
}

/**
 * Returns the `limit` existing redirects of the scope with the most counted hits, equal ones by id. Takes milliseconds
 * if some redirects have many more hits than others; otherwise, and for bots and assistants, whose hits no index sorts,
 * it reads every row of the range.
 */
export async function topRedirects(
  db: Queryable,
  { websiteId, environment, groupId, filter }: HitScope,
  range: DayRange,
  limit: number,
): Promise<RedirectTotal[]> {
  const days = inRanges(range);
  const hits = countedHits(filter);
  const where = groupId === undefined ? sql`true` : sql`r.group_id = ${groupId}`;
  for (const depth of filter?.agents ? [] : DEPTHS) {
    const search: TopSearch = { websiteId, environment, days, hits, where, ties: 'asc', limit, depth };
    const rows = await queryRows<TopRow>(db)`${topQuery(search)}`;
    if (isExactTop(rows, limit)) return rows.map(({ id, hits: sum }) => ({ redirectId: id ?? 0, hits: sum ?? 0 }));
    if (rows[0]?.isIndexRead) break;
  }
  // Sums first (`offset 0`): without statistics the planner would look up the redirect of each stored day.
  return queryRows<RedirectTotal>(db)`
    select h.redirect_id, h.hits from (
      select h.redirect_id, sum((${hits})::float8)::bigint as hits
      ${storedDays({ websiteId, environment, ...(groupId !== undefined && { groupId }) }, [range], true)}
        and ${hits} > 0 group by 1 offset 0) h
    where exists (select 1 from redirects r where r.website_id = ${websiteId} and r.id = h.redirect_id)
    order by 2 desc, 1 limit ${limit}`;
}

/** Returns the counted hits of these redirects of the website; without those that have none. */
export async function readRedirectHits(
  db: Queryable,
  { websiteId, environment, filter }: HitScope,
  range: DayRange,
  ids: number[],
): Promise<Map<number, number>> {
  const rows = await queryRows<RedirectTotal>(db)`
    select h.redirect_id, sum(${countedHits(filter)})::bigint as hits
    ${storedDays({ websiteId, environment }, [range], true)} and h.redirect_id = any(${sql.param(ids)}::bigint[])
    group by 1`;
  return new Map(rows.map(({ redirectId, hits }) => [redirectId, hits]));
}

/**
 * As topRedirects, in bounded time: reads 400 redirects for each day, and none with at most MAX_UNINDEXED hits a day.
 * Exact if some redirects have many more hits than others; otherwise others may have about as many.
 */
export async function estimateTopRedirects(
  db: Queryable,
  { websiteId, environment }: HitScope,
  range: DayRange,
  limit: number,
): Promise<RedirectTotal[]> {
  const search = {
    websiteId,
    environment,
    days: inRanges(range),
    ties: 'asc',
    limit,
    depth: 400,
    isEstimate: true,
  } as const;
  const rows = await queryRows<TopRow>(db)`${topQuery(search)}`;
  return rows.flatMap(({ id, hits }) => (id === null || hits === null ? [] : [{ redirectId: id, hits }]));
}

/** The index by tier omits lower tiers: a redirect outside it has at most this many hits that day. */
export const MAX_UNINDEXED = 3;
/** The rows of that index. PostgreSQL uses it only for queries with exactly this condition. */
export const INDEXED = sql`h.tier > 4`;

/**
 * The most hits of a row in this tier of `redirect_hits`: 0 hits are tier 0, others tier 1 + 2 log2(hits), rounded
 * down. The schema's expression may round a value up into the next tier, never down.
 */
export function maxHitsOfTier(tier: SQL): SQL {
  return sql`(ceil(power(2, ${tier} / 2.0::float8)) - 1)`;
}
