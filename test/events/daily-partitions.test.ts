import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount } from '../../src/accounts/account.ts';
import { systemActor } from '../../src/accounts/system-actor.ts';
import { createDailyPartitions } from '../../src/events/daily-partitions.ts';
import { publishEvents } from '../../src/events/outbox.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';

let database: FreshDatabase;

beforeAll(async () => {
  database = await freshDatabase();
});

afterAll(() => database.close());

async function partitionOf(day: string): Promise<string | undefined> {
  const { rows } = await database.db.execute<{ name: string }>(
    sql`select distinct tableoid::regclass::text as name from events where day = ${day}::date`,
  );
  return rows[0]?.name;
}

test('an event lies in its day, and one that came before its day was made neither is lost nor keeps the days from being made', async () => {
  const { account } = await createAccount(database.db, { email: 'days@example.com', plan: 'business' });
  const actor = systemActor(account);
  const event = { event: 'redirect.created' as const, websiteId: null, data: {} };
  await publishEvents(database.db, actor, new Date('2031-05-02T23:59:59Z'), [event]);
  expect(await partitionOf('2031-05-02')).toBe('events_default');

  await createDailyPartitions(database.db, new Date('2031-05-03T00:00:01Z'));
  await createDailyPartitions(database.db, new Date('2031-05-03T00:00:01Z'));
  await publishEvents(database.db, actor, new Date('2031-05-03T00:00:02Z'), [event]);
  expect(await partitionOf('2031-05-03')).toBe('events_20310503');
  expect(await partitionOf('2031-05-02')).toBe('events_default');
});
