/** Recovery of deliveries whose process crashes, is suspended, or loses the database. */
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { testClock } from '../support/clock.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';
import {
  addWebhook,
  attemptsOf,
  deliveriesOf,
  openAccount,
  openDispatcher,
  publish,
  spawnDispatcher,
  statesOf,
} from '../support/dispatching.ts';
import { hang, type Receiver, startReceiver } from '../support/receiver.ts';
import { until } from '../support/wait.ts';

let database: FreshDatabase;
let receiver: Receiver;
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  database = await freshDatabase();
});

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await receiver.stop();
  await database.db.execute(sql`truncate deliveries, attempts, webhooks cascade`);
});

afterAll(() => database.close());

async function setUp(count: number, reply: Parameters<Receiver['reply']>[0] = 200) {
  receiver = await startReceiver({ reply });
  const actor = await openAccount(database);
  const webhook = await addWebhook(database, actor, receiver.url);
  await publish(database, actor, count);
  return { actor, webhook };
}

async function start(options: Parameters<typeof openDispatcher>[1] = {}) {
  const dispatcher = await openDispatcher(database, options);
  ends.push(() => dispatcher.end(100));
  dispatcher.start();
  return dispatcher;
}

async function spawn() {
  const child = await spawnDispatcher(database);
  ends.push(() => child.end());
  return child;
}

const settled = (webhookId: string, count: number) =>
  until(async () => {
    const rows = await deliveriesOf(database, webhookId);
    return rows.filter(({ state }) => state === 'delivered').length === count && rows;
  });

test('another process sends the deliveries of a killed process within 3 s, with the same webhook-id', async () => {
  const { webhook } = await setUp(5, hang);
  const child = await spawn();
  await receiver.got(5);
  await start();
  child.signal('SIGKILL');
  const killed = performance.now();
  receiver.reply(200);
  const requests = await receiver.got(10);
  expect(performance.now() - killed).toBeLessThan(3_000);
  const ids = requests.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids.slice(5))).toEqual(new Set(ids.slice(0, 5)));
  const rows = await settled(webhook.id, 5);
  for (const { id, failures } of rows) {
    expect(failures).toBe(0);
    expect(await attemptsOf(database, id)).toMatchObject([{ outcome: 'interrupted' }, { outcome: 'delivered' }]);
  }
  console.log(`sent again after ${Math.round(performance.now() - killed)} ms`);
});

test('a start after a crash reclaims the deliveries of the crashed process immediately', async () => {
  const { webhook } = await setUp(3, hang);
  const child = await spawn();
  await receiver.got(3);
  await child.end();
  receiver.reply(200);
  const began = performance.now();
  await start();
  await receiver.got(6);
  expect(performance.now() - began).toBeLessThan(1_000);
  await settled(webhook.id, 3);
});

test('a process that is suspended past its lease loses its deliveries, and its late outcome is only logged', async () => {
  const { webhook } = await setUp(1, hang);
  const child = await spawn();
  await receiver.got(1);
  child.signal('SIGSTOP');
  const stuck = receiver.inFlight();
  // The lease of 45 s is over by this clock; the stopped process still has its connections and its lock.
  const later = testClock(new Date(systemClock.now().getTime() + 46_000).toISOString());
  await start({ clock: later });
  receiver.reply(200);
  const [row] = await settled(webhook.id, 1);
  expect([stuck, receiver.requests.length]).toEqual([1, 2]);
  child.signal('SIGCONT');
  receiver.release(500);
  const attempts = await until(async () => {
    const found = await attemptsOf(database, row?.id ?? 0);
    return found[0]?.superseded && found;
  });
  expect(attempts).toMatchObject([
    { attempt_no: 1, outcome: 'receiver_error', superseded: true },
    { attempt_no: 2, outcome: 'delivered', superseded: false },
  ]);
  expect(await deliveriesOf(database, webhook.id)).toMatchObject([{ state: 'delivered', failures: 0, attempt_no: 2 }]);
});

