import { sql, type SQL } from 'drizzle-orm';
import type { Queryable } from '../db/client.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import type { EventKind } from '../vocabulary/event.ts';

export interface EventFilter {
  websiteId?: number | undefined;
  redirectId?: number | undefined;
  event?: EventKind | undefined;
}

/** One thing that happened, and who did it. `data` is the payload that subscribers get. */
export interface StoredEvent {
  id: string;
  event: string;
  timestamp: string;
  websiteId: number | null;
  actor: { type: string; id: string; name: string };
  data: unknown;
}

interface Row extends Record<string, unknown> {
  id: string;
  event: string;
  website_id: number | null;
  actor_type: string;
  actor_id: string;
  actor_name: string;
  body: string;
}

/**
 * The activity log of the account, newest first, a page at a time. Ids rise with time, so that a cursor is the last one seen; one that
 * is none is INVALID_PARAMETER.
 */
export async function listEvents(
  db: Queryable,
  actor: Actor,
  filter: EventFilter,
  page: { limit: number; cursor?: string | undefined },
): Promise<{ events: StoredEvent[]; nextCursor: string | null }> {
  const { rows } = await db.execute<Row>(sql`
    select id, event, website_id, actor_type, actor_id, actor_name, body from events
    where ${sql.join(conditions(actor, filter, page.cursor), sql` and `)} order by id desc limit ${page.limit + 1}`);
  const shown = rows.slice(0, page.limit);
  return {
    events: shown.map(eventOf),
    nextCursor: rows.length > page.limit ? (shown.at(-1)?.id ?? null) : null,
  };
}

function conditions(
  actor: Actor,
  { websiteId, redirectId, event }: EventFilter,
  cursor: string | undefined,
): SQL[] {
  const found = [sql`account_id = ${actor.accountId}`];
  if (websiteId !== undefined) found.push(sql`website_id = ${websiteId}`);
  if (redirectId !== undefined) found.push(sql`redirect_id = ${redirectId}`);
  if (event !== undefined) found.push(sql`event = ${event}`);
  if (cursor === undefined) return found;
  if (!/^[0-9a-f-]{36}$/.test(cursor)) {
    throw new DomainError('INVALID_PARAMETER', 'The cursor is not valid', {
      details: 'cursor: use next_cursor of the page before',
    });
  }
  return [...found, sql`id < ${cursor}`];
}

function eventOf(row: Row): StoredEvent {
  // The envelope that publishEvents wrote.
  const { timestamp, data } = JSON.parse(row.body) as { timestamp: string; data: unknown };
  return {
    id: row.id,
    event: row.event,
    timestamp,
    websiteId: row.website_id,
    actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
    data,
  };
}
