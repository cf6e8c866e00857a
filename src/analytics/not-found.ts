/** The inbox of paths that no redirect matched: what to make a redirect for. Recorded by hits/, a bounded number of an environment. */
import { sql } from 'drizzle-orm';
import type { Db, Queryable } from '../db/client.ts';
import { createTimeSlice } from '../platform/time-slice.ts';
import { lockHitCounters } from '../hits/store/write-batch.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { DomainError } from '../vocabulary/error.ts';
import { requireWebsite } from '../websites/website.ts';
import type { LiveSite } from '../deployments/live/rulesets.ts';

export interface MissingPath {
  /** canonical; one over 2,048 bytes is cut and ends in an ellipsis */
  path: string;
  /** GETs of people; 0 where only known bots asked */
  hits: number;
  botHits: number;
  lastSeenAt: Date;
  /** of the last request that had one */
  referrerHost: string | null;
  /** what scanners ask every website for */
  noise: boolean;
}

export interface MissingPathFilter {
  websiteId: number;
  environment: Environment;
  /** only noise, or none of it; undefined: both, the noise behind all else */
  noise?: boolean | undefined;
  /** what was put aside, instead of the rest */
  ignored: boolean;
}

export interface MissingPathPage {
  paths: MissingPath[];
  nextCursor: string | null;
  /** what is counted without its path, because there were too many different ones */
  other: { hits: number; botHits: number };
}

interface Row extends Record<string, unknown> {
  path: string;
  hits: number;
  bot_hits: number;
  last_seen_at: string;
  referrer_host: string | null;
  noise: boolean;
}

/** Rows that are read at a time where those that were read are served by now. */
const BATCH = 1_000;

/**
 * A page, most hits first, noise behind everything else, without the paths that `isServed` says are answered by now: as many as the page
 * has room for, wherever they stand. A path that is asked for between two pages moves up and may be seen twice or
 * not at all; the numbers are of the moment. WEBSITE_NOT_FOUND; INVALID_PARAMETER for a cursor that is none.
 */
export async function listMissingPaths(
  db: Queryable,
  actor: Actor,
  filter: MissingPathFilter,
  page: { limit: number; cursor?: string | undefined; isServed?: ((path: string) => boolean) | undefined },
): Promise<MissingPathPage> {
  const { websiteId, environment } = filter;
  await requireWebsite(db, actor, websiteId);
  const slice = createTimeSlice();
  const found: MissingPath[] = [];
  let after = page.cursor === undefined ? undefined : parseCursor(page.cursor);
  for (let most = page.limit + 1; found.length <= page.limit; most = BATCH) {
    const rows = await readRows(db, filter, after, most);
    for (const row of rows) {
      if (slice.isOver()) await slice.yield();
      if (!page.isServed?.(row.path)) found.push(row);
    }
    if (rows.length < most) break;
    after = rows.at(-1);
  }
  const shown = found.slice(0, page.limit);
  const last = shown.at(-1);
  return {
    paths: shown,
    nextCursor: last && found.length > page.limit ? cursorAt(last) : null,
    other: await readOther(db, websiteId, environment),
  };
}

async function readRows(
  db: Queryable,
  { websiteId, environment, noise, ignored }: MissingPathFilter,
  after: Position | undefined,
  most: number,
): Promise<MissingPath[]> {
  const { rows } = await db.execute<Row>(sql`
    select path, hits, bot_hits, last_seen_at, referrer_host, noise from not_found
    where website_id = ${websiteId} and environment = ${environment}
      and ${ignored ? sql`ignored_at is not null` : sql`ignored_at is null`}
      ${noise === undefined ? sql`` : sql` and noise = ${noise}`}
      ${after ? sql` and (noise, -hits, path) > (${after.noise}, ${-after.hits}::bigint, ${after.path} collate "C")` : sql``}
    order by noise, hits desc, path limit ${most}`);
  return rows.map(missingPath);
}

/**
 * Puts paths aside, or back: they are still counted, and no longer listed. In every environment of the website where none is named.
 * Answers how many of the paths are known.
 */
export async function ignorePaths(
  db: Db,
  actor: Actor,
  input: { websiteId: number; environment?: Environment | undefined; paths: string[]; ignored: boolean },
  now: Date,
): Promise<number> {
  await requireWebsite(db, actor, input.websiteId);
  const one = input.environment === undefined ? sql`` : sql` and environment = ${input.environment}`;
  const since = input.ignored ? sql`coalesce(ignored_at, ${now.toISOString()}::timestamptz)` : sql`null`;
  return db.transaction(async (tx) => {
    await lockHitCounters(tx, [input.websiteId]);
    const { rows } = await tx.execute<{ count: number }>(sql`
      with touched as (
        update not_found set ignored_at = ${since}
        where website_id = ${input.websiteId} and path = any(${sql.param(input.paths)}::text[])${one} returning path)
      select count(distinct path) as count from touched`);
    return rows[0]?.count ?? 0;
  });
}

async function readOther(
  db: Queryable,
  websiteId: number,
  environment: Environment,
): Promise<MissingPathPage['other']> {
  const { rows } = await db.execute<{ hits: number; bot_hits: number }>(sql`
    select hits, bot_hits from not_found_other where website_id = ${websiteId} and environment = ${environment}`);
  return { hits: rows[0]?.hits ?? 0, botHits: rows[0]?.bot_hits ?? 0 };
}

function missingPath(row: Row): MissingPath {
  return {
    path: row.path,
    hits: row.hits,
    botHits: row.bot_hits,
    lastSeenAt: new Date(row.last_seen_at),
    referrerHost: row.referrer_host,
    noise: row.noise,
  };
}

type Position = Pick<MissingPath, 'noise' | 'hits' | 'path'>;

function cursorAt({ noise, hits, path }: Position): string {
  return Buffer.from(JSON.stringify([noise, hits, path])).toString('base64url');
}

function parseCursor(cursor: string): Position {
  const parts = parseJson(Buffer.from(cursor, 'base64url').toString());
  if (Array.isArray(parts) && parts.length === 3) {
    const [noise, hits, path] = parts as [unknown, unknown, unknown];
    if (typeof noise === 'boolean' && isCount(hits) && typeof path === 'string' && !path.includes('\0'))
      return { noise, hits, path };
  }
  throw new DomainError('INVALID_PARAMETER', 'The cursor is not valid', {
    details: 'cursor: use next_cursor of the page before',
  });
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Tells of paths that were missed which of them the live rules answer by now, as they would answer a visitor who brings no query.
 * Of none where the website takes a query for another address, since the path was kept without it, nor of one that was cut.
 */
export function servedPaths({ site, environment, rules }: LiveSite): (path: string) => boolean {
  if (site.query === 'exact') return () => false;
  const host = site.hosts.find((each) => each.environment === environment)?.hostname;
  const at = host === undefined ? { query: null } : { query: null, host };
  return (path) => !path.endsWith('…') && rules.ruleset.match({ ...at, path }, site) !== undefined;
}
