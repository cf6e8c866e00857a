import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { listen } from '../../../src/db/connection/persistent-connection.ts';
import { cutConnections, type FreshDatabase, freshDatabase } from '../../support/database.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.close());

const notify = (channel: string, payload: string) => database.db.execute(sql`select pg_notify(${channel}, ${payload})`);

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
  await cutConnections(database.db);
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
