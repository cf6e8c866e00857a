import type { Db } from '../db/connection/client.ts';
import { renewResults } from '../expectations/renew-results.ts';
import type { Jobs } from '../http/jobs.ts';
import { createLoop, type Loop } from '../platform/scheduling/loop.ts';

const EVERY_MS = 3_000;

/** Runs expectations whose results are outdated in the bulk thread, those of one environment at a time. */
export function createExpectationLoop(
  db: Db,
  jobs: Pick<Jobs, 'runExpectations'>,
  onError: (error: unknown) => void,
): Loop {
  const loop = createLoop({
    name: 'running expectations',
    everyMs: EVERY_MS,
    maxTickMs: 600_000,
    onError,
    async tick() {
      const hasRun = await renewResults(db, async (actor, place) => {
        // The results are stored. The response has no reader.
        for await (const _chunk of jobs.runExpectations(actor, { ...place, against: 'live' }));
      });
      if (hasRun) loop.wake();
    },
  });
  return loop;
}
