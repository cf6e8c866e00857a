/** Reads of the audit log by an owner: pages, and all that a filter finds as CSV. */
import type { Queryable } from '../db/connection/client.ts';
import { and, desc, eq, gte, lt } from '../db/drizzle.ts';
import { audit } from '../db/schema/accounts.ts';
import { csvRow } from '../formats/write/csv.ts';
import { isoSeconds } from '../platform/clock.ts';
import { invalidCursor } from '../platform/cursor.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { AuditAction } from '../vocabulary/audit.ts';
import { wrongParameter } from '../vocabulary/error.ts';
import type { AuditEntry } from './audit.ts';

/** All must hold. */
export interface AuditFilter {
  action?: AuditAction | undefined;
  /** the name of the actor: an email, the name of a key, or `system` */
  actor?: string | undefined;
  since?: Date | undefined;
  /** exclusive */
  until?: Date | undefined;
}

const PAGE_SIZE = 100;
const CSV_PAGE = 1_000;
const CSV_COLUMNS = [
  ...['created_at', 'actor_type', 'actor_id', 'actor', 'action', 'target', 'details', 'address', 'user_agent', 'id'],
];

/**
 * Returns a page of the account's audit log, newest first. Ids ascend with time, so the cursor is the last id of the
 * page. Throws INVALID_PARAMETER if the cursor is invalid, or `since` is not before `until`.
 */
export async function listAudit(
  db: Queryable,
  { accountId }: Actor,
  { action, actor, since, until }: AuditFilter,
  { cursor, limit = PAGE_SIZE }: { cursor?: string | undefined; limit?: number | undefined },
): Promise<{ entries: AuditEntry[]; nextCursor: string | null }> {
  if (cursor !== undefined && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(cursor)) throw invalidCursor();
  if (since && until && since >= until) throw wrongParameter('since', 'must be before until');
  const isWanted = and(
    action && eq(audit.action, action),
    actor === undefined ? undefined : eq(audit.actorName, actor),
    since && gte(audit.createdAt, since),
    until && lt(audit.createdAt, until),
  );
  const found = await db
    .select()
    .from(audit)
    .where(and(eq(audit.accountId, accountId), isWanted, cursor === undefined ? undefined : lt(audit.id, cursor)))
    .orderBy(desc(audit.id))
    .limit(limit + 1);
  const entries = found.slice(0, limit);
  return { entries, nextCursor: found.length > limit ? (entries.at(-1)?.id ?? null) : null };
}

/** Yields the entries that the filter finds as CSV, newest first. Throws as listAudit before the first chunk. */
export async function* exportAudit(db: Queryable, actor: Actor, filter: AuditFilter): AsyncGenerator<string> {
  let cursor: string | undefined;
  do {
    const page = await listAudit(db, actor, filter, { cursor, limit: CSV_PAGE });
    const head = cursor === undefined ? csvRow(CSV_COLUMNS) : '';
    yield head + page.entries.map((entry) => csvRow(cellsOf(entry))).join('');
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

const cellsOf = ({ createdAt, actorType, actorId, actorName, action, target, details, ...entry }: AuditEntry) => [
  ...[isoSeconds(createdAt), actorType, actorId, actorName, action, target],
  ...[details && JSON.stringify(details), entry.address, entry.userAgent, entry.id],
];
