import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { publishEvents } from '../../../src/events/outbox.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database.ts';
import {
  addWebhook,
  attemptsOf,
  deliveriesOf,
  openAccount,
  openDispatcher,
  publish,
  type TestDispatcher,
} from '../../support/dispatching.ts';
import { startReceiver } from '../../support/receiver.ts';
import { until } from '../../support/wait.ts';

let database: FreshDatabase;
const open: TestDispatcher[] = [];

async function start(...options: Parameters<typeof openDispatcher> extends [unknown, ...infer R] ? R : never) {
  const dispatcher = await openDispatcher(database, ...options);
  open.push(dispatcher);
  dispatcher.start();
  return dispatcher;
}

beforeAll(async () => {
  database = await freshDatabase();
});

afterEach(async () => {
  for (const dispatcher of open.splice(0)) await dispatcher.end();
});

afterAll(() => database.close());

test('an event is sent as its exact bytes, delivered with a 2xx, and logged', async () => {
  const actor = await openAccount(database);
  const receiver = await startReceiver();
  const webhook = await addWebhook(database, actor, receiver.url);
  const dispatcher = await start();
  await publish(database, actor);
  dispatcher.wake();
  const [received] = await receiver.got(1);
  const { rows } = await database.db.execute<{ id: string; body: string }>(
    sql`select id, body from events where account_id = ${actor.accountId}`,
  );
  expect(received?.body).toBe(rows[0]?.body);
  expect(received?.headers['webhook-id']).toBe(rows[0]?.id);
  const delivery = await until(async () => {
    const [row] = await deliveriesOf(database, webhook.id);
    return row?.state === 'delivered' && row;
  });
  expect(delivery).toMatchObject({ attempt_no: 1, failures: 0, last_status: 200, locked_by: null });
  expect(await attemptsOf(database, delivery.id)).toMatchObject([
    { attempt_no: 1, outcome: 'delivered', status: 200, superseded: false, signed_with: 'current' },
  ]);
  expect(dispatcher.errors).toEqual([]);
  await receiver.stop();
});

test('an event of a rolled-back transaction is neither stored nor sent', async () => {
  const actor = await openAccount(database);
  const receiver = await startReceiver();
  const webhook = await addWebhook(database, actor, receiver.url);
  const dispatcher = await start();
  const event = { event: 'redirect.created' as const, websiteId: null, data: {} };
  await database.db
    .transaction(async (tx) => {
      await publishEvents(tx, actor, new Date(), [event]);
      throw new Error('undone');
    })
    .catch(() => {});
  dispatcher.wake();
  await publish(database, actor);
  dispatcher.wake();
  await receiver.got(1);
  expect(receiver.requests).toHaveLength(1);
  expect(await deliveriesOf(database, webhook.id)).toHaveLength(1);
  await receiver.stop();
});
