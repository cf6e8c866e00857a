/** The retry schedule and its consequences, with a clock that the test moves. */
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { RETRY_DELAYS_MS } from '../../../src/webhooks/sending/retry-schedule.ts';
import { type TestClock, testClock } from '../../support/clock.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database.ts';
import {
  addWebhook,
  attemptsOf,
  deliveriesOf,
  type DeliveryRow,
  openAccount,
  openDispatcher,
  publish,
  type TestDispatcher,
} from '../../support/dispatching.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { until } from '../../support/wait.ts';

const DAY_MS = 86_400_000;

let database: FreshDatabase;
let clock: TestClock;
let dispatcher: TestDispatcher;
let receiver: Receiver;

beforeAll(async () => {
  database = await freshDatabase();
});

afterEach(async () => {
  await dispatcher.end();
  await receiver.stop();
  await database.db.execute(sql`truncate deliveries, attempts, webhooks cascade`);
});

afterAll(() => database.close());

async function startAll(random = () => 0) {
  clock = testClock();
  receiver = await startReceiver({ reply: 500 });
  dispatcher = await openDispatcher(database, { clock, random });
  dispatcher.start();
  const actor = await openAccount(database);
  return { actor, webhook: await addWebhook(database, actor, receiver.url) };
}

/** The delivery when it is no longer in flight after this many attempts. */
function attempted(webhookId: string, attempts: number): Promise<DeliveryRow> {
  dispatcher.wake();
  return until(async () => {
    const [row] = await deliveriesOf(database, webhookId);
    return row?.attempt_no === attempts && row.state !== 'sending' && row;
  });
}

async function webhookRow(id: string): Promise<Record<string, unknown> | undefined> {
  return (await database.db.execute(sql`select * from webhooks where id = ${id}`)).rows[0];
}

test('18 attempts at the documented times, then the delivery is failed, and its receiver is active until 8 days', async () => {
  const { actor, webhook } = await startAll();
  await publish(database, actor, 1, clock.now());
  const began = clock.now().getTime();
  let expected = 0;
  for (const [i, delay] of RETRY_DELAYS_MS.entries()) {
    const row = await attempted(webhook.id, i + 1);
    expected += delay;
    expect([i, row.state, Date.parse(row.due_at) - began]).toEqual([i, 'pending', expected]);
    clock.advance(delay - 1);
    dispatcher.wake();
    // A delivery of another account that is due shows that the dispatcher has looked at this time.
    const other = await openAccount(database);
    const probe = await addWebhook(database, other, `${receiver.url}/probe`);
    await publish(database, other, 1, clock.now());
    await attempted(probe.id, 1);
    await database.db.execute(sql`delete from webhooks where id = ${probe.id}`);
    expect((await deliveriesOf(database, webhook.id))[0]?.attempt_no).toBe(i + 1);
    clock.advance(1);
  }
  const last = await attempted(webhook.id, 18);
  expect(last).toMatchObject({ state: 'failed', failures: 18, last_status: 500 });
  expect(expected).toBe(7 * DAY_MS + 21 * 3_600_000 + 42 * 60_000 + 35_000);
  const ids = receiver.requests.filter(({ path }) => path === '/hook').map(({ headers }) => headers);
  expect(ids).toHaveLength(18);
  expect(new Set(ids.map((headers) => headers['webhook-id'])).size).toBe(1);
  expect(ids.map((headers) => headers['x-service-attempt'])).toEqual(ids.map((_, i) => String(i + 1)));
  expect(await attemptsOf(database, last.id)).toHaveLength(18);
  expect(await webhookRow(webhook.id)).toMatchObject({ is_active: true, exhausted: true, fail_streak: 18 });
  console.log(`18 attempts over ${expected / DAY_MS} days, each at its time and none a millisecond before`);
});

