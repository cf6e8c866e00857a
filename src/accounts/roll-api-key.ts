import type { Db } from '../db/connection/client.ts';
import { eq } from '../db/drizzle.ts';
import { apiKeys } from '../db/schema/accounts.ts';
import { isoSeconds } from '../platform/clock.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import { type ApiKey, auditedKey, insertApiKey, keyTarget, lockApiKey } from './api-key.ts';
import { recordAudit } from './audit.ts';

const HOUR_MS = 3_600_000;

/**
 * Replaces a key by a new one with its name, scope, websites and expiry; only this call returns the new key. The old one
 * stays valid for `expiresInHours`, never beyond its own expiry; 0 revokes it. Throws KEY_NOT_FOUND, CONFLICT if the old
 * key is revoked or expired, and TOO_MANY_ITEMS as createApiKey. A revoked key does not count.
 */
export async function rollApiKey(
  db: Db,
  actor: Actor,
  { id, expiresInHours }: { id: string; expiresInHours: number },
  now: Date,
): Promise<{ created: ApiKey & { key: string }; previous: ApiKey }> {
  return db.transaction(async (tx) => {
    const old = await lockApiKey(tx, actor, id);
    assertValid(old, now);
    const { name, scope, expiresAt, websiteIds } = old;
    const end = expiresInHours === 0 ? { revokedAt: now } : { expiresAt: endOf(old, expiresInHours, now) };
    await tx.update(apiKeys).set(end).where(eq(apiKeys.id, id));
    const created = await insertApiKey(tx, actor, { name, scope, expiresAt, websiteIds }, now);
    await tx.update(apiKeys).set({ replacedBy: created.id }).where(eq(apiKeys.id, id));
    const previous = { ...old, ...end, replacedBy: created.id };
    const { target, details } = auditedKey(created);
    await recordAudit(tx, actor, { action: 'api_key.created', target, details: { ...details, replaces: id } });
    await recordAudit(tx, actor, {
      action: 'api_key.rolled',
      target: keyTarget(old),
      details: { expires_at: isoSeconds(previous.revokedAt ?? previous.expiresAt ?? now), replaced_by: created.id },
    });
    if (previous.revokedAt) await recordAudit(tx, actor, { action: 'api_key.revoked', target: keyTarget(old) });
    return { created, previous };
  });
}

function endOf({ expiresAt }: ApiKey, hours: number, now: Date): Date {
  const end = new Date(now.getTime() + hours * HOUR_MS);
  return expiresAt && expiresAt < end ? expiresAt : end;
}

function assertValid({ id, revokedAt, expiresAt }: ApiKey, now: Date): void {
  const state = revokedAt ? 'revoked' : expiresAt && expiresAt <= now ? 'expired' : undefined;
  if (state === undefined) return;
  throw new DomainError('CONFLICT', `The API key is ${state} already`, {
    details: `${id} is ${state}: create a new key instead`,
  });
}
