/** The inbox of paths that nobody serves, while it is being written. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ignorePaths } from '../../src/analytics/not-found.ts';
import { openDatabase } from '../../src/db/client.ts';
import { createAggregator } from '../../src/hits/count/aggregator.ts';
import { createHitRecorder } from '../../src/hits/record/recorder.ts';
import { createVisitors } from '../../src/hits/count/visitor.ts';
import type { Actor } from '../../src/vocabulary/actor.ts';
import { startTestDetour, type TestDetour } from '../support/detour.ts';
import { testClock } from '../support/clock.ts';
import { createSite } from '../support/site.ts';

let detour: TestDetour;
beforeAll(async () => {
  detour = await startTestDetour();
});
afterAll(() => detour.stop());

test('putting many paths aside, in any order, and counting on with them break no transaction', async () => {
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
    ledger: createAggregator({ db, visitors: createVisitors(Buffer.alloc(16, 1), () => '') }),
    clock,
    onError: (error) => {
      throw error;
    },
  });
  const paths = Array.from({ length: 900 }, (_, i) => `/page-${(i * 7919) % 900}`);
  const backwards = paths.toReversed();
  const visit = (path: string): void =>
    hits.record({
      websiteId,
      environment: 'production',
      redirectId: null,
      path,
      micros: 10,
      address: '192.0.2.1',
      userAgent: 'Mozilla/5.0 (X11; Linux x64; rv:140.0) Gecko/20100101 Firefox/140.0',
      country: undefined,
      referrer: undefined,
    });
  paths.forEach(visit);
  await hits.flush();
  const aside = (these: string[], ignored: boolean): Promise<number> =>
    ignorePaths(db, actor, { websiteId, paths: these, ignored }, clock.now());
  for (let round = 0; round < 12; round++) {
    (round % 2 === 0 ? backwards : paths).forEach(visit);
    const counts = await Promise.all([
      hits.flush().then(() => 900),
      aside(paths, true),
      aside(backwards, false),
      aside(backwards.slice(0, 800), true),
    ]);
    expect(counts).toEqual([900, 900, 900, 800]);
  }
  await db.$client.end();
});
