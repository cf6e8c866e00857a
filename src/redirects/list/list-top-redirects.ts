/**
 * The redirects that were followed most, a page at a time, without adding up those that were followed little: the threshold algorithm of
 * hits/top-redirects.ts, for a list that is filtered and goes on. Of each day the first redirects are read along an index. One that is
 * not among them on any day has at most what the tiers of the last of each day allow together; one that is among them, at most what
 * it has there, and that of the other days. Only those that may belong to the page are added up over all days.
 */
import { sql } from 'drizzle-orm';
import type { Queryable } from '../../db/client.ts';
import { INDEXED, MOST_UNINDEXED, mostOfTier } from '../../hits/report/top-redirects.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { inWindow } from './activity.ts';
import { filterCondition, type RedirectFilter } from './filter.ts';
import type { HitSort, PlacedRow, Position } from './list-cursor.ts';
import { type RawRedirect, rowOf } from '../rule/redirect.ts';

/** Redirects of a day that are read; where a page needs more, adding up all of them is not much dearer. */
const MAX_DEPTH = 2_500;

/** Candidates beyond the page: with them it is seldom that one was let go too soon. */
const SLACK = 20;

/** A page of the redirects in the order of what visitors did. */
export interface Wanted {
  actor: Actor;
  filter: RedirectFilter;
  sort: HitSort;
  after: Position | undefined;
  limit: number;
}

type Candidate = RawRedirect & { rank: number; floor: number; unseen: number };

/**
 * At most `limit` followed redirects behind `after`, the most followed first, equal ones by falling id. Undefined where it cannot be
 * told so: for several websites, far down the list, where many are followed alike, or where a filter leaves few of the first.
 */
export async function readMostFollowed(db: Queryable, wanted: Wanted): Promise<PlacedRow[] | undefined> {
  const { sort, after, limit } = wanted;
  const depth = 2 * ((after?.before ?? 0) + limit + SLACK);
  if (sort.field !== 'hits' || !sort.descending || depth > MAX_DEPTH) return undefined;
  if (wanted.filter.websiteId === undefined) return undefined;
  const rows = await readCandidates(db, { ...wanted, websiteId: wanted.filter.websiteId, depth });
  const last = rows.at(-1);
  if (!last) return undefined;
  // Equal to the bound is not enough: one that was not read may have as many and a higher id.
  const isExact = rows.length === limit && last.rank > last.unseen && last.rank >= last.floor;
  return isExact
    ? rows.map((raw) => ({ row: rowOf(raw), at: { value: raw.rank, id: Number(raw.id) } }))
    : undefined;
}

async function readCandidates(
  db: Queryable,
  { actor, filter, sort, after, limit, websiteId, depth }: Wanted & { websiteId: number; depth: number },
): Promise<Candidate[]> {
  const { window } = sort;
  const ofWebsite = sql`h.website_id = ${websiteId} and h.environment = ${window.environment}`;
  const notAbove = after ? sql` and s.least <= ${after.value}::bigint` : sql``;
  const beyond = after ? sql`where (s.rank, s.id) < (${after.value}::bigint, ${after.id}::bigint)` : sql``;
  const { rows } = await db.execute<Candidate>(sql`
    with days as materialized (
      select h.day, h.hits from website_hits h where ${ofWebsite} and h.hits > 0 and ${inWindow(window)}),
    tops as materialized (
      select top.* from days
      cross join lateral (
        select h.day, h.redirect_id, h.hits, h.tier from redirect_hits h where ${ofWebsite} and h.day = days.day and ${INDEXED}
        order by h.tier desc, h.redirect_id limit ${depth}) top),
    ends as materialized (
      select days.day, least(days.hits,
        case when count(tops.tier) = ${depth} then ${mostOfTier(sql`min(tops.tier)`)} else ${MOST_UNINDEXED} end) as hits
      from days left join tops using (day) group by days.day, days.hits),
    unseen as materialized (select coalesce(sum(hits), 0)::bigint as most from ends),
    seen as (
      select t.redirect_id, sum(t.hits)::bigint as least,
        ((select most from unseen) + sum(t.hits - e.hits))::bigint as most
      from tops t join ends e using (day) group by 1),
    wanted as materialized (
      select s.* from seen s join redirects r on r.website_id = ${websiteId} and r.id = s.redirect_id
      where ${filterCondition(actor, filter)}${notAbove}),
    floors as materialized (select least from wanted order by least desc offset ${limit + SLACK} limit 1),
    bounds as materialized (select (select most from unseen) as unseen, coalesce((select least from floors), 0) as floor),
    sums as materialized (
      select w.redirect_id as id, (
        select sum(h.hits::float8)::bigint from redirect_hits h
        where h.website_id = ${websiteId} and h.redirect_id = w.redirect_id and ${inWindow(window)}) as rank
      from wanted w, bounds b
      where w.most >= b.floor and b.floor * 1.5 > b.unseen)
    select r.*, k.rank, b.floor, b.unseen
    from (select s.* from sums s ${beyond} order by s.rank desc, s.id desc limit ${limit}) k cross join bounds b
    cross join lateral (
      select r.* from redirects r where r.website_id = ${websiteId} and r.id = k.id offset 0) r
    order by k.rank desc, k.id desc`);
  return rows;
}
