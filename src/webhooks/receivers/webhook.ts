import { recordAudit } from '../../accounts/audit.ts';
import type { Queryable, Db } from '../../db/connection/client.ts';
import { and, desc, eq, getTableColumns, gt, inArray, or, sql } from '../../db/drizzle.ts';
import { webhooks } from '../../db/schema/webhooks.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { cancelPending } from '../queue/cancel-orphans.ts';

/** Limit per account, inactive ones included: each event makes a delivery for each webhook that subscribes to it. */
export const MAX_WEBHOOKS = 50;

const { secret: _secret, previousSecret: _previousSecret, channel: _channel, ...COLUMNS } = getTableColumns(webhooks);

/** A webhook with the health of its receiver, without its secrets. */
export type Webhook = Pick<typeof webhooks.$inferSelect, keyof typeof COLUMNS> & {
  /** deliveries that are pending or in flight */
  pending: number;
};

const WEBHOOK_COLUMNS = {
  ...COLUMNS,
  // Two counts, so that each uses a partial index of the queue.
  pending: sql<number>`
    (select count(*) from deliveries d where d.webhook_id = webhooks.id and d.state = 'pending')
    + (select count(*) from deliveries d where d.webhook_id = webhooks.id and d.state = 'sending')`,
};

/** Lists all webhooks of the account, newest first. */
export async function listWebhooks(db: Queryable, actor: Actor): Promise<Webhook[]> {
  return db
    .select(WEBHOOK_COLUMNS)
    .from(webhooks)
    .where(ownWebhooks(actor))
    .orderBy(desc(webhooks.createdAt), desc(webhooks.id));
}

/** Lists the account's webhooks whose last attempt failed, or that were disabled because they failed, disabled ones first. */
export async function failingWebhooks(
  db: Queryable,
  actor: Actor,
): Promise<Pick<Webhook, 'id' | 'name' | 'failingSince' | 'deactivatedAt'>[]> {
  const { id, name, failingSince, deactivatedAt, deactivatedReason, isActive, failStreak } = webhooks;
  const isDisabled = inArray(deactivatedReason, ['gone', 'failing']);
  return db
    .select({ id, name, failingSince, deactivatedAt })
    .from(webhooks)
    .where(and(ownWebhooks(actor), or(and(eq(isActive, true), gt(failStreak, 0)), isDisabled)))
    .orderBy(isActive, failingSince, id);
}

/** Returns the webhook. Throws WEBHOOK_NOT_FOUND if it does not exist or belongs to another account. */
export async function requireWebhook(db: Queryable, actor: Actor, id: string): Promise<Webhook> {
  const [row] = await db.select(WEBHOOK_COLUMNS).from(webhooks).where(ownWebhook(actor, id));
  if (!row) throw webhookNotFound(id);
  return row;
}

/** A webhook in the audit log. */
export const webhookTarget = ({ id, name }: Pick<Webhook, 'id' | 'name'>): string => `${name} (${id})`;

/** Columns of a webhook that its owner deactivates. */
export function deactivation(now: Date) {
  return { isActive: false, deactivatedAt: now, deactivatedReason: 'user' } as const;
}

/** The webhooks of the account, without receivers of other channels. */
export function ownWebhooks(actor: Actor) {
  return and(eq(webhooks.accountId, actor.accountId), eq(webhooks.channel, 'webhook'));
}

export function ownWebhook(actor: Actor, id: string) {
  return and(eq(webhooks.id, id), ownWebhooks(actor));
}

/** The error for an unknown webhook and for one of another account. */
export function webhookNotFound(id: string): DomainError {
  const details = `id: there is no webhook ${id}`;
  return new DomainError('WEBHOOK_NOT_FOUND', 'Webhook not found', { details });
}

/** Returns the webhook. Throws CONFLICT if it is inactive: deliveries queued for it would stay on hold. */
export async function requireActive(db: Queryable, actor: Actor, id: string): Promise<Webhook> {
  const webhook = await requireWebhook(db, actor, id);
  if (webhook.isActive) return webhook;
  throw new DomainError('CONFLICT', 'The webhook is not active', {
    details: 'is_active: activate the webhook first; only a test works without',
  });
}

/** Deletes the webhook, makes its log unreadable, and cancels its pending deliveries. */
export async function deleteWebhook(db: Db, actor: Actor, id: string, now: Date): Promise<void> {
  await db.transaction(async (tx) => {
    const [deleted] = await tx.delete(webhooks).where(ownWebhook(actor, id)).returning();
    if (!deleted) throw webhookNotFound(id);
    await recordAudit(tx, actor, { action: 'webhook.deleted', target: webhookTarget(deleted) });
  });
  await cancelPending(db, id, now);
}
