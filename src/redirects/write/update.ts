import { and, eq } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { isUniqueViolation } from '../../db/errors.ts';
import { redirects } from '../../db/schema.ts';
import { queueAutomaticDeployments } from '../../deployments/publish/queue.ts';
import { publishEvents } from '../../events/outbox.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { validationError } from '../../vocabulary/error.ts';
import { type LockedWebsite, lockWebsite, writeTransaction } from '../../websites/write-website.ts';
import { requireRedirectRow } from '../list/find.ts';
import { type PlannedChange, planChange, type RedirectChange } from '../rule/change.ts';
import { assertNoLoop } from '../rule/find-loop.ts';
import { assertPatternLimit } from '../rule/pattern-limit.ts';
import { updatedEvent } from '../rule/redirect-events.ts';
import { type Redirect, redirectOf, type RedirectRow } from '../rule/redirect.ts';
import { pathTaken } from './create.ts';

/**
 * Changes the given fields of one redirect. A change without effect keeps updated_at and makes no event. Throws
 * REDIRECT_NOT_FOUND, a validation error (422), or CONFLICT if the new path is taken.
 */
export async function updateRedirect(
  db: Db,
  actor: Actor,
  id: number,
  change: RedirectChange,
): Promise<Redirect> {
  return writeTransaction(db, actor, async (tx) => {
    const { websiteId } = await requireRedirectRow(tx, actor, id);
    const website = await lockWebsite(tx, actor, websiteId);
    const before = await requireRedirectRow(tx, actor, id);
    const plan = planChange(before, change, website);
    if (plan.changed.length === 0) return redirectOf(before);
    return applyChange(tx, actor, website, before, plan);
  });
}

/** Writes a planned change with its event. Checks the rules that need other redirects. */
export async function applyChange(
  tx: Tx,
  actor: Actor,
  website: LockedWebsite,
  before: RedirectRow,
  plan: PlannedChange,
): Promise<Redirect> {
  const { row, newPattern, issues } = plan;
  if (issues.length > 0) throw validationError(issues);
  if (newPattern) await assertPatternLimit(tx, website.id, [newPattern]);
  try {
    await tx
      .update(redirects)
      .set(row)
      .where(and(eq(redirects.websiteId, website.id), eq(redirects.id, row.id)));
  } catch (error) {
    if (isUniqueViolation(error, 'redirects_website_id_key_key')) throw pathTaken(row.oldPath);
    throw error;
  }
  if (!row.isRegex) await assertNoLoop(tx, website, row, plan.mayLoopIn);
  await publishEvents(tx, actor, website.now, [updatedEvent(before, plan)]);
  await queueAutomaticDeployments(tx, actor, website, plan.touched);
  return redirectOf(row);
}
