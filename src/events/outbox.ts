import type { Queryable } from '../db/connection/client.ts';
import { type SQL, sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { isoSeconds } from '../platform/clock.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { EventKind } from '../vocabulary/kinds.ts';
import { PLAN_NAMES, PLANS } from '../vocabulary/plan.ts';

/**
 * An event to store. `data` is the payload that docs/webhooks.md describes: ids as strings, null rather than absent.
 */
export interface NewEvent {
  event: EventKind;
  websiteId: number | null;
  redirectId?: number | null;
  /** `updated_at` before an update; a restore needs it besides the payload */
  previousUpdatedAt?: Date;
  data: Record<string, unknown>;
}

/** The plans that include webhooks, as a parameter of type text[]. */
export const SENDING_PLANS = sql.param(`{${PLAN_NAMES.filter((plan) => PLANS[plan].webhooks).join(',')}}`);

/**
 * The timestamp of an event `e`, in whole seconds. Events stored before migration 0008 have it only in the body, after
 * `{"event":"...","timestamp":"`. Parsing a million bodies as JSON would take ten times as long as reading the place.
 */
export const EVENT_TIME = sql`coalesce(e.happened_at, substr(e.body, 26 + length(e.event), 20)::timestamptz)`;

/**
 * Stores events in the caller's transaction, with a delivery for each webhook that subscribes to them. `body` is the
 * exact text to sign and send. Takes one statement for any number of events. A webhook that the service deactivated
 * still gets deliveries, on hold until it is activated; a webhook that its owner deactivated gets none. Call
 * `committed` of the process after the commit to start sending.
 */
export async function publishEvents(tx: Queryable, actor: Actor, now: Date, events: NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ event, websiteId, redirectId = null, previousUpdatedAt = null, data }) => ({
    id: uuidv7(),
    website_id: websiteId,
    redirect_id: redirectId,
    event,
    previous_updated_at: previousUpdatedAt,
    data: JSON.stringify(data),
  }));
  const from = sql`json_to_recordset(${JSON.stringify(rows)}::json)
    as e(id text, website_id int, redirect_id bigint, event text, previous_updated_at timestamptz, data text)`;
  await publishRows(tx, actor, now, from, { isConstant: true });
}

/**
 * Stores events as publishEvents does, from SQL with rows `e` (id, website_id, redirect_id, event, previous_updated_at,
 * data). `data` is JSON without spaces, as JSON.stringify writes it.
 */
export async function publishRows(
  tx: Queryable,
  actor: Actor,
  now: Date,
  from: SQL,
  { isConstant = false } = {},
): Promise<void> {
  const timestamp = isoSeconds(now);
  await queryRows(tx, { isConstant })`
    with published as (
      insert into events (day, happened_at, id, account_id, website_id, redirect_id, event, actor_type, actor_id, actor_name,
        previous_updated_at, body)
      select ${timestamp.slice(0, 10)}::date, ${timestamp}::timestamptz, id, ${actor.accountId}::int, website_id, redirect_id, event,
        ${actor.type}, ${actor.id}, ${actor.name}, previous_updated_at,
        '{"event":"' || event || '","timestamp":"' || ${timestamp} || '","data":' || data || '}'
      from ${from}
      returning day, id, event)
    insert into deliveries (account_id, webhook_id, event_day, event_id, event, due_at, created_at)
    select w.account_id, w.id, p.day, p.id, p.event, ${now.toISOString()}::timestamptz, ${now.toISOString()}::timestamptz
    from published p join webhooks w on w.events @> array[p.event] join accounts a on a.id = w.account_id
    where w.account_id = ${actor.accountId} and a.plan = any (${SENDING_PLANS}::text[])
      and (w.is_active or w.deactivated_reason in ('gone', 'failing'))
    order by p.id`;
}
