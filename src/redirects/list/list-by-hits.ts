/**
 * Lists redirects by last hit or by hits. Redirects with hits come from the activity index or the window's sums, the
 * others by id; a page may span both sections. Redirects without hits sort lowest.
 */
import type { Queryable } from '../../db/connection/client.ts';
import { sql, type SQL } from '../../db/drizzle.ts';
import { isExactTop, topQuery, type TopRow } from '../../hits/report/top-redirects.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { type RawRedirect, rowOf } from '../rule/redirect.ts';
import { inDays, inWindow, notHitSince } from './activity.ts';
import { filterCondition, type RedirectFilter, rowCondition, websitesInScope } from './filter.ts';
import { directionOf, type HitSort, type PageQuery, type PlacedRow } from './page.ts';

type HitPageQuery = PageQuery<HitSort>;
type RankedRedirect = RawRedirect & { rank: number | null };

/** Reads at most `limit` redirects after a position. */
export async function readHitPage(db: Queryable, query: HitPageQuery): Promise<PlacedRow[]> {
  const { sort, after, limit } = query;
  const sections = [
    { hasHits: true, read: sort.field === 'hits' ? readByHits : readByLastHit },
    { hasHits: false, read: readWithoutHits },
  ];
  if (!sort.descending) sections.reverse();
  const start = after ? sections.findIndex(({ hasHits }) => hasHits === (after.value !== null)) : 0;
  const rows: RankedRedirect[] = [];
  for (const [index, section] of sections.slice(start).entries()) {
    if (rows.length === limit) break;
    const position = index === 0 ? after : undefined;
    rows.push(...(await section.read(db, { ...query, after: position, limit: limit - rows.length })));
  }
  const preceding = after?.preceding ?? 0;
  return rows.map((raw, index) => {
    const row = rowOf(raw);
    return { row, at: { value: raw.rank, id: row.id, preceding: preceding + index + 1 } };
  });
}

/** One statement for the whole list, for a database cursor: page by page would sum all hits for each page. */
export function listByHitsQuery(actor: Actor, filter: RedirectFilter, sort: HitSort): SQL {
  const { order } = directionOf(sort);
  const scope = websitesInScope(actor, filter);
  const ranks =
    sort.field === 'hits'
      ? sql`select h.website_id, h.redirect_id, ${HITS} as rank from redirect_hits h
          where h.website_id in (${scope}) and ${inWindow(sort.window)} and h.hits > 0 group by 1, 2`
      : sql`select a.website_id, a.redirect_id, ${LAST_HIT_US} as rank from redirect_activity a
          where a.website_id in (${scope}) and a.environment = ${sort.window.environment}`;
  return sql`
    select r.* from redirects r left join (${ranks}) k on k.website_id = r.website_id and k.redirect_id = r.id
    where r.website_id in (${scope}) and ${rowCondition(filter)}
    order by k.rank ${order} ${sort.descending ? sql`nulls last` : sql`nulls first`}, r.id ${order}`;
}

/** Exact far beyond any number of hits, and half the cost of summing bigint, which PostgreSQL does in decimal. */
const HITS = sql`sum(h.hits::float8)::bigint`;

/** Microseconds since 1970: a cursor can hold them without loss. */
const LAST_HIT_US = sql`(extract(epoch from a.last_hit_at) * 1000000)::bigint`;

async function readByLastHit(db: Queryable, { actor, filter, sort, after, limit }: HitPageQuery) {
  const { order, isAfter } = directionOf(sort);
  const time = sql`(timestamptz 'epoch' + ${after?.value ?? 0}::bigint * interval '1 microsecond')`;
  // The index has the minute only, so that frequent hits do not change it with every write.
  const beyond = after
    ? sql` and (a.last_hit_minute, a.last_hit_at, a.redirect_id) ${isAfter} (date_trunc('minute', ${time}, 'UTC'), ${time}, ${after.id}::bigint)`
    : sql``;
  const before = filter.lastHitBefore;
  const bound = before ? sql` and a.last_hit_minute < ${before.toISOString()}::timestamptz` : sql``;
  const { rows } = await db.execute<RankedRedirect>(sql`
    select r.* from (${websitesInScope(actor, filter)}) w cross join lateral (
      select r.*, ${LAST_HIT_US} as rank
      from redirect_activity a join redirects r on r.website_id = a.website_id and r.id = a.redirect_id
      where a.website_id = w.id and a.environment = ${sort.window.environment} and ${rowCondition(filter)}${beyond}${bound}
      order by a.last_hit_minute ${order}, a.last_hit_at ${order}, a.redirect_id ${order} limit ${limit}) r
    order by r.rank ${order}, r.id ${order} limit ${limit}`);
  return rows;
}

