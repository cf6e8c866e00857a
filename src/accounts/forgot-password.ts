/**
 * Requests for a new password from the sign-in page. A request only stores a row, so its response and time do not show
 * whether a user has the email. A loop answers it with a mail.
 */
import { LOCKS } from '../db/advisory-lock.ts';
import type { Db } from '../db/connection/client.ts';
import { and, asc, eq, gt, isNotNull, lte, sql } from '../db/drizzle.ts';
import { accounts, passwordRequests, users } from '../db/schema/accounts.ts';
import { sha256 } from '../platform/ids.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import type { Origin } from '../vocabulary/actor.ts';
import { storeReset } from './invitation.ts';
import { systemActor } from './system-actor.ts';
import { emailIssue, normaliseEmail } from './user.ts';

const MAX_REQUESTS = 3;
const WINDOW_MS = 3_600_000;

/** Stores a request. Ignores an invalid email, and the fourth request for an email within an hour. */
export async function requestPassword(db: Db, text: string, { address, userAgent, at }: Origin): Promise<void> {
  const email = normaliseEmail(text);
  if (emailIssue('email', email)) return;
  const emailHash = sha256(email);
  await db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${LOCKS.signIn}, ${emailHash.readInt32BE(0)})`);
    const since = new Date(at.getTime() - WINDOW_MS);
    const recent = and(eq(passwordRequests.emailHash, emailHash), gt(passwordRequests.at, since));
    if ((await tx.$count(passwordRequests, recent)) >= MAX_REQUESTS) return;
    const client = { address, userAgent: userAgent?.slice(0, 300) ?? null };
    await tx.insert(passwordRequests).values({ emailHash, email, ...client, at });
  });
}

/**
 * Answers the oldest request: if a user has the email, queues a mail with a new link, and earlier links stop working.
 * Returns the lines of the audit log, for the log, or undefined if no request waits. Safe to run in several processes.
 */
export async function answerPasswordRequest(
  db: Db,
  context: { publicUrl: string; mail: SecretBox; now: Date },
): Promise<Record<string, unknown>[] | undefined> {
  return db.transaction(async (tx) => {
    const [request] = await tx
      .select()
      .from(passwordRequests)
      .where(isNotNull(passwordRequests.email))
      .orderBy(asc(passwordRequests.id))
      .limit(1)
      .for('update', { skipLocked: true });
    if (!request) return undefined;
    const { id, address, userAgent, at } = request;
    await tx.update(passwordRequests).set({ email: null }).where(eq(passwordRequests.id, id));
    const [found] = await tx
      .select()
      .from(users)
      .innerJoin(accounts, eq(accounts.id, users.accountId))
      .where(eq(users.email, request.email ?? ''));
    const origin: Origin = { address, userAgent, at, audited: [] };
    if (found) await storeReset(tx, systemActor(found.accounts, origin), found.users, context);
    return origin.audited;
  });
}

/** Deletes requests that no longer count. */
export async function purgePasswordRequests(db: Db, now: Date): Promise<void> {
  await db.delete(passwordRequests).where(lte(passwordRequests.at, new Date(now.getTime() - WINDOW_MS)));
}
