import type { Queryable } from '../db/client.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import { requireWebhook, type Webhook } from './webhook.ts';

/** The webhook; CONFLICT where it is not active, since what were queued for it would wait unseen. */
export async function requireActive(db: Queryable, actor: Actor, id: string): Promise<Webhook> {
  const webhook = await requireWebhook(db, actor, id);
  if (webhook.isActive) return webhook;
  throw new DomainError('CONFLICT', 'The webhook is not active', {
    details: 'is_active: activate the webhook first; a test can be sent without',
  });
}
