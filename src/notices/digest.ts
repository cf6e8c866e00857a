/** Reads the data of the weekly digest. */
import { isOwnWebsite } from '../accounts/website-scope.ts';
import type { Queryable } from '../db/connection/client.ts';
import { sql, type SQL } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import type { DayRange } from '../hits/report/hit-rows.ts';
import { estimateTopRedirects, topRedirects } from '../hits/report/top-redirects.ts';
import { DAY_MS, isoSeconds, utcDay } from '../platform/clock.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Digest } from '../vocabulary/notices.ts';
import { isWindowLive } from './watch/ends-soon.ts';

const MAX_WEBSITES = 10;
/** Rows of every other list. */
const MAX_ROWS = 5;
/** Websites, by hits, among which the redirects with the most hits are sought. */
const MAX_SEARCHED = 50;
/** With more requests in the week, which may be of as many redirects, the redirects with the most hits are estimated. */
const MAX_EXACT = 20_000;

/** The days of a digest, and what it covers as SQL. */
interface Scope {
  range: DayRange;
  /** the moment after the last day */
  end: Date;
  /** a query of the ids and names of the websites */
  websites: SQL;
}

/**
 * Reads the digest of an account, of all its websites or of these. Hits and unmatched paths are those of production.
 * `range`: the week; windows that end are those of the 7 days after it.
 */
export async function readDigest(
  db: Queryable,
  { accountId }: Pick<Actor, 'accountId'>,
  websiteIds: readonly number[] | null,
  range: DayRange,
): Promise<Digest> {
  const isCovered = isOwnWebsite({ accountId, websiteIds: websiteIds ?? undefined }, 'w');
  const end = new Date(Date.parse(`${range.to}T00:00:00Z`) + DAY_MS);
  const scope = { range, end, websites: sql`select w.id, w.name from websites w where ${isCovered}` };
  const sites = await readSites(db, scope);
  return {
    ...range,
    hits: sites[0]?.allHits ?? 0,
    hitsBefore: sites[0]?.allBefore ?? 0,
    websiteCount: sites[0]?.websiteCount ?? 0,
    websites: sites.slice(0, MAX_WEBSITES).map(({ website, hits, before }) => ({ website, hits, before })),
    topRedirects: await readTopRedirects(db, sites, range),
    newUnmatched: await readNewUnmatched(db, scope),
    ...(await readEndsSoon(db, scope)),
    changes: await readChanges(db, scope),
  };
}

interface Site {
  id: number;
  website: string;
  hits: number;
  before: number;
  /** of the week, by all classes of agents */
  requests: number;
  allHits: number;
  allBefore: number;
  websiteCount: number;
}

/**
 * The websites with the most hits, each with the sums over all. In this and the next queries, a subquery per website
 * with a limit or sum uses an index that begins with the website, whatever the statistics say.
 */
const readSites = (db: Queryable, { range: { from, to }, websites }: Scope): Promise<Site[]> =>
  queryRows<Site>(db)`
    select w.id, w.name as website, h.hits, h.before, h.requests, sum(h.hits) over ()::bigint as all_hits,
      sum(h.before) over ()::bigint as all_before, count(*) over () as website_count
    from (${websites}) w cross join lateral (
      select coalesce(sum(hits) filter (where day >= ${from}::date), 0)::bigint as hits,
        coalesce(sum(hits) filter (where day < ${from}::date), 0)::bigint as before,
        coalesce(sum(hits + bot_hits + assistant_hits) filter (where day >= ${from}::date), 0)::bigint as requests
      from website_hits where website_id = w.id and environment = 'production'
        and day between ${weekBefore(from)}::date and ${to}::date) h
    order by h.hits desc, w.id limit ${MAX_SEARCHED}`;

const weekBefore = (day: string): string => utcDay(new Date(day), -7);

async function readTopRedirects(db: Queryable, sites: Site[], range: DayRange): Promise<Digest['topRedirects']> {
  let top: { websiteId: number; website: string; redirectId: number; hits: number }[] = [];
  for (const { id, website, hits, requests } of sites) {
    // No redirect of this website or of a later one has more hits.
    if (hits === 0 || (top[MAX_ROWS - 1]?.hits ?? 0) >= hits) break;
    const find = requests > MAX_EXACT ? estimateTopRedirects : topRedirects;
    const found = await find(db, { websiteId: id, environment: 'production' }, range, MAX_ROWS);
    const added = found.map((each) => ({ websiteId: id, website, ...each }));
    top = [...top, ...added].sort((a, b) => b.hits - a.hits).slice(0, MAX_ROWS);
  }
  const rows = [];
  for (const { websiteId, website, redirectId, hits } of top) {
    const [redirect] = await queryRows<{ path: string }>(db)`
      select old_path as path from redirects where website_id = ${websiteId} and id = ${redirectId}`;
    // Deleted since it was counted.
    if (redirect) rows.push({ website, path: redirect.path, hits });
  }
  return rows;
}

const readNewUnmatched = (db: Queryable, { range: { from }, end, websites }: Scope): Promise<Digest['newUnmatched']> =>
  queryRows<Digest['newUnmatched'][number]>(db)`
    select w.name as website, n.path, n.hits
    from (${websites}) w cross join lateral (
      select path, hits from not_found where website_id = w.id and environment = 'production' and hits > 0 and not noise
        and ignored_at is null and first_seen_at >= ${`${from}T00:00:00Z`}::timestamptz and first_seen_at < ${end.toISOString()}::timestamptz
      order by hits desc, path limit ${MAX_ROWS}) n
    order by n.hits desc, w.id, n.path limit ${MAX_ROWS}`;

async function readEndsSoon(
  db: Queryable,
  { end, websites }: Scope,
): Promise<Pick<Digest, 'endsSoon' | 'endsSoonCount'>> {
  const until = new Date(end.getTime() + 7 * DAY_MS);
  const rows = await queryRows<{ website: string; path: string; at: string; all: number }>(db)`
    select w.name as website, r.old_path as path, r.active_until as at, count(*) over () as all
    from (${websites}) w cross join lateral (
      select r.id, r.old_path, r.active_until from redirects r where r.website_id = w.id
        and r.active_until >= ${end.toISOString()}::timestamptz and r.active_until < ${until.toISOString()}::timestamptz
        and ${isWindowLive('active_until')} offset 0) r
    order by r.active_until, r.id limit ${MAX_ROWS}`;
  const endsSoon = rows.map(({ website, path, at }) => ({ website, path, at: isoSeconds(new Date(at)) }));
  return { endsSoon, endsSoonCount: rows[0]?.all ?? 0 };
}

const readChanges = (db: Queryable, { range: { from }, end, websites }: Scope): Promise<Digest['changes']> =>
  queryRows<Digest['changes'][number]>(db)`
    select (array_agg(c.actor_name order by c.created_at desc))[1] as by, count(*) as changes,
      sum(c.created + c.updated + c.deleted)::bigint as redirects
    from (${websites}) w cross join lateral (
      select * from changes where website_id = w.id and created_at >= ${`${from}T00:00:00Z`}::timestamptz
        and created_at < ${end.toISOString()}::timestamptz offset 0) c
    group by c.actor_type, c.actor_id order by 3 desc, 2 desc, 1 limit ${MAX_ROWS}`;
