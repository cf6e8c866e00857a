/** Periodic work on URLs and expectations. What grows with the number of rules runs in the bulk thread. */
import type { Db } from '../db/connection/client.ts';
import type { Jobs } from '../http/jobs.ts';
import { renewResults } from '../expectations/renew-results.ts';
import { createLoop, type Loop } from '../platform/scheduling/loop.ts';
import { dueWebsite } from '../urls/fetch-sitemaps.ts';
import { hasNewRules } from '../urls/known-from-rules.ts';
import { addKnownFromVisitors } from '../urls/known-from-visitors.ts';

/** URLs that rules and visitors name are there within a minute. */
const KNOWN_MS = 20_000;
const FETCH_MS = 300_000;
/** Results are those of the live version within seconds, and follow schedules within a minute. */
const RESULTS_MS = 3_000;
const TICKS_OF_SEARCH = 20;
const MAX_TICK_MS = 1_800_000;

export function createUrlLoops(
  db: Db,
  jobs: Pick<Jobs, 'addKnownUrls' | 'fetchUrls' | 'runExpectations'>,
  onError: (error: unknown) => void,
): Loop[] {
  const known = createLoop({
    name: 'adding known URLs',
    everyMs: KNOWN_MS,
    maxTickMs: MAX_TICK_MS,
    onError,
    async tick() {
      const areMore = await addKnownFromVisitors(db);
      const areMoreRules = (await hasNewRules(db)) && (await jobs.addKnownUrls());
      if (areMore || areMoreRules) known.wake();
    },
  });
  const sitemaps = createLoop({
    name: 'fetching sitemaps',
    everyMs: FETCH_MS,
    maxTickMs: MAX_TICK_MS,
    onError,
    async tick() {
      // One at a time: the start of a fetch tells other processes that the website is not due any more.
      const due = await dueWebsite(db);
      if (!due) return;
      await jobs.fetchUrls(due.actor, { websiteId: due.websiteId });
      sitemaps.wake();
    },
  });
  let ticks = 0;
  const results = createLoop({
    name: 'running expectations',
    everyMs: RESULTS_MS,
    maxTickMs: MAX_TICK_MS,
    onError,
    async tick() {
      const searchesAll = ticks++ % TICKS_OF_SEARCH === 0;
      const hasRun = await renewResults(db, searchesAll, async (actor, place) => {
        // The results are stored. The response has no reader.
        for await (const _chunk of jobs.runExpectations(actor, { ...place, against: 'live' }));
      });
      if (!hasRun) return;
      // More of what only such a search finds may wait.
      if (searchesAll) ticks = 0;
      results.wake();
    },
  });
  return [known, sitemaps, results];
}
