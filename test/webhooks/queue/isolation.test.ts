/**
 * A slow or unavailable receiver does not delay others, even before it is known to be slow. Holds the rules of
 * src/webhooks/queue/in-flight.ts.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../support/database.ts';
import { addWebhook, openAccount, openDispatcher, publish, type TestDispatcher } from '../../support/dispatching.ts';
import { hang, type Receiver, type Reply, startReceiver } from '../../support/receiver.ts';

const SLOW_WEBHOOKS = 100;
const PLACES_EACH = 8;
/** Longer than everything that these tests measure. */
const TIMEOUT_MS = 15_000;

let database: FreshDatabase;
let good: Receiver;
let slow: Receiver;
let dispatcher: TestDispatcher;

beforeAll(async () => {
  database = await freshDatabase();
});

beforeEach(async () => {
  good = await startReceiver();
  slow = await startReceiver();
  dispatcher = await openDispatcher(database, { timeoutMs: TIMEOUT_MS });
  dispatcher.start();
});

afterEach(async () => {
  await dispatcher.end(0);
  await good.stop();
  await slow.stop();
});

afterAll(() => database.close());

/** Milliseconds from each of `count` events, one after the other, to its request. */
async function latencies(count: number): Promise<number[]> {
  const actor = await openAccount(database);
  await addWebhook(database, actor, good.url);
  const took: number[] = [];
  const before = good.requests.length;
  for (let i = before + 1; i <= before + count; i++) {
    const began = performance.now();
    await publish(database, actor);
    dispatcher.wake();
    await good.got(i, TIMEOUT_MS);
    took.push(performance.now() - began);
  }
  return took;
}

/** 100 receivers that hang, with more pending deliveries than slots. */
async function occupy(reply: Reply): Promise<void> {
  const actor = await openAccount(database);
  for (let i = 0; i < SLOW_WEBHOOKS; i++) await addWebhook(database, actor, slow.url, { lastSuccessAt: new Date() });
  slow.reply(reply);
  await publish(database, actor, PLACES_EACH + 2);
  dispatcher.wake();
}

/** The 0.5 s until a receiver that starts to hang counts as slow, and tolerance for a busy machine. */
const SOON_MS = 3_000;

test('100 receivers that hang fill their slots, and a healthy one still gets its deliveries', async () => {
  await occupy(hang);
  const meanwhile = await latencies(20);
  await slow.got(SLOW_WEBHOOKS * PLACES_EACH);
  const then = await latencies(20);
  expect(slow.inFlight()).toBe(SLOW_WEBHOOKS * PLACES_EACH);
  expect(Math.max(...meanwhile, ...then)).toBeLessThan(SOON_MS);
  console.log(`100 hanging receivers: ${inWords(meanwhile)} at first, ${inWords(then)} then`);
});

test('the same with 100 receivers that always take 5 seconds and never fail', async () => {
  await occupy((response) => setTimeout(() => response.end(), 5_000));
  const meanwhile = await latencies(20);
  expect(Math.max(...meanwhile)).toBeLessThan(SOON_MS);
  console.log(`100 slow receivers: ${inWords(meanwhile)}`);
});

function inWords(took: number[]): string {
  const sorted = took.toSorted((a, b) => a - b).map((ms) => Math.round(ms));
  return `median ${sorted[Math.floor(sorted.length / 2)]} ms, most ${sorted.at(-1)} ms`;
}
