import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { isInstanceAlive, registerInstance } from '../../../src/db/instance.ts';
import { listen } from '../../../src/db/connection/persistent-connection.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.close());

const notify = (channel: string, payload: string) => database.db.execute(sql`select pg_notify(${channel}, ${payload})`);

/** Ends every other connection to the database, as a restart of the server does. */
const cutConnections = () =>
  database.db.execute(sql`
    select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`);

function heard() {
  const notified: string[] = [];
  const reconnects: number[] = [];
  const errors: unknown[] = [];
  const listener = {
    onNotify: (channel: string, payload: string) => void notified.push(`${channel}=${payload}`),
    onReconnect: () => void reconnects.push(1),
    onError: (error: unknown) => void errors.push(error),
  };
  return { notified, reconnects, errors, listener };
}

test('what is notified on its channels is heard, and nothing else', async () => {
  const { notified, listener } = heard();
  const listening = listen(database.url, ['one', 'Two words'], listener);
  await listening.ready;
  await notify('other', 'x');
  await notify('one', 'first');
  await notify('Two words', '');
  await vi.waitFor(() => expect(notified).toEqual(['one=first', 'Two words=']));
  await listening.stop();
});

test('after a lost connection it listens again and reports it, so that the caller reads everything again', async () => {
  const { notified, reconnects, errors, listener } = heard();
  const listening = listen(database.url, ['one'], listener);
  await listening.ready;
  await cutConnections();
  await vi.waitFor(() => expect(reconnects).toHaveLength(1), 5_000);
  expect(errors).toHaveLength(1);
  await notify('one', 'again');
  await vi.waitFor(() => expect(notified).toEqual(['one=again']));
  await listening.stop();
});

test('while there is no server it keeps trying, tells why, and can be stopped', async () => {
  const { errors, listener } = heard();
  const listening = listen('postgres://unknown@127.0.0.1:1/none', ['one'], listener);
  await vi.waitFor(() => expect(errors.length).toBeGreaterThan(1), 5_000);
  await listening.stop();
  await listening.ready;
});

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
  await cutConnections();
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
