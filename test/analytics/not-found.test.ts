/** The inbox of unmatched paths while the recorder writes to it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ignorePaths } from '../../src/analytics/not-found.ts';
import { openDatabase } from '../../src/db/connection/client.ts';
import { createHitRecorder } from '../../src/hits/record/recorder.ts';
import { createVisitors } from '../../src/hits/count/visitor.ts';
import type { Actor } from '../../src/vocabulary/actor.ts';
import { sharedTestDetour, type TestDetour } from '../support/detour.ts';
import { testClock } from '../support/clock.ts';
import { hitRequest, localAggregator } from '../support/hits.ts';
import { createSite } from '../support/site.ts';

let detour: TestDetour;
beforeAll(async () => {
  detour = await sharedTestDetour();
});
afterAll(() => detour.stop());

test('ignoring many paths in different orders while they are counted causes no deadlock', async () => {
  const owner = await detour.account('pro');
  const websiteId = await createSite(owner, []);
  const { rows } = await detour.db.$client.query<{ account_id: number }>(
    'select account_id from websites where id = $1',
    [websiteId],
  );
  const actor: Actor = {
    type: 'system',
    id: '',
    name: 'system',
    accountId: rows[0]?.account_id ?? 0,
    plan: 'pro',
    role: null,
    scope: null,
  };
  const clock = testClock();
  const db = openDatabase(detour.url, { max: 8 });
  const hits = createHitRecorder({
    aggregator: localAggregator({ db, visitors: createVisitors(Buffer.alloc(16, 1), () => '') }),
    clock,
    onError: (error) => {
      throw error;
    },
  });
  const paths = Array.from({ length: 900 }, (_, i) => `/page-${(i * 7919) % 900}`);
  const backwards = paths.toReversed();
  const visit = (path: string): void => hits.record(hitRequest({ websiteId, redirectId: null, path }));
  paths.forEach(visit);
  await hits.flush();
  const ignore = (some: string[], ignored: boolean): Promise<number> =>
    ignorePaths(db, actor, { websiteId, paths: some, ignored }, clock.now());
  for (let round = 0; round < 12; round++) {
    (round % 2 === 0 ? backwards : paths).forEach(visit);
    const counts = await Promise.all([
      hits.flush().then(() => 900),
      ignore(paths, true),
      ignore(backwards, false),
      ignore(backwards.slice(0, 800), true),
    ]);
    expect(counts).toEqual([900, 900, 900, 800]);
  }
  await db.$client.end();
});
