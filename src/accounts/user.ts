import type { Db, Queryable } from '../db/connection/client.ts';
import { and, asc, eq, getTableColumns, sql } from '../db/drizzle.ts';
import { isUniqueViolation } from '../db/errors.ts';
import { accounts, sessions, totpSecrets, users } from '../db/schema/accounts.ts';
import { type Actor, type Role, ROLES, type WebsiteRoles } from '../vocabulary/actor.ts';
import { assertNoIssue, DomainError, invalid, type Issue } from '../vocabulary/error.ts';
import { endKeysOf } from './api-key.ts';
import { recordAudit } from './audit.ts';
import { hashPassword, passwordIssue } from './sign-in/password.ts';
import { lockAccount } from './quota.ts';
import { endOtherAccess } from './sign-in/session.ts';
import { websiteRolesOf } from './website-scope.ts';

const { passwordHash: _passwordHash, isLimited: _isLimited, ...OWN_COLUMNS } = getTableColumns(users);
const USER_COLUMNS = { ...OWN_COLUMNS, websiteRoles: websiteRolesOf('users') };

export interface User extends Pick<typeof users.$inferSelect, keyof typeof OWN_COLUMNS> {
  /** the role at each website that a limited user reaches; null: all of the account, with `role` */
  websiteRoles: WebsiteRoles | null;
}

export interface ListedUser extends User {
  /** signs in with a code of an app too */
  twoFactor: boolean;
  /** the last request of the sessions that have not ended, to within five minutes; null without one */
  lastActiveAt: Date | null;
}

export async function listUsers(db: Queryable, actor: Actor): Promise<ListedUser[]> {
  const own = eq(users.accountId, actor.accountId);
  const isConfirmed = sql<boolean>`exists (
    select from ${totpSecrets} t where t.user_id = users.id and t.confirmed_at is not null)`;
  const lastActiveAt = sql<Date | null>`(select max(s.seen_at) from ${sessions} s where s.user_id = users.id)`;
  return db
    .select({ ...USER_COLUMNS, twoFactor: isConfirmed, lastActiveAt: lastActiveAt.mapWith(sessions.seenAt) })
    .from(users)
    .where(own)
    .orderBy(asc(users.id));
}

/** Adds a user to the account. Throws as checkNewUser, assertUserLimit and insertUser. */
export async function addUser(
  db: Db,
  actor: Actor,
  input: { email: string; role: Role; password: string },
): Promise<User> {
  const checked = await checkNewUser(input);
  return db.transaction(async (tx) => {
    await assertUserLimit(tx, actor.accountId);
    const user = await insertUser(tx, actor.accountId, checked);
    await recordAudit(tx, actor, { action: 'user.added', target: user.email, details: { role: user.role } });
    return user;
  });
}

const MAX_USERS = 1_000;

/**
 * Throws TOO_MANY_ITEMS if the account has 1,000 users. Locks the account, so that concurrent calls count each other.
 */
export async function assertUserLimit(tx: Queryable, accountId: number): Promise<void> {
  await lockAccount(tx, accountId);
  if ((await tx.$count(users, eq(users.accountId, accountId))) < MAX_USERS) return;
  throw new DomainError('TOO_MANY_ITEMS', 'An account has at most 1,000 users', {
    details: 'Remove users that no longer need access',
  });
}

type NewUser = Pick<typeof users.$inferInsert, 'email' | 'role' | 'passwordHash' | 'isLimited'>;

/** Normalizes the email and hashes the password of a new user. Throws VALIDATION_ERROR with every issue. */
export async function checkNewUser(input: { email: string; role: Role; password: string }): Promise<NewUser> {
  const email = normaliseEmail(input.email);
  assertNoIssue(emailIssue('email', email), passwordIssue('password', input.password));
  return { email, role: input.role, passwordHash: await hashPassword(input.password) };
}

/** Stores the user. Throws CONFLICT if a user of any account has the email. */
export async function insertUser(db: Queryable, accountId: number, user: NewUser): Promise<User> {
  try {
    const [row] = await db
      .insert(users)
      .values({ accountId, ...user })
      .returning(USER_COLUMNS);
    if (!row) throw new Error('insert returned nothing');
    return row;
  } catch (error) {
    if (!isUniqueViolation(error, 'users_email_key')) throw error;
    throw new DomainError('CONFLICT', 'This email is taken', {
      details: `email: ${user.email} belongs to another user; use another email`,
    });
  }
}

/**
 * Sets the user's role; its sessions have it from the next request. A lower role revokes the API keys that the user has
 * created, unless `keepKeys`. Throws USER_NOT_FOUND, CONFLICT for the last owner, as removeUser, and VALIDATION_ERROR
 * for the role owner of a user who is limited to websites.
 */
export async function changeRole(
  db: Db,
  actor: Actor,
  input: { id: number; role: Role; keepKeys?: boolean | undefined },
  now: Date,
): Promise<User> {
  const { id, role, keepKeys = false } = input;
  return db.transaction(async (tx) => {
    const user = await lockUser(tx, actor, id);
    if (role !== 'owner') await assertOtherOwner(tx, actor, user, 'must stay owner');
    else if (user.websiteRoles) throw invalid('role', 'an owner cannot be limited to websites; lift the limit first');
    await tx.update(users).set({ role }).where(ownUser(actor, id));
    const details = { from: user.role, to: role };
    if (role !== user.role) await recordAudit(tx, actor, { action: 'user.role_changed', target: user.email, details });
    // ROLES is in descending order.
    const isLower = ROLES.indexOf(role) > ROLES.indexOf(user.role);
    if (isLower) await endKeysOf(tx, actor, { userId: id, keep: keepKeys, now });
    return { ...user, role };
  });
}

