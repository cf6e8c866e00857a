import type { Db, Queryable } from '../../db/connection/client.ts';
import { and, desc, eq, getTableColumns, gt, lte, ne, sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { invitations, sessions } from '../../db/schema/accounts.ts';
import { DAY_MS } from '../../platform/clock.ts';
import { newId, newToken, sha256 } from '../../platform/ids.ts';
import type { Actor, Role, WebsiteRoles } from '../../vocabulary/actor.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { recordAudit } from '../audit.ts';
import type { SignInClient } from './device.ts';
import { purgeAttempts } from './throttle.ts';
import { limitsOf, websiteRolesOf } from '../website-scope.ts';

/** 30 days from the last use, which is written at most every five minutes. */
export const SESSION_SECONDS = 30 * 24 * 3600;
const SLIDE_AFTER_MS = 300 * 1000;
/** A session ends this long after the sign-in, however it is used. */
const MAX_AGE_MS = 90 * DAY_MS;
/** Sessions of a user. Above it, a sign-in ends those that were used longest ago. */
const MAX_SESSIONS = 100;
/** A sign-in or a confirmed password allows sensitive changes for this long. */
const CONFIRMED_MS = 30 * 60 * 1000;

const {
  tokenHash: _tokenHash,
  userId: _userId,
  confirmedAt: _confirmedAt,
  ...SESSION_COLUMNS
} = getTableColumns(sessions);

export type Session = Pick<typeof sessions.$inferSelect, keyof typeof SESSION_COLUMNS>;

const expiryFrom = (now: Date, createdAt: Date): Date =>
  new Date(Math.min(now.getTime() + SESSION_SECONDS * 1000, createdAt.getTime() + MAX_AGE_MS));

/**
 * Starts a session of the user. Only this call returns the token; the database stores its hash. The token has 256
 * random bits, so a plain hash protects it. Ends the sessions of the user above 100, those first that were used longest
 * ago.
 */
export async function startSession(
  db: Queryable,
  userId: number,
  { userAgent, address }: Partial<Pick<SignInClient, 'userAgent' | 'address'>> = {},
  now: Date,
): Promise<Session & { token: string }> {
  const token = newToken();
  const row = {
    id: newId('ses_'),
    tokenHash: sha256(token),
    userId,
    userAgent: userAgent?.slice(0, 300) ?? null,
    address: address ?? null,
    createdAt: now,
    seenAt: now,
    expiresAt: expiryFrom(now, now),
  };
  await db.insert(sessions).values(row);
  await db.execute(sql`
    delete from sessions where user_id = ${userId} and token_hash in (
      select token_hash from sessions where user_id = ${userId} and token_hash <> ${sql.param(row.tokenHash)}
      order by seen_at desc, created_at desc offset ${MAX_SESSIONS - 1})`);
  return { ...row, token };
}

interface SessionRow
  extends Pick<Actor, 'accountId' | 'plan'>, Pick<FoundSession, 'id' | 'role' | 'websiteRoles'>, Times {
  userId: number;
  email: string;
}

type Times = Record<'createdAt' | 'seenAt' | 'expiresAt' | 'confirmedAt', string>;

export interface FoundSession {
  id: string;
  /** with the current plan, role and websites */
  actor: Actor;
  /** the role in the account, which counts for nothing for a person limited to websites */
  role: Role;
  /** null unless the user is limited to websites */
  websiteRoles: WebsiteRoles | null;
  expiresAt: Date;
  /** this use extended it */
  slid: boolean;
  /** the user entered the password in the last 30 minutes */
  isConfirmed: boolean;
}

/** Returns the session of a token, or undefined if it is unknown, ended or expired. */
export async function findSession(db: Queryable, token: string, now: Date): Promise<FoundSession | undefined> {
  const tokenHash = sha256(token);
  const oldest = new Date(now.getTime() - MAX_AGE_MS);
  const [row] = await queryRows<SessionRow>(db)`
    select s.id, s.created_at, s.seen_at, s.expires_at, greatest(s.created_at, s.confirmed_at) as confirmed_at, u.id as user_id, u.account_id, u.email, u.role,
      ${websiteRolesOf('u')} as website_roles, a.plan
    from sessions s join users u on u.id = s.user_id join accounts a on a.id = u.account_id
    where s.token_hash = ${sql.param(tokenHash)} and s.expires_at > ${now.toISOString()}::timestamptz
      and s.created_at > ${oldest.toISOString()}::timestamptz`;
  if (!row) return undefined;
  const { id, userId, accountId, email: name, role, websiteRoles, plan } = row;
  const slid = now.getTime() - new Date(row.seenAt).getTime() >= SLIDE_AFTER_MS;
  const expiresAt = slid ? expiryFrom(now, new Date(row.createdAt)) : new Date(row.expiresAt);
  if (slid) await db.update(sessions).set({ seenAt: now, expiresAt }).where(eq(sessions.tokenHash, tokenHash));
  const limits = websiteRoles ? limitsOf(websiteRoles) : { role };
  const actor: Actor = { accountId, plan, type: 'user', id: String(userId), name, scope: null, ...limits };
  const isConfirmed = now.getTime() - new Date(row.confirmedAt).getTime() < CONFIRMED_MS;
  return { id, actor, role, websiteRoles, expiresAt, slid, isConfirmed };
}

export async function listSessions(db: Queryable, actor: Actor, now: Date): Promise<Session[]> {
  return db
    .select(SESSION_COLUMNS)
    .from(sessions)
    .where(and(eq(sessions.userId, Number(actor.id)), gt(sessions.expiresAt, now)))
    .orderBy(desc(sessions.seenAt), desc(sessions.createdAt), sessions.id);
}

/** Ends a session of the user; `isOwn`: by signing out. Throws SESSION_NOT_FOUND if the user has no such session. */
export async function endSession(db: Db, actor: Actor, id: string, { isOwn }: { isOwn: boolean }): Promise<void> {
  await db.transaction(async (tx) => {
    const ended = await tx
      .delete(sessions)
      .where(and(eq(sessions.id, id), eq(sessions.userId, Number(actor.id))))
      .returning({ id: sessions.id });
    if (ended.length === 0)
      throw new DomainError('SESSION_NOT_FOUND', 'Session not found', { details: `There is no session ${id}` });
    await recordAudit(tx, actor, isOwn ? { action: 'user.signed_out' } : { action: 'user.session_ended', target: id });
  });
}

export async function markConfirmed(db: Queryable, id: string, now: Date): Promise<void> {
  await db.update(sessions).set({ confirmedAt: now }).where(eq(sessions.id, id));
}

/** Gives the session a new token and returns it; the previous one is invalid. */
export async function renewToken(db: Queryable, id: string): Promise<string> {
  const token = newToken();
  await db
    .update(sessions)
    .set({ tokenHash: sha256(token) })
    .where(eq(sessions.id, id));
  return token;
}

/**
 * Ends every session of the user except `keptId` (null: every session), and the open password reset. Call it when the
 * password changes, which also makes the user's devices unknown (device.ts).
 */
export async function endOtherAccess(tx: Queryable, userId: number, keptId: string | null): Promise<void> {
  await tx
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), keptId === null ? undefined : ne(sessions.id, keptId)));
  await endPasswordReset(tx, userId);
}

/** Makes the link with which the user may set a new password useless. */
export async function endPasswordReset(tx: Queryable, userId: number): Promise<void> {
  await tx.delete(invitations).where(eq(invitations.userId, userId));
}

/** Deletes expired sessions, invitations and sign-in attempts. Meant to run once an hour. */
export async function purgeExpired(db: Queryable, now: Date): Promise<void> {
  await db.delete(sessions).where(lte(sessions.expiresAt, now));
  await db.delete(invitations).where(lte(invitations.expiresAt, now));
  await purgeAttempts(db, now);
}
