/** Reads of checks: the list, one with its counts, and its results. */
import type { Queryable } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import type { checkTargets } from '../db/schema/checks.ts';
import { decodeCursor, encodeCursor, isCount } from '../platform/cursor.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { BROKEN_STATES, type CheckState } from '../vocabulary/checks.ts';
import { requireWebsiteRow } from '../websites/website.ts';
import { type Check, type CheckPlace, requireCheck, selectChecks } from './check.ts';

/** Redirects that a result names. */
const MAX_RULES = 20;

/** Lists the checks of a website, newest first. Throws WEBSITE_NOT_FOUND, and INVALID_PARAMETER for another list's cursor. */
export async function listChecks(
  db: Queryable,
  actor: Actor,
  { websiteId, limit, cursor }: { websiteId: number; limit: number; cursor?: string | undefined },
): Promise<{ checks: Check[]; nextCursor: string | null }> {
  await requireWebsiteRow(db, actor, websiteId);
  const name = `checks ${websiteId}`;
  const skipped = cursor === undefined ? 0 : decodeCursor(cursor, name, ([n]) => (isCount(n) ? n : undefined));
  // Checks are few: 90 days of at most some a day.
  const order = sql`order by c.created_at desc, c.id desc limit ${limit + 1} offset ${skipped}`;
  const found = await selectChecks(db, websiteId, order);
  const nextCursor = found.length > limit ? encodeCursor(name, [skipped + limit]) : null;
  return { checks: found.slice(0, limit), nextCursor };
}

export interface CheckCounts {
  states: Partial<Record<CheckState, number>>;
  /** errors that will be tried again */
  unconfirmed: number;
  newlyBroken: number;
}

/** SQL condition on check_targets `t`: broken, confirmed, and not broken when it was last asked. */
export const IS_NEWLY_BROKEN =
  sql.raw(`(t.confirmed and t.state in (${BROKEN_STATES.map((state) => `'${state}'`).join()})
  and coalesce(t.before, 'ok') not in (${BROKEN_STATES.map((state) => `'${state}'`).join()}))`);

/** Counts the targets of a check by state. */
export async function countStates(db: Queryable, checkId: string): Promise<CheckCounts> {
  const rows = await queryRows<{ state: CheckState; targets: number; unconfirmed: number; newly: number }>(db)`
    select state, count(*)::int as targets, (count(*) filter (where not confirmed and due_at is not null))::int as unconfirmed,
      (count(*) filter (where ${IS_NEWLY_BROKEN}))::int as newly
    from check_targets t where check_id = ${checkId} and state is not null group by state order by state`;
  const sum = (of: (row: (typeof rows)[number]) => number): number => rows.reduce((total, row) => total + of(row), 0);
  return {
    states: Object.fromEntries(rows.map(({ state, targets }) => [state, targets])),
    unconfirmed: sum(({ unconfirmed }) => unconfirmed),
    newlyBroken: sum(({ newly }) => newly),
  };
}

/** Returns a check with its counts. Throws as requireCheck. */
export async function getCheck(
  db: Queryable,
  actor: Actor,
  place: CheckPlace,
): Promise<Check & CheckCounts & { isFirst: boolean }> {
  const check = await requireCheck(db, actor, place);
  return { ...check, ...(await countStates(db, check.id)), isFirst: await isFirst(db, check) };
}

/** Whether the website has no earlier check of the kind: then everything that is broken is newly broken. */
export async function isFirst(
  db: Queryable,
  { websiteId, kind, createdAt }: Pick<Check, 'websiteId' | 'kind' | 'createdAt'>,
): Promise<boolean> {
  const [earlier] = await queryRows(db)`
    select id from checks where website_id = ${websiteId}::int and kind = ${kind}
      and created_at < ${createdAt}::timestamptz limit 1`;
  return earlier === undefined;
}

type Target = typeof checkTargets.$inferSelect;