/**
 * Sets the password of a user of the actor's account, for the operator, and ends the user's sessions. Throws
 * VALIDATION_ERROR for an invalid password, and USER_NOT_FOUND if the account has no such user.
 */
export async function setPassword(db: Db, actor: Actor, input: { email: string; password: string }): Promise<void> {
  const email = normaliseEmail(input.email);
  assertNoIssue(passwordIssue('password', input.password));
  const passwordHash = await hashPassword(input.password);
  await db.transaction(async (tx) => {
    const own = and(eq(users.email, email), eq(users.accountId, actor.accountId));
    const [user] = await tx.update(users).set({ passwordHash }).where(own).returning({ id: users.id });
    if (!user) throw new DomainError('USER_NOT_FOUND', 'User not found', { details: `There is no user ${email}` });
    await endOtherAccess(tx, user.id, null);
    await recordAudit(tx, actor, { action: 'user.password_reset', target: email });
  });
}

/**
 * Removes the user and its sessions. Revokes the API keys that the user has created, unless `keepKeys`, and returns
 * them. Throws CONFLICT for the last owner: no user could manage the account then.
 */
export async function removeUser(
  db: Db,
  actor: Actor,
  { id, keepKeys = false }: { id: number; keepKeys?: boolean | undefined },
  now: Date,
): Promise<string[]> {
  return db.transaction(async (tx) => {
    const user = await lockUser(tx, actor, id);
    await assertOtherOwner(tx, actor, user, 'cannot be removed');
    await tx.delete(users).where(ownUser(actor, id));
    const keys = await endKeysOf(tx, actor, { userId: id, keep: keepKeys, now });
    const details = { [keepKeys ? 'valid_api_keys' : 'revoked_api_keys']: keys };
    await recordAudit(tx, actor, { action: 'user.removed', target: user.email, ...(keys.length > 0 && { details }) });
    return keys;
  });
}

const ownUser = (actor: Actor, id: number) => and(eq(users.id, id), eq(users.accountId, actor.accountId));

/** Locks the users of the account and returns one. Throws USER_NOT_FOUND if the account has no such user. */
export async function lockUser(tx: Queryable, actor: Actor, id: number): Promise<User> {
  // Serializes the changes of an account's users: two owners must not remove or demote each other.
  await tx.select().from(accounts).where(eq(accounts.id, actor.accountId)).for('update');
  const [user] = await tx.select(USER_COLUMNS).from(users).where(ownUser(actor, id));
  if (!user) throw new DomainError('USER_NOT_FOUND', 'User not found', { details: `There is no user ${id}` });
  return user;
}

async function assertOtherOwner(tx: Queryable, actor: Actor, user: User, rule: string): Promise<void> {
  const owners = and(eq(users.accountId, actor.accountId), eq(users.role, 'owner'));
  if (user.role !== 'owner' || (await tx.$count(users, owners)) > 1) return;
  throw new DomainError('CONFLICT', `The last owner ${rule}`, {
    details: 'id: add another owner to the account first',
  });
}

/**
 * Locks the user until the end of the transaction. False if the password was changed or the user removed since
 * `passwordHash` was read: verifying a password takes long enough for that.
 */
export async function lockUnchanged(
  tx: Queryable,
  { id, accountId, passwordHash }: Pick<typeof users.$inferSelect, 'id' | 'accountId' | 'passwordHash'>,
): Promise<boolean> {
  // In the order of removeUser, so that the two do not deadlock.
  await tx.select().from(accounts).where(eq(accounts.id, accountId)).for('key share');
  const isUnchanged = and(eq(users.id, id), eq(users.passwordHash, passwordHash));
  return (await tx.select({ id: users.id }).from(users).where(isUnchanged).for('no key update')).length > 0;
}

/**
 * The form in which emails are stored and compared: trimmed, NFC, in lower case. A text with a line break or another
 * control character is not trimmed, so that emailIssue reports it.
 */
export function normaliseEmail(text: string): string {
  return (/\p{C}/u.test(text) ? text : text.trim()).normalize('NFC').toLowerCase();
}

/**
 * Validates the normalized email of a new user; returns undefined if it is valid: the form `local@domain` without
 * quotes, brackets and white space, and at most 254 characters (RFC 5321, section 4.5.3.1.3), so that it is one mailbox
 * in a header of a mail. Users of earlier versions may have others.
 */
export function emailIssue(path: string, email: string): Issue | undefined {
  const issue = (message: string): Issue => ({ path, code: 'VALIDATION_ERROR', message });
  if (email.length > 254) return issue('must have at most 254 characters');
  if (!/^[^\s\p{C}@"<>()[\]\\,;:]{1,64}@[^\s\p{C}@."<>()[\]\\,;:]+(\.[^\s\p{C}@."<>()[\]\\,;:]+)*$/u.test(email)) {
    return issue('must be an email address without quotes, brackets and white space, such as jo@example.com');
  }
  return undefined;
}
