import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { withClient } from '../../../src/db/client.ts';
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
  await database.db.execute(sql`truncate deliveries, attempts, events, webhooks`);
});

afterAll(() => database.close());

async function partitions(table: string): Promise<string[]> {
  const { rows } = await database.db.execute<{ name: string }>(sql`
    select inhrelid::regclass::text as name from pg_inherits where inhparent = ${table}::regclass order by 1`);
  return rows.map(({ name }) => name);
}

test('days of events and attempts older than the retention are dropped whole, also those without a partition', async () => {
  const actor = await openAccount(database);
  for (const days of [40, 31, 30, 0]) await publish(database, actor, 2, daysAgo(days));
  await publish(database, actor, 3, daysAgo(400));
  await database.db
    .execute(sql`insert into attempts (day, delivery_id, attempt_no, started_at, duration_ms, outcome)
    values ('2030-04-14', 1, 1, '2030-04-14T00:00:00Z', 1, 'delivered'), ('2030-04-15', 2, 1, '2030-04-15T00:00:00Z', 1, 'delivered')`);
  const before = (await partitions('events')).length;
  await purgeWebhooks(database.db, NOW, 30);
  const { rows } = await database.db.execute<{ day: string; n: number }>(
    sql`select day::text, count(*)::int as n from events group by day order by day`,
  );
  expect(rows).toEqual([
    { day: '2030-04-15', n: 2 },
    { day: '2030-05-15', n: 2 },
  ]);
  const { rows: attempts } = await database.db.execute(sql`select delivery_id from attempts`);
  expect(attempts).toEqual([{ delivery_id: 2 }]);
  const after = await partitions('events');
  expect(after.length).toBeLessThan(before);
  expect(after.filter((name) => /events_\d/.test(name))[0]).toBe('events_20300415');
  expect((await partitions('attempts')).filter((name) => /_\d/.test(name))[0]).toBe('attempts_20300415');
});

test('what still waits of such a day fails as expired; what is finished goes with its day; the rest stays', async () => {
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

test('leftovers of deleted webhooks are canceled, spent secrets removed, and a receiver that gets nothing new is deactivated in time', async () => {
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

test('a day that somebody is reading is left for the next time instead of holding up everybody behind it', async () => {
  const actor = await openAccount(database);
  await createDailyPartitions(database.db, daysAgo(40));
  await publish(database, actor, 1, daysAgo(40));
  await withClient(database.db, async (client) => {
    await client.query('begin');
    await client.query('select count(*) from events');
    await expect(purgeWebhooks(database.db, NOW, 30)).rejects.toThrow();
    await client.query('rollback');
  });
  await purgeWebhooks(database.db, NOW, 30);
  const { rows } = await database.db.execute<{ n: number }>(sql`select count(*)::int as n from events`);
  expect(rows[0]?.n).toBe(0);
});
