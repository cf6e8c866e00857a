import { and, desc, eq, sql } from 'drizzle-orm';
import type { Queryable, Db } from '../../db/client.ts';
import { webhooks } from '../../db/schema.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { DomainError } from '../../vocabulary/error.ts';
import type { EventKind } from '../../vocabulary/event.ts';
import { cancelPending } from '../queue/cancel-orphans.ts';

/** Webhooks of one account, active or not. Each event makes a delivery for each that wants it, so their number is bounded. */
export const MAX_WEBHOOKS = 50;

/** A webhook and how its receiver fares. Never holds a secret. */
export interface Webhook {
  id: string;
  name: string;
  url: string;
  events: EventKind[];
  isActive: boolean;
  createdAt: Date;
  updatedAt: Date;
  /** failed attempts since the last success, and when the first of them was */
  failStreak: number;
  failingSince: Date | null;
  lastSuccessAt: Date | null;
  /** the receiver asked to be left alone until then */
  pausedUntil: Date | null;
  deactivatedAt: Date | null;
  /** user: by PUT; gone: the receiver answered 410; failing: nothing but failures for 8 days */
  deactivatedReason: 'user' | 'gone' | 'failing' | null;
  /** until when the secret before the last rotation counts too */
  previousSecretUntil: Date | null;
  /** deliveries that wait or are under way */
  pending: number;
}

export const SHOWN = {
  id: webhooks.id,
  name: webhooks.name,
  url: webhooks.url,
  events: webhooks.events,
  isActive: webhooks.isActive,
  createdAt: webhooks.createdAt,
  updatedAt: webhooks.updatedAt,
  failStreak: webhooks.failStreak,
  failingSince: webhooks.failingSince,
  lastSuccessAt: webhooks.lastSuccessAt,
  pausedUntil: webhooks.pausedUntil,
  deactivatedAt: webhooks.deactivatedAt,
  deactivatedReason: webhooks.deactivatedReason,
  previousSecretUntil: webhooks.previousSecretUntil,
  // One count for each of the two partial indexes of the queue.
  pending: sql<number>`
    (select count(*) from deliveries d where d.webhook_id = webhooks.id and d.state = 'pending')
    + (select count(*) from deliveries d where d.webhook_id = webhooks.id and d.state = 'sending')`,
};

/** All webhooks of the account, newest first. */
export async function listWebhooks(db: Queryable, actor: Actor): Promise<Webhook[]> {
  return db
    .select(SHOWN)
    .from(webhooks)
    .where(eq(webhooks.accountId, actor.accountId))
    .orderBy(desc(webhooks.createdAt), desc(webhooks.id));
}

/** The webhook; WEBHOOK_NOT_FOUND where it is not the account's. */
export async function requireWebhook(db: Queryable, actor: Actor, id: string): Promise<Webhook> {
  const [row] = await db.select(SHOWN).from(webhooks).where(ownWebhook(actor, id));
  if (!row) throw webhookNotFound(id);
  return row;
}

/** What a webhook is that its owner switched off. */
export function deactivation(now: Date) {
  return { isActive: false, deactivatedAt: now, deactivatedReason: 'user' } as const;
}

export function ownWebhook(actor: Actor, id: string) {
  return and(eq(webhooks.id, id), eq(webhooks.accountId, actor.accountId));
}

/** The refusal for another account's webhook and for one that never was: the same. */
export function webhookNotFound(id: string): DomainError {
  return new DomainError('WEBHOOK_NOT_FOUND', 'Webhook not found', {
    details: `id: there is no webhook ${id}`,
  });
}

/** The webhook; CONFLICT where it is not active, since what were queued for it would wait unseen. */
export async function requireActive(db: Queryable, actor: Actor, id: string): Promise<Webhook> {
  const webhook = await requireWebhook(db, actor, id);
  if (webhook.isActive) return webhook;
  throw new DomainError('CONFLICT', 'The webhook is not active', {
    details: 'is_active: activate the webhook first; a test can be sent without',
  });
}

/** Removes the webhook: from here on nothing is queued or sent for it, what waits is canceled, and its log can no longer be read. */
export async function deleteWebhook(db: Db, actor: Actor, id: string, now: Date): Promise<void> {
  const deleted = await db.delete(webhooks).where(ownWebhook(actor, id)).returning({ id: webhooks.id });
  if (deleted.length === 0) throw webhookNotFound(id);
  await cancelPending(db, id, now);
}
