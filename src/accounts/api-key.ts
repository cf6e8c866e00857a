import type { Db, Queryable } from '../db/connection/client.ts';
import { and, asc, desc, eq, getTableColumns, gt, inArray, isNull, lt, lte, or, type SQL, sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { apiKeys } from '../db/schema/accounts.ts';
import { DAY_MS, isoSeconds } from '../platform/clock.ts';
import { looksLikeApiKey, newApiKey, newId, sha256 } from '../platform/ids.ts';
import type { Actor, Scope } from '../vocabulary/actor.ts';
import { DomainError, invalid } from '../vocabulary/error.ts';
import { recordAudit } from './audit.ts';
import { lockAccount } from './quota.ts';
import { ownWebsiteIds } from './website-scope.ts';

const USE_WRITE_INTERVAL_MS = 60_000;
/** They are of the checksum of a key, not of its random part. */
const SHOWN_CHARACTERS = 4;
/** Valid keys of an account, and as many revoked and expired ones that are still listed. */
const MAX_KEYS = 100;

const { accountId: _accountId, keyHash: _keyHash, ...KEY_COLUMNS } = getTableColumns(apiKeys);

export type ApiKey = Pick<typeof apiKeys.$inferSelect, keyof typeof KEY_COLUMNS>;

/** With the key itself, which is not stored. */
type CreatedApiKey = ApiKey & { key: string };

interface NewApiKey {
  name: string;
  scope?: Scope | undefined;
  expiresAt?: Date | null | undefined;
  websiteIds?: number[] | null | undefined;
}

/**
 * Creates an API key. Only this call returns `key`; the database stores its SHA-256. `expiresAt` null: valid until
 * revoked. `websiteIds` null: for all websites, later ones included. Throws VALIDATION_ERROR if the time is not in the
 * future or a website is not the account's, and TOO_MANY_ITEMS if the account has 100 valid keys. The surface checks
 * the plan.
 */
export async function createApiKey(db: Db, actor: Actor, input: NewApiKey, now: Date): Promise<CreatedApiKey> {
  const { name, scope = 'write', expiresAt = null } = input;
  if (expiresAt && expiresAt <= now) throw invalid('expires_at', 'must be in the future');
  const websiteIds = input.websiteIds ? await checkWebsiteIds(db, actor, input.websiteIds) : null;
  return db.transaction(async (tx) => {
    const created = await insertApiKey(tx, actor, { name, scope, expiresAt, websiteIds }, now);
    await recordAudit(tx, actor, { action: 'api_key.created', ...auditedKey(created) });
    return created;
  });
}

/** Inserts a valid key in a transaction. Throws TOO_MANY_ITEMS if the account has 100 valid keys. */
export async function insertApiKey(
  tx: Queryable,
  actor: Actor,
  fields: Pick<ApiKey, 'name' | 'scope' | 'expiresAt' | 'websiteIds'>,
  now: Date,
): Promise<CreatedApiKey> {
  const key = newApiKey();
  const createdBy = { createdByType: actor.type, createdById: actor.id, createdByName: actor.name };
  const secret = { keyHash: sha256(key), keyEnd: key.slice(-SHOWN_CHARACTERS) };
  await makeRoom(tx, actor, now);
  const [row] = await tx
    .insert(apiKeys)
    .values({ ...fields, ...createdBy, ...secret, id: newId('key_'), accountId: actor.accountId, createdAt: now })
    .returning(KEY_COLUMNS);
  if (!row) throw new Error('insert returned nothing');
  return { ...row, key };
}

/** The target and the details of an entry about a new key. */
export function auditedKey({ scope, expiresAt, websiteIds, ...key }: ApiKey) {
  const limit = websiteIds && { website_ids: websiteIds };
  return { target: keyTarget(key), details: { scope, expires_at: expiresAt && isoSeconds(expiresAt), ...limit } };
}

/** Returns the ids in ascending order, each once. Throws if the list is empty or names a website of another account. */
export async function checkWebsiteIds(db: Queryable, actor: Actor, ids: number[]): Promise<number[]> {
  if (ids.length === 0) throw invalid('website_ids', 'must name at least one website; send null for all websites');
  const unique = [...new Set(ids)].toSorted((a, b) => a - b);
  const own = await ownWebsiteIds(db, actor, unique);
  const unknown = unique.find((id) => !own.has(id));
  if (unknown !== undefined) throw invalid('website_ids', `there is no website ${unknown}`);
  return unique;
}

/** Throws TOO_MANY_ITEMS above 100 valid keys. Deletes all but the 100 keys that were revoked or expired last. */
async function makeRoom(tx: Queryable, actor: Actor, now: Date): Promise<void> {
  await lockAccount(tx, actor.accountId);
  if ((await tx.$count(apiKeys, and(eq(apiKeys.accountId, actor.accountId), isUsable(now)))) >= MAX_KEYS) {
    throw new DomainError('TOO_MANY_ITEMS', `An account has at most ${MAX_KEYS} valid API keys`, {
      details: 'Revoke keys that are no longer used',
    });
  }
  await tx.execute(sql`
    delete from api_keys where id in (
      select id from api_keys where account_id = ${actor.accountId}
        and (revoked_at is not null or expires_at <= ${now.toISOString()}::timestamptz)
      order by least(revoked_at, expires_at) desc, id offset ${MAX_KEYS})`);
}

export const keyTarget = ({ id, name }: Pick<ApiKey, 'id' | 'name'>): string => `${name} (${id})`;

/**
 * Lists all keys of the account, newest first, revoked and expired ones included. `websiteIds` omits deleted websites; a
 * limited key whose websites are all deleted has an empty list.
 */
export async function listApiKeys(db: Queryable, actor: Actor): Promise<ApiKey[]> {
  const keys = await db
    .select(KEY_COLUMNS)
    .from(apiKeys)
    .where(eq(apiKeys.accountId, actor.accountId))
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id));
  return omitDeleted(db, actor, keys);
}

