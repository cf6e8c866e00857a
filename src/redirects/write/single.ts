/** Writes of one redirect: each stores its event, and queues a deployment if the website deploys automatically. */
import { assertQuota } from '../../accounts/quota.ts';
import type { Db, Tx } from '../../db/connection/client.ts';
import { and, eq, type SQL } from '../../db/drizzle.ts';
import { isUniqueViolation } from '../../db/errors.ts';
import { prepared } from '../../db/prepared.ts';
import { redirects } from '../../db/schema/redirects.ts';
import { findDeployedTimes, NEVER_DEPLOYED } from '../../deployments/live/database/deployed-at.ts';
import { queueAutomaticDeployments } from '../../deployments/publish/queue.ts';
import { publishEvents } from '../../events/outbox.ts';
import { changedSince, isAsSeen, type Seen } from '../../platform/changed-since.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { DomainError, validationError } from '../../vocabulary/error.ts';
import { type LockedWebsite, lockWebsite, releaseRevision, writeTransaction } from '../../websites/write-website.ts';
import { readHistory } from '../changes/history.ts';
import { recordChange } from '../changes/record-change.ts';
import { findTargetState, UNCHECKED } from '../list/target-state.ts';
import { findRedirect, type ListedRedirect, requireRedirectRow } from '../list/find.ts';
import {
  planCreation,
  type PlannedRedirect,
  type PlannedChange,
  planChange,
  type RedirectChange,
} from '../rule/change.ts';
import { assertNoLoop, assertNotGrowing } from '../rule/find-loop.ts';
import { withOwnTarget } from '../rule/own-target.ts';
import { assertPatternLimit } from '../rule/pattern-limit.ts';
import { redirectEvent, updatedEvent } from '../rule/redirect-events.ts';
import { environmentsOf, type RedirectFields, redirectOf, type RedirectRow } from '../rule/redirect.ts';

/** A redirect after a write. */
export interface WrittenRedirect extends ListedRedirect {
  /** null if the write changed nothing */
  changeId: string | null;
  /** environments where the write is not deployed, because a rollback or promotion holds them */
  held: Environment[];
}

/** How a write is recorded: as a change of its own kind, or as one that takes back another. */
type SingleKind = 'create' | 'update' | 'restore';

/**
 * Throws a validation error (422) for an invalid rule or a loop, CONFLICT if the path is taken, and PLAN_LIMIT_EXCEEDED
 * if the account has the plan's maximum of redirects.
 */
export async function createRedirect(db: Db, actor: Actor, websiteId: number, fields: RedirectFields) {
  return writeTransaction(db, actor, async (tx) => {
    const website = await lockWebsite(tx, actor, websiteId);
    const stored = await withOwnTarget(tx, website, fields, fields.oldPath);
    return insertRedirect(tx, actor, website, 'create', planCreation(stored, website));
  });
}

/**
 * Inserts a planned redirect, with `identity` if it existed before: its last rule may still be live. Checks the rules
 * that need other redirects. Call it last in a transaction, because it ends with the lock of the account.
 */
export async function insertRedirect(
  tx: Tx,
  actor: Actor,
  website: LockedWebsite,
  kind: SingleKind,
  { row: planned, newPattern, issues }: PlannedRedirect,
  identity?: Pick<RedirectRow, 'id' | 'createdAt' | 'updatedAt'>,
): Promise<WrittenRedirect> {
  if (issues.length > 0) throw validationError(issues);
  if (newPattern) await assertPatternLimit(tx, website.id, [newPattern]);
  const insert = tx.insert(redirects).values({ ...planned, ...identity });
  const [row] = await prepared(insert.onConflictDoNothing().returning());
  if (!row) throw pathTaken(planned.oldPath);
  const environments = environmentsOf(row);
  await assertEnds(tx, website, row, environments);
  const redirect = redirectOf(row);
  const deployed = identity ? await findDeployedTimes(tx, row) : NEVER_DEPLOYED;
  await publishEvents(tx, actor, website.now, [redirectEvent('redirect.created', redirect, deployed)]);
  const changeId = await recordChange(tx, actor, website, { kind, counts: { created: 1 } });
  const { held } = await queueAutomaticDeployments(tx, actor, website, environments);
  await assertQuota(tx, actor, { redirects: 1 });
  const target = identity ? await findTargetState(tx, row) : UNCHECKED;
  return { ...redirect, ...target, deployed, changeId, held };
}

/** Throws REDIRECT_LOOP if the stored rule closes a loop in one of the environments. */
async function assertEnds(tx: Tx, website: LockedWebsite, row: RedirectRow, environments: Environment[]) {
  if (!row.isRegex) await assertNoLoop(tx, website, row, environments);
  else if (environments.length > 0) await assertNotGrowing(website, row);
}

