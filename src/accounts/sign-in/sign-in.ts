import type { Db, Queryable } from '../../db/connection/client.ts';
import { eq } from '../../db/drizzle.ts';
import { accounts, users } from '../../db/schema/accounts.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { Actor, Origin } from '../../vocabulary/actor.ts';
import { DomainError } from '../../vocabulary/error.ts';
import type { Plan } from '../../vocabulary/plan.ts';
import { createAccount } from '../account.ts';
import { recordAudit, recordRejection } from '../audit.ts';
import { deviceId, newDeviceToken, type SignInClient } from './device.ts';
import { verifyPassword } from './password.ts';
import { startSession } from './session.ts';
import { clearAttempts, countAttempt, type Guesser } from './throttle.ts';
import { requireSecondFactor } from './totp.ts';
import { lockUnchanged, normaliseEmail, type User } from '../user.ts';

interface SignedInUser extends Pick<User, 'id' | 'email' | 'role'> {
  plan: Plan;
}

export interface SignedIn {
  user: SignedInUser;
  token: string;
  /** the token of the device */
  device: string;
}

export interface SignInContext {
  client: SignInClient;
  /** for the audit log */
  origin?: Origin;
  secretBox: SecretBox;
  now: Date;
}

/**
 * Starts a session of the user with these credentials. Throws INVALID_CREDENTIALS if the email is unknown or the
 * password wrong, with the same work for both. Throws RATE_LIMIT_EXCEEDED as countAttempt, for known and unknown
 * emails, and TOTP_REQUIRED and INVALID_CREDENTIALS as requireSecondFactor.
 */
export async function signIn(
  db: Db,
  credentials: { email: string; password: string; code?: string | undefined },
  context: SignInContext,
): Promise<SignedIn> {
  const email = normaliseEmail(credentials.email);
  if (email.length > 254 || /\p{C}/u.test(email)) {
    // Not counted: no user has such an email, and PostgreSQL may be unable to store the text.
    await verifyPassword(credentials.password, undefined);
    throw invalidCredentials();
  }
  const [found] = await db
    .select({ user: users, plan: accounts.plan })
    .from(users)
    .innerJoin(accounts, eq(accounts.id, users.accountId))
    .where(eq(users.email, email));
  const guesser = guesserOf(email, found?.user.passwordHash, context);
  const user = found && { id: found.user.id, email, role: found.user.role, plan: found.plan };
  const actor = user && actorOf(found.user.accountId, user, context);
  try {
    await countAttempt(db, guesser, context.now);
    if (!(await verifyPassword(credentials.password, found?.user.passwordHash)) || !actor) throw invalidCredentials();
    return await db.transaction(async (tx) => {
      if (!(await lockUnchanged(tx, found.user))) throw invalidCredentials();
      await requireSecondFactor(tx, actor, credentials.code, context);
      await clearAttempts(tx, guesser);
      await recordAudit(tx, actor, { action: 'user.signed_in' });
      return openSession(tx, user, context);
    });
  } catch (error) {
    if (actor) await recordRejection(db, actor, error);
    throw error;
  }
}

/** Returns the guesser among whose failures this attempt counts. `passwordHash` undefined: there is no such user. */
export function guesserOf(
  email: string,
  passwordHash: string | undefined,
  { client, secretBox }: SignInContext,
): Guesser {
  const knownAs = passwordHash && deviceId(secretBox, { email, passwordHash }, client.device);
  return !knownAs ? { email, network: client.network } : { email, knownAs };
}

export function actorOf(accountId: number, user: SignedInUser, { origin }: SignInContext): Actor {
  const { id, email: name, role, plan } = user;
  return { accountId, plan, type: 'user', id: String(id), name, role, scope: null, ...(origin && { origin }) };
}

function invalidCredentials(): DomainError {
  return new DomainError('INVALID_CREDENTIALS', 'Email or password is wrong', {
    details: 'email, password: check both; 10 failures block an email for up to 15 minutes',
  });
}

/** Starts a session, and makes the client a known device unless it is one. */
export async function openSession(
  tx: Queryable,
  user: SignedInUser,
  { client, secretBox, now }: SignInContext,
): Promise<SignedIn> {
  const { token } = await startSession(tx, user.id, client, now);
  const [owner] = await tx.select().from(users).where(eq(users.id, user.id));
  if (!owner) throw new Error('a user without a row has a session');
  const isKnown = deviceId(secretBox, owner, client.device) !== undefined;
  const device = isKnown && client.device !== undefined ? client.device : newDeviceToken(secretBox, owner);
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
  const signedUp = { id: user.id, email: user.email, role: user.role, plan: account.plan };
  return db.transaction(async (tx) => {
    await recordAudit(tx, actorOf(account.id, signedUp, context), { action: 'user.signed_up' });
    return openSession(tx, signedUp, context);
  });
}
