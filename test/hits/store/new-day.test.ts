/** The planner's statistics know no day that has just begun: what a writing costs must not hang on them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAggregator, type HitAggregator } from '../../../src/hits/count/aggregator.ts';
import { createMonthlyPartitions } from '../../../src/hits/store/monthly-partitions.ts';
import { createVisitors } from '../../../src/hits/count/visitor.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database.ts';
import { BROWSER } from '../../support/hit-traffic.ts';

const REDIRECTS = 5_000;
const DAY_MS = 86_400_000;
const TENTH = Date.UTC(2030, 4, 10, 12);

let database: FreshDatabase;
let ledger: HitAggregator;

beforeAll(async () => {
  database = await freshDatabase();
  await createMonthlyPartitions(database.db, '2030-05-01');
  await database.db.$client.query('alter table redirect_hits_203005 set (autovacuum_enabled = off)');
  ledger = createAggregator({ db: database.db, visitors: createVisitors(Buffer.alloc(16, 1), () => 'DE') });
});
afterAll(() => database?.close());

/** A second in which each redirect is followed by so many. Answers how long its writing took, in milliseconds. */
async function write(at: number, visitors: number): Promise<number> {
  for (let visitor = 0; visitor < visitors; visitor++)
    for (let redirectId = 1; redirectId <= REDIRECTS; redirectId++)
      ledger.count(
        {
          websiteId: 1,
          environment: 'production',
          redirectId,
          path: '/',
          micros: 1,
          address: `192.0.2.${visitor}`,
          userAgent: BROWSER,
          country: undefined,
          referrer: undefined,
        },
        at,
      );
  const began = performance.now();
  await ledger.write(new Date(at));
  return performance.now() - began;
}

test.each([
  ['by one visitor each', 1],
  ['by several each', 2],
])(
  'redirects followed again on a day without statistics, %s, are written as fast as at first',
  async (_, visitors) => {
    const { $client } = database.db;
    await $client.query('truncate redirect_hits');
    for (let day = 9; day > 0; day--) await write(TENTH - day * DAY_MS, visitors);
    await $client.query('analyze redirect_hits_203005');
    const first = await write(TENTH, visitors);
    const again = await write(TENTH, visitors);
    // By a plan that compares each with each, it was 30 to 60 times as long.
    expect(again / first).toBeLessThan(8);
  },
);
