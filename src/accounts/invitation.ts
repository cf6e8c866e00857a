/** Links that work once and set a password: invitations to an account, and password resets. */
import type { Db, Queryable } from '../db/connection/client.ts';
import { and, asc, eq, getTableColumns, gt, isNull } from '../db/drizzle.ts';
import { invitations, users } from '../db/schema/accounts.ts';
import { DAY_MS } from '../platform/clock.ts';
import { newId, newToken, sha256 } from '../platform/ids.ts';
import type { Actor, Origin, Role, WebsiteRoles } from '../vocabulary/actor.ts';
import { assertNoIssue, DomainError } from '../vocabulary/error.ts';
import { recordAudit } from './audit.ts';
import { checkWebsiteRoles } from './limit-user.ts';
import { lockAccount } from './quota.ts';
import { endPasswordReset } from './sign-in/session.ts';
import { systemActorByEmail } from './system-actor.ts';
import { deleteTotp } from './sign-in/totp.ts';
import { emailIssue, normaliseEmail } from './user.ts';

const INVITATION_MS = 7 * DAY_MS;
const RESET_MS = DAY_MS;
const MAX_OPEN = 100;

const { tokenHash: _tokenHash, accountId: _accountId, userId: _userId, ...COLUMNS } = getTableColumns(invitations);

export type Invitation = Pick<typeof invitations.$inferSelect, keyof typeof COLUMNS>;

interface LinkContext {
  publicUrl: string;
  now: Date;
  /** of the admin command */
  origin?: Origin;
}

/**
 * Invites an email to the account; replaces an open invitation of the same email. Only this call returns `url`. The
 * result does not tell whether another account has a user with this email. Throws VALIDATION_ERROR for an invalid
 * email and as checkWebsiteRoles, CONFLICT if it belongs to a user of this account, and TOO_MANY_ITEMS above 100 open invitations.
 */
export async function createInvitation(
  db: Db,
  actor: Actor,
  input: { email: string; role: Role; websiteRoles?: WebsiteRoles | null | undefined },
  { publicUrl, now }: LinkContext,
): Promise<Invitation & { url: string }> {
  const email = normaliseEmail(input.email);
  assertNoIssue(emailIssue('email', email));
  const { role, websiteRoles = null } = input;
  return db.transaction(async (tx) => {
    await checkWebsiteRoles(tx, actor, role, websiteRoles);
    // Serializes the invitations of an account, for their maximum.
    await lockAccount(tx, actor.accountId);
    const isUser = and(eq(users.accountId, actor.accountId), eq(users.email, email));
    if ((await tx.$count(users, isUser)) > 0) {
      throw new DomainError('CONFLICT', 'This email belongs to a user of the account', {
        details: 'email: change the role of the user instead',
      });
    }
    await tx.delete(invitations).where(and(isOpen(actor), eq(invitations.email, email)));
    if ((await tx.$count(invitations, and(isOpen(actor), gt(invitations.expiresAt, now)))) >= MAX_OPEN) {
      throw new DomainError('TOO_MANY_ITEMS', `An account has at most ${MAX_OPEN} open invitations`, {
        details: 'Withdraw invitations that are no longer needed',
      });
    }
    const fields = { accountId: actor.accountId, email, role, websiteRoles };
    const { row, token } = await storeLink(tx, fields, now, INVITATION_MS);
    await recordAudit(tx, actor, {
      action: 'invitation.created',
      target: email,
      details: { role, ...(websiteRoles && { website_roles: websiteRoles }) },
    });
    return { ...row, url: `${publicUrl}/invitation#${token}` };
  });
}

const isOpen = (actor: Actor) => and(eq(invitations.accountId, actor.accountId), isNull(invitations.userId));

export async function listInvitations(db: Queryable, actor: Actor, now: Date): Promise<Invitation[]> {
  const isListed = and(isOpen(actor), gt(invitations.expiresAt, now));
  return db.select(COLUMNS).from(invitations).where(isListed).orderBy(asc(invitations.createdAt), asc(invitations.id));
}

/** Withdraws an invitation. Throws INVITATION_NOT_FOUND if the account has no such open invitation. */
export async function withdrawInvitation(db: Db, actor: Actor, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    const [row] = await tx
      .delete(invitations)
      .where(and(isOpen(actor), eq(invitations.id, id)))
      .returning(COLUMNS);
    if (!row) throw invitationNotFound(`There is no open invitation ${id}`);
    await recordAudit(tx, actor, { action: 'invitation.revoked', target: row.email });
  });
}

export function invitationNotFound(details: string): DomainError {
  return new DomainError('INVITATION_NOT_FOUND', 'Invitation not found', { details });
}

export interface PasswordReset {
  userId: number;
  email: string;
  url: string;
  expiresAt: Date;
}

/**
 * Returns a link with which the user sets a new password within 24 hours; earlier links stop working. `withoutTotp`
 * also turns TOTP off, if the user has lost it. Throws USER_NOT_FOUND if there is no such user.
 */
export async function createPasswordReset(
  db: Db,
  input: { email: string; withoutTotp: boolean },
  context: LinkContext,
): Promise<PasswordReset> {
  const actor = await systemActorByEmail(db, input.email, context.origin);
  const email = normaliseEmail(input.email);
  return db.transaction(async (tx) => {
    const [user] = await tx.select().from(users).where(eq(users.email, email));
    if (!user) throw new DomainError('USER_NOT_FOUND', 'User not found', { details: `There is no user ${email}` });
    if (input.withoutTotp) await deleteTotp(tx, actor, user.id);
    return storeReset(tx, actor, user, context);
  });
}

/** As createPasswordReset, for a user of the actor's account. Two-factor sign-in stays on. Throws USER_NOT_FOUND. */
export async function resetUserPassword(
  db: Db,
  actor: Actor,
  id: number,
  context: LinkContext,
): Promise<PasswordReset> {
  return db.transaction(async (tx) => {
    const isOwn = and(eq(users.id, id), eq(users.accountId, actor.accountId));
    const [user] = await tx.select().from(users).where(isOwn);
    if (!user) throw new DomainError('USER_NOT_FOUND', 'User not found', { details: `There is no user ${id}` });
    return storeReset(tx, actor, user, context);
  });
}

async function storeReset(
  tx: Queryable,
  actor: Actor,
  { id: userId, accountId, email, role }: typeof users.$inferSelect,
  { publicUrl, now }: LinkContext,
): Promise<PasswordReset> {
  await endPasswordReset(tx, userId);
  const { row, token } = await storeLink(tx, { accountId, email, role, userId }, now, RESET_MS);
  await recordAudit(tx, actor, { action: 'user.password_reset_requested', target: email });
  return { userId, email, url: `${publicUrl}/reset-password#${token}`, expiresAt: row.expiresAt };
}

async function storeLink(
  tx: Queryable,
  fields: Pick<typeof invitations.$inferInsert, 'accountId' | 'email' | 'role' | 'userId' | 'websiteRoles'>,
  now: Date,
  lifetimeMs: number,
): Promise<{ row: Invitation; token: string }> {
  const token = newToken();
  const expiresAt = new Date(now.getTime() + lifetimeMs);
  const values = { ...fields, id: newId('inv_'), tokenHash: sha256(token), createdAt: now, expiresAt };
  const [row] = await tx.insert(invitations).values(values).returning(COLUMNS);
  if (!row) throw new Error('insert returned nothing');
  return { row, token };
}
