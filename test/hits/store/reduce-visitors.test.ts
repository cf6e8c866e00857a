/** When a day is over, no hash of a visitor stays in the database. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readSetting, writeSetting } from '../../../src/db/settings.ts';
import { createVisitors, FORMER_KEY_SETTING } from '../../../src/hits/count/visitor.ts';
import { readHitSummary } from '../../../src/hits/report/hit-summary.ts';
import { createMonthlyPartitions } from '../../../src/hits/store/monthly-partitions.ts';
import { reduceVisitors } from '../../../src/hits/store/reduce-visitors.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database.ts';
import { hitRequest, localAggregator } from '../../support/hits.ts';

const at = (time: string): Date => new Date(`2030-05-${time}Z`);

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
  await createMonthlyPartitions(database.db, '2030-05-01');
  await createMonthlyPartitions(database.db, '2030-06-01');
});
beforeEach(() => database.db.$client.query(`truncate redirect_hits, website_hits, settings`));
afterAll(() => database?.close());

/** Counts `visitors` visitors of each redirect, and writes them at `now`. */
async function visit(day: Date, now: Date, { redirects = 1, visitors = 1 } = {}): Promise<void> {
  const aggregator = localAggregator({
    db: database.db,
    visitors: createVisitors(Buffer.alloc(16, 1), () => 'DE'),
  });
  for (let redirectId = 1; redirectId <= redirects; redirectId++)
    for (let visitor = 0; visitor < visitors; visitor++)
      aggregator.count(
        hitRequest({ websiteId: 1, redirectId, address: `192.0.${redirectId % 250}.${visitor}` }),
        day.getTime(),
      );
  await aggregator.write(now);
}

async function reduceAll(now: Date): Promise<number> {
  let batches = 0;
  while (await reduceVisitors(database.db, now)) batches++;
  return batches;
}

/** The days that have lists of hashes. */
async function daysWithHashes(): Promise<string[]> {
  const { rows } = await database.db.$client.query<{ day: string }>(`
    select distinct day::text from (
      select day, visitors from redirect_hits union all select day, visitors from website_hits) h
    where visitors <> '' and get_byte(visitors, 0) = 1 order by day`);
  return rows.map(({ day }) => day);
}

const uniques = async (redirectId?: number, to = '2030-05-31'): Promise<number> => {
  const of = { websiteId: 1, environment: 'production', ...(redirectId && { redirectId }) } as const;
  return (await readHitSummary(database.db, of, { from: '2030-05-01', to })).uniqueVisitors;
};

test('hashes stay until two hours after their day, and are registers then', async () => {
  await visit(at('10T12:00:00'), at('10T12:00:01'), { redirects: 3, visitors: 60 });
  await visit(at('11T00:10:00'), at('11T00:10:01'), { redirects: 3, visitors: 60 });
  await reduceAll(at('11T01:59:59'));
  expect(await daysWithHashes()).toEqual(['2030-05-10', '2030-05-11']);
  await reduceAll(at('11T02:00:00'));
  expect(await daysWithHashes()).toEqual(['2030-05-11']);
});

test('counts of visitors stay within the stated error, of a day and of several', async () => {
  await visit(at('10T12:00:00'), at('10T12:00:01'), { redirects: 10, visitors: 64 });
  await visit(at('11T12:00:00'), at('11T12:00:01'), { redirects: 10, visitors: 64 });
  expect([await uniques(1), await uniques()]).toEqual([64, 640]);
  await reduceAll(at('12T03:00:00'));
  expect(await daysWithHashes()).toEqual([]);
  expect(Math.abs((await uniques(1)) - 64)).toBeLessThanOrEqual(1);
  expect(Math.abs((await uniques()) - 640)).toBeLessThanOrEqual(13);
});

test('hits that are written late add no hashes, to a new row and to one that is there', async () => {
  await visit(at('10T12:00:00'), at('10T12:00:01'));
  await reduceAll(at('11T03:00:00'));
  await visit(at('10T23:00:00'), at('11T03:00:01'), { redirects: 2, visitors: 2 });
  expect(await daysWithHashes()).toEqual([]);
  expect([await uniques(1), await uniques(2)]).toEqual([2, 2]);
});

test('many rows are reduced in several transactions, and two processes share them', async () => {
  await visit(at('10T12:00:00'), at('10T12:00:01'), { redirects: 20_000 });
  const batches = await Promise.all([reduceAll(at('11T03:00:00')), reduceAll(at('11T03:00:00'))]);
  await reduceAll(at('11T03:00:00'));
  expect(Math.max(...batches)).toBeGreaterThan(1);
  expect(await daysWithHashes()).toEqual([]);
  expect(await reduceVisitors(database.db, at('11T04:00:00'))).toBe(false);
});

test('the key of earlier versions is removed with the second day that is over', async () => {
  await writeSetting(database.db, FORMER_KEY_SETTING, 'AAAA');
  await visit(at('10T12:00:00'), at('10T12:00:01'));
  await reduceAll(at('10T12:00:02'));
  expect(await readSetting(database.db, FORMER_KEY_SETTING)).toBe('AAAA');
  await reduceAll(at('11T03:00:00'));
  expect(await readSetting(database.db, FORMER_KEY_SETTING)).toBeUndefined();
});
