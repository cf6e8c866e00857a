import { redirects } from '../../db/schema.ts';
import type { Db, Tx } from '../../db/client.ts';
import { type QueuedDeployment, queueAutomaticDeployments } from '../../deployments/publish/queue.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { DomainError, validationError } from '../../vocabulary/error.ts';
import { publishEvents } from '../../events/outbox.ts';
import { type LockedWebsite, lockWebsite, writeTransaction } from '../../websites/write-website.ts';
import { type CheckedRedirect, checkRedirect } from '../rule/check-redirect.ts';
import { assertNoLoop } from '../rule/find-loop.ts';
import { refuseTooManyPatterns } from '../rule/pattern-limit.ts';
import { eventRedirect, type Redirect, type RedirectFields, redirectOf } from '../rule/redirect.ts';
import { sinceRevision } from '../rule/change.ts';
import { checkLabels } from '../rule/text.ts';

/**
 * Adds one redirect, deployed to its environments where the website deploys by itself. 422 for a broken rule or a loop that it
 * would close, 409 CONFLICT where its key is taken. The event is part of the transaction.
 */
export async function createRedirect(
  db: Db,
  actor: Actor,
  websiteId: number,
  fields: RedirectFields,
): Promise<{ redirect: Redirect; deployments: QueuedDeployment[] }> {
  return writeTransaction(db, actor, async (tx) => {
    const website = await lockWebsite(tx, actor, websiteId);
    const redirect = await insertRedirect(tx, website, fields);
    await publishEvents(tx, actor, website.now, [
      {
        event: 'redirect.created',
        websiteId,
        redirectId: redirect.id,
        data: { redirect: eventRedirect(redirect) },
      },
    ]);
    const deployments = await queueAutomaticDeployments(tx, actor, website, fields.environments);
    return { redirect, deployments };
  });
}

/** What `checkRedirect` finds of a rule, and what is wrong with its labels. */
export function checkNewRedirect(
  fields: RedirectFields,
  allowedTargetHosts: readonly string[],
): CheckedRedirect {
  const checked = checkRedirect(fields, allowedTargetHosts);
  checked.issues.push(...checkLabels(fields.groupId, fields.notes));
  return checked;
}

async function insertRedirect(tx: Tx, website: LockedWebsite, fields: RedirectFields): Promise<Redirect> {
  const { key, pattern, issues } = checkNewRedirect(fields, website.allowedTargetHosts);
  if (issues.length > 0) throw validationError(issues);
  if (pattern) await refuseTooManyPatterns(tx, website.id, [pattern]);
  const [row] = await tx
    .insert(redirects)
    .values({
      ...fields,
      websiteId: website.id,
      key,
      rev: website.rev,
      ...sinceRevision(fields.environments, website.rev),
      createdAt: website.now,
      updatedAt: website.now,
    })
    .onConflictDoNothing()
    .returning();
  if (!row) throw pathTaken(fields.oldPath);
  if (!fields.isRegex) await assertNoLoop(tx, website, row, fields.environments);
  return redirectOf(row);
}

/** 409: the canonical form of the path, or the pattern's text, is another rule's. */
export function pathTaken(oldPath: string): DomainError {
  return new DomainError('CONFLICT', 'A redirect with the same path already exists', {
    details: `old_path: the website has a redirect for ${oldPath} already (paths are compared in canonical form); update that one`,
  });
}
