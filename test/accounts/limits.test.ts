/** The maximum of users, API keys and sessions, also under concurrent calls. */
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount } from '../../src/accounts/account.ts';
import { createApiKey, listApiKeys, revokeApiKey } from '../../src/accounts/api-key.ts';
import { findSession, startSession } from '../../src/accounts/sign-in/session.ts';
import { systemActor } from '../../src/accounts/system-actor.ts';
import { addUser, listUsers, removeUser } from '../../src/accounts/user.ts';
import { apiKeys, sessions } from '../../src/db/schema/accounts.ts';
import type { Actor } from '../../src/vocabulary/actor.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';

const password = 'correct horse battery';
const now = new Date('2030-01-01T00:00:00Z');

let database: FreshDatabase;
let actor: Actor;
let userId: number;
beforeAll(async () => {
  database = await freshDatabase();
  const made = await createAccount(database.db, { email: 'owner@limits.example', plan: 'pro', password });
  [actor, userId] = [systemActor(made.account), made.user.id];
});
afterAll(() => database.close());

/** The codes of the calls that failed. */
async function failures(calls: Promise<unknown>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(calls);
  return settled.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
}

test('an account has at most 1,000 users: of two added at once one is TOO_MANY_ITEMS', async () => {
  const { db } = database;
  await db.execute(sql`insert into users (account_id, email, role, password_hash)
    select ${actor.accountId}::int, n || '@limits.example', 'viewer', '' from generate_series(1, 998) n`);
  const add = (name: string) => addUser(db, actor, { email: `${name}@limits.example`, role: 'viewer', password });
  expect(await failures([add('first'), add('second')])).toEqual(['TOO_MANY_ITEMS']);
  const all = await listUsers(db, actor);
  expect(all).toHaveLength(1_000);
  await removeUser(db, actor, { id: all.at(-1)?.id ?? 0 }, now);
  await add('third');
});

test('an account has at most 100 valid API keys, and lists the 100 that ended last', async () => {
  const { db } = database;
  const create = (name: string) => createApiKey(db, actor, { name }, now);
  await db.execute(sql`insert into api_keys (id, account_id, name, scope, key_hash, created_at, revoked_at, expires_at)
    select 'key_' || n, ${actor.accountId}::int, 'ended', 'read', sha256(n::text::bytea), ${now.toISOString()}::timestamptz,
      case when n % 2 = 0 then ${now.toISOString()}::timestamptz - n * interval '1 day' end,
      case when n % 2 = 1 then ${now.toISOString()}::timestamptz - n * interval '1 day' end
    from generate_series(1, 150) n`);
  for (let n = 1; n < 100; n++) await create(`key ${n}`);
  const listed = await listApiKeys(db, actor);
  expect(listed.filter(({ name }) => name === 'ended')).toHaveLength(100);
  expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining(['key_1', 'key_2', 'key_100']));
  expect(listed.map(({ id }) => id)).not.toContain('key_101');

  expect(await failures([create('hundredth'), create('too many')])).toEqual(['TOO_MANY_ITEMS']);
  const [valid] = await db.select().from(apiKeys).where(eq(apiKeys.name, 'key 1'));
  await revokeApiKey(db, actor, valid?.id ?? '', now);
  await create('in its place');
});

test('a user has at most 100 sessions: a sign-in ends the one that was used longest ago', async () => {
  const { db } = database;
  const at = (minutes: number): Date => new Date(now.getTime() + minutes * 60_000);
  const opened = [];
  for (let n = 0; n < 100; n++) opened.push(await startSession(db, userId, undefined, at(n)));
  const [first, second] = opened;
  expect(await db.$count(sessions, eq(sessions.userId, userId))).toBe(100);
  // The oldest is used again, so the second one goes.
  await findSession(db, first?.token ?? '', at(200));
  const newest = await startSession(db, userId, undefined, at(201));
  expect(await db.$count(sessions, eq(sessions.userId, userId))).toBe(100);
  expect(await findSession(db, first?.token ?? '', at(202))).toBeDefined();
  expect(await findSession(db, newest.token, at(202))).toBeDefined();
  expect(await findSession(db, second?.token ?? '', at(202))).toBeUndefined();
});
