/** Accepted losses: URLs that match one of these globs are counted apart, and block no deployment. */
import { isDeepStrictEqual } from 'node:util';
import { recordAudit } from '../accounts/audit.ts';
import type { Db, Queryable } from '../db/connection/client.ts';
import { asc, eq } from '../db/drizzle.ts';
import { urlAcceptedLosses } from '../db/schema/urls.ts';
import { hasControlCharacter, noteIssue } from '../rules/check-fields.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { invalid, type Issue, validationError } from '../vocabulary/error.ts';
import { MAX_ACCEPTED_LOSSES, MAX_URL_BYTES } from '../vocabulary/urls.ts';
import { websiteTarget } from '../websites/audit-change.ts';
import { requireEditableRow, requireWebsiteRow } from '../websites/website.ts';
import { writeTransaction } from '../websites/write-website.ts';
import { lockUrls, recountLostUrls } from './lock.ts';

export interface AcceptedLoss {
  /** `*` matches any run of characters, `/` included; nothing else is special */
  glob: string;
  reason: string;
  /** null: for ever */
  until: Date | null;
}

const MAX_REASON = 500;
/** Globs in an audit entry, of those that came and of those that went. */
const MAX_AUDITED = 100;

/** Returns the accepted losses of a website in their order, expired ones included. */
export async function listAccepted(db: Queryable, actor: Actor, websiteId: number): Promise<AcceptedLoss[]> {
  await requireWebsiteRow(db, actor, websiteId);
  return readLosses(db, websiteId);
}

function readLosses(db: Queryable, websiteId: number): Promise<AcceptedLoss[]> {
  const { glob, reason, until, position } = urlAcceptedLosses;
  const stored = db.select({ glob, reason, until }).from(urlAcceptedLosses);
  return stored.where(eq(urlAcceptedLosses.websiteId, websiteId)).orderBy(asc(position));
}

/** Replaces the accepted losses of a website. Throws TOO_MANY_ITEMS, or VALIDATION_ERROR with every problem. */
export async function replaceAccepted(
  db: Db,
  actor: Actor,
  websiteId: number,
  accepted: readonly AcceptedLoss[],
): Promise<void> {
  checkAccepted(accepted);
  await writeTransaction(db, actor, async (tx) => {
    const website = await requireEditableRow(tx, actor, websiteId);
    await lockUrls(tx, websiteId);
    const stored = await readLosses(tx, websiteId);
    if (isDeepStrictEqual(stored, accepted)) return;
    const before = stored.map(({ glob }) => glob);
    await tx.delete(urlAcceptedLosses).where(eq(urlAcceptedLosses.websiteId, websiteId));
    if (accepted.length > 0)
      await tx.insert(urlAcceptedLosses).values(accepted.map((loss, position) => ({ ...loss, websiteId, position })));
    await recountLostUrls(tx, websiteId);
    const after = accepted.map(({ glob }) => glob);
    const changed = (globs: string[], others: string[]) => ({
      accepted_losses: globs.filter((glob) => !others.includes(glob)).slice(0, MAX_AUDITED),
    });
    const details = { before: changed(before, after), after: changed(after, before) };
    await recordAudit(tx, actor, { action: 'website.updated', target: websiteTarget(website), details });
  });
}

function checkAccepted(accepted: readonly AcceptedLoss[]): void {
  if (accepted.length > MAX_ACCEPTED_LOSSES)
    throw invalid('accepted', `at most 1,000; this list has ${accepted.length}, merge some by *`, 'TOO_MANY_ITEMS');
  const issues = accepted.flatMap(({ glob, reason }, index): Issue[] => {
    const path = `accepted[${index}]`;
    const message = globProblem(glob);
    const note = noteIssue(`${path}.reason`, reason, MAX_REASON);
    return [
      ...(message === undefined ? [] : [{ path: `${path}.glob`, code: 'VALIDATION_ERROR' as const, message }]),
      ...(note ? [note] : []),
    ];
  });
  if (issues.length > 0) throw validationError(issues);
}

function globProblem(glob: string): string | undefined {
  if (!/^[/*]/.test(glob)) return 'must begin with "/" or "*": it is compared with canonical URLs such as /old?page=2';
  if (hasControlCharacter(glob)) return 'must not contain control characters, nor lone surrogates';
  return Buffer.byteLength(glob) > MAX_URL_BYTES ? 'at most 2,048 bytes' : undefined;
}
