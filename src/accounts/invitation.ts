/** Links that work once and set a password: invitations to an account, and password resets. */
import type { Db, Queryable } from '../db/connection/client.ts';
import { and, asc, eq, getTableColumns, gt, isNull } from '../db/drizzle.ts';
import { invitations, users } from '../db/schema/accounts.ts';
import { DAY_MS } from '../platform/clock.ts';
import { newId, newToken, sha256 } from '../platform/ids.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import type { Actor, Origin, Role, WebsiteRoles } from '../vocabulary/actor.ts';
import { assertNoIssue, DomainError } from '../vocabulary/error.ts';
import { recordAudit } from './audit.ts';
import { checkWebsiteRoles } from './limit-user.ts';
import { invitationMail, passwordResetMail } from './mail/link-mails.ts';
import { countMails, queueMail } from './mail/outbox.ts';
import { lockAccount } from './quota.ts';
import { endPasswordReset } from './sign-in/session.ts';
import { systemActorByEmail } from './system-actor.ts';
import { deleteTotp } from './sign-in/totp.ts';
import { emailIssue, normaliseEmail } from './user.ts';

const INVITATION_MS = 7 * DAY_MS;
const RESET_MS = DAY_MS;
const MAX_OPEN = 100;
/** Invitations that an account sends by mail within 24 hours; further ones have only their link. */
const MAX_MAILED = 20;

const { tokenHash: _tokenHash, accountId: _accountId, userId: _userId, ...COLUMNS } = getTableColumns(invitations);

export type Invitation = Pick<typeof invitations.$inferSelect, keyof typeof COLUMNS>;

interface LinkContext {
  publicUrl: string;
  now: Date;
  /** seals the mail with the link; without it, none is sent */
  mail?: SecretBox | undefined;
  /** of the admin command */
  origin?: Origin;
}

/**
 * Invites an email to the account; replaces an open invitation of the same email. Only this call returns `url`.
 * `mailed`: a mail with it is queued, which needs `mail` and at most 20 in 24 hours. The
 * result does not tell whether another account has a user with this email. Throws VALIDATION_ERROR for an invalid
 * email and as checkWebsiteRoles, CONFLICT if it belongs to a user of this account, and TOO_MANY_ITEMS above 100 open invitations.
 */
export async function createInvitation(
  db: Db,
  actor: Actor,
  input: { email: string; role: Role; websiteRoles?: WebsiteRoles | null | undefined },
  { publicUrl, now, mail }: LinkContext,
): Promise<Invitation & { url: string; mailed: boolean }> {
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
    const fields = { accountId: actor.accountId, email, role, websiteRoles, invitedBy: actor.name };
    const { row, token } = await storeLink(tx, fields, now, INVITATION_MS);
    await recordAudit(tx, actor, {
      action: 'invitation.created',
      target: email,
      details: { role, ...(websiteRoles && { website_roles: websiteRoles }) },
    });
    const url = `${publicUrl}/invitation#${token}`;
    const kind = 'mail.invitation';
    if (!mail || (await countMails(tx, actor.accountId, kind, now)) >= MAX_MAILED)
      return { ...row, url, mailed: false };
    const text = invitationMail({ ...row, url }, { by: actor.name, role: websiteRoles ? null : role });
    await queueMail(tx, mail, { accountId: actor.accountId, id: row.id, kind, mail: text }, now);
    return { ...row, url, mailed: true };
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
  /** a mail with the link is queued */
  mailed: boolean;
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

/** Stores a reset of the user, and queues its mail if `mail` is given. Earlier links stop working. */
export async function storeReset(
  tx: Queryable,
  actor: Actor,
  { id: userId, accountId, email, role }: typeof users.$inferSelect,
  { publicUrl, now, mail }: LinkContext,
): Promise<PasswordReset> {
  await endPasswordReset(tx, userId);
  const { row, token } = await storeLink(tx, { accountId, email, role, userId }, now, RESET_MS);
  await recordAudit(tx, actor, { action: 'user.password_reset_requested', target: email });
  const reset = { userId, email, url: `${publicUrl}/reset-password#${token}`, expiresAt: row.expiresAt };
  // Users of earlier versions may have an email that cannot be written to.
  if (!mail || emailIssue('email', email)) return { ...reset, mailed: false };
  const text = passwordResetMail(reset, actor.type === 'user' ? actor.name : null);
  await queueMail(tx, mail, { accountId, id: row.id, kind: 'mail.password_reset', mail: text }, now);
  return { ...reset, mailed: true };
}

async function storeLink(
  tx: Queryable,
  fields: Pick<
    typeof invitations.$inferInsert,
    'accountId' | 'email' | 'role' | 'userId' | 'websiteRoles' | 'invitedBy'
  >,
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