/** The keys without the deleted ones of their websites. */
async function omitDeleted(db: Queryable, actor: Actor, keys: ApiKey[]): Promise<ApiKey[]> {
  const limits = [...new Set(keys.flatMap(({ websiteIds }) => websiteIds ?? []))];
  if (limits.length === 0) return keys;
  const own = await ownWebsiteIds(db, actor, limits);
  return keys.map((key) => ({ ...key, websiteIds: key.websiteIds?.filter((id) => own.has(id)) ?? null }));
}

/** From this many days before its end, a key is named on Home and in a notice. */
const ENDING_DAYS = 14;

/** Lists usable keys that end within 14 days, the next one first. Not those whose end a roll has chosen. */
export async function endingKeys(
  db: Queryable,
  accountIds: number[] | SQL,
  now: Date,
): Promise<{ accountId: number; id: string; name: string; expiresAt: Date }[]> {
  const { accountId, id, name, expiresAt } = apiKeys;
  const until = new Date(now.getTime() + ENDING_DAYS * DAY_MS);
  const keys = await db
    .select({ accountId, id, name, expiresAt })
    .from(apiKeys)
    .where(and(inArray(accountId, accountIds), isUsable(now), lte(expiresAt, until), isNull(apiKeys.replacedBy)))
    .orderBy(expiresAt, id);
  return keys.flatMap((key) => (key.expiresAt ? [{ ...key, expiresAt: key.expiresAt }] : []));
}

/**
 * Revokes the key on every process immediately. A revoked key keeps its time. Throws KEY_NOT_FOUND if the account has
 * no such key.
 */
export async function revokeApiKey(db: Db, actor: Actor, id: string, now: Date): Promise<ApiKey> {
  const own = isOwnKey(actor, id);
  return db.transaction(async (tx) => {
    const revoked = await tx
      .update(apiKeys)
      .set({ revokedAt: now })
      .where(and(own, isNull(apiKeys.revokedAt)));
    const row = await lockApiKey(tx, actor, id);
    if (revoked.rowCount) await recordAudit(tx, actor, { action: 'api_key.revoked', target: keyTarget(row) });
    return row;
  });
}

/** Renames the key, a revoked or expired one too. Throws KEY_NOT_FOUND if the account has no such key. */
export async function renameApiKey(db: Db, actor: Actor, { id, name }: Pick<ApiKey, 'id' | 'name'>): Promise<ApiKey> {
  return db.transaction(async (tx) => {
    const before = await lockApiKey(tx, actor, id);
    if (before.name === name) return before;
    await tx.update(apiKeys).set({ name }).where(isOwnKey(actor, id));
    await recordAudit(tx, actor, {
      action: 'api_key.renamed',
      target: keyTarget({ id, name }),
      details: { before: before.name, after: name },
    });
    return { ...before, name };
  });
}

