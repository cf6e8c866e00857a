import { eq } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { webhooks } from '../../db/schema.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { secretContext, newSecret } from '../sending/sign.ts';
import { ownWebhook, requireWebhook, type Webhook, webhookNotFound } from './webhook.ts';

/**
 * Gives the webhook a new secret, answered this once. The one that it had counts for `overlapSeconds` more (0: not at all, for a secret
 * that leaked); one that was still in its overlap ends now. One that does not open (SECRET_KEY was changed) could sign nothing and is
 * dropped, so that a rotation mends the webhook.
 */
export async function rotateSecret(
  db: Db,
  actor: Actor,
  { id, overlapSeconds }: { id: string; overlapSeconds: number },
  { secretBox, now }: { secretBox: SecretBox; now: Date },
): Promise<Webhook & { secret: string }> {
  const secret = newSecret();
  return db.transaction(async (tx) => {
    const own = ownWebhook(actor, id);
    const [row] = await tx.select().from(webhooks).where(own).for('no key update');
    if (!row) throw webhookNotFound(id);
    const overlaps = overlapSeconds > 0 && opens(secretBox, row.secret, id);
    await tx
      .update(webhooks)
      .set({
        secret: secretBox.seal(secret, secretContext(id)),
        previousSecret: overlaps ? row.secret : null,
        previousSecretUntil: overlaps ? new Date(now.getTime() + overlapSeconds * 1_000) : null,
        signWith: 'current',
        updatedAt: now,
      })
      .where(eq(webhooks.id, id));
    return { ...(await requireWebhook(tx, actor, id)), secret };
  });
}

function opens(secretBox: SecretBox, sealed: Buffer, id: string): boolean {
  try {
    secretBox.open(sealed, secretContext(id));
    return true;
  } catch {
    return false;
  }
}
