/** The audit log: security events of an account, written in the transaction of the change. docs/audit.md describes it. */
import type { Queryable } from '../db/connection/client.ts';
import { and, desc, eq, gt, gte, type SQL, sql } from '../db/drizzle.ts';
import { deleteInBatches, queryRows } from '../db/rows.ts';
import { audit } from '../db/schema/accounts.ts';
import { DAY_MS, isoSeconds, systemClock } from '../platform/clock.ts';
import { firstIdOf, uuidv7 } from '../platform/ids.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { ACCESS_ACTIONS, type AuditAction } from '../vocabulary/audit.ts';
import { DomainError, type ErrorCode } from '../vocabulary/error.ts';

export type AuditActor = Pick<Actor, 'accountId' | 'type' | 'id' | 'name' | 'origin'>;

export interface AuditEvent {
  action: AuditAction;
  /** what was changed, for a person: an email, or the name and id of a key, webhook or website */
  target?: string | null;
  /** further facts; never a secret */
  details?: Record<string, unknown>;
}

export type AuditEntry = Omit<typeof audit.$inferSelect, 'accountId'>;

/**
 * Records a security event of the actor's account. Call it in the transaction of the change, so that both exist or
 * neither. The log gets the same line when the request or the admin command that caused the event ends.
 */
export async function recordAudit(tx: Queryable, actor: AuditActor, event: AuditEvent): Promise<void> {
  const { accountId, origin, type: actorType, id: actorId, name: actorName } = actor;
  const { action, target = null, details = null } = event;
  const createdAt = origin?.at ?? systemClock.now();
  const client = { address: origin?.address ?? null, userAgent: origin?.userAgent ?? null };
  const row = { id: uuidv7(), accountId, createdAt, action, actorType, actorId, actorName, target, details, ...client };
  await tx.insert(audit).values(row);
  origin?.audited.push(logLine(row));
}

function logLine({ accountId, ...entry }: AuditEntry & { accountId: number | null }): Record<string, unknown> {
  const { id, createdAt, action, actorType, actorId, actorName, target, details, address, userAgent } = entry;
  const actor = { type: actorType, id: actorId, name: actorName };
  const what = { id, account_id: accountId, created_at: isoSeconds(createdAt), action, actor, target, details };
  return { ...what, address, user_agent: userAgent };
}

const MAX_PER_HOUR = 20;
const HOUR_MS = 3_600_000;

/** The action that records a rejected password, by the code of its error. */
const REJECTIONS: Partial<Record<ErrorCode, AuditAction>> = {
  INVALID_CREDENTIALS: 'user.sign_in_failed',
  VALIDATION_ERROR: 'user.sign_in_failed',
  TOTP_REQUIRED: 'user.sign_in_code_required',
  RATE_LIMIT_EXCEEDED: 'user.sign_in_blocked',
};

/**
 * Records why a sign-in of a user, or the current password of a signed-in one, was rejected; `error` says why. Attempts
 * cost an attacker nothing, so a user gets at most 20 entries of each action an hour, and a last one that says that
 * further ones are omitted. Each user has separate entries, so that those of one cannot hide those of another.
 */
export async function recordRejection(
  db: Queryable,
  actor: AuditActor,
  error: unknown,
  details?: Record<string, unknown>,
): Promise<void> {
  const action = error instanceof DomainError && REJECTIONS[error.code];
  if (!action) return;
  const since = new Date((actor.origin?.at ?? systemClock.now()).getTime() - HOUR_MS);
  // Ids are of the system's clock. They bound how much of the index is read.
  const recent = gt(audit.id, firstIdOf(systemClock.now().getTime() - 2 * HOUR_MS));
  const ofUser = and(eq(audit.accountId, actor.accountId), eq(audit.actorId, actor.id));
  const count = (counted: AuditAction): Promise<number> =>
    db.$count(audit, and(ofUser, eq(audit.action, counted), recent, gt(audit.createdAt, since)));
  if ((await count(action)) < MAX_PER_HOUR) return recordAudit(db, actor, { action, ...(details && { details }) });
  const omitted = 'user.sign_in_failures_omitted';
  if ((await count(omitted)) > 0) return;
  await recordAudit(db, actor, { action: omitted, details: { recorded_per_hour: MAX_PER_HOUR } });
}

export async function findLastAudit(
  db: Queryable,
  { accountId }: AuditActor,
  { condition, since }: { condition: SQL | undefined; since: Date },
): Promise<AuditEntry | undefined> {
  const found = db
    .select()
    .from(audit)
    .where(and(eq(audit.accountId, accountId), condition, gte(audit.createdAt, since)));
  const [entry] = await found.orderBy(desc(audit.id)).limit(1);
  return entry;
}

/** The longest wait of a request, and time for transactions that commit late and clocks that differ. */
const ACCESS_CHANGES_MS = 70_000;

/**
 * Returns a digest of the entries of the last 70 s that may end the access of a caller, for each of the accounts that has
 * some. Reads the entries of this time only, whatever the number of accounts.
 */
export async function readAccessChanges(db: Queryable, accountIds: number[]): Promise<Map<number, string>> {
  const since = firstIdOf(systemClock.now().getTime() - ACCESS_CHANGES_MS);
  const rows = await queryRows<{ accountId: number; changes: string }>(db)`
    select account_id, md5(string_agg(id::text, ',' order by id)) as changes from audit
    where id >= ${since}::uuid and account_id = any(${sql.param(accountIds)}::int[])
      and action = any(${sql.param([...ACCESS_ACTIONS])}::text[])
    group by account_id`;
  return new Map(rows.map(({ accountId, changes }) => [accountId, changes]));
}

/**
 * Deletes the entry of an account's deletion by the admin command and returns its line, for the log of the service: the
 * audit log goes with the account. Of concurrent callers only one gets it. A deletion by a request is logged with that.
 */
export async function takeDeletionLine(db: Queryable, accountId: number): Promise<Record<string, unknown> | undefined> {
  const bySystem = and(eq(audit.actorType, 'system'), eq(audit.action, 'account.deleted'));
  const [row] = await db
    .delete(audit)
    .where(and(eq(audit.accountId, accountId), bySystem))
    .returning();
  return row && logLine(row);
}

const RETENTION_DAYS = 400;

/** Deletes entries that are older than 400 days. */
export async function purgeAudit(db: Queryable, now: Date): Promise<void> {
  const oldest = new Date(now.getTime() - RETENTION_DAYS * DAY_MS);
  await deleteInBatches(db, 'audit', sql`t.created_at < ${oldest.toISOString()}::timestamptz`);
}