const isOwnKey = ({ accountId }: Actor, id: string) => and(eq(apiKeys.id, id), eq(apiKeys.accountId, accountId));

/** Returns the key, locked until the transaction ends. Throws KEY_NOT_FOUND if the account has no such key. */
export async function lockApiKey(tx: Queryable, actor: Actor, id: string): Promise<ApiKey> {
  const found = await tx.select(KEY_COLUMNS).from(apiKeys).where(isOwnKey(actor, id)).for('update');
  const [row] = await omitDeleted(tx, actor, found);
  if (!row) throw new DomainError('KEY_NOT_FOUND', 'API key not found', { details: `There is no API key ${id}` });
  return row;
}

interface FoundKey extends Pick<Actor, 'accountId' | 'plan'>, Pick<ApiKey, 'id' | 'name' | 'scope' | 'websiteIds'> {
  usedAt: string | null;
  expiresAt: string | null;
}

/**
 * Returns the actor of a key with the account's current plan, or undefined if the key is invalid, revoked or expired.
 * Not cached, so that a revocation applies to the next request. A mistyped key fails its checksum without a query.
 * `isUseStale`: call recordKeyUse.
 */
export async function authenticateKey(
  db: Queryable,
  key: string,
  now: Date,
): Promise<{ actor: Actor; isUseStale: boolean; expiresAt: Date | null } | undefined> {
  if (!looksLikeApiKey(key)) return undefined;
  const [row] = await queryRows<FoundKey>(db)`
    select k.id, k.name, k.scope, k.account_id, k.used_at, k.expires_at, k.website_ids, a.plan
    from api_keys k join accounts a on a.id = k.account_id
    where k.key_hash = ${sql.param(sha256(key))} and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > ${now.toISOString()}::timestamptz)`;
  if (!row) return undefined;
  const { id, name, scope, accountId, plan, usedAt, websiteIds } = row;
  const isUseStale = usedAt === null || now.getTime() - new Date(usedAt).getTime() >= USE_WRITE_INTERVAL_MS;
  const actor: Actor = { accountId, plan, type: 'key', id, name, role: null, scope };
  const expiresAt = row.expiresAt === null ? null : new Date(row.expiresAt);
  return { actor: websiteIds ? { ...actor, websiteIds } : actor, isUseStale, expiresAt };
}

/**
 * Revokes the valid keys that a user of the account has created, unless `keep`. Returns them, oldest first, each as its
 * name and id.
 */
export async function endKeysOf(
  tx: Queryable,
  actor: Actor,
  { userId, keep, now }: { userId: number; keep: boolean; now: Date },
): Promise<string[]> {
  const isCreator = and(eq(apiKeys.createdByType, 'user'), eq(apiKeys.createdById, String(userId)));
  const valid = and(eq(apiKeys.accountId, actor.accountId), isCreator, isUsable(now));
  const found = tx.select({ id: apiKeys.id, name: apiKeys.name }).from(apiKeys).where(valid);
  const targets = (await found.orderBy(asc(apiKeys.createdAt), asc(apiKeys.id))).map(keyTarget);
  if (keep || targets.length === 0) return targets;
  await tx.update(apiKeys).set({ revokedAt: now }).where(valid);
  for (const target of targets) await recordAudit(tx, actor, { action: 'api_key.revoked', target });
  return targets;
}

export function isUsable(now: Date) {
  return and(isNull(apiKeys.revokedAt), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)));
}

/** Stores time and client address of the last use, at most once a minute. */
export async function recordKeyUse(
  db: Queryable,
  id: string,
  { at, address }: { at: Date; address: string },
): Promise<void> {
  const staleSince = new Date(at.getTime() - USE_WRITE_INTERVAL_MS + 1);
  const isStale = or(isNull(apiKeys.usedAt), lt(apiKeys.usedAt, staleSince));
  const isStaleKey = and(eq(apiKeys.id, id), isStale);
  await db.update(apiKeys).set({ usedAt: at, usedAddress: address }).where(isStaleKey);
}
