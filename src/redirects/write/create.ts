import type { Db, Tx } from '../../db/client.ts';
import { redirects } from '../../db/schema.ts';
import { queueAutomaticDeployments } from '../../deployments/publish/queue.ts';
import { publishEvents } from '../../events/outbox.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { DomainError, validationError } from '../../vocabulary/error.ts';
import { type LockedWebsite, lockWebsite, writeTransaction } from '../../websites/write-website.ts';
import { planCreation, type PlannedRedirect } from '../rule/change.ts';
import { assertNoLoop } from '../rule/find-loop.ts';
import { assertPatternLimit } from '../rule/pattern-limit.ts';
import { createdEvent } from '../rule/redirect-events.ts';
import {
  environmentsOf,
  type Redirect,
  type RedirectFields,
  redirectOf,
  type RedirectRow,
} from '../rule/redirect.ts';

/**
 * Creates one redirect with its event, and queues a deployment if the website deploys automatically. Throws a
 * validation error (422) for an invalid rule or a loop, and CONFLICT if the path is taken.
 */
export async function createRedirect(
  db: Db,
  actor: Actor,
  websiteId: number,
  fields: RedirectFields,
): Promise<Redirect> {
  return writeTransaction(db, actor, async (tx) => {
    const website = await lockWebsite(tx, actor, websiteId);
    return insertRedirect(tx, actor, website, planCreation(fields, website));
  });
}

/** Inserts a planned redirect, with `identity` if it existed before. Checks the rules that need other redirects. */
export async function insertRedirect(
  tx: Tx,
  actor: Actor,
  website: LockedWebsite,
  { row: planned, newPattern, issues }: PlannedRedirect,
  identity?: Pick<RedirectRow, 'id' | 'createdAt' | 'updatedAt'>,
): Promise<Redirect> {
  if (issues.length > 0) throw validationError(issues);
  if (newPattern) await assertPatternLimit(tx, website.id, [newPattern]);
  const [row] = await tx
    .insert(redirects)
    .values({ ...planned, ...identity })
    .onConflictDoNothing()
    .returning();
  if (!row) throw pathTaken(planned.oldPath);
  const environments = environmentsOf(row);
  if (!row.isRegex) await assertNoLoop(tx, website, row, environments);
  const redirect = redirectOf(row);
  await publishEvents(tx, actor, website.now, [createdEvent(redirect)]);
  await queueAutomaticDeployments(tx, actor, website, environments);
  return redirect;
}

/** The error (409) if another redirect has the canonical path, or the text of the pattern. */
export function pathTaken(oldPath: string): DomainError {
  return new DomainError('CONFLICT', 'A redirect with the same path already exists', {
    details: `old_path: the website already has a redirect for ${oldPath} (paths are compared in canonical form); update it instead`,
  });
}
