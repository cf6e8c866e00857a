import { and, eq } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { isUniqueViolation } from '../../db/errors.ts';
import { redirects } from '../../db/schema.ts';
import { type QueuedDeployment, queueAutomaticDeployments } from '../../deployments/publish/queue.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { validationError } from '../../vocabulary/error.ts';
import { publishEvents, type NewEvent } from '../../events/outbox.ts';
import { type LockedWebsite, lockWebsite, writeTransaction } from '../../websites/write-website.ts';
import { type PlannedChange, planChange, type RedirectChange } from '../rule/change.ts';
import { pathTaken } from './create.ts';
import { requireRedirectRow } from '../list/find.ts';
import { assertNoLoop } from '../rule/find-loop.ts';
import { refuseTooManyPatterns } from '../rule/pattern-limit.ts';
import {
  type Redirect,
  redirectOf,
  eventRedirect,
  type RedirectFields,
  type RedirectRow,
} from '../rule/redirect.ts';
import { inEnvironmentOrder } from '../../vocabulary/environment.ts';

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
  if (!row.isRegex) await assertNoLoop(tx, website, row, plan.mayLoopIn);
}

const ON_THE_WIRE: Record<keyof RedirectFields, string> = {
  oldPath: 'old_path',
  newPath: 'new_path',
  statusCode: 'status_code',
  isRegex: 'is_regex',
  groupId: 'group_id',
  notes: 'notes',
  environments: 'target_environments',
};

/** redirect.updated: the redirect as it is, and what the changed fields were. */
export function updatedEvent(before: RedirectRow, plan: PlannedChange): NewEvent {
  const was = redirectOf(before);
  const previous = Object.fromEntries(
    plan.changed.map((field) => [ON_THE_WIRE[field], wireValue(was, field)]),
  );
  return {
    event: 'redirect.updated',
    websiteId: before.websiteId,
    redirectId: before.id,
    previousUpdatedAt: before.updatedAt,
    data: { redirect: eventRedirect(redirectOf(plan.row)), previous },
  };
}

function wireValue(redirect: Redirect, field: keyof RedirectFields): unknown {
  return field === 'environments' ? inEnvironmentOrder(redirect.environments) : redirect[field];
}
