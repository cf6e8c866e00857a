/** Reads of moves: the list, one with its warnings, and its candidates. */
import type { Queryable } from '../db/connection/client.ts';
import { containing, sql, type SQL } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { decodeCursor, encodeCursor } from '../platform/cursor.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { type Confidence, CONFIDENCES } from '../vocabulary/moves.ts';
import { requireWebsiteRow } from '../websites/website.ts';
import { type Move, type MovePlace, requireMove, selectMoves } from './move.ts';

/** Rows with one target, and targets of a move, from which it is a warning. */
const MIN_SHARING = 10;
const MAX_WARNINGS = 10;

/** Search engines take redirects of many pages to one for soft 404s. `rows`: decided redirects with this target. */
export interface SharedTarget {
  code: 'SHARED_TARGET';
  target: string;
  rows: number;
}

/**
 * Decided URLs of an applied move that its redirects answer, and how many of them humans and known bots have met since
 * the day of the last apply. Hits of a pattern are not stored for each URL, so its URLs are never among the met ones.
 */
export interface Met {
  urls: number;
  byPeople: number;
  bySearchEngines: number;
  /** URLs that a rule of the move answers, and those whose rule has hits of humans or bots */
  byPatterns: number;
  byHitPatterns: number;
}

/** Undecided rows by the confidence of their suggestion. */
export type Undecided = Record<Confidence | 'none', number>;

/** Fields that only the answer about one move has. `met` is null before it is applied. */
export interface MoveDetails {
  undecided: Undecided;
  warnings: SharedTarget[];
  met: Met | null;
}

/** Lists the moves of a website, newest first. Throws WEBSITE_NOT_FOUND, and INVALID_PARAMETER for another list's cursor. */
export async function listMoves(
  db: Queryable,
  actor: Actor,
  { websiteId, limit, cursor }: { websiteId: number; limit: number; cursor?: string | undefined },
): Promise<{ moves: Move[]; nextCursor: string | null }> {
  await requireWebsiteRow(db, actor, websiteId);
  const name = `moves ${websiteId}`;
  const after = cursor === undefined ? undefined : decodeCursor(cursor, name, positionOf);
  const isAfter = after ? sql`and (m.created_at, m.id) < (${after.createdAt}::timestamptz, ${after.id})` : sql``;
  const found = await selectMoves(
    db,
    websiteId,
    sql`${isAfter} order by m.created_at desc, m.id desc limit ${limit + 1}`,
  );
  const moves = found.slice(0, limit);
  const last = found.length > limit ? moves.at(-1) : undefined;
  return { moves, nextCursor: last ? encodeCursor(name, [last.createdAt, last.id]) : null };
}

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00$/;

const positionOf = ([createdAt, id, ...more]: unknown[]) =>
  typeof createdAt === 'string' &&
  TIME.test(createdAt) &&
  typeof id === 'string' &&
  !id.includes('\0') &&
  more.length === 0
    ? { createdAt, id }
    : undefined;

/** Text that changes whenever the details of a move do. Hits write no move, so `met` counts as new each minute. */
export const detailsVersion = ({ id, version, appliedAt }: Move, now: Date): string =>
  `${id} ${version} ${appliedAt === null ? '' : Math.floor(now.getTime() / 60_000)}`;

/** Returns a move with its details, which takes a read of all its rows. */
export async function withDetails(db: Queryable, move: Move): Promise<Move & MoveDetails> {
  const met = move.appliedAt === null ? null : await readMet(db, move, move.appliedAt);
  return { ...move, undecided: await countUndecided(db, move.id), warnings: await sharedTargets(db, move.id), met };
}

async function countUndecided(db: Queryable, moveId: string): Promise<Undecided> {
  const rows = (confidence: Confidence): SQL =>
    sql`(count(*) filter (where confidence = ${CONFIDENCES.indexOf(confidence)}))::int`;
  const [counts] = await queryRows<Undecided>(db)`
    select ${rows('sure')} as sure, ${rows('likely')} as likely, ${rows('guess')} as guess,
      (count(*) filter (where confidence is null))::int as none
    from move_rows where move_id = ${moveId} and decision is null`;
  if (!counts) throw new Error('count returned nothing');
  return counts;
}

/** The targets that the most decided redirects of a move share. */
export function sharedTargets(db: Queryable, moveId: string): Promise<SharedTarget[]> {
  return queryRows<SharedTarget>(db)`
    select 'SHARED_TARGET' as code, target, count(*)::int as rows from move_rows
    where move_id = ${moveId} and decision = 'redirect' group by target having count(*) >= ${MIN_SHARING}
    order by count(*) desc, target limit ${MAX_WARNINGS}`;
}

async function readMet(db: Queryable, { id, websiteId }: Move, appliedAt: string): Promise<Met | null> {
  const hitsOf = (condition: SQL): SQL => sql`
    select r.key, sum(d.hits) as hits, sum(d.bot_hits) as bot_hits from redirect_hits d
      join redirects r on r.website_id = d.website_id and r.id = d.redirect_id and ${condition}
    where d.website_id = ${websiteId} and d.environment = 'production'
      and d.day >= (${appliedAt}::timestamptz at time zone 'UTC')::date
    group by r.key`;
  const [met] = await queryRows<Met>(db)`
    select count(*)::int as urls, count(*) filter (where h.hits > 0)::int as by_people,
      count(*) filter (where h.bot_hits > 0)::int as by_search_engines,
      count(m.rule)::int as by_patterns, count(*) filter (where p.hits + p.bot_hits > 0)::int as by_hit_patterns
    from move_rows m
      left join (${hitsOf(sql`not r.is_regex`)}) h on h.key = m.url
      left join (${hitsOf(sql`r.is_regex`)}) p on p.key = m.rule
    where m.move_id = ${id} and m.decision in ('redirect', 'gone')`;
  return met ?? null;
}

export interface CandidateSearch extends MovePlace {
  /** text in the URL or title, ignoring case; all if absent */
  q?: string | undefined;
  limit: number;
}

/** Finds candidates of a move, the shortest URLs first. Throws as requireMove. */
export async function searchCandidates(
  db: Queryable,
  actor: Actor,
  { q, limit, ...place }: CandidateSearch,
): Promise<{ url: string; title: string | null }[]> {
  await requireMove(db, actor, place);
  const isFound =
    q === undefined ? sql`` : sql`and (lower(c.url) like lower(${containing(q)}) or c.title ilike ${containing(q)})`;
  return queryRows<{ url: string; title: string | null }>(db)`
    select c.url, c.title from move_candidates c where c.move_id = ${place.moveId} ${isFound}
    order by length(c.url), c.url limit ${limit}`;
}
