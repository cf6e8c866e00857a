/**
 * Redirects in the order in which, or as often as, people followed them. Those that were followed come along the index of activity, or
 * from the sums of the window; those that were not come by id. A page is read from the one and goes on in the other, so that neither
 * sorts a million rows. Never followed counts as longest ago and as least.
 */
import { sql, type SQL } from 'drizzle-orm';
import type { Queryable } from '../../db/client.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { inWindow, notHitSince } from './activity.ts';
import { type RedirectFilter, rowCondition, websitesOf } from './filter.ts';
import type { HitSort, PlacedRow } from './list-cursor.ts';
import { readMostFollowed, type Wanted } from './list-top-redirects.ts';
import { type RawRedirect, rowOf } from '../rule/redirect.ts';

type RankedRedirect = RawRedirect & { rank: number | null };

/** At most `limit` redirects behind `after`. */
export async function readHitPage(db: Queryable, wanted: Wanted): Promise<PlacedRow[]> {
  const { sort, after, limit } = wanted;
  const parts = sort.descending ? [followed, neverFollowed] : [neverFollowed, followed];
  const found: PlacedRow[] = [];
  // The position is in one of the parts; what comes before it is past, what comes behind it begins at its beginning.
  let from = after;
  for (const part of parts) {
    if (found.length >= limit) break;
    const isHere = from === undefined || (from.value === null) === (part === neverFollowed);
    if (!isHere) continue;
    const here = { ...wanted, after: from, limit: limit - found.length };
    const most = part === followed ? await readMostFollowed(db, here) : undefined;
    found.push(...(most ?? (await db.execute<RankedRedirect>(part(here))).rows.map(placed)));
    from = undefined;
  }
  return found.map(({ row, at }, index) => ({
    row,
    at: { ...at, before: (after?.before ?? 0) + index + 1 },
  }));
}

/** The whole list as one statement, to be read by a cursor: a page at a time would add up all hits for every page. */
export function allByHits(actor: Actor, filter: RedirectFilter, { field, descending, window }: HitSort): SQL {
  const ranks =
    field === 'hits'
      ? sql`select h.website_id, h.redirect_id, ${HITS} as rank from redirect_hits h
          where h.website_id in (${websitesOf(actor, filter)}) and ${inWindow(window)} and h.hits > 0 group by 1, 2`
      : sql`select a.website_id, a.redirect_id, ${MICROS} as rank from redirect_activity a
          where a.website_id in (${websitesOf(actor, filter)}) and a.environment = ${window.environment}`;
  const direction = descending ? sql`desc` : sql`asc`;
  return sql`
    select r.* from redirects r left join (${ranks}) k on k.website_id = r.website_id and k.redirect_id = r.id
    where r.website_id in (${websitesOf(actor, filter)}) and ${rowCondition(filter)}
    order by k.rank ${direction} ${descending ? sql`nulls last` : sql`nulls first`}, r.id ${direction}`;
}

function placed(raw: RankedRedirect): PlacedRow {
  const row = rowOf(raw);
  return { row, at: { value: raw.rank, id: row.id } };
}

/** Exact far beyond any count of hits, and half as dear as a sum of bigint, which PostgreSQL makes a decimal number. */
const HITS = sql`sum(h.hits::float8)::bigint`;

/** Whole microseconds since 1970: a number that a cursor can carry and that loses nothing. */
const MICROS = sql`(extract(epoch from a.last_hit_at) * 1000000)::bigint`;

function followed(wanted: Wanted): SQL {
  return wanted.sort.field === 'hits' ? followedMost(wanted) : followedLast(wanted);
}

function followedLast({ actor, filter, sort, after, limit }: Wanted): SQL {
  const direction = sort.descending ? sql`desc` : sql`asc`;
  const time = sql`(timestamptz 'epoch' + ${after?.value ?? 0}::bigint * interval '1 microsecond')`;
  const sign = sort.descending ? sql`<` : sql`>`;
  // The index has the minute: what is followed all the time would else change it with every write.
  const beyond = after
    ? sql` and (a.last_hit_minute, a.last_hit_at, a.redirect_id) ${sign} (date_trunc('minute', ${time}, 'UTC'), ${time}, ${after.id}::bigint)`
    : sql``;
  const long = filter.lastHitBefore;
  const bound = long ? sql` and a.last_hit_minute < ${long.toISOString()}::timestamptz` : sql``;
  return sql`
    select r.* from (${websitesOf(actor, filter)}) w cross join lateral (
      select r.*, ${MICROS} as rank
      from redirect_activity a join redirects r on r.website_id = a.website_id and r.id = a.redirect_id
      where a.website_id = w.id and a.environment = ${sort.window.environment} and ${rowCondition(filter)}${beyond}${bound}
      order by a.last_hit_minute ${direction}, a.last_hit_at ${direction}, a.redirect_id ${direction} limit ${limit}) r
    order by r.rank ${direction}, r.id ${direction} limit ${limit}`;
}

/**
 * The sums are ordered before anything is joined to them, and each redirect is then looked up by itself: left to itself the planner
 * joins all of a million first, which takes ten times as long. A page costs one sum over the window.
 */
function followedMost({ actor, filter, sort, after, limit }: Wanted): SQL {
  const direction = sort.descending ? sql`desc` : sql`asc`;
  const sign = sort.descending ? sql`<` : sql`>`;
  const beyond = after
    ? sql` having (${HITS}, h.redirect_id) ${sign} (${after.value}::bigint, ${after.id}::bigint)`
    : sql``;
  const long = filter.lastHitBefore
    ? sql` and ${notHitSince('h', sort.window.environment, filter.lastHitBefore)}`
    : sql``;
  return sql`
    select r.*, k.rank from (
      select h.website_id, h.redirect_id, ${HITS} as rank from redirect_hits h
      where h.website_id in (${websitesOf(actor, filter)}) and ${inWindow(sort.window)} and h.hits > 0${long}
      group by 1, 2${beyond} order by rank ${direction}, h.redirect_id ${direction} offset 0) k
    cross join lateral (
      select r.* from redirects r
      where r.website_id = k.website_id and r.id = k.redirect_id and ${rowCondition(filter)} offset 0) r
    order by k.rank ${direction}, k.redirect_id ${direction} limit ${limit}`;
}

function neverFollowed({ actor, filter, sort, after, limit }: Wanted): SQL {
  const direction = sort.descending ? sql`desc` : sql`asc`;
  const sign = sort.descending ? sql`<` : sql`>`;
  const beyond = after ? sql` and r.id ${sign} ${after.id}::bigint` : sql``;
  const isFollowed =
    sort.field === 'hits'
      ? sql`select from redirect_hits h
          where h.website_id = r.website_id and h.redirect_id = r.id and ${inWindow(sort.window)} and h.hits > 0`
      : sql`select from redirect_activity a
          where a.website_id = r.website_id and a.redirect_id = r.id and a.environment = ${sort.window.environment}`;
  return sql`
    select r.*, null::bigint as rank from (${websitesOf(actor, filter)}) w cross join lateral (
      select r.* from redirects r
      where r.website_id = w.id and ${rowCondition(filter)}${beyond} and not exists (${isFollowed})
      order by r.id ${direction} limit ${limit}) r
    order by r.id ${direction} limit ${limit}`;
}
