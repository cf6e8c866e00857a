/** Accounts, their users and keys, and the audit log. */
import { boolean, index, integer, jsonb, pgTable, primaryKey, sql, text, unique, uuid } from '../drizzle.ts';
import type { AuditAction } from '../../vocabulary/audit.ts';
import type { Plan } from '../../vocabulary/plan.ts';
import type { Actor, Role, Scope, WebsiteRoles } from '../../vocabulary/actor.ts';
import { bytea, time, createdAt, int8, identity, byActor, partialIndex } from './columns.ts';

export const accounts = pgTable('accounts', {
  id: identity(),
  plan: text().$type<Plan>().notNull(),
  createdAt: createdAt(),
});

export const ownerAccount = () =>
  integer()
    .notNull()
    .references(() => accounts.id);

export const users = pgTable(
  'users',
  {
    id: identity(),
    accountId: ownerAccount(),
    /** trimmed and in lower case */
    email: text().notNull(),
    role: text().$type<Role>().notNull(),
    passwordHash: text().notNull(),
    createdAt: createdAt(),
    /** reaches only the websites of user_websites, possibly none, with the roles there instead of `role` */
    isLimited: boolean().notNull().default(false),
  },
  (t) => [unique('users_email_key').on(t.email), index('users_account_id_idx').on(t.accountId)],
);

export const byUser = () => integer().references(() => users.id, { onDelete: 'cascade' });

export const sessions = pgTable(
  'sessions',
  {
    tokenHash: bytea().primaryKey(),
    /** the id that the user sees; not the token */
    id: text().notNull().unique('sessions_id_key'),
    userId: byUser().notNull(),
    userAgent: text(),
    /** of the client that signed in; null: signed in before addresses were stored */
    address: text(),
    createdAt: createdAt(),
    /** written at most every five minutes, so that most reads do not write */
    seenAt: createdAt(),
    expiresAt: time().notNull(),
    /** when the user last repeated the password; null: not since signing in */
    confirmedAt: time(),
  },
  (t) => [index('sessions_user_id_idx').on(t.userId), index('sessions_expires_at_idx').on(t.expiresAt)],
);

/** One-time links that set a password: invitations to an account, or with `userId` the reset of a user's password. */
export const invitations = pgTable(
  'invitations',
  {
    id: text().primaryKey(),
    tokenHash: bytea().notNull().unique('invitations_token_hash_key'),
    accountId: integer()
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    email: text().notNull(),
    role: text().$type<Role>().notNull(),
    /** the websites that the invited person reaches, by id, deleted ones included; null: all of the account */
    websiteRoles: jsonb().$type<WebsiteRoles>(),
    userId: byUser(),
    /** the email of the owner; null: a reset, or of a version that did not store it */
    invitedBy: text(),
    createdAt: createdAt(),
    expiresAt: time().notNull(),
  },
  (t) => [
    index('invitations_account_id_idx').on(t.accountId),
    index('invitations_user_id_idx').on(t.userId),
    index('invitations_expires_at_idx').on(t.expiresAt),
  ],
);

/** One-time URLs for downloads. */
export const downloads = pgTable(
  'downloads',
  {
    tokenHash: bytea().primaryKey(),
    accountId: integer()
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    path: text().notNull(),
    /** an API key or the token of a session, sealed */
    credential: bytea().notNull(),
    expiresAt: time().notNull(),
  },
  (t) => [index('downloads_account_id_idx').on(t.accountId, t.expiresAt)],
);

/** Secrets of authenticator apps, sealed. */
export const totpSecrets = pgTable('totp_secrets', {
  userId: byUser().primaryKey(),
  secret: bytea().notNull(),
  /** null until a code proved that the app has it */
  confirmedAt: time(),
  /** the period of the last used code */
  lastStep: int8(),
});

export const recoveryCodes = pgTable(
  'recovery_codes',
  { userId: byUser().notNull(), codeHash: bytea().notNull() },
  (t) => [primaryKey({ columns: [t.userId, t.codeHash] })],
);

/**
 * Failed sign-ins by email and source, for the throttle across all processes. Hashed, because the email may not be a
 * user's.
 */
export const signInFailures = pgTable(
  'sign_in_failures',
  {
    emailHash: bytea().notNull(),
    at: createdAt(),
    /** the network of the client, or its known device; null in rows of older versions */
    sourceHash: bytea(),
  },
  (t) => [index('sign_in_failures_idx').on(t.emailHash, t.at), index('sign_in_failures_at_idx').on(t.at)],
);

/**
 * Requests for a new password of the last hour, and the queue of those without an answer: they have `email`. Hashed
 * otherwise, because the email may not be a user's.
 */
export const passwordRequests = pgTable(
  'password_requests',
  {
    id: identity(),
    emailHash: bytea().notNull(),
    /** null once it is answered */
    email: text(),
    address: text(),
    userAgent: text(),
    at: time().notNull(),
  },
  (t) => [
    index('password_requests_idx').on(t.emailHash, t.at),
    partialIndex('password_requests_waiting_idx', sql`${t.email} is not null`, t.id),
  ],
);

export const apiKeys = pgTable(
  'api_keys',
  {
    id: text().primaryKey(),
    accountId: ownerAccount(),
    name: text().notNull(),
    scope: text().$type<Scope>().notNull(),
    /** the only websites that the key reaches, deleted ones included; null: all of the account */
    websiteIds: integer().array(),
    keyHash: bytea().notNull().unique('api_keys_key_hash_key'),
    /** the last characters of the key, by which people recognize it; null on older keys */
    keyEnd: text(),
    createdAt: createdAt(),
    expiresAt: time(),
    revokedAt: time(),
    /** the key that was rolled in its place; null: none, or of an earlier version */
    replacedBy: text(),
    usedAt: time(),
    usedAddress: text(),
    /** null on keys that are older than these columns */
    createdByType: text().$type<Actor['type']>(),
    createdById: text(),
    createdByName: text(),
  },
  (t) => [index('api_keys_account_id_idx').on(t.accountId)],
);

/**
 * Security events of an account, append-only. The id is a UUID of version 7, so ids ascend with time. The BRIN index
 * costs nothing per row and finds the oldest rows, which the purge deletes.
 */
export const audit = pgTable(
  'audit',
  {
    id: uuid().primaryKey(),
    accountId: ownerAccount(),
    createdAt: createdAt(),
    action: text().$type<AuditAction>().notNull(),
    ...byActor,
    target: text(),
    details: jsonb().$type<Record<string, unknown>>(),
    address: text(),
    userAgent: text(),
  },
  (t) => [
    index('audit_account_id_idx').on(t.accountId, t.id),
    index('audit_action_idx').on(t.accountId, t.action, t.id),
    index('audit_created_at_idx').using('brin', t.createdAt),
  ],
);
