/** Decides rows that a call names, or all that a filter finds. */
import type { Db, Queryable } from '../../db/connection/client.ts';
import { sql, type SQL } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { ruleKey } from '../../resolver/rule.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { assertNoIssue, invalid, type Issue, validationError } from '../../vocabulary/error.ts';
import { CONFIDENCES, type Decision } from '../../vocabulary/moves.ts';
import { requireWebsiteRow, type WebsiteRow } from '../../websites/website.ts';
import { writeTransaction } from '../../websites/write-website.ts';
import { checkDecision, createOwnTargets, type RowDecision } from './check-decision.ts';
import { type DecisionExample, decideRows, givenRows, previewDecisions } from './write-decisions.ts';
import { type MoveRow, readRows } from '../rows/list-rows.ts';
import { lockMove, type Move, type MovePlace, requireMove } from '../move.ts';
import { type Confidence, rowCondition, type RowFilter } from '../rows/row-filter.ts';

/** A row that another call has changed, or that the move no longer has. */
export interface RowConflict {
  url: string;
  code: 'ROW_CHANGED';
  /** as it is now; null if the move does not have it */
  row: MoveRow | null;
}

export interface Decided {
  /** rows that changed */
  updated: number;
  /** the first 1,000 by URL */
  conflicts: RowConflict[];
  conflictCount: number;
  /** of a dry run */
  examples?: DecisionExample[];
}

export interface NamedDecision extends RowDecision {
  url: string;
  /** that the caller has seen */
  revision: number;
}

const MAX_CONFLICTS = 1_000;

/**
 * Decides up to 1,000 rows. A row with another revision is a conflict. Throws VALIDATION_ERROR and the codes of targets,
 * and then applies nothing; MOVE_NOT_FOUND, WEBSITE_NOT_FOUND, INSUFFICIENT_ROLE and BUSY.
 */
export async function decideNamed(
  db: Db,
  actor: Actor,
  place: MovePlace,
  { rows, dryRun }: { rows: NamedDecision[]; dryRun: boolean },
): Promise<Decided> {
  const website = await requireWebsiteRow(db, actor, place.websiteId);
  const given = await checkNamed(db, website, rows);
  return inMove(db, actor, place, dryRun, (tx, move) => decideGiven(tx, actor, move, givenRows(given), dryRun));
}

async function checkNamed(db: Queryable, website: WebsiteRow, rows: NamedDecision[]): Promise<NamedDecision[]> {
  const ownTarget = createOwnTargets(db, website);
  const issues: Issue[] = [];
  const seen = new Set<string>();
  const given: NamedDecision[] = [];
  for (const [index, row] of rows.entries()) {
    const target = await ownTarget(row.url, row.target);
    const found = checkDecision(row.url, { ...row, target }, website.allowedTargetHosts);
    if (seen.has(row.url)) found.push({ path: 'url', code: 'VALIDATION_ERROR', message: 'is repeated; send it once' });
    seen.add(row.url);
    issues.push(...found.map((each) => ({ ...each, path: `rows[${index}].${each.path}` })));
    given.push({ ...row, target });
  }
  if (issues.length > 0) throw validationError(issues);
  return given;
}

/** Runs `work` in a transaction that locks the move; a dry run reads only. */
async function inMove<T>(
  db: Db,
  actor: Actor,
  place: MovePlace,
  dryRun: boolean,
  work: (tx: Queryable, move: Move) => Promise<T>,
): Promise<T> {
  if (dryRun) return work(db, await requireMove(db, actor, place));
  return writeTransaction(db, actor, async (tx) => work(tx, await lockMove(tx, actor, place)));
}

/**
 * Decides the rows of a relation with the columns url, decision, target, status_code and revision. A row with another
 * revision is a conflict.
 */
export async function decideGiven(
  tx: Queryable,
  actor: Actor,
  move: Move,
  given: SQL,
  dryRun: boolean,
): Promise<Decided> {
  // Before the rows get their new revisions.
  const conflicts = await readConflicts(tx, actor, move, {
    urls: sql`select g.url from ${given} g left join move_rows r on r.move_id = ${move.id} and r.url = g.url
      where r.revision is distinct from g.revision`,
  });
  const decisions = sql`
    select g.url, g.decision, g.target, g.status_code, null::text as rule from ${given} g
    join move_rows r on r.move_id = ${move.id} and r.url = g.url and r.revision = g.revision`;
  if (dryRun) return { ...(await previewDecisions(tx, move, decisions)), ...conflicts };
  return { updated: await decideRows(tx, actor, move, decisions), ...conflicts };
}

