import type { Db, Queryable } from '../../db/connection/client.ts';
import { and, eq, gt } from '../../db/drizzle.ts';
import { deliveries, webhooks } from '../../db/schema/webhooks.ts';
import { sampleBody } from '../../events/sample-events.ts';
import { utcDay } from '../../platform/clock.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { DomainError } from '../../vocabulary/error.ts';
import type { EventKind } from '../../vocabulary/kinds.ts';
import { LEASE_MS } from '../queue/claim.ts';
import { ownWebhook, webhookNotFound } from '../receivers/webhook.ts';
import { type Attempt, attemptsOf, requireDelivery } from './delivery.ts';

interface SendTestDeps {
  now: Date;
  /** false: this process sends nothing */
  isSending: boolean;
  /** instances.id of this process, which sends the test */
  instanceId: number;
  /** sends a delivery that this process has claimed; resolves when its outcome is stored */
  sendNow: (deliveryId: number) => Promise<void>;
}

/**
 * Sends the webhook a sample event with `test: true`, once, and returns the attempt. The event type is `event` or else
 * the webhook's first one. Works for an inactive webhook too, and does not change the receiver's health. Throws
 * CONFLICT while another test of the webhook is in flight, and SENDING_DISABLED if this process sends nothing.
 */
export async function sendTest(
  db: Db,
  actor: Actor,
  input: { webhookId: string; event?: EventKind | undefined },
  deps: SendTestDeps,
): Promise<{ deliveryId: number; event: EventKind; attempt: Attempt }> {
  requireSending(deps.isSending);
  const id = await insertClaimedTest(db, actor, input, deps);
  await deps.sendNow(id);
  const delivery = await requireDelivery(db, actor, { webhookId: input.webhookId, id });
  const attempt = (await attemptsOf(db, delivery)).at(-1);
  if (!attempt) throw new Error(`test whd_${id} ended without an attempt`);
  return { deliveryId: id, event: delivery.event, attempt };
}

/** Throws SENDING_DISABLED if this process sends nothing. */
export function requireSending(isSending: boolean): void {
  if (isSending) return;
  throw new DomainError('SENDING_DISABLED', 'This service sends no webhooks', {
    details: 'Sending is off for the whole service (WEBHOOK_SENDING=off); ask its operator',
  });
}

async function insertClaimedTest(
  db: Db,
  actor: Actor,
  { webhookId, event }: { webhookId: string; event?: EventKind | undefined },
  { now, instanceId }: SendTestDeps,
): Promise<number> {
  return db.transaction(async (tx) => {
    const [webhook] = await tx
      .select({ events: webhooks.events })
      .from(webhooks)
      .where(ownWebhook(actor, webhookId))
      .for('no key update');
    if (!webhook) throw webhookNotFound(webhookId);
    const type = event ?? webhook.events[0] ?? 'redirect.created';
    const test = { webhookId, eventId: uuidv7(), event: type, testBody: sampleBody(type, now) };
    return insertTest(tx, actor, test, { now, instanceId });
  });
}

/**
 * Stores a test as a delivery that this process has claimed already, so that no other process sends it, and returns its
 * id. The caller has locked the receiver. Throws CONFLICT while another test of it is in flight.
 */
export async function insertTest(
  tx: Queryable,
  { accountId }: Pick<Actor, 'accountId'>,
  test: Pick<typeof deliveries.$inferInsert, 'webhookId' | 'eventId' | 'event' | 'testBody' | 'message'>,
  { now, instanceId }: { now: Date; instanceId: number },
): Promise<number> {
  // A test past its lease belongs to a process that crashed or lost it.
  const isInFlight = and(
    eq(deliveries.webhookId, test.webhookId),
    eq(deliveries.state, 'sending'),
    eq(deliveries.kind, 'test'),
    gt(deliveries.leaseUntil, now),
  );
  const [other] = await tx.select({ id: deliveries.id }).from(deliveries).where(isInFlight).limit(1);
  if (other) {
    throw new DomainError('CONFLICT', 'Another test is in progress', {
      details: 'Retry when it has finished, within 15 seconds',
    });
  }
  const [row] = await tx
    .insert(deliveries)
    .values({
      ...test,
      accountId,
      eventDay: utcDay(now),
      kind: 'test',
      state: 'sending',
      attemptNo: 1,
      dueAt: now,
      lockedBy: instanceId,
      leaseUntil: new Date(now.getTime() + LEASE_MS),
      createdAt: now,
    })
    .returning({ id: deliveries.id });
  if (!row) throw new Error('insert returned nothing');
  return row.id;
}