function isRow({ websiteId, id }: { websiteId: number; id: number }): SQL | undefined {
  return and(eq(redirects.websiteId, websiteId), eq(redirects.id, id));
}

/** The error (409) if another redirect has the canonical path, or the text of the pattern. */
function pathTaken(oldPath: string): DomainError {
  return new DomainError('CONFLICT', 'A redirect with the same path already exists', {
    details: `old_path: the website already has a redirect for ${oldPath} (paths are compared in canonical form); update it instead`,
  });
}

/**
 * Changes the given fields of one redirect. A change without effect keeps updated_at and makes no event. Throws
 * REDIRECT_NOT_FOUND, CHANGED_SINCE if it is not as `seen`, a validation error (422), or CONFLICT if the new path is
 * taken.
 */
export async function updateRedirect(
  db: Db,
  actor: Actor,
  id: number,
  change: RedirectChange,
  seen?: Seen<ListedRedirect>,
): Promise<WrittenRedirect> {
  return writeTransaction(db, actor, async (tx) => {
    const { website, row: before } = await lockRedirect(tx, actor, id, seen);
    const stored = await withOwnTarget(tx, website, change, change.oldPath ?? before.oldPath);
    const plan = planChange(before, stored, website);
    if (plan.changed.length > 0) return applyChange(tx, actor, website, 'update', before, plan);
    await releaseRevision(tx, website);
    const deployed = await findDeployedTimes(tx, before);
    return { ...redirectOf(before), ...(await findTargetState(tx, before)), deployed, changeId: null, held: [] };
  });
}

/**
 * Locks the website of a redirect, and returns both. Throws CHANGED_SINCE, with its last change and its current state,
 * if the redirect is not as the client has seen it: of two concurrent writes with the same condition one succeeds.
 */
async function lockRedirect(tx: Tx, actor: Actor, id: number, seen: Seen<ListedRedirect> | undefined) {
  const { websiteId } = await requireRedirectRow(tx, actor, id);
  const website = await lockWebsite(tx, actor, websiteId);
  const row = await requireRedirectRow(tx, actor, id);
  if (!seen || isAsSeen(seen.updatedAt, row.updatedAt)) return { website, row };
  // Changes are listed for 30 days: the last one of a redirect that was seen before may be older.
  const [last] = (await readHistory(tx, actor, id, { limit: 1 })).history;
  const change = last ? { actor: last.change.actor, at: last.change.createdAt } : null;
  throw changedSince('redirect', row.updatedAt, change, seen.toBody(await findRedirect(tx, actor, id)));
}

/** Writes a planned change with its event. Checks the rules that need other redirects. */
export async function applyChange(
  tx: Tx,
  actor: Actor,
  website: LockedWebsite,
  kind: SingleKind,
  before: RedirectRow,
  plan: PlannedChange,
): Promise<WrittenRedirect> {
  const { row, newPattern, issues } = plan;
  if (issues.length > 0) throw validationError(issues);
  if (newPattern) await assertPatternLimit(tx, website.id, [newPattern]);
  try {
    await prepared(tx.update(redirects).set(row).where(isRow(row)));
  } catch (error) {
    if (isUniqueViolation(error, 'redirects_website_id_key_key')) throw pathTaken(row.oldPath);
    throw error;
  }
  await assertEnds(tx, website, row, plan.mayLoopIn);
  const deployed = await findDeployedTimes(tx, before);
  await publishEvents(tx, actor, website.now, [updatedEvent(before, plan, deployed)]);
  const changeId = await recordChange(tx, actor, website, { kind, counts: { updated: 1 }, fields: plan.changed });
  const { held } = await queueAutomaticDeployments(tx, actor, website, plan.touched);
  return { ...redirectOf(row), ...(await findTargetState(tx, row)), deployed, changeId, held };
}

/** Returns the deleted redirect. Throws REDIRECT_NOT_FOUND, and CHANGED_SINCE if it is not as `seen`. */
export async function deleteRedirect(db: Db, actor: Actor, id: number, seen?: Seen<ListedRedirect>) {
  return writeTransaction(db, actor, async (tx) => {
    const { website, row } = await lockRedirect(tx, actor, id, seen);
    const [redirect, deployed] = [redirectOf(row), await findDeployedTimes(tx, row)];
    await prepared(tx.delete(redirects).where(isRow(row)));
    await publishEvents(tx, actor, website.now, [redirectEvent('redirect.deleted', redirect, deployed)]);
    const changeId = await recordChange(tx, actor, website, { kind: 'delete', counts: { deleted: 1 } });
    const { held } = await queueAutomaticDeployments(tx, actor, website, redirect.environments);
    return { ...redirect, deployed, changeId, held };
  });
}
