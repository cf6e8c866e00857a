import { eq } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { accounts, users } from '../db/schema.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError, invalid, validationError } from '../vocabulary/error.ts';
import type { Plan } from '../vocabulary/plan.ts';
import { createAccount } from './account.ts';
import { emailIssue, normaliseEmail, type User } from './user.ts';
import { hashPassword, passwordIssue, verifyPassword } from './password.ts';
import { endOtherSessions } from './session.ts';
import { countAttempt, clearAttempts } from './throttle.ts';

export type SignedInUser = Pick<User, 'id' | 'email' | 'role'> & { plan: Plan };

/**
 * Returns the user of the credentials. Throws INVALID_CREDENTIALS if the email is unknown or the password wrong, with
 * the same work for both. Throws RATE_LIMIT_EXCEEDED after 10 failures for an email, known or not, in 15 minutes. A
 * success clears the count.
 */
export async function signIn(
  db: Db,
  credentials: { email: string; password: string },
  now: Date,
): Promise<SignedInUser> {
  const email = normaliseEmail(credentials.email);
  if (emailIssue('email', email)) {
    // Not counted: no user has an invalid email, and PostgreSQL may be unable to store the text.
    await verifyPassword(credentials.password, undefined);
    throw invalidCredentials();
  }
  await countAttempt(db, email, now);
  const [found] = await db
    .select({ user: users, plan: accounts.plan })
    .from(users)
    .innerJoin(accounts, eq(accounts.id, users.accountId))
    .where(eq(users.email, email));
  const isRight = await verifyPassword(credentials.password, found?.user.passwordHash);
  if (!found || !isRight) throw invalidCredentials();
  await clearAttempts(db, email);
  const { id, role } = found.user;
  return { id, email, role, plan: found.plan };
}

function invalidCredentials(): DomainError {
  return new DomainError('INVALID_CREDENTIALS', 'Email or password is wrong', {
    details: 'email, password: check both; 10 failures block an email for up to 15 minutes',
  });
}

/** Creates an account on the free plan with its owner, as createAccount. Throws SIGN_UP_CLOSED if sign-up is closed. */
export async function signUp(
  db: Db,
  credentials: { email: string; password: string },
  signUpMode: 'open' | 'closed',
): Promise<SignedInUser> {
  if (signUpMode === 'closed') {
    throw new DomainError('SIGN_UP_CLOSED', 'Sign-up is closed on this service', {
      details: 'An owner can add you as a user; the operator of the service can create an account',
    });
  }
  const { account, user } = await createAccount(db, { ...credentials, plan: 'free' });
  return { id: user.id, email: user.email, role: user.role, plan: account.plan };
}

/**
 * Sets the user's password and ends all other sessions. Throws VALIDATION_ERROR if the current password is wrong, which
 * counts as a failed sign-in, so that a stolen session cannot be used to guess it.
 */
export async function changePassword(
  db: Db,
  actor: Actor,
  input: { currentPassword: string; newPassword: string; keptSessionId: string },
  now: Date,
): Promise<void> {
  const userId = Number(actor.id);
  const issue = passwordIssue('new_password', input.newPassword);
  if (issue) throw validationError([issue]);
  await countAttempt(db, actor.name, now);
  const [user] = await db.select().from(users).where(eq(users.id, userId));
  if (!(await verifyPassword(input.currentPassword, user?.passwordHash))) {
    throw invalid('current_password', 'is not your current password');
  }
  const passwordHash = await hashPassword(input.newPassword);
  await db.transaction(async (tx) => {
    await tx.update(users).set({ passwordHash }).where(eq(users.id, userId));
    await endOtherSessions(tx, userId, input.keptSessionId);
    await clearAttempts(tx, actor.name);
  });
}
