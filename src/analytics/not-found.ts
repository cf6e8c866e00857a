/** The inbox of unmatched paths: candidates for redirects. `hits/` records a limited number per environment. */
import type { Db, Queryable } from '../db/connection/client.ts';
import { sql, type SQL } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import type { LiveSite } from '../deployments/live/live-registry.ts';
import { csvRow } from '../formats/write/csv.ts';
import { lockHitCounters } from '../hits/store/write-batch.ts';
import { isoSeconds } from '../platform/clock.ts';
import { decodeCursor, encodeCursor, isCount } from '../platform/cursor.ts';
import { createTimeSlice } from '../platform/scheduling/time-slice.ts';
import { firstHost } from '../resolver/own-hosts.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { requireEditableRow, requireWebsiteRow } from '../websites/website.ts';

export interface MissingPath {
  /** canonical; above 2,048 bytes truncated, with a final ellipsis */
  path: string;
  /** GETs of humans; 0 if only known bots or assistants requested it */
  hits: number;
  botHits: number;
  assistantHits: number;
  firstSeenAt: Date;
  lastSeenAt: Date;
  /** of the last request with a referrer */
  referrerHost: string | null;
  /** true for paths that scanners request on every website */
  noise: boolean;
}

/** Most hits or hits by assistants first, most recently requested first, or A to Z. */
export const MISSING_PATH_SORTS = ['-hits', '-assistant_hits', '-last_seen_at', 'path'] as const;
export type MissingPathSort = (typeof MISSING_PATH_SORTS)[number];

/** Columns of the hits of each class of agents. */
const HITS_OF = { people: 'hits', bots: 'bot_hits', assistants: 'assistant_hits' } as const;
export type MissingPathAgents = keyof typeof HITS_OF;
export const MISSING_PATH_AGENTS = Object.keys(HITS_OF) as MissingPathAgents[];

export interface MissingPathFilter {
  websiteId: number;
  environment: Environment;
  /** only noise, or everything else; undefined: both, with the noise last */
  noise?: boolean | undefined;
  /** only ignored paths, or everything else */
  ignored: boolean;
  /** only paths that were first requested then or later */
  since?: Date | undefined;
  /** only paths that contain this text; case is ignored */
  q?: string | undefined;
  /** only paths that agents of this class have requested */
  agents?: MissingPathAgents | undefined;
  /** default: -hits */
  sort?: MissingPathSort | undefined;
}

export interface MissingPathPage {
  paths: MissingPath[];
  nextCursor: string | null;
  /** requests that are counted without their path, because there were too many different paths */
  other: { hits: number; botHits: number; assistantHits: number };
}

/** Rows per query after the first, if paths of the page are served by now. */
const BATCH_SIZE = 1_000;

/**
 * Returns a full page in the order of the filter, noise last, without the paths for which `isServed` is true. Numbers
 * are those at the time of the request: a path with new hits moves up, and may be on two pages or on none. Throws
 * WEBSITE_NOT_FOUND, and INVALID_PARAMETER for an invalid cursor.
 */
export async function listMissingPaths(
  db: Queryable,
  actor: Actor,
  filter: MissingPathFilter,
  page: { limit: number; cursor?: string | undefined; isServed?: ((path: string) => boolean) | undefined },
): Promise<MissingPathPage> {
  const { websiteId, environment, sort = '-hits' } = filter;
  const list = sort === '-hits' ? CURSOR_LIST : `${CURSOR_LIST} ${sort}`;
  await requireWebsiteRow(db, actor, websiteId);
  const slice = createTimeSlice();
  const found: Row[] = [];
  let after = page.cursor === undefined ? undefined : decodeCursor(page.cursor, list, parsePosition);
  for (let limit = page.limit + 1; found.length <= page.limit; limit = BATCH_SIZE) {
    const rows = await readRows(db, filter, after, limit);
    for (const row of rows) {
      if (slice.isOver()) await slice.yield();
      if (!page.isServed?.(row.path)) found.push(row);
    }
    if (rows.length < limit) break;
    after = rows.at(-1);
  }
  const shown = found.slice(0, page.limit);
  const paths = shown.map(({ key: _key, ...path }): MissingPath => path);
  const last = shown.at(-1);
  return {
    paths,
    nextCursor: last && found.length > page.limit ? encodeCursor(list, [last.noise, last.key, last.path]) : null,
    other: await readOther(db, websiteId, environment),
  };
}

const CSV_COLUMNS = 'path hits bot_hits assistant_hits first_seen_at last_seen_at referrer_host noise'.split(' ');
const CSV_PAGE = 1_000;

