import { sql } from 'drizzle-orm';
import type { Queryable } from '../db/client.ts';
import { isoSeconds } from '../platform/clock.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { EventKind } from '../vocabulary/event.ts';
import { PLAN_NAMES, PLANS } from '../vocabulary/plan.ts';

/** What happened. `data` is the event's payload as interface.md section 10 words it: ids as strings, null rather than absent. */
export interface NewEvent {
  event: EventKind;
  websiteId: number | null;
  redirectId?: number | null;
  /** what a restore gives back besides the payload */
  previousUpdatedAt?: Date;
  data: Record<string, unknown>;
}

/** The plans on which events are sent, for SQL. */
export const SENDING_PLANS = sql.param(`{${PLAN_NAMES.filter((plan) => PLANS[plan].webhooks).join(',')}}`);

/**
 * Writes events into the caller's transaction, and a delivery for each webhook that wants them: they happened if and only if the
 * change did. `body` is the text that will be signed and sent, fixed here once. One statement however many events there are.
 * A webhook that was deactivated because its receiver failed gets its deliveries too, held until it is activated again; one that
 * its owner deactivated gets none. Sending begins when `committed` of the process is called.
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
    with published as (
      insert into events
        (day, id, account_id, website_id, redirect_id, event, actor_type, actor_id, actor_name, previous_updated_at, body)
      select ${timestamp.slice(0, 10)}::date, id, ${actor.accountId}::int, website_id, redirect_id, event,
        ${actor.type}, ${actor.id}, ${actor.name}, previous_updated_at, body
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as e(id text, website_id int, redirect_id bigint, event text, previous_updated_at timestamptz, body text)
      returning day, id, event)
    insert into deliveries (account_id, webhook_id, event_day, event_id, event, due_at, created_at)
    select w.account_id, w.id, p.day, p.id, p.event, ${now.toISOString()}::timestamptz, ${now.toISOString()}::timestamptz
    from published p join webhooks w on w.events @> array[p.event] join accounts a on a.id = w.account_id
    where w.account_id = ${actor.accountId} and a.plan = any (${SENDING_PLANS}::text[])
      and (w.is_active or w.deactivated_reason in ('gone', 'failing'))
    order by p.id`);
}
