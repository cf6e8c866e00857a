import { recordAudit } from '../../accounts/audit.ts';
import { lockAccount } from '../../accounts/quota.ts';
import type { Db } from '../../db/connection/client.ts';
import { webhooks } from '../../db/schema/webhooks.ts';
import { newId } from '../../platform/ids.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { invalid } from '../../vocabulary/error.ts';
import type { EventKind } from '../../vocabulary/kinds.ts';
import type { Egress } from '../../platform/network/egress.ts';
import { checkReceiverUrl } from './receiver-url.ts';
import { secretContext, newSecret } from '../sending/sign.ts';
import { deactivation, MAX_WEBHOOKS, ownWebhooks, requireWebhook, type Webhook, webhookTarget } from './webhook.ts';

export interface WebhookInput {
  name: string;
  url: string;
  events: EventKind[];
}

/**
 * Registers a receiver, active unless `isActive` is false. Only this call returns the secret; the database stores it
 * encrypted. Throws URL_NOT_ALLOWED if deliveries to the URL are blocked, and TOO_MANY_ITEMS if the account has
 * MAX_WEBHOOKS already.
 */
export async function createWebhook(
  db: Db,
  actor: Actor,
  { isActive, ...input }: WebhookInput & { isActive?: boolean | undefined },
  { secretBox, egress, now }: { secretBox: SecretBox; egress: Egress; now: Date },
): Promise<Webhook & { secret: string }> {
  // Before the transaction, because it waits for DNS.
  const url = await checkReceiverUrl(input.url, egress);
  const id = newId('wh_');
  const secret = newSecret();
  return db.transaction(async (tx) => {
    await lockAccount(tx, actor.accountId);
    if ((await tx.$count(webhooks, ownWebhooks(actor))) >= MAX_WEBHOOKS) {
      throw invalid('webhooks', `an account has at most ${MAX_WEBHOOKS}; delete one first`, 'TOO_MANY_ITEMS');
    }
    await tx.insert(webhooks).values({
      ...input,
      id,
      accountId: actor.accountId,
      url,
      ...(isActive === false && deactivation(now)),
      secret: secretBox.seal(secret, secretContext(id)),
      createdAt: now,
      updatedAt: now,
    });
    const { name, events } = input;
    await recordAudit(tx, actor, {
      action: 'webhook.created',
      target: webhookTarget({ id, name }),
      details: { url, events },
    });
    return { ...(await requireWebhook(tx, actor, id)), secret };
  });
}