/** Yields the whole list as CSV with a header, in the order of the filter. Throws as listMissingPaths. */
export async function* exportMissingPaths(
  db: Queryable,
  actor: Actor,
  filter: MissingPathFilter,
  isServed?: (path: string) => boolean,
): AsyncGenerator<string> {
  let cursor: string | undefined;
  do {
    const page = await listMissingPaths(db, actor, filter, { limit: CSV_PAGE, cursor, isServed });
    const lines = page.paths.map((each) => {
      const times = [each.firstSeenAt, each.lastSeenAt].map(isoSeconds);
      const hits = [each.hits, each.botHits, each.assistantHits].map(String);
      return csvRow([each.path, ...hits, ...times, each.referrerHost, `${each.noise}`]);
    });
    yield [...(cursor === undefined ? [csvRow(CSV_COLUMNS)] : []), ...lines].join('');
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

const CURSOR_LIST = 'not-found';

/** `key`: the number by which the list is sorted, largest first. Equal ones are sorted by path. */
interface Row extends MissingPath {
  key: number;
}

const KEYS: Record<MissingPathSort, SQL> = {
  '-hits': sql.raw('hits'),
  '-assistant_hits': sql.raw('assistant_hits'),
  '-last_seen_at': sql.raw('(extract(epoch from last_seen_at) * 1000000)::bigint'),
  path: sql.raw('0::bigint'),
};

type Position = Pick<Row, 'noise' | 'key' | 'path'>;

function parsePosition([noise, key, path]: unknown[]): Position | undefined {
  if (typeof noise !== 'boolean' || !isCount(key) || typeof path !== 'string') return undefined;
  // PostgreSQL does not accept NUL in text.
  return path.includes('\0') ? undefined : { noise, key, path };
}

async function readRows(
  db: Queryable,
  { websiteId, environment, noise, ignored, since, q, agents, sort = '-hits' }: MissingPathFilter,
  after: Position | undefined,
  limit: number,
): Promise<Row[]> {
  const key = KEYS[sort];
  const rows = await queryRows<Omit<Row, 'firstSeenAt' | 'lastSeenAt'> & { firstSeenAt: string; lastSeenAt: string }>(
    db,
  )`
    select path, hits, bot_hits, assistant_hits, first_seen_at, last_seen_at, referrer_host, noise, ${key} as key from not_found
    where website_id = ${websiteId} and environment = ${environment}
      and ${ignored ? sql`ignored_at is not null` : sql`ignored_at is null`}
      ${since === undefined ? sql`` : sql` and first_seen_at >= ${since.toISOString()}::timestamptz`}
      ${q === undefined ? sql`` : sql` and position(lower(${q}) in lower(path)) > 0`}
      ${agents === undefined ? sql`` : sql` and ${sql.identifier(HITS_OF[agents])} > 0`}
      ${noise === undefined ? sql`` : sql` and noise = ${noise}`}
      ${after ? sql` and (noise, -${key}, path) > (${after.noise}, ${-after.key}::bigint, ${after.path} collate "C")` : sql``}
    order by noise, key desc, path limit ${limit}`;
  return rows.map((row) => ({
    ...row,
    firstSeenAt: new Date(row.firstSeenAt),
    lastSeenAt: new Date(row.lastSeenAt),
  }));
}

async function readOther(db: Queryable, websiteId: number, environment: Environment) {
  const [other] = await queryRows<MissingPathPage['other']>(db)`
    select hits, bot_hits, assistant_hits from not_found_other where website_id = ${websiteId} and environment = ${environment}`;
  return other ?? { hits: 0, botHits: 0, assistantHits: 0 };
}

/**
 * Ignores paths, or stops ignoring them, in the given environment or in all. Ignored paths are still counted, and not
 * listed by default. Returns how many of the paths exist.
 */
export async function ignorePaths(
  db: Db,
  actor: Actor,
  input: { websiteId: number; environment?: Environment | undefined; paths: string[]; ignored: boolean },
  now: Date,
): Promise<number> {
  await requireEditableRow(db, actor, input.websiteId);
  const inEnvironment = input.environment === undefined ? sql`` : sql` and environment = ${input.environment}`;
  const ignoredAt = input.ignored ? sql`coalesce(ignored_at, ${now.toISOString()}::timestamptz)` : sql`null`;
  return db.transaction(async (tx) => {
    await lockHitCounters(tx, [input.websiteId]);
    const { rows } = await tx.execute<{ count: number }>(sql`
      with updated as (
        update not_found set ignored_at = ${ignoredAt}
        where website_id = ${input.websiteId} and path = any(${sql.param(input.paths)}::text[])${inEnvironment}
        returning path)
      select count(distinct path) as count from updated`);
    return rows[0]?.count ?? 0;
  });
}

/**
 * Returns a function that is true for unmatched paths which the live rules match `now`, in a request without query. It
 * is always false if the query decides (`query: exact`), because paths are stored without it, and for truncated paths.
 */
export function servedPaths({ site, environment, rules }: LiveSite, now: Date): (path: string) => boolean {
  if (site.query === 'exact') return () => false;
  const host = firstHost(site.hosts, environment);
  const request = host === undefined ? { query: null } : { query: null, host };
  const at = now.getTime();
  return (path) => !path.endsWith('…') && rules.ruleset.match({ ...request, path }, site, at) !== undefined;
}
