import { and, eq } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { users } from '../db/schema.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError, validationError } from '../vocabulary/error.ts';
import { recordAudit } from './audit.ts';
import { hashPassword, passwordIssue } from './password.ts';
import { endOtherSessions } from './session.ts';
import { normaliseEmail } from './user.ts';

/**
 * Sets the password of a user of the actor's account, for the operator, and ends the user's sessions. Throws
 * VALIDATION_ERROR for an invalid password, and USER_NOT_FOUND if the account has no such user.
 */
export async function setPassword(db: Db, actor: Actor, input: { email: string; password: string }): Promise<void> {
  const email = normaliseEmail(input.email);
  const issue = passwordIssue('password', input.password);
  if (issue) throw validationError([issue]);
  const passwordHash = await hashPassword(input.password);
  await db.transaction(async (tx) => {
    const own = and(eq(users.email, email), eq(users.accountId, actor.accountId));
    const [user] = await tx.update(users).set({ passwordHash }).where(own).returning({ id: users.id });
    if (!user) throw new DomainError('USER_NOT_FOUND', 'User not found', { details: `There is no user ${email}` });
    await endOtherSessions(tx, user.id, null);
    await recordAudit(tx, actor, { action: 'user.password_reset', target: email });
  });
}
