import { eq } from 'drizzle-orm';
import type { Db, Queryable } from '../db/client.ts';
import { accounts, users } from '../db/schema.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import { DomainError } from '../vocabulary/error.ts';
import type { Plan } from '../vocabulary/plan.ts';
import { createAccount } from './account.ts';
import { deviceId, newDeviceToken, type SignInClient } from './device.ts';
import { verifyPassword } from './password.ts';
import { startSession } from './session.ts';
import { clearAttempts, countAttempt } from './throttle.ts';
import { emailIssue, normaliseEmail, type User } from './user.ts';

interface SignedInUser extends Pick<User, 'id' | 'email' | 'role'> {
  plan: Plan;
}

export interface SignedIn {
  user: SignedInUser;
  /** the token of the session */
  token: string;
  /** the token of the device */
  device: string;
}

/** The client and the services of a sign-in. */
export interface SignInContext {
  client: SignInClient;
  secretBox: SecretBox;
  now: Date;
}

/**
 * Starts a session of the user with these credentials. Throws INVALID_CREDENTIALS if the email is unknown or the
 * password wrong, with the same work for both. Throws RATE_LIMIT_EXCEEDED as countAttempt, for known and unknown
 * emails.
 */
export async function signIn(
  db: Db,
  credentials: { email: string; password: string },
  context: SignInContext,
): Promise<SignedIn> {
  const { client, secretBox, now } = context;
  const email = normaliseEmail(credentials.email);
  if (emailIssue('email', email)) {
    // Not counted: no user has an invalid email, and PostgreSQL may be unable to store the text.
    await verifyPassword(credentials.password, undefined);
    throw invalidCredentials();
  }
  const knownAs = deviceId(secretBox, email, client.device);
  const guesser = knownAs === undefined ? { email, network: client.network } : { email, knownAs };
  await countAttempt(db, guesser, now);
  const [found] = await db
    .select({ user: users, plan: accounts.plan })
    .from(users)
    .innerJoin(accounts, eq(accounts.id, users.accountId))
    .where(eq(users.email, email));
  const isRight = await verifyPassword(credentials.password, found?.user.passwordHash);
  if (!found || !isRight) throw invalidCredentials();
  const { id, role } = found.user;
  return db.transaction(async (tx) => {
    await clearAttempts(tx, guesser);
    return openSession(tx, { id, email, role, plan: found.plan }, context);
  });
}

function invalidCredentials(): DomainError {
  return new DomainError('INVALID_CREDENTIALS', 'Email or password is wrong', {
    details: 'email, password: check both; 10 failures block an email for up to 15 minutes',
  });
}

/** Starts a session, and makes the client a known device unless it is one. */
async function openSession(
  tx: Queryable,
  user: SignedInUser,
  { client, secretBox, now }: SignInContext,
): Promise<SignedIn> {
  const { token } = await startSession(tx, user.id, client.userAgent, now);
  const isKnown = deviceId(secretBox, user.email, client.device) !== undefined;
  const device = isKnown && client.device !== undefined ? client.device : newDeviceToken(secretBox, user.email);
  return { user, token, device };
}

/** Creates an account on the free plan with its owner, as createAccount. Throws SIGN_UP_CLOSED if sign-up is closed. */
export async function signUp(
  db: Db,
  credentials: { email: string; password: string },
  context: SignInContext & { signUpMode: 'open' | 'closed' },
): Promise<SignedIn> {
  if (context.signUpMode === 'closed') {
    throw new DomainError('SIGN_UP_CLOSED', 'Sign-up is closed on this service', {
      details: 'An owner can invite you; the operator of the service can create an account',
    });
  }
  const { account, user } = await createAccount(db, { ...credentials, plan: 'free' });
  return openSession(db, { id: user.id, email: user.email, role: user.role, plan: account.plan }, context);
}
