import type { Queryable } from '../../db/connection/client.ts';
import { and, asc, desc, eq, getTableColumns, gte, lt, sql } from '../../db/drizzle.ts';
import { attempts, deliveries } from '../../db/schema/webhooks.ts';
import { utcDay } from '../../platform/clock.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { DomainError } from '../../vocabulary/error.ts';
import type { EventKind } from '../../vocabulary/kinds.ts';
import { requireWebhook } from '../receivers/webhook.ts';

/** States that a client can see. Canceled deliveries belong to deleted webhooks, whose log cannot be read. */
export const SHOWN_STATES = ['pending', 'sending', 'delivered', 'failed'] as const;

// Without the body, which lists do not need.
const { testBody: _testBody, ...DELIVERY_COLUMNS } = getTableColumns(deliveries);

/** The body that is sent, of the row of deliveries; null for an expired event. */
const BODY = sql`(select coalesce(deliveries.test_body, (
    select e.body from events e where e.day = deliveries.event_day and e.id = deliveries.event_id)) as body) event`;

/**
 * The path of the redirect, or the environment of the deployment; null for other events, and for expired ones. The body
 * of a deployment may have 4 MB of warnings, so only its beginning is read.
 */
const SUBJECT = sql<string | null>`(
  select case
    when deliveries.event like 'redirect.%' then body::json -> 'data' -> 'redirect' ->> 'old_path'
    when deliveries.event like 'deployment.%' then substring(left(body, 500) from '"environment":"([a-z]+)"') end
  from ${BODY})`;

/** How many redirects a bulk event, an import or an export is about; null for others, and for expired ones. */
const REDIRECT_COUNT = sql<number | null>`(
  select case deliveries.event
    when 'bulk_export.completed' then (data -> 'export' ->> 'total_count')::int
    when 'bulk_import.completed' then
      (select sum(value::int)::int from json_each_text(data -> 'import' -> 'summary')
        where key in ('created', 'updated', 'deleted'))
    else (data -> 'bulk' ->> 'count')::int end
  from (select body::json -> 'data' as data from ${BODY}) event_data
  where deliveries.event like 'redirect.%' or deliveries.event like 'bulk_%')`;
export const SHOWN = { ...DELIVERY_COLUMNS, subject: SUBJECT, redirectCount: REDIRECT_COUNT };

/** One event for one webhook. `attemptNo` is 0 before the first attempt. */
export type Delivery = Pick<typeof deliveries.$inferSelect, keyof typeof DELIVERY_COLUMNS> & {
  /** see SUBJECT */
  subject: string | null;
  /** see REDIRECT_COUNT */
  redirectCount: number | null;
};
export type Attempt = typeof attempts.$inferSelect;

/** Filters of the log. `since` (inclusive) and `until` (exclusive) refer to the time at which a delivery was queued. */
export interface DeliveryFilter {
  state?: (typeof SHOWN_STATES)[number] | undefined;
  event?: EventKind | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
}

/**
 * Returns a page of the webhook's deliveries, newest first. `next` is the id to pass as `before` for the following
 * page, or null. New deliveries do not shift pages. Throws WEBHOOK_NOT_FOUND if the account has no such webhook.
 */
export async function listDeliveries(
  db: Queryable,
  actor: Actor,
  filter: DeliveryFilter & { webhookId: string },
  page: DeliveryPage,
): Promise<{ deliveries: Delivery[]; next: number | null }> {
  await requireWebhook(db, actor, filter.webhookId);
  return deliveriesOf(db, filter, page);
}

export interface DeliveryPage {
  limit: number;
  before?: number | undefined;
}

/** As listDeliveries, of a receiver that the caller may read. */
export async function deliveriesOf(
  db: Queryable,
  { webhookId, ...filter }: DeliveryFilter & { webhookId: string },
  page: DeliveryPage,
): Promise<{ deliveries: Delivery[]; next: number | null }> {
  const rows = await db
    .select(SHOWN)
    .from(deliveries)
    .where(and(eq(deliveries.webhookId, webhookId), isListed(filter, page.before)))
    .orderBy(desc(deliveries.id))
    .limit(page.limit + 1);
  const shown = rows.slice(0, page.limit);
  return { deliveries: shown, next: rows.length > page.limit ? (shown.at(-1)?.id ?? null) : null };
}

export function isListed({ state, event, since, until }: DeliveryFilter, before: number | undefined) {
  return and(
    state && eq(deliveries.state, state),
    event && eq(deliveries.event, event),
    since && gte(deliveries.createdAt, since),
    until && lt(deliveries.createdAt, until),
    before === undefined ? undefined : lt(deliveries.id, before),
  );
}

/** Throws WEBHOOK_NOT_FOUND or DELIVERY_NOT_FOUND if the account or the webhook has no such object. */
export async function requireDelivery(
  db: Queryable,
  actor: Actor,
  { webhookId, id }: { webhookId: string; id: number },
): Promise<Delivery> {
  await requireWebhook(db, actor, webhookId);
  const own = and(eq(deliveries.id, id), eq(deliveries.webhookId, webhookId));
  const [row] = await db.select(SHOWN).from(deliveries).where(own);
  if (!row) throw deliveryNotFound(`whd_${id}`);
  return row;
}

export function deliveryNotFound(name: string): DomainError {
  const details = `delivery_id: the webhook has no delivery ${name}`;
  return new DomainError('DELIVERY_NOT_FOUND', 'Delivery not found', { details });
}

/** Returns the exact body that is sent, or null if the event is past its retention. */
export async function bodyOf(db: Queryable, { id }: Pick<Delivery, 'id'>): Promise<string | null> {
  const { rows } = await db.execute<{ body: string | null }>(sql`
    select coalesce(d.test_body, e.body) as body
    from deliveries d left join events e on e.day = d.event_day and e.id = d.event_id where d.id = ${id}`);
  return rows[0]?.body ?? null;
}

/** Returns the retained attempts of a delivery, in order. */
export async function attemptsOf(
  db: Queryable,
  { id, createdAt }: Pick<Delivery, 'id' | 'createdAt'>,
): Promise<Attempt[]> {
  // The day excludes the partitions before the delivery.
  const ofDelivery = and(eq(attempts.deliveryId, id), gte(attempts.day, utcDay(createdAt)));
  const order = [asc(attempts.attemptNo), asc(attempts.startedAt)];
  return db
    .select()
    .from(attempts)
    .where(ofDelivery)
    .orderBy(...order);
}
