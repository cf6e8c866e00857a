import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountWithUsage, createAccount, setPlan } from '../../src/accounts/account.ts';
import { createApiKey, revokeApiKey } from '../../src/accounts/api-key.ts';
import { systemActor, systemActorByEmail, systemActorByKey } from '../../src/accounts/system-actor.ts';
import { addUser, listUsers, removeUser } from '../../src/accounts/user.ts';
import { accounts, users } from '../../src/db/schema/accounts.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';
import { testClock } from '../support/clock.ts';

let database: FreshDatabase;
beforeAll(async () => void (database = await freshDatabase()));
afterAll(() => database.close());

const password = 'correct horse battery';
const now = testClock().now();

describe('createAccount', () => {
  test('creates the account and its owner with a normalized email', async () => {
    const made = await createAccount(database.db, { email: ' First@Example.com ', plan: 'pro', password });
    expect(made).toMatchObject({
      account: { plan: 'pro' },
      user: { email: 'first@example.com', role: 'owner', accountId: made.account.id },
      password,
    });
  });

  test('generates a password if none is given', async () => {
    const made = await createAccount(database.db, { email: 'generated@example.com', plan: 'free' });
    expect(made.password).toHaveLength(20);
  });

  test('reports every issue and creates nothing', async () => {
    const before = await database.db.$count(accounts);
    await expect(
      createAccount(database.db, { email: 'nobody', plan: 'free', password: 'short' }),
    ).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      issues: [{ path: 'email' }, { path: 'password' }],
    });
    expect(await database.db.$count(accounts)).toBe(before);
  });

  test('an email in use is a CONFLICT and creates no account', async () => {
    await createAccount(database.db, { email: 'taken@example.com', plan: 'free', password });
    const before = await database.db.$count(accounts);
    await expect(
      createAccount(database.db, { email: 'TAKEN@example.com', plan: 'free', password }),
    ).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await database.db.$count(accounts)).toBe(before);
  });

  test('of two concurrent calls for one email exactly one succeeds', async () => {
    const both = await Promise.allSettled(
      [1, 2].map(() => createAccount(database.db, { email: 'race@example.com', plan: 'free', password })),
    );
    expect(both.map((one) => one.status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('users', () => {
  test('belong to the account that added them', async () => {
    const { account } = await createAccount(database.db, {
      email: 'a@users.example',
      plan: 'free',
      password,
    });
    const other = await createAccount(database.db, { email: 'b@users.example', plan: 'free', password });
    const actor = systemActor(account);
    const added = await addUser(database.db, actor, { email: 'c@users.example', role: 'viewer', password });
    expect((await listUsers(database.db, actor)).map((user) => user.email)).toEqual([
      'a@users.example',
      'c@users.example',
    ]);
    await expect(removeUser(database.db, systemActor(other.account), { id: added.id }, now)).rejects.toMatchObject({
      code: 'USER_NOT_FOUND',
    });
    await removeUser(database.db, actor, { id: added.id }, now);
    expect(await listUsers(database.db, actor)).toHaveLength(1);
  });

  test('two owners who remove each other at once leave one owner', async () => {
    const { account, user } = await createAccount(database.db, {
      email: 'o1@users.example',
      plan: 'free',
      password,
    });
    const actor = systemActor(account);
    const second = await addUser(database.db, actor, { email: 'o2@users.example', role: 'owner', password });
    const results = await Promise.allSettled([
      removeUser(database.db, actor, { id: user.id }, now),
      removeUser(database.db, actor, { id: second.id }, now),
    ]);
    expect(results.filter((result) => result.status === 'rejected')).toMatchObject([{ reason: { code: 'CONFLICT' } }]);
    expect(await database.db.$count(users, eq(users.accountId, account.id))).toBe(1);
  });
});

test('usage counts only what is usable, of this account only', async () => {
  const { account } = await createAccount(database.db, { email: 'usage@example.com', plan: 'pro', password });
  const actor = systemActor(account);
  const spent = await createApiKey(database.db, actor, { name: 'revoked' }, now);
  await revokeApiKey(database.db, actor, spent.id, now);
  await createApiKey(database.db, actor, { name: 'live' }, now);
  expect(await accountWithUsage(database.db, actor, now)).toMatchObject({
    id: account.id,
    plan: 'pro',
    usage: { users: 1, apiKeys: 1, websites: 0, redirects: 0, urls: 0 },
  });
});

test('systemActor finds an account by the email of any of its users, or by a key', async () => {
  const { account } = await createAccount(database.db, {
    email: 'admin@example.com',
    plan: 'free',
    password,
  });
  const actor = await systemActorByEmail(database.db, ' ADMIN@example.com');
  expect(actor).toMatchObject({ accountId: account.id, type: 'system', plan: 'free' });
  const key = await createApiKey(database.db, actor, { name: 'k' }, now);
  expect(await setPlan(database.db, actor, 'business')).toMatchObject({ id: account.id, plan: 'business' });
  expect(await systemActorByKey(database.db, key.id)).toMatchObject({
    accountId: account.id,
    plan: 'business',
  });
  await expect(systemActorByEmail(database.db, 'no@example.com')).rejects.toMatchObject({
    code: 'USER_NOT_FOUND',
  });
  await expect(systemActorByKey(database.db, 'key_no')).rejects.toMatchObject({ code: 'KEY_NOT_FOUND' });
});
