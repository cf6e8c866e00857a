/** Receivers are isolated from each other. */
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';
import { addWebhook, openAccount, openDispatcher, publish } from '../support/dispatching.ts';
import { hang, startReceiver } from '../support/receiver.ts';

const HANGING = 50;
const BACKLOG = 20_000;
const EVENTS = 300;

let database: FreshDatabase;

beforeAll(async () => {
  database = await freshDatabase();
});

afterAll(() => database.close());

test('with 50 hanging receivers and a backlog of 20,000 for another, a healthy receiver gets 99 % of its events within 100 ms', async () => {
  const hanging = await startReceiver({ reply: hang });
  const slow = await startReceiver({ reply: (response) => setTimeout(() => response.end(), 20) });
  const healthy = await startReceiver();
  for (let i = 0; i < HANGING; i++) {
    const actor = await openAccount(database);
    await addWebhook(database, actor, `${hanging.url}/${i}`);
    await publish(database, actor, 40);
  }
  const busy = await openAccount(database);
  await addWebhook(database, busy, slow.url);
  for (let i = 0; i < BACKLOG; i += 5_000) await publish(database, busy, 5_000);
  await database.db.execute(sql`analyze deliveries`);
  const actor = await openAccount(database);
  await addWebhook(database, actor, healthy.url);
  const dispatcher = await openDispatcher(database);
  dispatcher.start();
  await hanging.got(HANGING * 8);

  const taken: number[] = [];
  for (let i = 1; i <= EVENTS; i++) {
    await publish(database, actor);
    const committed = performance.now();
    dispatcher.wake();
    const received = (await healthy.got(i))[i - 1];
    taken.push((received?.at ?? Infinity) - committed);
    // Long enough for attempts at hanging receivers to end and the next ones to take their places.
    await pause(60);
  }
  const sorted = taken.toSorted((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Infinity;
  console.log(
    `p50 ${sorted[EVENTS / 2]?.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, slowest ${sorted.at(-1)?.toFixed(1)} ms; ${hanging.requests.length} attempts at hanging receivers, ${slow.requests.length} of the backlog sent`,
  );
  expect(p99).toBeLessThan(100);
  expect(hanging.mostInFlight()).toBeLessThanOrEqual(HANGING * 8);
  expect(slow.mostInFlight()).toBeLessThanOrEqual(8);
  await dispatcher.end(100);
  for (const receiver of [hanging, slow, healthy]) await receiver.stop();
});
