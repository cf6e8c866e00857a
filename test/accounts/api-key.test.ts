import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount, setPlan } from '../../src/accounts/account.ts';
import { authenticateKey, createApiKey, listApiKeys, recordKeyUse, revokeApiKey } from '../../src/accounts/api-key.ts';
import { systemActor } from '../../src/accounts/system-actor.ts';
import { apiKeys } from '../../src/db/schema/accounts.ts';
import { newApiKey, sha256 } from '../../src/platform/ids.ts';
import type { Actor } from '../../src/vocabulary/actor.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';
import { testClock } from '../support/clock.ts';

let database: FreshDatabase;
let actor: Actor;
const clock = testClock();
beforeAll(async () => {
  database = await freshDatabase();
  const { account } = await createAccount(database.db, {
    email: 'o@example.com',
    plan: 'pro',
    password: 'long enough',
  });
  actor = systemActor(account);
});
afterAll(() => database.close());

test('a key is returned once and only its SHA-256 is stored', async () => {
  const made = await createApiKey(database.db, actor, { name: 'deploys' }, clock.now());
  expect(made).toMatchObject({
    name: 'deploys',
    scope: 'write',
    expiresAt: null,
    revokedAt: null,
    usedAt: null,
  });
  expect(made.key).toMatch(/^dtr_[0-9A-Za-z]{49}$/);
  expect(made.id).toMatch(/^key_/);
  const [row] = await database.db.select().from(apiKeys).where(eq(apiKeys.id, made.id));
  expect(row?.keyHash).toEqual(sha256(made.key));
  expect(JSON.stringify(row)).not.toContain(made.key);
});

test('authenticates as the account with its current plan', async () => {
  const made = await createApiKey(database.db, actor, { name: 'k', scope: 'read' }, clock.now());
  expect((await authenticateKey(database.db, made.key, clock.now()))?.actor).toEqual({
    accountId: actor.accountId,
    plan: 'pro',
    type: 'key',
    id: made.id,
    name: 'k',
    role: null,
    scope: 'read',
  });
  await setPlan(database.db, actor, 'business');
  expect((await authenticateKey(database.db, made.key, clock.now()))?.actor.plan).toBe('business');
  await setPlan(database.db, actor, 'pro');
});

test('an unknown, mistyped, revoked or expired key is invalid', async () => {
  const expiresAt = new Date(clock.now().getTime() + 60_000);
  const expiring = await createApiKey(database.db, actor, { name: 'e', expiresAt }, clock.now());
  const revoked = await createApiKey(database.db, actor, { name: 'r' }, clock.now());
  await revokeApiKey(database.db, actor, revoked.id, clock.now());
  const mistyped = expiring.key.slice(0, 10) + (expiring.key[10] === 'x' ? 'y' : 'x') + expiring.key.slice(11);
  const invalidKeys = [newApiKey(), mistyped, revoked.key, '', 'dtr_', expiring.id];
  for (const key of invalidKeys) expect(await authenticateKey(database.db, key, clock.now())).toBeUndefined();
  expect(await authenticateKey(database.db, expiring.key, clock.now())).toBeDefined();
  expect(await authenticateKey(database.db, expiring.key, expiresAt)).toBeUndefined();
});

test('an expiry that is not in the future is rejected', async () => {
  for (const expiresAt of [clock.now(), new Date(0)]) {
    await expect(createApiKey(database.db, actor, { name: 'x', expiresAt }, clock.now())).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      issues: [{ path: 'expires_at' }],
    });
  }
});

test('a key of another account can be neither seen nor revoked; revoking twice keeps the first time', async () => {
  const other = await createAccount(database.db, {
    email: 'p@example.com',
    plan: 'pro',
    password: 'long enough',
  });
  const made = await createApiKey(database.db, actor, { name: 'mine' }, clock.now());
  const stranger = systemActor(other.account);
  await expect(revokeApiKey(database.db, stranger, made.id, clock.now())).rejects.toMatchObject({
    code: 'KEY_NOT_FOUND',
  });
  expect(await listApiKeys(database.db, stranger)).toEqual([]);
  const first = await revokeApiKey(database.db, actor, made.id, clock.now());
  const later = new Date(clock.now().getTime() + 5_000);
  expect(await revokeApiKey(database.db, actor, made.id, later)).toEqual(first);
});

test('the use of a key is written at most once a minute', async () => {
  const made = await createApiKey(database.db, actor, { name: 'used' }, clock.now());
  const at = (seconds: number): Date => new Date(clock.now().getTime() + seconds * 1_000);
  const use = async (when: Date): Promise<Date | null | undefined> => {
    await recordKeyUse(database.db, made.id, { at: when, address: '192.0.2.7' });
    return (await listApiKeys(database.db, actor)).find((key) => key.id === made.id)?.usedAt;
  };
  expect((await authenticateKey(database.db, made.key, at(0)))?.isUseStale).toBe(true);
  expect(await use(at(0))).toEqual(at(0));
  expect((await authenticateKey(database.db, made.key, at(59)))?.isUseStale).toBe(false);
  expect(await use(at(59))).toEqual(at(0));
  expect((await authenticateKey(database.db, made.key, at(60)))?.isUseStale).toBe(true);
  expect(await use(at(60))).toEqual(at(60));
});
