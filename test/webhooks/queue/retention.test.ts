import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createDailyPartitions } from '../../../src/events/daily-partitions.ts';
import { purgeWebhooks } from '../../../src/webhooks/queue/retention.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database.ts';
import { addWebhook, deliveriesOf, openAccount, publish } from '../../support/dispatching.ts';

const URL = 'http://127.0.0.1:9/';
const DAY_MS = 86_400_000;
const NOW = new Date('2030-05-15T12:00:01.000Z');

const daysAgo = (days: number): Date => new Date(NOW.getTime() - days * DAY_MS);

let database: FreshDatabase;

beforeAll(async () => {
  database = await freshDatabase();
  for (const days of [45, 37, 31, 30, 22, 14, 7, 0]) await createDailyPartitions(database.db, daysAgo(days));
});

afterEach(async () => {
  await database.db.execute(sql`truncate deliveries, attempts, events, webhooks cascade`);
});

afterAll(() => database.close());

test('pending deliveries of old events fail as expired, old finished ones are deleted, and the rest stays', async () => {
  const actor = await openAccount(database);
  const webhook = await addWebhook(database, actor, URL);
  await publish(database, actor, 2_500, daysAgo(31));
  await publish(database, actor, 1, daysAgo(30));
  await purgeWebhooks(database.db, NOW, 30);
  const rows = await deliveriesOf(database, webhook.id);
  expect(
    rows.filter(({ state, last_error: error }) => state === 'failed' && /^expired/.test(error ?? '')),
  ).toHaveLength(2_500);
  expect(rows.filter(({ state }) => state === 'pending')).toHaveLength(1);
  await purgeWebhooks(database.db, new Date(NOW.getTime() + 30 * DAY_MS), 30);
  expect((await deliveriesOf(database, webhook.id)).map(({ state }) => state)).toContain('failed');
  await purgeWebhooks(database.db, new Date(NOW.getTime() + 62 * DAY_MS), 30);
  expect(await deliveriesOf(database, webhook.id)).toEqual([]);
  await createDailyPartitions(database.db, NOW);
});

test('cancels deliveries of deleted webhooks, removes expired secrets, and deactivates a failing receiver that gets no new events', async () => {
  const actor = await openAccount(database);
  const gone = await addWebhook(database, actor, URL);
  const spent = { failStreak: 18, exhausted: true };
  const over = await addWebhook(database, actor, URL, { ...spent, failingSince: daysAgo(8) });
  const almost = await addWebhook(database, actor, URL, {
    ...spent,
    failingSince: new Date(daysAgo(8).getTime() + 1),
  });
  const rotated = await addWebhook(database, actor, URL, {
    previousSecret: Buffer.of(1),
    previousSecretUntil: NOW,
    signWith: 'previous',
  });
  await publish(database, actor, 1, NOW);
  await database.db.execute(sql`delete from webhooks where id = ${gone.id}`);
  await purgeWebhooks(database.db, NOW, 30);
  expect((await deliveriesOf(database, gone.id)).map(({ state }) => state)).toEqual(['canceled']);
  const { rows } = await database.db.execute<Record<string, unknown>>(
    sql`select id, is_active, deactivated_reason, previous_secret, sign_with from webhooks`,
  );
  const row = (id: string) => rows.find((one) => one['id'] === id);
  expect(row(over.id)).toMatchObject({ is_active: false, deactivated_reason: 'failing' });
  expect(row(almost.id)).toMatchObject({ is_active: true });
  expect(row(rotated.id)).toMatchObject({ previous_secret: null, sign_with: 'current' });
});
