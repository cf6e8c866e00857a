import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { withClient } from '../../src/db/connection/client.ts';
import { createDailyPartitions, dropOldPartitions } from '../../src/events/daily-partitions.ts';
import { DAY_MS } from '../../src/platform/clock.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';
import { openAccount, publish } from '../support/dispatching.ts';

const NOW = new Date('2030-05-15T12:00:01.000Z');

const daysAgo = (days: number): Date => new Date(NOW.getTime() - days * DAY_MS);

let database: FreshDatabase;

beforeAll(async () => {
  database = await freshDatabase();
});

afterEach(async () => {
  await database.db.execute(sql`truncate deliveries, attempts, events, webhooks cascade`);
});

afterAll(() => database.close());

async function partitionOf(day: string): Promise<string | undefined> {
  const { rows } = await database.db.execute<{ name: string }>(
    sql`select distinct tableoid::regclass::text as name from events where day = ${day}::date`,
  );
  return rows[0]?.name;
}

test('stores an event in the partition of its day, or in the default one if that partition does not exist', async () => {
  const actor = await openAccount(database);
  await publish(database, actor, 1, new Date('2031-05-02T23:59:59Z'));
  expect(await partitionOf('2031-05-02')).toBe('events_default');

  await createDailyPartitions(database.db, new Date('2031-05-03T00:00:01Z'));
  await createDailyPartitions(database.db, new Date('2031-05-03T00:00:01Z'));
  await publish(database, actor, 1, new Date('2031-05-03T00:00:02Z'));
  expect(await partitionOf('2031-05-03')).toBe('events_20310503');
  expect(await partitionOf('2031-05-02')).toBe('events_default');
});

test('concurrent calls create the partitions of a day once, and a later call locks no table', async () => {
  await Promise.all(
    Array.from({ length: 5 }, () => createDailyPartitions(database.db, new Date('2032-01-01T00:00:00Z'))),
  );
  const { rows } = await database.db.execute<{ name: string }>(
    sql`select relname as name from pg_class where relname ~ '^(events|attempts)_(2031123|203201)' and relkind = 'r'`,
  );
  expect(rows).toHaveLength(2 * 9);
  await database.db.transaction(async (tx) => {
    await tx.execute(sql`lock table events, attempts in access exclusive mode`);
    await createDailyPartitions(database.db, new Date('2032-01-01T00:00:00Z'));
  });
});

describe('dropOldPartitions', () => {
  beforeAll(async () => {
    for (const days of [45, 37, 31, 30, 22, 14, 7, 0]) await createDailyPartitions(database.db, daysAgo(days));
  });

  async function partitions(table: string): Promise<string[]> {
    const { rows } = await database.db.execute<{ name: string }>(sql`
    select inhrelid::regclass::text as name from pg_inherits where inhparent = ${table}::regclass order by 1`);
    return rows.map(({ name }) => name);
  }

  test('drops the days of events and attempts that are older than the retention, in the default partition too', async () => {
    const actor = await openAccount(database);
    for (const days of [40, 31, 30, 0]) await publish(database, actor, 2, daysAgo(days));
    await publish(database, actor, 3, daysAgo(400));
    await database.db.execute(sql`insert into attempts (day, delivery_id, attempt_no, started_at, duration_ms, outcome)
    values ('2030-04-14', 1, 1, '2030-04-14T00:00:00Z', 1, 'delivered'), ('2030-04-15', 2, 1, '2030-04-15T00:00:00Z', 1, 'delivered')`);
    const before = (await partitions('events')).length;
    await dropOldPartitions(database.db, NOW, 30);
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

  test('leaves a day that a query is reading to the next run, so that other queries do not queue behind the drop', async () => {
    const actor = await openAccount(database);
    await createDailyPartitions(database.db, daysAgo(40));
    await publish(database, actor, 1, daysAgo(40));
    await withClient(database.db, async (client) => {
      await client.query('begin');
      await client.query('select count(*) from events');
      await expect(dropOldPartitions(database.db, NOW, 30)).rejects.toThrow();
      await client.query('rollback');
    });
    await dropOldPartitions(database.db, NOW, 30);
    const { rows } = await database.db.execute<{ n: number }>(sql`select count(*)::int as n from events`);
    expect(rows[0]?.n).toBe(0);
  });
});
