/** Operations for which a signed-in user enters the password again. */
import { eq } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { users } from '../db/schema.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { invalid, validationError } from '../vocabulary/error.ts';
import { recordAudit, recordSignInFailure } from './audit.ts';
import { hashPassword, passwordIssue, verifyPassword } from './password.ts';
import { endOtherSessions, markConfirmed, renewToken } from './session.ts';
import { clearAttempts, countAttempt } from './throttle.ts';

/**
 * Sets the user's password, gives this session a new token and ends all others. Returns the token. Throws as
 * verifyOwnPassword, and VALIDATION_ERROR for an invalid new password.
 */
export async function changePassword(
  db: Db,
  actor: Actor,
  input: { currentPassword: string; newPassword: string; sessionId: string },
  now: Date,
): Promise<string> {
  const { currentPassword, newPassword, sessionId } = input;
  const issue = passwordIssue('new_password', newPassword);
  if (issue) throw validationError([issue]);
  await verifyOwnPassword(db, actor, { path: 'current_password', password: currentPassword, sessionId }, now);
  const passwordHash = await hashPassword(newPassword);
  const userId = Number(actor.id);
  return db.transaction(async (tx) => {
    await tx.update(users).set({ passwordHash }).where(eq(users.id, userId));
    await endOtherSessions(tx, userId, sessionId);
    await markConfirmed(tx, sessionId, now);
    await recordAudit(tx, actor, { action: 'user.password_changed' });
    return renewToken(tx, sessionId);
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
 * Throws VALIDATION_ERROR for the field `path` if the password is not the user's. Throws RATE_LIMIT_EXCEEDED after 10
 * failures of the session in 15 minutes, so that a stolen session cannot be used to guess the password.
 */
export async function verifyOwnPassword(
  db: Db,
  actor: Actor,
  { path, password, sessionId }: { path: string; password: string; sessionId: string },
  now: Date,
): Promise<void> {
  const guesser = { email: actor.name, knownAs: sessionId };
  await countAttempt(db, guesser, now);
  const [user] = await db
    .select()
    .from(users)
    .where(eq(users.id, Number(actor.id)));
  if (!(await verifyPassword(password, user?.passwordHash))) {
    await recordSignInFailure(db, actor, { details: { reason: 'wrong current password' } });
    throw invalid(path, 'is not your current password');
  }
  await clearAttempts(db, guesser);
}
