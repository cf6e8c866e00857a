import { and, asc, desc, eq, gte, lt, type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../../db/client.ts';
import { attempts, deliveries } from '../../db/schema.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { DomainError } from '../../vocabulary/error.ts';
import type { EventKind } from '../../vocabulary/event.ts';
import { requireWebhook } from '../receivers/webhook.ts';

/** States that a reader can meet: the log of a deleted webhook, whose deliveries are canceled, cannot be reached. */
export const SHOWN_STATES = ['pending', 'sending', 'delivered', 'failed'] as const;
export type ShownState = (typeof SHOWN_STATES)[number];

export const DELIVERY_KINDS = ['event', 'redelivery', 'replay', 'test'] as const satisfies DeliveryKind[];

/** One event on its way to one webhook. */
export interface Delivery {
  id: number;
  webhookId: string;
  eventId: string;
  event: EventKind;
  kind: DeliveryKind;
  state: ShownState | 'canceled';
  /** how many were begun */
  attemptNo: number;
  /** when the next attempt is due, while it waits */
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
  /** the first 4 KiB of what the receiver answered */
  responseBody: string | null;
  signedWith: 'current' | 'previous' | null;
  superseded: boolean;
}

const SHOWN = {
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

/** What deliveries are looked for by; `since` included, `until` not, both of the moment at which the delivery was queued. */
export interface DeliveryFilter {
  state?: ShownState | undefined;
  event?: EventKind | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
}

/**
 * The deliveries of a webhook, newest first, a page at a time; the cursor is the last one seen, so that what is queued meanwhile moves
 * nothing. WEBHOOK_NOT_FOUND where the webhook is not the account's.
 */
export async function listDeliveries(
  db: Queryable,
  actor: Actor,
  { webhookId, ...filter }: DeliveryFilter & { webhookId: string },
  page: { limit: number; before?: number | undefined },
): Promise<{ deliveries: Delivery[]; next: number | null }> {
  await requireWebhook(db, actor, webhookId);
  const rows = await db
    .select(SHOWN)
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

/** DELIVERY_NOT_FOUND where the webhook has no such delivery (any more), WEBHOOK_NOT_FOUND where it is not the account's. */
export async function requireDelivery(
  db: Queryable,
  actor: Actor,
  { webhookId, id }: { webhookId: string; id: number },
): Promise<Delivery> {
  await requireWebhook(db, actor, webhookId);
  const [row] = await db
    .select(SHOWN)
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

/** The text that is sent, byte for byte; null where the event is older than what is kept. */
export async function bodyOf(db: Queryable, { id }: Pick<Delivery, 'id'>): Promise<string | null> {
  const { rows } = await db.execute<{ body: string | null }>(sql`
    select coalesce(d.test_body, e.body) as body
    from deliveries d left join events e on e.day = d.event_day and e.id = d.event_id where d.id = ${id}`);
  return rows[0]?.body ?? null;
}

/** Every attempt that is kept of a delivery, in order. */
export async function attemptsOf(db: Queryable, delivery: Delivery): Promise<Attempt[]> {
  // No attempt is older than its delivery, so earlier days need not be looked into.
  const firstDay = delivery.createdAt.toISOString().slice(0, 10);
  return db
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
    .where(and(eq(attempts.deliveryId, delivery.id), gte(attempts.day, firstDay)))
    .orderBy(asc(attempts.attemptNo), asc(attempts.startedAt));
}

/** Why a delivery was made: the event itself, somebody who asked for it again (one, or a range), or a try of the receiver. */
export type DeliveryKind = 'event' | 'redelivery' | 'replay' | 'test';
