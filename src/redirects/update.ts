import { and, eq } from '../db/drizzle.ts';
import type { Db, Tx } from '../db/client.ts';
import { isUniqueViolation } from '../db/postgres-errors.ts';
import { redirects } from '../db/schema.ts';
import { type QueuedDeployment, queueAutomaticDeployments } from '../versions/queue.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { validationError } from '../vocabulary/error.ts';
import { publishEvents } from '../webhooks/outbox.ts';
import { type LockedWebsite, lockWebsite, writeTransaction } from '../websites/write-website.ts';
import { type PlannedChange, planChange, type RedirectChange } from './change.ts';
import { pathTaken } from './create.ts';
import { requireRedirectRow } from './find.ts';
import { refuseLoop } from './find-loop.ts';
import { refuseTooManyPatterns } from './pattern-limit.ts';
import { type Redirect, redirectOf } from './redirect.ts';
import { updatedEvent } from './updated-event.ts';

/**
 * Changes the fields that are given. A change that changes nothing keeps updated_at and makes no event. 404, 422 and 409 as
 * for creation; nothing is applied where one is thrown.
 */
export async function updateRedirect(
  db: Db,
  actor: Actor,
  id: number,
  change: RedirectChange,
): Promise<{ redirect: Redirect; deployments: QueuedDeployment[] }> {
  return writeTransaction(db, actor, async (tx) => {
    const { websiteId } = await requireRedirectRow(tx, actor, id);
    const website = await lockWebsite(tx, actor, websiteId);
    const before = await requireRedirectRow(tx, actor, id);
    const plan = planChange(before, change, website);
    if (plan.issues.length > 0) throw validationError(plan.issues);
    if (plan.changed.length === 0) return { redirect: redirectOf(before), deployments: [] };
    await applyChange(tx, website, plan);
    await publishEvents(tx, actor, website.now, [updatedEvent(before, plan)]);
    const deployments = await queueAutomaticDeployments(tx, actor, website, plan.touched);
    return { redirect: redirectOf(plan.row), deployments };
  });
}

/** Writes one planned change and holds it against the rules that need the rest of the website. */
export async function applyChange(tx: Tx, website: LockedWebsite, plan: PlannedChange): Promise<void> {
  const { row, newPattern } = plan;
  if (newPattern) await refuseTooManyPatterns(tx, website.id, [newPattern]);
  try {
    await tx
      .update(redirects)
      .set(row)
      .where(and(eq(redirects.websiteId, website.id), eq(redirects.id, row.id)));
  } catch (error) {
    if (isUniqueViolation(error, 'redirects_website_id_key_key')) throw pathTaken(row.oldPath);
    throw error;
  }
  if (!row.isRegex) await refuseLoop(tx, website, row, plan.mayLoopIn);
}
