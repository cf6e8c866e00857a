import { and, eq, gt } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { deliveries, webhooks } from '../../db/schema.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { DomainError } from '../../vocabulary/error.ts';
import type { EventKind } from '../../vocabulary/event.ts';
import { type Attempt, attemptsOf, requireDelivery } from './delivery.ts';
import { sampleBody } from '../../events/sample-events.ts';
import { ownWebhook, webhookNotFound } from '../receivers/webhook.ts';

/** A process that holds a delivery for longer has died or lost it. */
const LEASE_MS = 45_000;

export interface SendTestDeps {
  now: Date;
  /** instances.id of this process, which sends the test itself */
  instanceId: number;
  /** makes the one attempt of a delivery that this process holds; resolves when its outcome is stored */
  sendNow: (deliveryId: number) => Promise<void>;
}

/**
 * Sends the webhook a body that looks like an event of the kind (its first one, unless named) and says `test: true`, once, and answers
 * what came of it. The same way as every delivery, also for a webhook that is not active; how the receiver fares otherwise is not
 * touched by it. CONFLICT while another test of the webhook is under way.
 */
export async function sendTest(
  db: Db,
  actor: Actor,
  input: { webhookId: string; event?: EventKind | undefined },
  deps: SendTestDeps,
): Promise<{ deliveryId: number; event: EventKind; attempt: Attempt }> {
  const id = await holdTest(db, actor, input, deps);
  await deps.sendNow(id);
  const delivery = await requireDelivery(db, actor, { webhookId: input.webhookId, id });
  const attempt = (await attemptsOf(db, delivery)).at(-1);
  if (!attempt) throw new Error(`test whd_${id} ended without an attempt`);
  return { deliveryId: id, event: delivery.event, attempt };
}

/** Stores the test as a delivery that this process is sending already, so that no other takes it. */
async function holdTest(
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
    const underWay = and(
      eq(deliveries.webhookId, webhookId),
      eq(deliveries.state, 'sending'),
      eq(deliveries.kind, 'test'),
      gt(deliveries.leaseUntil, now),
    );
    const [other] = await tx.select({ id: deliveries.id }).from(deliveries).where(underWay).limit(1);
    if (other) {
      throw new DomainError('CONFLICT', 'A test of this webhook is under way', {
        details: 'Try again when it has answered, within 15 seconds',
      });
    }
    const kind = event ?? webhook.events[0] ?? 'redirect.created';
    const [held] = await tx
      .insert(deliveries)
      .values({
        accountId: actor.accountId,
        webhookId,
        eventDay: now.toISOString().slice(0, 10),
        eventId: uuidv7(),
        event: kind,
        kind: 'test',
        state: 'sending',
        attemptNo: 1,
        dueAt: now,
        lockedBy: instanceId,
        leaseUntil: new Date(now.getTime() + LEASE_MS),
        createdAt: now,
        testBody: sampleBody(kind, now),
      })
      .returning({ id: deliveries.id });
    if (!held) throw new Error('insert returned nothing');
    return held.id;
  });
}
