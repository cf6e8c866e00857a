/** Operations for which a signed-in user enters the password again. */
import type { Db } from '../../db/connection/client.ts';
import { eq } from '../../db/drizzle.ts';
import { users } from '../../db/schema/accounts.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { assertNoIssue, invalid } from '../../vocabulary/error.ts';
import { recordAudit, recordRejection } from '../audit.ts';
import { newDeviceToken } from './device.ts';
import { hashPassword, passwordIssue, verifyPassword } from './password.ts';
import { endOtherAccess, markConfirmed, renewToken } from './session.ts';
import { clearAttempts, countAttempt } from './throttle.ts';
import { lockUnchanged } from '../user.ts';

/**
 * Sets the user's password, gives this session and this device new tokens, and ends all others and an open password
 * reset. Throws as verifyOwnPassword, and VALIDATION_ERROR for an invalid new password.
 */
export async function changePassword(
  db: Db,
  actor: Actor,
  input: { currentPassword: string; newPassword: string; sessionId: string },
  { secretBox, now }: { secretBox: SecretBox; now: Date },
): Promise<{ token: string; device: string }> {
  const { currentPassword, newPassword, sessionId } = input;
  assertNoIssue(passwordIssue('new_password', newPassword));
  const path = 'current_password';
  const verified = await verifyOwnPassword(db, actor, { path, password: currentPassword, sessionId }, now);
  const passwordHash = await hashPassword(newPassword);
  const userId = Number(actor.id);
  return db.transaction(async (tx) => {
    if (!(await lockUnchanged(tx, verified))) throw notCurrent(path);
    await tx.update(users).set({ passwordHash }).where(eq(users.id, userId));
    await endOtherAccess(tx, userId, sessionId);
    await markConfirmed(tx, sessionId, now);
    await recordAudit(tx, actor, { action: 'user.password_changed' });
    const device = newDeviceToken(secretBox, { email: verified.email, passwordHash });
    return { token: await renewToken(tx, sessionId), device };
  });
}

/** Allows the session sensitive changes for 30 minutes. Throws as verifyOwnPassword. */
export async function confirmPassword(
  db: Db,
  actor: Actor,
  input: { password: string; sessionId: string },
  now: Date,
): Promise<void> {
  await verifyOwnPassword(db, actor, { path: 'password', ...input }, now);
  await db.transaction(async (tx) => {
    await markConfirmed(tx, input.sessionId, now);
    await recordAudit(tx, actor, { action: 'user.password_confirmed' });
  });
}

/**
 * Returns the user. Throws VALIDATION_ERROR for the field `path` if the password is not the user's. Throws
 * RATE_LIMIT_EXCEEDED after 10 failures of the session in 15 minutes, so that a stolen session cannot guess it.
 */
export async function verifyOwnPassword(
  db: Db,
  actor: Actor,
  { path, password, sessionId }: { path: string; password: string; sessionId: string },
  now: Date,
): Promise<typeof users.$inferSelect> {
  const guesser = { email: actor.name, knownAs: sessionId };
  try {
    await countAttempt(db, guesser, now);
    const [user] = await db
      .select()
      .from(users)
      .where(eq(users.id, Number(actor.id)));
    if (!(await verifyPassword(password, user?.passwordHash)) || !user) throw notCurrent(path);
    await clearAttempts(db, guesser);
    return user;
  } catch (error) {
    await recordRejection(db, actor, error, { reason: 'wrong current password' });
    throw error;
  }
}

const notCurrent = (path: string) => invalid(path, 'this is not your current password');
