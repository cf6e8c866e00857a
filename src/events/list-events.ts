import { isOwnRow, type ShownActor, shownActor } from '../accounts/website-scope.ts';
import type { Queryable } from '../db/connection/client.ts';
import { sql, type SQL } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { invalidCursor } from '../platform/cursor.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { EventKind } from '../vocabulary/kinds.ts';

interface EventFilter {
  websiteId?: number | undefined;
  redirectId?: number | undefined;
  event?: EventKind | undefined;
}

/** An event and its actor. `data` is the payload that subscribers get. */
export interface StoredEvent {
  id: string;
  event: EventKind;
  timestamp: string;
  websiteId: number | null;
  actor: ShownActor;
  data: Record<string, unknown>;
}

interface EventRow
  extends Omit<StoredEvent, 'timestamp' | 'actor' | 'data'>, Record<'actorId' | 'actorName' | 'body', string> {
  actorType: Actor['type'];
}

/**
 * Returns a page of the activity log, newest first: of the account, or of the websites of a limited key or person. Ids ascend with time, so the
 * cursor is the last id of the page. Throws INVALID_PARAMETER if the cursor is invalid.
 */
export async function listEvents(
  db: Queryable,
  actor: Actor,
  filter: EventFilter,
  page: { limit: number; cursor?: string | undefined },
): Promise<{ events: StoredEvent[]; nextCursor: string | null }> {
  const rows = await queryRows<EventRow>(db)`
    select id, event, website_id, actor_type, actor_id, actor_name, body from events
    where ${sql.join(conditions(actor, filter, page.cursor), sql` and `)} order by id desc limit ${page.limit + 1}`;
  const shown = rows.slice(0, page.limit);
  return {
    events: shown.map((row) => toEvent(actor, row)),
    nextCursor: rows.length > page.limit ? (shown.at(-1)?.id ?? null) : null,
  };
}

function conditions(actor: Actor, { websiteId, redirectId, event }: EventFilter, cursor: string | undefined): SQL[] {
  const found = [isOwnRow(actor, 'events')];
  if (websiteId !== undefined) found.push(sql`website_id = ${websiteId}`);
  if (redirectId !== undefined) found.push(sql`redirect_id = ${redirectId}`);
  if (event !== undefined) found.push(sql`event = ${event}`);
  if (cursor === undefined) return found;
  if (!/^[0-9a-f-]{36}$/.test(cursor)) throw invalidCursor('use next_cursor of the previous page');
  return [...found, sql`id < ${cursor}`];
}

function toEvent(viewer: Actor, { id, event, websiteId, actorType, actorId, actorName, body }: EventRow): StoredEvent {
  // The envelope that publishEvents wrote.
  const { timestamp, data } = JSON.parse(body) as { timestamp: string; data: Record<string, unknown> };
  const actor = shownActor(viewer, { type: actorType, id: actorId, name: actorName });
  return { id, event, timestamp, websiteId, actor, data };
}
