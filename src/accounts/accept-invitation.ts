import type { Db, Queryable } from '../db/connection/client.ts';
import { and, asc, eq, gt, inArray, isNull } from '../db/drizzle.ts';
import { accounts, invitations, users } from '../db/schema/accounts.ts';
import { websites } from '../db/schema/websites.ts';
import { sha256 } from '../platform/ids.ts';
import { assertNoIssue, DomainError } from '../vocabulary/error.ts';
import { recordAudit, recordRejection } from './audit.ts';
import { invitationNotFound } from './invitation.ts';
import { storeWebsiteRoles } from './limit-user.ts';
import { hashPassword, passwordIssue } from './sign-in/password.ts';
import { endOtherAccess } from './sign-in/session.ts';
import { actorOf, guesserOf, openSession, type SignedIn, type SignInContext } from './sign-in/sign-in.ts';
import { clearAttempts, countAttempt, type Guesser } from './sign-in/throttle.ts';
import { requireSecondFactor } from './sign-in/totp.ts';
import { assertUserLimit, insertUser } from './user.ts';

type Link = typeof invitations.$inferSelect;

/**
 * Sets the password of the invited or reset user and signs in. The link then no longer works. A reset also ends all
 * sessions of the user, and needs the code if TOTP is on. Throws VALIDATION_ERROR for an invalid password,
 * INVITATION_NOT_FOUND for an unknown, used or expired token, CONFLICT if the email signs in to an account already, and
 * TOTP_REQUIRED, INVALID_CREDENTIALS and RATE_LIMIT_EXCEEDED as signIn.
 */
export async function acceptInvitation(
  db: Db,
  input: { token: string; password: string; code?: string | undefined },
  context: SignInContext,
): Promise<SignedIn> {
  assertNoIssue(passwordIssue('password', input.password));
  const { now, origin } = context;
  const link = await readLink(db, input.token, now);
  const [resetting] = await db
    .select()
    .from(users)
    .where(eq(users.id, link.userId ?? 0));
  const guesser = guesserOf(link.email, resetting?.passwordHash, context);
  try {
    if (resetting) await countAttempt(db, guesser, now);
    return await acceptLink(db, link, input, { ...context, guesser });
  } catch (error) {
    const actor = { accountId: link.accountId, type: 'user', id: String(link.userId), name: link.email } as const;
    if (resetting) await recordRejection(db, { ...actor, ...(origin && { origin }) }, error, { reason: 'reset link' });
    throw error;
  }
}

async function acceptLink(
  db: Db,
  link: Link,
  input: { token: string; password: string; code?: string | undefined },
  context: SignInContext & { guesser: Guesser },
): Promise<SignedIn> {
  const passwordHash = await hashPassword(input.password);
  return db.transaction(async (tx) => {
    // Before the invitation's row, in the order of createInvitation, so that the two do not deadlock.
    if (link.userId === null) await assertUserLimit(tx, link.accountId);
    const [used] = await tx.delete(invitations).where(isValidLink(input.token, context.now)).returning();
    if (!used) throw notValid();
    const [account] = await tx.select().from(accounts).where(eq(accounts.id, used.accountId));
    if (!account) throw notValid();
    const isReset = used.userId !== null;
    const user = isReset ? await resetPassword(tx, used, passwordHash) : await addInvited(tx, used, passwordHash);
    const signedIn = { ...user, plan: account.plan };
    const actor = actorOf(account.id, signedIn, context);
    if (isReset) {
      await requireSecondFactor(tx, actor, input.code, context);
      await clearAttempts(tx, context.guesser);
    }
    await recordAudit(tx, actor, { action: isReset ? 'user.password_reset' : 'invitation.accepted' });
    return openSession(tx, signedIn, context);
  });
}

/** Returns the invitation or password reset of a token, and does not use it. Throws INVITATION_NOT_FOUND as above. */
export async function readLink(db: Queryable, token: string, now: Date): Promise<Link> {
  const [link] = await db.select().from(invitations).where(isValidLink(token, now));
  if (!link) throw notValid();
  return link;
}

/** The websites of an invitation: their number, and the first names. */
export async function linkWebsites(db: Queryable, link: Link): Promise<{ websites: string[]; websiteCount: number }> {
  if (link.userId !== null) return { websites: [], websiteCount: 0 };
  const ids = link.websiteRoles && Object.keys(link.websiteRoles).map(Number);
  const isReached = and(
    eq(websites.accountId, link.accountId),
    isNull(websites.deletingSince),
    ids ? inArray(websites.id, ids) : undefined,
  );
  const named = db.select({ name: websites.name }).from(websites).where(isReached).orderBy(asc(websites.name)).limit(3);
  return { websites: (await named).map(({ name }) => name), websiteCount: await db.$count(websites, isReached) };
}

const isValidLink = (token: string, now: Date) =>
  and(eq(invitations.tokenHash, sha256(token)), gt(invitations.expiresAt, now));

function notValid(): DomainError {
  return invitationNotFound('token: the link was used, withdrawn or has expired; ask for a new one');
}

async function addInvited(tx: Queryable, { accountId, email, role, websiteRoles }: Link, passwordHash: string) {
  if ((await tx.$count(users, eq(users.email, email))) > 0) {
    throw new DomainError('CONFLICT', 'This email signs in to an account already', {
      details: 'Ask to be invited with another email, or have your user removed from the other account first',
    });
  }
  const user = await insertUser(tx, accountId, { email, role, passwordHash, isLimited: websiteRoles !== null });
  await storeWebsiteRoles(tx, user.id, websiteRoles ?? {});
  return user;
}

async function resetPassword(tx: Queryable, { userId, email }: Link, passwordHash: string) {
  const [user] = await tx.update(users).set({ passwordHash }).where(eq(users.email, email)).returning();
  if (!user || user.id !== userId) throw notValid();
  await endOtherAccess(tx, user.id, null);
  return user;
}
