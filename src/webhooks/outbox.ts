import { sql } from 'drizzle-orm';
import type { Queryable } from '../db/client.ts';
import { isoSeconds } from '../platform/clock.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { EventKind } from '../vocabulary/event.ts';

/** What happened. `data` is the event's payload as interface.md section 10 words it: ids as strings, null rather than absent. */
export interface NewEvent {
  event: EventKind;
  websiteId: number | null;
  redirectId?: number | null;
  /** what a restore gives back besides the payload */
  previousUpdatedAt?: Date;
  data: Record<string, unknown>;
}

/**
 * Writes events into the caller's transaction: they happened if and only if the change did. `body` is the text that will be
 * signed and sent, fixed here once. One statement however many events there are.
 */
export async function publishEvents(
  tx: Queryable,
  actor: Actor,
  now: Date,
  events: NewEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const timestamp = isoSeconds(now);
  const rows = events.map(({ event, websiteId, redirectId = null, previousUpdatedAt = null, data }) => ({
    id: uuidv7(),
    website_id: websiteId,
    redirect_id: redirectId,
    event,
    previous_updated_at: previousUpdatedAt,
    body: JSON.stringify({ event, timestamp, data }),
  }));
  await tx.execute(sql`
    insert into events
      (day, id, account_id, website_id, redirect_id, event, actor_type, actor_id, actor_name, previous_updated_at, body)
    select ${timestamp.slice(0, 10)}::date, id, ${actor.accountId}::int, website_id, redirect_id, event,
      ${actor.type}, ${actor.id}, ${actor.name}, previous_updated_at, body
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as e(id text, website_id int, redirect_id bigint, event text, previous_updated_at timestamptz, body text)`);
}
