import { and, desc, eq, gt, isNull, lt, or } from 'drizzle-orm';
import type { Queryable } from '../db/client.ts';
import { accounts, apiKeys } from '../db/schema.ts';
import { looksLikeApiKey, newApiKey, newId, sha256 } from '../platform/ids.ts';
import type { Actor, Scope } from '../vocabulary/actor.ts';
import { DomainError, invalid } from '../vocabulary/error.ts';

const USE_WRITTEN_EVERY_MS = 60_000;

export interface ApiKey {
  id: string;
  name: string;
  scope: Scope;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  usedAt: Date | null;
}

const SHOWN = {
  id: apiKeys.id,
  name: apiKeys.name,
  scope: apiKeys.scope,
  createdAt: apiKeys.createdAt,
  expiresAt: apiKeys.expiresAt,
  revokedAt: apiKeys.revokedAt,
  usedAt: apiKeys.usedAt,
};

/**
 * A new key of the account; `key` is answered this once, only its SHA-256 is kept. `expiresAt` null: until revoked; one that is
 * not in the future is a 422. Does not ask for a plan: a key of a free account exists, and waits for an upgrade.
 */
export async function createApiKey(
  db: Queryable,
  actor: Actor,
  input: { name: string; scope?: Scope | undefined; expiresAt?: Date | null | undefined },
  now: Date,
): Promise<ApiKey & { key: string }> {
  const { name, scope = 'write', expiresAt = null } = input;
  if (expiresAt && expiresAt <= now) throw invalid('expires_at', 'must be in the future');
  const key = newApiKey();
  const [row] = await db
    .insert(apiKeys)
    .values({
      id: newId('key_'),
      accountId: actor.accountId,
      name,
      scope,
      keyHash: sha256(key),
      createdAt: now,
      expiresAt,
    })
    .returning(SHOWN);
  if (!row) throw new Error('insert returned nothing');
  return { ...row, key };
}

/** All keys of the account, newest first, revoked and expired ones too. */
export async function listApiKeys(db: Queryable, actor: Actor): Promise<ApiKey[]> {
  return db
    .select(SHOWN)
    .from(apiKeys)
    .where(eq(apiKeys.accountId, actor.accountId))
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id));
}

/** Ends the key on every process at once; a revoked one keeps its time. KEY_NOT_FOUND where it is not the account's. */
export async function revokeApiKey(db: Queryable, actor: Actor, id: string, now: Date): Promise<ApiKey> {
  const own = and(eq(apiKeys.id, id), eq(apiKeys.accountId, actor.accountId));
  await db
    .update(apiKeys)
    .set({ revokedAt: now })
    .where(and(own, isNull(apiKeys.revokedAt)));
  const [row] = await db.select(SHOWN).from(apiKeys).where(own);
  if (!row)
    throw new DomainError('KEY_NOT_FOUND', 'API key not found', { details: `There is no API key ${id}` });
  return row;
}

/**
 * The actor of a key with the plan of this moment, undefined where the key is not valid (any more). Reads one row by its hash
 * and caches nothing, so that a revocation holds from the next request on. A mistyped key fails its checksum without a query.
 */
export async function authenticateKey(
  db: Queryable,
  key: string,
  now: Date,
): Promise<{ actor: Actor; useIsOld: boolean } | undefined> {
  if (!looksLikeApiKey(key)) return undefined;
  const [row] = await db
    .select({ ...SHOWN, accountId: apiKeys.accountId, plan: accounts.plan })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .where(
      and(
        eq(apiKeys.keyHash, sha256(key)),
        isNull(apiKeys.revokedAt),
        or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)),
      ),
    );
  if (!row) return undefined;
  const { id, name, scope, accountId, plan, usedAt } = row;
  const useIsOld = !usedAt || now.getTime() - usedAt.getTime() >= USE_WRITTEN_EVERY_MS;
  return { actor: { accountId, plan, type: 'key', id, name, role: null, scope }, useIsOld };
}

/** Notes the use of a key, at most once a minute however many requests ask for it. */
export async function recordKeyUse(db: Queryable, id: string, at: Date): Promise<void> {
  const old = or(
    isNull(apiKeys.usedAt),
    lt(apiKeys.usedAt, new Date(at.getTime() - USE_WRITTEN_EVERY_MS + 1)),
  );
  await db
    .update(apiKeys)
    .set({ usedAt: at })
    .where(and(eq(apiKeys.id, id), old));
}