/** Returns the first of some rows as conflicts, and their number. `urls` is a query of URLs. */
export async function readConflicts(
  tx: Queryable,
  actor: Actor,
  move: Move,
  { urls }: { urls: SQL },
): Promise<Pick<Decided, 'conflicts' | 'conflictCount'>> {
  const found = await queryRows<{ url: string; count: number }>(tx)`
    select url, (count(*) over ())::int as count from (${urls}) u order by url limit ${MAX_CONFLICTS}`;
  if (found.length === 0) return { conflicts: [], conflictCount: 0 };
  const isShown = sql`r.move_id = ${move.id} and r.url = any(${sql.param(found.map(({ url }) => url))}::text[])`;
  const rows = new Map((await readRows(tx, actor, move, isShown)).map((row) => [row.url, row]));
  return {
    conflicts: found.map(({ url }) => ({ url, code: 'ROW_CHANGED', row: rows.get(url) ?? null })),
    conflictCount: found[0]?.count ?? 0,
  };
}

export interface FilterDecision {
  filter: RowFilter;
  decision: Decision | 'accept_suggestion' | null;
  target: string | null;
  statusCode: number | null;
  /** of `accept_suggestion` */
  minConfidence: Confidence;
  dryRun: boolean;
}

/** Decides all rows that a filter finds, by one statement. Throws as decideNamed. */
export async function decideFiltered(
  db: Db,
  actor: Actor,
  { websiteId, moveId, ...input }: MovePlace & FilterDecision,
): Promise<Decided> {
  const website = await requireWebsiteRow(db, actor, websiteId);
  const target = await createOwnTargets(db, website)('', input.target);
  return inMove(db, actor, { websiteId, moveId }, input.dryRun, async (tx, move) => {
    const { decision } = input;
    const decisions =
      decision === 'accept_suggestion'
        ? await suggestedDecisions(tx, move, input, website)
        : await sameDecision(tx, move, { ...input, decision, target }, website);
    const none = { conflicts: [], conflictCount: 0 };
    if (input.dryRun) return { ...(await previewDecisions(tx, move, decisions)), ...none };
    return { updated: await decideRows(tx, actor, move, decisions), ...none };
  });
}

/** Checks one decision for all rows of a filter, and returns it as a query. The target must not be one of the rows. */
async function sameDecision(
  tx: Queryable,
  move: Move,
  { filter, ...given }: RowDecision & { filter: RowFilter },
  { allowedTargetHosts }: WebsiteRow,
): Promise<SQL> {
  const { decision, target, statusCode } = given;
  assertNoIssue(...checkDecision('/', given, allowedTargetHosts).filter(({ code }) => code !== 'REDIRECT_LOOP'));
  if (target?.startsWith('/')) {
    const key = ruleKey(target.replace(/#.*$/s, ''), false);
    const [own] = await queryRows<{ url: string }>(tx)`
      select r.url from move_rows r where ${rowCondition(move, filter)} and r.url = ${key}`;
    if (own)
      throw invalid('target', `the filter finds ${own.url} itself; narrow it, or decide keep for this row first`);
  }
  return sql`select r.url, ${decision}::text as decision, ${target}::text as target,
      ${statusCode}::smallint as status_code, null::text as rule
    from move_rows r where ${rowCondition(move, filter)}`;
}

/** `gone` is a guess, so only the lowest confidence takes it. */
async function suggestedDecisions(
  tx: Queryable,
  move: Move,
  { filter, statusCode, minConfidence }: FilterDecision,
  { allowedTargetHosts }: WebsiteRow,
): Promise<SQL> {
  assertNoIssue(...checkDecision('/', { decision: 'redirect', target: '/x', statusCode }, allowedTargetHosts));
  const least = CONFIDENCES.indexOf(minConfidence);
  const isRedirect = sql`r.suggested = 'redirect'`;
  const decisions = sql`select * from (
      select r.url, r.suggested as decision,
        case when ${isRedirect} then s.found #>> '{suggestions,0,target}' end as target,
        case when ${isRedirect} then ${statusCode}::smallint end as status_code, null::text as rule
      from move_rows r left join move_suggestions s on s.move_id = r.move_id and s.url = r.url
      where ${rowCondition(move, { decision: 'none', ...filter })} and r.confidence >= ${least}::smallint
        ${minConfidence === 'guess' ? sql`` : sql`and r.suggested <> 'gone'`}) d
    where decision is not null and (decision <> 'redirect' or target is not null)`;
  // Only targets of another website, or of a file, have hosts; the list of allowed ones may be another one by now.
  if (move.toHost === null && move.source.to.kind !== 'file') return decisions;
  const hosts = await queryRows<{ host: string }>(tx)`
    select distinct lower(substring(target from '^https?://([^/:?#]+)')) as host from (${decisions}) d
    where target like 'http%' order by host`;
  const issues = hosts
    .filter(({ host }) => !allowedTargetHosts.includes(host))
    .map(({ host }): Issue => {
      const message = `the host ${host} of suggestions is not in the website's allowed_target_hosts; add it there first`;
      return { path: 'decision', code: 'TARGET_HOST_NOT_ALLOWED', message };
    });
  assertNoIssue(...issues);
  return decisions;
}
