import { afterAll, beforeAll, expect, test } from 'vitest';
import { reportHours } from '../../../src/analytics/hit-hours.ts';
import type { WriteBatch } from '../../../src/hits/counters/write-batches.ts';
import { HOURS_DAYS, writeWebsiteHours } from '../../../src/hits/store/website-hours.ts';
import { purgeHits } from '../../../src/hits/store/retention.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database.ts';

let database: FreshDatabase;
beforeAll(async () => (database = await freshDatabase()));
afterAll(() => database?.close());

const scope = { websiteId: 1, environment: 'production' as const };
const today = { days: ['2030-03-05'], daysBefore: ['2030-03-04'] };

/** Writes hits by humans, and one by a bot, for a day at a time. */
const count = (hits: number, day: string, at: string, websiteId = 1) =>
  database.db.transaction((tx) => {
    const sites = [{ websiteId, environment: 'production', hits, botHits: 1, assistantHits: 0 }];
    return writeWebsiteHours(tx, { day, sites } as unknown as WriteBatch, new Date(at));
  });
const stored = async () =>
  (
    await database.db.$client.query<{ at: string; hits: number }>(
      `select to_char(hour at time zone 'UTC', 'DD HH24:MI') as at, hits from website_hours where website_id = 1 order by 1`,
    )
  ).rows.map(({ at, hits }) => `${at} ${hits}`);

test('hits count in the hour of their write, those after midnight in the last one, and late reports in none', async () => {
  await count(2, '2030-03-04', '2030-03-04T07:00:00Z');
  await count(3, '2030-03-04', '2030-03-04T07:59:59Z');
  await count(4, '2030-03-04', '2030-03-05T00:00:01Z');
  await count(9, '2030-03-04', '2030-03-05T01:00:00Z');
  await count(5, '2030-03-05', '2030-03-05T07:10:00Z');
  await count(100, '2030-03-05', '2030-03-05T07:10:00Z', 2);
  expect(await stored()).toEqual(['04 07:00 5', '04 23:00 4', '05 07:00 5']);
});

test('a day has each hour until now with the same hour of the compared day', async () => {
  const hours = await reportHours(database.db, scope, today, new Date('2030-03-05T08:30:00Z'));
  expect(hours).toHaveLength(9);
  expect(hours?.slice(0, 3)).toEqual([
    { hour: new Date('2030-03-05T08:00:00Z'), hits: 0, previousHits: 0 },
    { hour: new Date('2030-03-05T07:00:00Z'), hits: 5, previousHits: 5 },
    { hour: new Date('2030-03-05T06:00:00Z'), hits: 0, previousHits: 0 },
  ]);
  const bots = await reportHours(
    database.db,
    { ...scope, filter: { agents: 'bots' } },
    today,
    new Date('2030-03-05T08:00:00Z'),
  );
  expect(bots?.[1]).toMatchObject({ hits: 1, previousHits: 2 });
});

test('a day that is over has 24 hours; longer and older periods, groups and countries have none', async () => {
  const now = new Date('2030-03-06T08:00:00Z');
  const report = (days: string[], more = {}) =>
    reportHours(database.db, { ...scope, ...more }, { days, daysBefore: ['2020-01-02'] }, now);
  const over = await report(['2030-03-05']);
  expect(over).toHaveLength(24);
  expect(over?.[0]).toEqual({ hour: new Date('2030-03-05T23:00:00Z'), hits: 0, previousHits: null });
  expect(await report(['2030-03-05', '2030-03-04'])).toBeNull();
  expect(await report(['2030-02-26'])).toBeNull();
  expect(await report(['2030-03-05'], { groupId: 'news' })).toBeNull();
  expect(await report(['2030-03-05'], { filter: { country: 'DE' } })).toBeNull();
});

test('hours are purged after their days, or after the retention if that is shorter', async () => {
  await purgeHits(database.db, new Date('2030-03-12T06:00:00Z'), 60);
  expect(HOURS_DAYS).toBe(8);
  expect(await stored()).toEqual(['04 07:00 5', '04 23:00 4', '05 07:00 5']);
  await purgeHits(database.db, new Date('2030-03-12T08:00:00Z'), 60);
  expect(await stored()).toEqual(['04 23:00 4', '05 07:00 5']);
  await purgeHits(database.db, new Date('2030-03-06T06:00:00Z'), 1);
  expect(await stored()).toEqual(['05 07:00 5']);
});
