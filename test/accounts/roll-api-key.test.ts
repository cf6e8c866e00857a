import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createAccount } from '../../src/accounts/account.ts';
import {
  authenticateKey,
  createApiKey,
  endingKeys,
  listApiKeys,
  renameApiKey,
  revokeApiKey,
} from '../../src/accounts/api-key.ts';
import { rollApiKey } from '../../src/accounts/roll-api-key.ts';
import { systemActor } from '../../src/accounts/system-actor.ts';
import { audit } from '../../src/db/schema/accounts.ts';
import type { Actor } from '../../src/vocabulary/actor.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';
import { testClock } from '../support/clock.ts';

const HOUR_MS = 3_600_000;

let database: FreshDatabase;
let actor: Actor;
const clock = testClock();
const now = clock.now();
const after = (hours: number): Date => new Date(now.getTime() + hours * HOUR_MS);
beforeAll(async () => {
  database = await freshDatabase();
});
beforeEach(async () => {
  const email = `${crypto.randomUUID()}@example.com`;
  const { account } = await createAccount(database.db, { email, plan: 'pro', password: 'long enough' });
  actor = systemActor(account);
  await database.db.delete(audit);
});
afterAll(() => database.close());

const isValid = async (key: string, at: Date) => (await authenticateKey(database.db, key, at)) !== undefined;
const recorded = async () => (await database.db.select().from(audit).orderBy(audit.id)).map(({ action }) => action);

test('rolling copies the settings, and ends the previous key after the chosen time', async () => {
  const expiresAt = after(1_000);
  const old = await createApiKey(database.db, actor, { name: 'ci', scope: 'read', expiresAt }, now);
  const { created, previous } = await rollApiKey(database.db, actor, { id: old.id, expiresInHours: 24 }, now);
  expect(created).toMatchObject({ name: 'ci', scope: 'read', websiteIds: null, expiresAt, revokedAt: null });
  expect(previous).toMatchObject({ id: old.id, expiresAt: after(24), revokedAt: null, replacedBy: created.id });
  // Its end was chosen, so it is no reminder.
  expect(await endingKeys(database.db, [actor.accountId], now)).toEqual([]);
  expect(await isValid(created.key, now)).toBe(true);
  expect([await isValid(old.key, after(23.9)), await isValid(old.key, after(24))]).toEqual([true, false]);
  expect(await recorded()).toEqual(['api_key.created', 'api_key.created', 'api_key.rolled']);
});

test('the previous key never works longer than before', async () => {
  const expiresAt = after(2);
  const old = await createApiKey(database.db, actor, { name: 'ci', expiresAt }, now);
  const { previous } = await rollApiKey(database.db, actor, { id: old.id, expiresInHours: 168 }, now);
  expect(previous.expiresAt).toEqual(expiresAt);
});

test('0 hours revoke the previous key, which cannot be rolled again', async () => {
  const old = await createApiKey(database.db, actor, { name: 'ci' }, now);
  const roll = (id: string) => rollApiKey(database.db, actor, { id, expiresInHours: 0 }, now);
  // As a double press: one of both gets a key.
  const both = await Promise.allSettled([roll(old.id), roll(old.id)]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'CONFLICT' } });
  expect(await isValid(old.key, now)).toBe(false);
  expect(await listApiKeys(database.db, actor)).toHaveLength(2);
  expect((await recorded()).slice(1)).toEqual(['api_key.created', 'api_key.rolled', 'api_key.revoked']);
});

test('an expired key, and a key of another account, cannot be rolled or renamed', async () => {
  const old = await createApiKey(database.db, actor, { name: 'ci', expiresAt: after(1) }, now);
  const roll = { id: old.id, expiresInHours: 1 };
  await expect(rollApiKey(database.db, actor, roll, after(1))).rejects.toMatchObject({ code: 'CONFLICT' });
  const stranger = { ...actor, accountId: actor.accountId + 1 };
  await expect(rollApiKey(database.db, stranger, roll, now)).rejects.toMatchObject({ code: 'KEY_NOT_FOUND' });
  const rename = renameApiKey(database.db, stranger, { id: old.id, name: 'x' });
  await expect(rename).rejects.toMatchObject({ code: 'KEY_NOT_FOUND' });
});

test('at 100 valid keys, a key can be rolled only if it ends now', async () => {
  const keys = [];
  for (let index = 0; index < 100; index++) keys.push(await createApiKey(database.db, actor, { name: 'x' }, now));
  const id = keys[0]?.id ?? '';
  const roll = (expiresInHours: number) => rollApiKey(database.db, actor, { id, expiresInHours }, now);
  await expect(roll(1)).rejects.toMatchObject({ code: 'TOO_MANY_ITEMS' });
  expect((await roll(0)).previous.revokedAt).toEqual(now);
});

test('renaming changes the name only, and is recorded once', async () => {
  const old = await createApiKey(database.db, actor, { name: 'ci' }, now);
  const renamed = await renameApiKey(database.db, actor, { id: old.id, name: 'CI, EU' });
  expect(renamed).toEqual({ ...(await listApiKeys(database.db, actor))[0], name: 'CI, EU' });
  await renameApiKey(database.db, actor, { id: old.id, name: 'CI, EU' });
  await revokeApiKey(database.db, actor, old.id, now);
  expect(await recorded()).toEqual(['api_key.created', 'api_key.renamed', 'api_key.revoked']);
  expect((await database.db.select().from(audit))[1]).toMatchObject({
    target: `CI, EU (${old.id})`,
    details: { before: 'ci', after: 'CI, EU' },
  });
});
