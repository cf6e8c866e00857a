/**
 * The redirects that were followed most over a range of days, exactly, without adding up all of them: the threshold algorithm (Fagin,
 * Lotem and Naor, 2001) over the days, each of which is in order by an index, but for hits that are nearly as many. Of each day the
 * first few redirects are read. Whichever is among them anywhere is added up over all days; one that is not can have no more than
 * the tier of the last that was read of each day allows, together, or what is not in the index at all. When the wanted number have
 * more than that, they are the answer.
 */
import { sql, type SQL } from 'drizzle-orm';
import type { Queryable } from '../../db/client.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import type { DayRange } from './hit-summary.ts';

/** How many redirects of a day are read at first, and how many before adding up all of them is cheaper (flat traffic). */
const DEPTHS = [50, 400];

export interface RedirectTotal {
  redirectId: number;
  /** of people */
  hits: number;
}

/**
 * The `limit` most followed redirects that still exist, most hits first, equal ones by id. Milliseconds where some redirects are
 * followed much more than others, as is usual; where all are followed alike it reads every row of the range.
 */
export async function topRedirects(
  db: Queryable,
  websiteId: number,
  environment: Environment,
  range: DayRange,
  limit: number,
): Promise<RedirectTotal[]> {
  for (const depth of DEPTHS) {
    const { best, unseen, isIndexRead } = await readTops(db, { websiteId, environment, range, limit, depth });
    const last = best[limit - 1];
    // Equal is not enough: one that was not read may have as many and a lower id.
    if (unseen === 0 || (last && last.hits > unseen)) return best;
    if (isIndexRead) break;
  }
  return addUp(db, { websiteId, environment, range, limit });
}

interface Wanted {
  websiteId: number;
  environment: Environment;
  range: DayRange;
  limit: number;
}

interface Row extends Record<string, unknown> {
  redirect_id: number;
  hits: number;
}

interface TopRow extends Record<string, unknown> {
  unseen: number;
  is_index_read: boolean;
  best: Row[];
}

async function readTops(
  db: Queryable,
  { websiteId, environment, range, limit, depth }: Wanted & { depth: number },
): Promise<{ best: RedirectTotal[]; unseen: number; isIndexRead: boolean }> {
  const { rows } = await db.execute<TopRow>(sql`
    with days as materialized (
      select w.day, w.hits from website_hits w
      where w.website_id = ${websiteId} and w.environment = ${environment} and w.hits > 0
        and w.day between ${range.from}::date and ${range.to}::date),
    tops as materialized (
      select top.* from days
      cross join lateral (
        select h.day, h.redirect_id, h.tier from redirect_hits h
        where h.website_id = ${websiteId} and h.environment = ${environment} and h.day = days.day and ${INDEXED}
        order by h.tier desc, h.redirect_id limit ${depth}) as top),
    ends as (
      select least(days.hits, case when count(tops.tier) = ${depth} then ${mostOfTier(sql`min(tops.tier)`)} else ${MOST_UNINDEXED} end) as most,
        count(tops.tier) < ${depth} as is_read
      from days left join tops using (day) group by days.day, days.hits),
    sums as (
      select h.redirect_id, sum(h.hits)::bigint as hits
      from (select distinct redirect_id from tops) as seen
      cross join lateral (
        select h.redirect_id, h.hits from redirect_hits h
        where h.website_id = ${websiteId} and h.redirect_id = seen.redirect_id and h.environment = ${environment}
          and h.day between ${range.from}::date and ${range.to}::date offset 0) as h
      where exists (select 1 from redirects r where r.website_id = ${websiteId} and r.id = seen.redirect_id)
      group by h.redirect_id order by 2 desc, 1 limit ${limit})
    select
      coalesce((select sum(most) from ends), 0)::bigint as unseen,
      coalesce((select bool_and(is_read) from ends), true) as is_index_read,
      coalesce((select json_agg(sums order by hits desc, redirect_id) from sums), '[]') as best`);
  const [row] = rows;
  return {
    best: (row?.best ?? []).map(toTotal),
    unseen: row?.unseen ?? 0,
    isIndexRead: row?.is_index_read ?? true,
  };
}

async function addUp(
  db: Queryable,
  { websiteId, environment, range, limit }: Wanted,
): Promise<RedirectTotal[]> {
  const { rows } = await db.execute<Row>(sql`
    select redirect_id, sum(hits)::bigint as hits from redirect_hits h
    where website_id = ${websiteId} and environment = ${environment} and hits > 0
      and day between ${range.from}::date and ${range.to}::date
      and exists (select 1 from redirects r where r.website_id = ${websiteId} and r.id = h.redirect_id)
    group by redirect_id order by 2 desc, 1 limit ${limit}`);
  return rows.map(toTotal);
}

function toTotal({ redirect_id, hits }: Row): RedirectTotal {
  return { redirectId: redirect_id, hits };
}

/** Rows of lower tiers are not in the index by tier: a redirect that is not has at most so many hits that day. */
export const MOST_UNINDEXED = 3;
/** What the index holds; it is used only where a query says so in these words. */
export const INDEXED = sql`h.tier > 4`;

/**
 * The most hits that a row of this tier of `redirect_hits` can have: 0 hits are tier 0, others tier 1 + 2 log2(hits), rounded down. What
 * is rounded wrong in the schema's expression comes into the next tier, so this holds all the same.
 */
export function mostOfTier(tier: SQL): SQL {
  return sql`(ceil(power(2, ${tier} / 2.0::float8)) - 1)`;
}
