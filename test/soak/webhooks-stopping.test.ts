import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount } from '../../src/accounts/account.ts';
import { createApiKey } from '../../src/accounts/api-key.ts';
import { systemActor } from '../../src/accounts/system-actor.ts';
import { freePort } from '../../src/platform/postgres/server.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';
import { addWebhook, attemptsOf, deliveriesOf, publish } from '../support/dispatching.ts';
import { openWorkshop, type Workshop } from '../support/process.ts';
import { hang, startReceiver } from '../support/receiver.ts';

let database: FreshDatabase;
let workshop: Workshop;

beforeAll(async () => {
  database = await freshDatabase();
  workshop = openWorkshop();
});

afterAll(async () => {
  await workshop.clear();
  await database.close();
});

async function start() {
  const port = await freePort('127.0.0.1');
  const service = workshop.start({
    PORT: String(port),
    DATABASE_URL: database.url,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    WEBHOOK_EGRESS: 'private',
  });
  await service.ready;
  return service;
}

test('SIGTERM with receivers that hang: exit 0 within 10 s, no failures counted, everything sent by the next start', async () => {
  const { account } = await createAccount(database.db, { email: 'stop@example.com', plan: 'business' });
  const actor = systemActor(account);
  const receiver = await startReceiver({ reply: hang });
  const webhook = await addWebhook(database, actor, receiver.url);
  const service = await start();
  await publish(database, actor, 20);
  await receiver.got(8);
  const began = performance.now();
  service.signal('SIGTERM');
  const { code, stderr } = await service.ended;
  const ms = performance.now() - began;
  expect([code, stderr]).toEqual([0, '']);
  expect(ms).toBeLessThan(10_000);
  const rows = await deliveriesOf(database, webhook.id);
  expect(rows.map(({ state, failures }) => [state, failures])).toEqual(rows.map(() => ['pending', 0]));
  expect(await attemptsOf(database, rows[0]?.id ?? 0)).toMatchObject([{ outcome: 'interrupted' }]);
  receiver.reply(200);
  const next = await start();
  await receiver.got(28, 5_000);
  next.signal('SIGTERM');
  expect((await next.ended).code).toBe(0);
  const { rows: states } = await database.db.execute(sql`select distinct state from deliveries`);
  expect(states).toEqual([{ state: 'delivered' }]);
  await receiver.stop();
  console.log(`stopped after ${Math.round(ms)} ms with 8 attempts hanging`);
});

test('at SIGTERM, a test of a receiver that hangs ends as interrupted, without an error in the log', async () => {
  const { account } = await createAccount(database.db, { email: 'tested@example.com', plan: 'business' });
  const actor = systemActor(account);
  const { key } = await createApiKey(database.db, actor, { name: 'test' }, new Date('2026-11-21T12:00:00Z'));
  const receiver = await startReceiver({ reply: hang });
  const webhook = await addWebhook(database, actor, receiver.url);
  const service = await start();
  const answer = fetch(`${await service.ready}/api/webhooks/${webhook.id}/test`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
  });
  await receiver.got(1);
  service.signal('SIGTERM');
  const { status, body } = await answer.then(async (got) => ({ status: got.status, body: await got.json() }));
  expect([status, body]).toEqual([200, expect.objectContaining({ delivered: false, outcome: 'interrupted' })]);
  const { code, stderr } = await service.ended;
  expect([code, stderr]).toEqual([0, '']);
  await receiver.stop();
});
