/** The cost of a write must not depend on the planner's statistics, which do not know a day that has just begun. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { HitAggregator } from '../../src/hits/record/worker-client.ts';
import { DAY_MS } from '../../src/platform/clock.ts';
import { createMonthlyPartitions } from '../../src/hits/store/monthly-partitions.ts';
import { createVisitors } from '../../src/hits/count/visitor.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';
import { hitRequest, localAggregator } from '../support/hits.ts';

const REDIRECTS = 5_000;
const TENTH = Date.UTC(2030, 4, 10, 12);

let database: FreshDatabase;
let aggregator: HitAggregator;

beforeAll(async () => {
  database = await freshDatabase();
  await createMonthlyPartitions(database.db, '2030-05-01');
  await database.db.$client.query('alter table redirect_hits_203005 set (autovacuum_enabled = off)');
  aggregator = localAggregator({
    db: database.db,
    visitors: createVisitors(Buffer.alloc(16, 1), () => 'DE'),
  });
});
afterAll(() => database?.close());

/** Writes hits of every redirect by `visitors` visitors. Returns the duration in milliseconds. */
async function write(at: number, visitors: number): Promise<number> {
  for (let visitor = 0; visitor < visitors; visitor++)
    for (let redirectId = 1; redirectId <= REDIRECTS; redirectId++)
      aggregator.count(hitRequest({ websiteId: 1, redirectId, address: `192.0.2.${visitor}` }), at);
  const began = performance.now();
  await aggregator.write(new Date(at));
  return performance.now() - began;
}

test.each([
  ['one visitor', 1],
  ['two visitors', 2],
])('updating redirects with %s each on a day without statistics is as fast as inserting them', async (_, visitors) => {
  const { $client } = database.db;
  await $client.query('truncate redirect_hits');
  for (let day = 9; day > 0; day--) await write(TENTH - day * DAY_MS, visitors);
  await $client.query('analyze redirect_hits_203005');
  const first = await write(TENTH, visitors);
  const again = await write(TENTH, visitors);
  // A plan that compares each row with each takes 30 to 60 times as long.
  expect(again / first).toBeLessThan(8);
});