test('a webhook is deactivated after 8 days of failures; its events are stored, and sent when it is activated', async () => {
  const { actor, webhook } = await startAll();
  await publish(database, actor, 1, clock.now());
  await attempted(webhook.id, 1);
  const after8Days = new Date(clock.now().getTime() + 8 * DAY_MS).toISOString();
  await database.db.execute(sql`update deliveries set failures = 17, due_at = ${after8Days}`);
  clock.advance(8 * DAY_MS);
  await attempted(webhook.id, 2);
  expect(await webhookRow(webhook.id)).toMatchObject({ is_active: false, deactivated_reason: 'failing' });

  receiver.reply(200);
  await publish(database, actor, 25, clock.now());
  dispatcher.wake();
  const other = await openAccount(database);
  const probe = await addWebhook(database, other, receiver.url);
  await publish(database, other, 1, clock.now());
  await attempted(probe.id, 1);
  expect((await deliveriesOf(database, webhook.id)).filter(({ state }) => state === 'pending')).toHaveLength(25);

  await database.db.execute(sql`update webhooks set is_active = true, deactivated_at = null, deactivated_reason = null,
    fail_streak = 0, failing_since = null, exhausted = false where id = ${webhook.id}`);
  dispatcher.wake();
  await until(async () => {
    const rows = await deliveriesOf(database, webhook.id);
    return rows.filter(({ state }) => state === 'delivered').length === 25;
  });
});

test('410 deactivates as gone and keeps the delivery on hold; a 429 with Retry-After pauses all deliveries of the webhook', async () => {
  const { actor, webhook } = await startAll();
  receiver.reply((response) => response.writeHead(429, { 'retry-after': '3600' }).end());
  await publish(database, actor, 1, clock.now());
  const paused = await attempted(webhook.id, 1);
  expect(Date.parse(paused.due_at) - clock.now().getTime()).toBe(3_600_000);
  receiver.reply(410);
  await publish(database, actor, 1, clock.now());
  dispatcher.wake();
  clock.advance(3_599_999);
  const other = await openAccount(database);
  const probe = await addWebhook(database, other, `${receiver.url}/probe`);
  await publish(database, other, 1, clock.now());
  await attempted(probe.id, 1);
  expect(receiver.requests.filter(({ path }) => path === '/hook')).toHaveLength(1);
  clock.advance(1);
  dispatcher.wake();
  await until(async () => (await webhookRow(webhook.id))?.['is_active'] === false);
  expect(await webhookRow(webhook.id)).toMatchObject({ deactivated_reason: 'gone' });
  await until(async () => (await deliveriesOf(database, webhook.id)).every(({ state }) => state === 'pending'));
});

test('a delay is up to 20 % longer and never shorter', async () => {
  const { actor, webhook } = await startAll(() => 0.999_999);
  await publish(database, actor, 1, clock.now());
  const row = await attempted(webhook.id, 1);
  expect(Date.parse(row.due_at) - clock.now().getTime()).toBe(6_000);
});

test('during a rotation, a receiver that knows only the old secret of X-Service-Signature gets an immediate second attempt', async () => {
  const { actor, webhook } = await startAll();
  const before = await addWebhook(database, actor, receiver.url);
  // The receiver knows the secret of `before`, which becomes the previous one of `webhook`.
  await database.db.execute(sql`update webhooks set previous_secret = secret,
    previous_secret_until = ${new Date(clock.now().getTime() + DAY_MS).toISOString()} where id = ${webhook.id}`);
  await database.db.execute(sql`delete from webhooks where id = ${before.id}`);
  let asked = 0;
  receiver.reply((response) => response.writeHead(asked++ === 0 ? 401 : 200).end());
  await publish(database, actor, 1, clock.now());
  const row = await attempted(webhook.id, 2);
  expect(row).toMatchObject({ state: 'delivered', failures: 0 });
  expect(await attemptsOf(database, row.id)).toMatchObject([
    { attempt_no: 1, outcome: 'refused', signed_with: 'current' },
    { attempt_no: 2, outcome: 'delivered', signed_with: 'previous' },
  ]);
  expect(receiver.requests.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2']);
  expect(await webhookRow(webhook.id)).toMatchObject({ sign_with: 'previous', fail_streak: 0 });
  await publish(database, actor, 1, clock.now());
  dispatcher.wake();
  await receiver.got(3);
  const second = await until(async () => {
    const [, next] = await deliveriesOf(database, webhook.id);
    return next?.state === 'delivered' && next;
  });
  expect(await attemptsOf(database, second.id)).toMatchObject([{ signed_with: 'previous' }]);
});
