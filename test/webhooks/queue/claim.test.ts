import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { withClient } from '../../../src/db/connection/client.ts';
import { claimDeliveries, readClaimed, releaseClaims } from '../../../src/webhooks/queue/claim.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database.ts';
import { addWebhook, deliveriesOf, openAccount, publish } from '../../support/dispatching.ts';

const URL = 'http://127.0.0.1:9/hook';
const NOW = new Date('2030-05-15T12:00:01.000Z');
const LATER = new Date('2030-05-15T12:00:02.000Z');

let database: FreshDatabase;

beforeAll(async () => {
  database = await freshDatabase();
});

afterEach(async () => {
  await database.db.execute(sql`truncate deliveries, webhooks cascade`);
});

afterAll(() => database.close());

function claim(options: { instanceId?: number; now?: Date; max?: number; maxSlow?: number } = {}) {
  return claimDeliveries(database.db, {
    instanceId: 1,
    now: LATER,
    max: 512,
    maxSlow: 256,
    hasMail: false,
    ...options,
  });
}

/** Adds a webhook of a new account with `count` due deliveries. */
async function waiting(count: number, fields: Parameters<typeof addWebhook>[3] = {}, now = NOW) {
  const actor = await openAccount(database);
  const webhook = await addWebhook(database, actor, URL, fields);
  if (count > 0) await publish(database, actor, count, now);
  return { ...webhook, actor };
}

async function sendingOf(webhookId: string): Promise<number> {
  return (await deliveriesOf(database, webhookId)).filter(({ state }) => state === 'sending').length;
}

test('a claim takes due deliveries, oldest first, up to the limit of the webhook', async () => {
  const webhook = await waiting(20, { maxInFlight: 5 });
  const early = await waiting(3, {}, new Date(LATER.getTime() + 1));
  const ids = await claim();
  const rows = await deliveriesOf(database, webhook.id);
  expect(ids.toSorted((a, b) => a - b)).toEqual(rows.slice(0, 5).map(({ id }) => id));
  expect(rows[0]).toMatchObject({ state: 'sending', attempt_no: 1, locked_by: 1 });
  expect(await sendingOf(early.id)).toBe(0);
  expect(await claim()).toEqual([]);
});

test('deliveries of inactive or paused webhooks, and of plans without webhooks, are on hold without loss', async () => {
  const inactive = await waiting(2);
  const pausing = await waiting(2, { pausedUntil: new Date(LATER.getTime() + 1) });
  const past = await waiting(2, { pausedUntil: LATER });
  const downgraded = await waiting(2);
  await database.db.execute(sql`update webhooks set is_active = false where id = ${inactive.id}`);
  await database.db.execute(sql`update accounts set plan = 'pro' where id = ${downgraded.actor.accountId}`);
  expect(await claim()).toHaveLength(2);
  expect(await sendingOf(past.id)).toBe(2);
  await database.db.execute(sql`update webhooks set is_active = true, paused_until = null`);
  await database.db.execute(sql`update accounts set plan = 'business'`);
  expect(await claim()).toHaveLength(6);
  expect(await sendingOf(pausing.id)).toBe(2);
});

test('claims are round-robin: a backlog of 20,000 for one webhook does not delay the others', async () => {
  const busy = await waiting(20_000, { maxInFlight: 64 });
  const others = [await waiting(3), await waiting(3), await waiting(3)];
  await database.db.execute(sql`analyze deliveries`);
  expect(await claim({ max: 12 })).toHaveLength(12);
  expect(await sendingOf(busy.id)).toBe(3);
  for (const other of others) expect(await sendingOf(other.id)).toBe(3);
});

test('failing receivers together get at most maxSlow slots, and healthy ones go first', async () => {
  for (let i = 0; i < 10; i++) await waiting(8, { failStreak: 3 });
  const healthy = await waiting(8, { failStreak: 2 });
  expect(await claim({ max: 30, maxSlow: 20 })).toHaveLength(28);
  expect(await sendingOf(healthy.id)).toBe(8);
  expect(await claim({ max: 30, maxSlow: 0 })).toEqual([]);
});

test('a claim skips deliveries that another transaction has locked', async () => {
  const webhook = await waiting(2);
  const [first] = await deliveriesOf(database, webhook.id);
  await withClient(database.db, async (client) => {
    await client.query('begin');
    await client.query('select 1 from deliveries where id = $1 for update', [first?.id]);
    const ids = await claim();
    expect(ids).toHaveLength(1);
    expect(ids).not.toContain(first?.id);
    await client.query('rollback');
  });
});

test('a receiver with an attempt in flight for over 0.5 s is slow until it ends', async () => {
  const slow = await waiting(8, { maxInFlight: 4 });
  expect(await claim({ max: 2 })).toHaveLength(2);
  const inTime = new Date(LATER.getTime() + 500);
  const after = new Date(LATER.getTime() + 501);
  expect(await claim({ max: 1, maxSlow: 0, now: inTime })).toHaveLength(1);
  expect(await claim({ max: 1, maxSlow: 0, now: after })).toHaveLength(0);
  expect(await claim({ max: 1, maxSlow: 1, now: after })).toHaveLength(1);
  await database.db.execute(sql`update deliveries set state = 'delivered' where state = 'sending'`);
  expect(await claim({ max: 8, maxSlow: 0, now: after })).toHaveLength(4);
  expect(await sendingOf(slow.id)).toBe(4);
});

test('forty concurrent claims never claim a delivery twice or exceed the limit of a webhook', async () => {
  const webhooks = [];
  for (let i = 0; i < 10; i++) webhooks.push(await waiting(30, { maxInFlight: 7 }));
  const claims = await Promise.all(Array.from({ length: 40 }, (_, i) => claim({ instanceId: i + 1, max: 9 })));
  const ids = claims.flat();
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toHaveLength(70);
  for (const webhook of webhooks) expect(await sendingOf(webhook.id)).toBe(7);
  console.log(`40 claims at once: ${ids.length} deliveries, none twice, 7 of each of 10 receivers`);
});

test('readClaimed returns what sending needs; releaseClaims restores the delivery', async () => {
  const webhook = await waiting(1, { previousSecret: Buffer.of(1), previousSecretUntil: LATER });
  const [id = 0] = await claim();
  const [claimed] = await readClaimed(database.db, 1, NOW, [id]);
  expect(claimed).toMatchObject({
    id,
    webhookId: webhook.id,
    attemptNo: 1,
    failures: 0,
    url: URL,
    kind: 'event',
  });
  expect(claimed?.previousSecret).toEqual(Buffer.of(1));
  expect(JSON.parse(claimed?.body ?? '')).toMatchObject({ event: 'redirect.created', data: { number: 0 } });
  expect((await readClaimed(database.db, 1, LATER, [id]))[0]?.previousSecret).toBeNull();
  expect(await readClaimed(database.db, 2, NOW, [id])).toEqual([]);
  await releaseClaims(database.db, 2, [id]);
  expect(await sendingOf(webhook.id)).toBe(1);
  await releaseClaims(database.db, 1, [id]);
  expect(await deliveriesOf(database, webhook.id)).toMatchObject([
    { state: 'pending', attempt_no: 0, locked_by: null, lease_until: null },
  ]);
});
