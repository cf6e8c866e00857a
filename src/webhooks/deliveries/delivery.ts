import { and, asc, desc, eq, gte, lt, type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../../db/client.ts';
import { attempts, deliveries } from '../../db/schema.ts';
import { utcDay } from '../../platform/clock.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { DomainError } from '../../vocabulary/error.ts';
import type { DeliveryKind, EventKind } from '../../vocabulary/event.ts';
import { requireWebhook } from '../receivers/webhook.ts';

/** States that a client can see. Canceled deliveries belong to deleted webhooks, whose log cannot be read. */
export const SHOWN_STATES = ['pending', 'sending', 'delivered', 'failed'] as const;
export type ShownState = (typeof SHOWN_STATES)[number];

/** One event for one webhook. */
export interface Delivery {
  id: number;
  webhookId: string;
  eventId: string;
  event: EventKind;
  kind: DeliveryKind;
  state: ShownState | 'canceled';
  /** number of the last attempt; 0 before the first */
  attemptNo: number;
  /** when the next attempt is due, while pending */
  dueAt: Date;
  lastStatus: number | null;
  lastError: string | null;
  createdAt: Date;
  finishedAt: Date | null;
}

export interface Attempt {
  attemptNo: number;
  startedAt: Date;
  durationMs: number;
  outcome: string;
  status: number | null;
  error: string | null;
  /** the first 4 KiB of the response body */
  responseBody: string | null;
  signedWith: 'current' | 'previous' | null;
  superseded: boolean;
}

const DELIVERY_COLUMNS = {
  id: deliveries.id,
  webhookId: deliveries.webhookId,
  eventId: deliveries.eventId,
  event: deliveries.event,
  kind: deliveries.kind,
  state: deliveries.state,
  attemptNo: deliveries.attemptNo,
  dueAt: deliveries.dueAt,
  lastStatus: deliveries.lastStatus,
  lastError: deliveries.lastError,
  createdAt: deliveries.createdAt,
  finishedAt: deliveries.finishedAt,
};

/** Filters of the log. `since` (inclusive) and `until` (exclusive) refer to the time at which a delivery was queued. */
export interface DeliveryFilter {
  state?: ShownState | undefined;
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
  { webhookId, ...filter }: DeliveryFilter & { webhookId: string },
  page: { limit: number; before?: number | undefined },
): Promise<{ deliveries: Delivery[]; next: number | null }> {
  await requireWebhook(db, actor, webhookId);
  const rows = await db
    .select(DELIVERY_COLUMNS)
    .from(deliveries)
    .where(and(eq(deliveries.webhookId, webhookId), ...conditions(filter, page.before)))
    .orderBy(desc(deliveries.id))
    .limit(page.limit + 1);
  const shown = rows.slice(0, page.limit);
  return { deliveries: shown, next: rows.length > page.limit ? (shown.at(-1)?.id ?? null) : null };
}

function conditions({ state, event, since, until }: DeliveryFilter, before: number | undefined): SQL[] {
  const found: SQL[] = [];
  if (state) found.push(eq(deliveries.state, state));
  if (event) found.push(eq(deliveries.event, event));
  if (since) found.push(gte(deliveries.createdAt, since));
  if (until) found.push(lt(deliveries.createdAt, until));
  if (before !== undefined) found.push(lt(deliveries.id, before));
  return found;
}

/**
 * Throws WEBHOOK_NOT_FOUND if the account has no such webhook, and DELIVERY_NOT_FOUND if the webhook has no such
 * delivery.
 */
export async function requireDelivery(
  db: Queryable,
  actor: Actor,
  { webhookId, id }: { webhookId: string; id: number },
): Promise<Delivery> {
  await requireWebhook(db, actor, webhookId);
  const [row] = await db
    .select(DELIVERY_COLUMNS)
    .from(deliveries)
    .where(and(eq(deliveries.id, id), eq(deliveries.webhookId, webhookId)));
  if (!row) throw deliveryNotFound(`whd_${id}`);
  return row;
}

export function deliveryNotFound(name: string): DomainError {
  return new DomainError('DELIVERY_NOT_FOUND', 'Delivery not found', {
    details: `delivery_id: the webhook has no delivery ${name}`,
  });
}

/** Returns the exact body that is sent, or null if the event is past its retention. */
export async function bodyOf(db: Queryable, { id }: Pick<Delivery, 'id'>): Promise<string | null> {
  const { rows } = await db.execute<{ body: string | null }>(sql`
    select coalesce(d.test_body, e.body) as body
    from deliveries d left join events e on e.day = d.event_day and e.id = d.event_id where d.id = ${id}`);
  return rows[0]?.body ?? null;
}

/** Returns the retained attempts of a delivery, in order. */
export async function attemptsOf(db: Queryable, { id, createdAt }: Delivery): Promise<Attempt[]> {
  return (
    db
      .select({
        attemptNo: attempts.attemptNo,
        startedAt: attempts.startedAt,
        durationMs: attempts.durationMs,
        outcome: attempts.outcome,
        status: attempts.status,
        error: attempts.error,
        responseBody: attempts.responseBody,
        signedWith: attempts.signedWith,
        superseded: attempts.superseded,
      })
      .from(attempts)
      // Excludes the partitions of the days before the delivery.
      .where(and(eq(attempts.deliveryId, id), gte(attempts.day, utcDay(createdAt))))
      .orderBy(asc(attempts.attemptNo), asc(attempts.startedAt))
  );
}
