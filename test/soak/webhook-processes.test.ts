/** Several processes on one queue. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';
import { addWebhook, openAccount, publish, spawnDispatcher, statesOf } from '../support/dispatching.ts';
import { startReceiver } from '../support/receiver.ts';
import { until } from '../support/wait.ts';

const RECEIVERS = 10;
const EACH = 1_000;
const LIMIT = 8;

let database: FreshDatabase;

beforeAll(async () => {
  database = await freshDatabase();
});

afterAll(() => database.close());

test('three processes send 10,000 deliveries exactly once each, and never exceed the limit of a receiver', async () => {
  const receivers = [];
  for (let i = 0; i < RECEIVERS; i++) {
    // Slow enough that several attempts overlap.
    const receiver = await startReceiver({ reply: (response) => setTimeout(() => response.end(), 5) });
    const actor = await openAccount(database);
    await addWebhook(database, actor, receiver.url, { maxInFlight: LIMIT });
    await publish(database, actor, EACH);
    receivers.push(receiver);
  }
  const began = performance.now();
  const processes = await Promise.all([1, 2, 3].map(() => spawnDispatcher(database)));
  await until(async () => (await statesOf(database))['delivered'] === RECEIVERS * EACH, 60_000);
  const seconds = (performance.now() - began) / 1_000;
  for (const receiver of receivers) {
    const ids = receiver.requests.map(({ headers }) => headers['webhook-id']);
    expect([ids.length, new Set(ids).size]).toEqual([EACH, EACH]);
    expect(receiver.mostInFlight()).toBeLessThanOrEqual(LIMIT);
  }
  const { rows } = await database.db.execute<{ attempts: number; superseded: number }>(
    sql`select count(*)::int as attempts, count(*) filter (where superseded)::int as superseded from attempts`,
  );
  expect(rows[0]).toEqual({ attempts: RECEIVERS * EACH, superseded: 0 });
  console.log(
    `3 processes: ${RECEIVERS * EACH} deliveries once each in ${seconds.toFixed(1)} s, at most ${Math.max(...receivers.map((one) => one.mostInFlight()))} of ${LIMIT} in flight`,
  );
  for (const child of processes) await child.end();
  for (const receiver of receivers) await receiver.stop();
}, 90_000);