async function readByHits(db: Queryable, query: HitPageQuery): Promise<RankedRedirect[]> {
  return (await readTopRedirects(db, query)) ?? (await readSummedHits(db, query));
}

/** Redirects to read for each day at most; for more, summing all is hardly slower. */
const MAX_DEPTH = 2_500;

/**
 * Reads a page without summing all redirects. Returns undefined if the result would not be exact: for several websites,
 * far down the list, if many redirects have about as many hits, or if the filter excludes most of the first ones.
 */
export async function readTopRedirects(db: Queryable, { actor, filter, sort, after, limit }: HitPageQuery) {
  const { websiteId } = filter;
  const depth = 2 * ((after?.preceding ?? 0) + limit + 20);
  if (!sort.descending || depth > MAX_DEPTH || websiteId === undefined) return undefined;
  const top = topQuery({
    websiteId,
    environment: sort.window.environment,
    days: inDays(sort.window),
    where: filterCondition(actor, filter),
    ties: 'desc',
    after: after && { hits: Number(after.value), id: after.id },
    limit,
    depth,
  });
  const { rows } = await db.execute<RawRedirect & Omit<TopRow, 'id'> & { rank: number }>(sql`
    select r.*, t.hits, t.hits as rank, t.floor, t.unseen from (${top}) t
    cross join lateral (select r.* from redirects r where r.website_id = ${websiteId} and r.id = t.id offset 0) r
    order by t.hits desc, t.id desc`);
  return isExactTop(rows, limit) ? rows : undefined;
}

/**
 * Sums all hits of the window. Orders the sums before the join, and looks each redirect up singly (`offset 0`):
 * otherwise the planner joins all redirects first, which takes ten times as long for a million.
 */
async function readSummedHits(db: Queryable, { actor, filter, sort, after, limit }: HitPageQuery) {
  const { order, isAfter } = directionOf(sort);
  const beyond = after
    ? sql` having (${HITS}, h.redirect_id) ${isAfter} (${after.value}::bigint, ${after.id}::bigint)`
    : sql``;
  const before = filter.lastHitBefore;
  const bound = before ? sql` and ${notHitSince('h', sort.window.environment, before)}` : sql``;
  const { rows } = await db.execute<RankedRedirect>(sql`
    select r.*, k.rank from (
      select h.website_id, h.redirect_id, ${HITS} as rank from redirect_hits h
      where h.website_id in (${websitesInScope(actor, filter)}) and ${inWindow(sort.window)} and h.hits > 0${bound}
      group by 1, 2${beyond} order by rank ${order}, h.redirect_id ${order} offset 0) k
    cross join lateral (
      select r.* from redirects r
      where r.website_id = k.website_id and r.id = k.redirect_id and ${rowCondition(filter)} offset 0) r
    order by k.rank ${order}, k.redirect_id ${order} limit ${limit}`);
  return rows;
}

async function readWithoutHits(db: Queryable, { actor, filter, sort, after, limit }: HitPageQuery) {
  const { order, isAfter } = directionOf(sort);
  const beyond = after ? sql` and r.id ${isAfter} ${after.id}::bigint` : sql``;
  const hit =
    sort.field === 'hits'
      ? sql`select from redirect_hits h
          where h.website_id = r.website_id and h.redirect_id = r.id and ${inWindow(sort.window)} and h.hits > 0`
      : sql`select from redirect_activity a
          where a.website_id = r.website_id and a.redirect_id = r.id and a.environment = ${sort.window.environment}`;
  const { rows } = await db.execute<RankedRedirect>(sql`
    select r.*, null::bigint as rank from (${websitesInScope(actor, filter)}) w cross join lateral (
      select r.* from redirects r
      where r.website_id = w.id and ${rowCondition(filter)}${beyond} and not exists (${hit})
      order by r.id ${order} limit ${limit}) r
    order by r.id ${order} limit ${limit}`);
  return rows;
}
