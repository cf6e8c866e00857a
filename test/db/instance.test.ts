import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { isInstanceAlive, registerInstance } from '../../src/db/instance.ts';
import { cutConnections, type FreshDatabase, freshDatabase } from '../support/database.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.close());

test('an instance is alive from its registration until it stops', async () => {
  const instance = await registerInstance(database.url, () => {});
  expect(await isInstanceAlive(database.db, instance.id)).toBe(true);
  await instance.stop();
  expect(await isInstanceAlive(database.db, instance.id)).toBe(false);
});

test('an instance that never existed is not alive, and instances are distinguished', async () => {
  const [one, other] = await Promise.all([
    registerInstance(database.url, () => {}),
    registerInstance(database.url, () => {}),
  ]);
  expect(one.id).not.toBe(other.id);
  await one.stop();
  expect(await isInstanceAlive(database.db, one.id)).toBe(false);
  expect(await isInstanceAlive(database.db, other.id)).toBe(true);
  expect(await isInstanceAlive(database.db, 999_999)).toBe(false);
  await other.stop();
});

test('an instance that lost its connection takes its lock again under the same id', async () => {
  const errors: unknown[] = [];
  const instance = await registerInstance(database.url, (error) => errors.push(error));
  await cutConnections(database.db);
  await vi.waitFor(() => expect(errors).toHaveLength(1), 5_000);
  await vi.waitFor(async () => expect(await isInstanceAlive(database.db, instance.id)).toBe(true), 5_000);
  await instance.stop();
});

test('an instance of another database with the same number does not count', async () => {
  const other = await freshDatabase();
  const instance = await registerInstance(other.url, () => {});
  expect(await isInstanceAlive(database.db, instance.id)).toBe(false);
  await instance.stop();
  await other.close();
});