test('a claim whose response was lost is reclaimed and sent', async () => {
  const { webhook } = await setUp(1);
  await database.db.execute(sql`update webhooks set is_active = false`);
  const dispatcher = await start();
  await database.db
    .execute(sql`update deliveries set state = 'sending', attempt_no = 1, locked_by = ${dispatcher.instanceId},
    lease_until = now() + interval '45 seconds'`);
  await database.db.execute(sql`update webhooks set is_active = true`);
  const [row] = await settled(webhook.id, 1);
  expect(row?.attempt_no).toBe(2);
  expect(receiver.requests).toHaveLength(1);
});

test('a delivery that was interrupted three times in a row waits as after a failure', async () => {
  const { webhook } = await setUp(1);
  const clock = testClock();
  await database.db.execute(sql`update webhooks set is_active = false`);
  const dispatcher = await start({ clock });
  for (let attempt = 1; attempt <= 3; attempt++) {
    await database.db.execute(sql`update deliveries set state = 'sending', attempt_no = ${attempt},
      locked_by = ${dispatcher.instanceId}, lease_until = ${clock.now().toISOString()}::timestamptz + interval '45 seconds'`);
    await until(async () => (await deliveriesOf(database, webhook.id))[0]?.state === 'pending');
    const [row] = await deliveriesOf(database, webhook.id);
    const delay = Date.parse(row?.due_at ?? '') - clock.now().getTime();
    expect([attempt, delay, row?.failures]).toEqual([attempt, attempt < 3 ? 0 : 5_000, 0]);
  }
});

test('a test of a crashed process is not repeated, and deliveries of a deleted webhook are canceled', async () => {
  const { webhook } = await setUp(2, hang);
  const child = await spawn();
  await receiver.got(2);
  await child.end();
  const [first, second] = await deliveriesOf(database, webhook.id);
  await database.db.execute(sql`update deliveries set kind = 'test' where id = ${first?.id}`);
  await database.db.execute(sql`update deliveries set webhook_id = 'wh_gone' where id = ${second?.id}`);
  await start();
  await until(async () => (await deliveriesOf(database, webhook.id))[0]?.state === 'failed');
  expect((await deliveriesOf(database, 'wh_gone')).map(({ state }) => state)).toEqual(['canceled']);
  expect(receiver.requests).toHaveLength(2);
});

test('a stop waits for an attempt, then aborts it as interrupted and due immediately, without counting a failure', async () => {
  const { webhook } = await setUp(9, hang);
  const dispatcher = await openDispatcher(database);
  dispatcher.start();
  await receiver.got(8);
  const began = performance.now();
  await dispatcher.end(300);
  expect(performance.now() - began).toBeLessThan(1_500);
  const rows = await deliveriesOf(database, webhook.id);
  expect(rows.map(({ state, failures, locked_by: owner }) => [state, failures, owner])).toEqual(
    rows.map(() => ['pending', 0, null]),
  );
  expect(rows.map((row) => row.attempt_no)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 0]);
  expect(await attemptsOf(database, rows[0]?.id ?? 0)).toMatchObject([{ outcome: 'interrupted' }]);
  receiver.reply(200);
  await start();
  await settled(webhook.id, 9);
});

test('while all database connections are closed repeatedly, each delivery arrives and is logged', async () => {
  const { webhook } = await setUp(0);
  const actors = [await openAccount(database), await openAccount(database), await openAccount(database)];
  for (const actor of actors) await addWebhook(database, actor, receiver.url);
  const dispatcher = await start();
  let cuts = 0;
  for (let round = 0; round < 8; round++) {
    for (const actor of actors) await publish(database, actor, 50);
    dispatcher.wake();
    await receiver.got(round * 150 + 20);
    // All but those of this test itself: the dispatcher's pool, and the lock that says that it lives.
    const { rowCount } = await database.db.execute(sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid not in (select pid from pg_stat_activity where pid = pg_backend_pid())`);
    cuts += rowCount ?? 0;
  }
  await until(async () => (await statesOf(database))['delivered'] === 1_200, 20_000);
  const ids = new Set(receiver.requests.map(({ headers }) => headers['x-service-delivery']));
  expect(ids.size).toBe(1_200);
  expect(await statesOf(database)).toEqual({ delivered: 1_200 });
  expect(await deliveriesOf(database, webhook.id)).toEqual([]);
  console.log(`${cuts} connections cut in 8 rounds: 1200 delivered, ${receiver.requests.length - 1_200} of them twice`);
});
