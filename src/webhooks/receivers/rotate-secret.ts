import { recordAudit } from '../../accounts/audit.ts';
import type { Db } from '../../db/connection/client.ts';
import { eq } from '../../db/drizzle.ts';
import { webhooks } from '../../db/schema/webhooks.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { secretContext, newSecret } from '../sending/sign.ts';
import { ownWebhook, requireWebhook, type Webhook, webhookNotFound, webhookTarget } from './webhook.ts';

/**
 * Replaces the secret; only this call returns the new one. The current secret stays valid for `overlapSeconds` (0
 * revokes it, for a secret that leaked); the overlap of an earlier rotation ends. A secret that SECRET_KEY cannot
 * decrypt is dropped without an overlap.
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
    const hasOverlap = overlapSeconds > 0 && canOpen(secretBox, row.secret, id);
    await tx
      .update(webhooks)
      .set({
        secret: secretBox.seal(secret, secretContext(id)),
        previousSecret: hasOverlap ? row.secret : null,
        previousSecretUntil: hasOverlap ? new Date(now.getTime() + overlapSeconds * 1_000) : null,
        signWith: 'current',
        updatedAt: now,
      })
      .where(eq(webhooks.id, id));
    const details = { overlap_seconds: hasOverlap ? overlapSeconds : 0 };
    await recordAudit(tx, actor, { action: 'webhook.secret_rotated', target: webhookTarget(row), details });
    return { ...(await requireWebhook(tx, actor, id)), secret };
  });
}

function canOpen(secretBox: SecretBox, sealed: Buffer | null, id: string): boolean {
  try {
    return sealed !== null && secretBox.open(sealed, secretContext(id)) !== '';
  } catch {
    return false;
  }
}
