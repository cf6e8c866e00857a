/** Checks a redirect while a user edits it, with the rules of creation and change. Locks and stores nothing. */
import type { Db } from '../../db/connection/client.ts';
import { and, eq } from '../../db/drizzle.ts';
import { redirects } from '../../db/schema/redirects.ts';
import { type Rule, ruleKey } from '../../resolver/rule.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { DomainError, type Issue } from '../../vocabulary/error.ts';
import { omitUndefined } from '../../vocabulary/omit-undefined.ts';
import { requireWebsite, type Website } from '../../websites/website.ts';
import { findRedirect, type ListedRedirect, requireRedirectRow } from '../list/find.ts';
import { planChange, type PlanContext, planCreation, type PlannedChange, type RedirectChange } from '../rule/change.ts';
import { assertNoLoop, assertNotGrowing } from '../rule/find-loop.ts';
import { withOwnTarget } from '../rule/own-target.ts';
import { assertPatternLimit } from '../rule/pattern-limit.ts';
import { type RedirectFields, redirectOf, type RedirectRow } from '../rule/redirect.ts';

/** The id of a redirect without one; stored ids begin at 1. */
export const NEW_RULE = 0;

export interface CheckedDraft {
  websiteId: number;
  /** canonical names of the parameters that identify a page of the website */
  /** the canonical form of its path, or the text of its pattern; null if old_path is invalid */
  key: string | null;
  /** every validation error of the write, except a path that is taken */
  issues: Issue[];
  /** the other redirect that has its path */
  takenBy: ListedRedirect | null;
  environments: Environment[];
  isRegex: boolean;
  /** the rule to be served; null if the fields are invalid or the path is taken */
  rule: Rule | null;
  /** the stored rule that it replaces */
  before: { id: number; key: string } | null;
}

/** Checks a redirect to create. Throws WEBSITE_NOT_FOUND. */
export async function checkNewDraft(db: Db, actor: Actor, websiteId: number, sent: RedirectFields) {
  const website = await requireWebsite(db, actor, websiteId);
  const fields = await withOwnTarget(db, website, sent, sent.oldPath);
  const { newPattern, issues } = planCreation(fields, { ...website, ...contextOf(website) });
  const draft = { fields, newPattern, mayLoopIn: fields.environments, issues };
  return checkPlanned(db, actor, website, draft, null);
}

/** Checks a change of a redirect. Throws REDIRECT_NOT_FOUND. */
export async function checkChangedDraft(db: Db, actor: Actor, id: number, sent: RedirectChange) {
  const row = await requireRedirectRow(db, actor, id);
  const website = await requireWebsite(db, actor, row.websiteId);
  const change = await withOwnTarget(db, website, sent, sent.oldPath ?? row.oldPath);
  const { newPattern, mayLoopIn, issues } = planChange(row, change, contextOf(website));
  const fields = { ...redirectOf(row), ...omitUndefined(change) };
  return checkPlanned(db, actor, website, { fields, newPattern, mayLoopIn, issues: [...issues] }, row);
}

/** Nothing is written, so the revision and the time do not matter. */
function contextOf({ headRev, updatedAt, allowedTargetHosts }: Website): PlanContext {
  return { rev: headRev, now: updatedAt, allowedTargetHosts };
}

type PlannedDraft = Pick<PlannedChange, 'newPattern' | 'mayLoopIn' | 'issues'> & { fields: RedirectFields };

/**
 * Costs a few index lookups, independent of the website's size. Finds the loops that a write finds, but if the website
 * ignores case it follows only paths of the same case.
 */
async function checkPlanned(
  db: Db,
  actor: Actor,
  website: Website,
  { fields, newPattern, mayLoopIn, issues }: PlannedDraft,
  row: RedirectRow | null,
): Promise<CheckedDraft> {
  const { newPath, statusCode, isRegex, environments, activeFrom, activeUntil } = fields;
  const { id: websiteId } = website;
  const id = row?.id ?? NEW_RULE;
  const isInvalid = (...paths: string[]): boolean => issues.some(({ path }) => paths.includes(path));
  const key = isInvalid('old_path') ? null : ruleKey(fields.oldPath, isRegex);
  const takenBy = key === null ? null : await findOther(db, actor, websiteId, key, id);
  const isRule = key !== null && !takenBy && !isInvalid('new_path', 'status_code', 'active_until');
  const isScheduled = activeFrom !== null || activeUntil !== null;
  const window = { from: activeFrom && activeFrom.getTime(), until: activeUntil && activeUntil.getTime() };
  const rule = isRule ? { id, key, isRegex, newPath, statusCode, ...(isScheduled && { window }) } : null;
  if (newPattern) issues.push(...(await collectIssues(() => assertPatternLimit(db, websiteId, [newPattern]))));
  if (rule && mayLoopIn.length > 0) {
    const assertEnds = () =>
      isRegex ? assertNotGrowing(website, rule) : assertNoLoop(db, website, rule, mayLoopIn, rule);
    issues.push(...(await collectIssues(assertEnds)));
  }
  const before = row && { id, key: row.key };
  return { websiteId, key, issues, takenBy, environments, isRegex, rule, before };
}

async function findOther(db: Db, actor: Actor, websiteId: number, key: string, ownId: number) {
  const [found] = await db
    .select({ id: redirects.id })
    .from(redirects)
    .where(and(eq(redirects.websiteId, websiteId), eq(redirects.key, key)));
  return found && found.id !== ownId ? findRedirect(db, actor, found.id) : null;
}

export async function collectIssues(check: () => Promise<void> | void): Promise<Issue[]> {
  try {
    await check();
    return [];
  } catch (error) {
    if (error instanceof DomainError && error.issues.length > 0) return error.issues;
    throw error;
  }
}
