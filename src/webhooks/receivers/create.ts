import { count, eq } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { accounts, webhooks } from '../../db/schema.ts';
import { newId } from '../../platform/ids.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { invalid } from '../../vocabulary/error.ts';
import type { EventKind } from '../../vocabulary/event.ts';
import type { Egress } from '../sending/egress.ts';
import { checkReceiverUrl } from './receiver-url.ts';
import { secretContext, newSecret } from '../sending/sign.ts';
import { deactivation, MAX_WEBHOOKS, requireWebhook, type Webhook } from './webhook.ts';

export interface WebhookInput {
  name: string;
  url: string;
  events: EventKind[];
}

/**
 * Registers a receiver, active from the next event on unless `isActive` is false. `secret` is answered this once; what is stored is sealed. 422 for an address
 * that deliveries may not go to (URL_NOT_ALLOWED) and for one webhook more than an account may have (TOO_MANY_ITEMS).
 */
export async function createWebhook(
  db: Db,
  actor: Actor,
  input: WebhookInput & { isActive?: boolean | undefined },
  { secretBox, egress, now }: { secretBox: SecretBox; egress: Egress; now: Date },
): Promise<Webhook & { secret: string }> {
  // Names are looked up for this, so it comes before the transaction.
  const url = await checkReceiverUrl(input.url, egress);
  const id = newId('wh_');
  const secret = newSecret();
  return db.transaction(async (tx) => {
    const own = eq(accounts.id, actor.accountId);
    // Two creations at once count one after the other; what refers to the account meanwhile does not wait.
    await tx.select({ id: accounts.id }).from(accounts).where(own).for('no key update');
    const [existing] = await tx
      .select({ n: count() })
      .from(webhooks)
      .where(eq(webhooks.accountId, actor.accountId));
    if ((existing?.n ?? 0) >= MAX_WEBHOOKS) {
      throw invalid('webhooks', `an account has at most ${MAX_WEBHOOKS}; delete one first`, 'TOO_MANY_ITEMS');
    }
    await tx.insert(webhooks).values({
      id,
      accountId: actor.accountId,
      name: input.name,
      url,
      events: input.events,
      ...(input.isActive === false && deactivation(now)),
      secret: secretBox.seal(secret, secretContext(id)),
      createdAt: now,
      updatedAt: now,
    });
    return { ...(await requireWebhook(tx, actor, id)), secret };
  });
}