export type CheckResult = Pick<
  Target,
  'n' | 'url' | 'weight' | 'state' | 'before' | 'confirmed' | 'reason' | 'status' | 'location' | 'endUrl' | 'note'
> &
  Pick<Target, 'expectedStatus' | 'expectedLocation'> & {
    checkedAt: string | null;
    isNewlyBroken: boolean;
    /** the first 20 redirects concerned that exist now, and how many the check concerned */
    redirects: { id: number; oldPath: string; newPath: string | null }[];
    redirectCount: number;
  };

export interface ResultQuery extends CheckPlace {
  /** default: all targets, those without a state too */
  state?: CheckState | undefined;
  isNewlyBroken?: boolean | undefined;
  limit: number;
  cursor?: string | undefined;
}

/** Lists targets with their results by falling weight. Throws as requireCheck, and INVALID_PARAMETER. */
export async function listResults(
  db: Queryable,
  actor: Actor,
  { state, isNewlyBroken = false, limit, cursor, ...place }: ResultQuery,
): Promise<{ results: CheckResult[]; nextCursor: string | null }> {
  const { id, websiteId } = await requireCheck(db, actor, place);
  const name = `results ${id} ${state ?? ''} ${isNewlyBroken}`;
  const after = cursor === undefined ? 0 : decodeCursor(cursor, name, ([n]) => (isCount(n) ? n : undefined));
  const found = await queryRows<CheckResult>(db)`
    select t.*, ${IS_NEWLY_BROKEN} as is_newly_broken,
      (select count(*)::int from check_rules c where c.check_id = t.check_id and c.n = t.n) as redirect_count,
      array(select json_build_object('id', r.id, 'oldPath', r.old_path, 'newPath', r.new_path)
        from (select redirect_id from check_rules c where c.check_id = t.check_id and c.n = t.n
          order by redirect_id limit ${MAX_RULES}) c
          join redirects r on r.website_id = ${websiteId} and r.id = c.redirect_id order by r.id) as redirects
    from check_targets t
    where t.check_id = ${id} and t.n > ${after} ${state === undefined ? sql`` : sql`and t.state = ${state}`}
      ${isNewlyBroken ? sql`and ${IS_NEWLY_BROKEN}` : sql``}
    order by t.n limit ${limit + 1}`;
  const results = found.slice(0, limit);
  const last = found.length > limit ? results.at(-1) : undefined;
  return { results, nextCursor: last ? encodeCursor(name, [last.n]) : null };
}

export type HistoryEntry = Pick<Check, 'kind' | 'environment'> &
  Pick<Target, 'checkId' | 'reason' | 'status' | 'endUrl' | 'confirmed'> & { state: CheckState; checkedAt: string };

export interface HistoryQuery {
  websiteId: number;
  /** exactly as results list it */
  url: string;
  limit: number;
  cursor?: string | undefined;
}

/** Lists what the checks of a website found at a URL, the newest check first. Throws as listChecks. */
export async function listHistory(
  db: Queryable,
  actor: Actor,
  { websiteId, url, limit, cursor }: HistoryQuery,
): Promise<{ history: HistoryEntry[]; nextCursor: string | null }> {
  await requireWebsiteRow(db, actor, websiteId);
  const name = `history ${websiteId} ${url}`;
  const skipped = cursor === undefined ? 0 : decodeCursor(cursor, name, ([n]) => (isCount(n) ? n : undefined));
  const found = await queryRows<HistoryEntry>(db)`
    select c.id as check_id, c.kind, c.environment, t.state, t.reason, t.status, t.end_url, t.confirmed, t.checked_at
    from check_targets t join checks c on c.id = t.check_id
    where t.website_id = ${websiteId} and hashtextextended(t.url, 0) = hashtextextended(${url}, 0) and t.url = ${url}
      and t.state is not null
    order by c.created_at desc, c.id desc limit ${limit + 1} offset ${skipped}`;
  const nextCursor = found.length > limit ? encodeCursor(name, [skipped + limit]) : null;
  return { history: found.slice(0, limit), nextCursor };
}
