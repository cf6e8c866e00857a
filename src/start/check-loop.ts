import type { Registry } from 'prom-client';
import { abandonClaims, type Claim, claimCheck } from '../checks/run/claim-check.ts';
import type { AnswerCount } from '../checks/run/run-check.ts';
import type { Db } from '../db/connection/client.ts';
import type { Jobs } from '../http/jobs.ts';
import type { Clock } from '../platform/clock.ts';
import { createLoop, type Loop } from '../platform/scheduling/loop.ts';
import { createCheckMetrics } from './check-metrics.ts';

const EVERY_MS = 1_000;
/** Checks that a process runs at a time. Each account has one. */
const MAX_CHECKS = 4;

interface CheckLoopDeps {
  db: Db;
  jobs: Pick<Jobs, 'runCheck'>;
  clock: Clock;
  committed: () => void;
  metrics: Registry;
}

/** Runs checks in the bulk thread. */
export function createCheckLoop(
  { db, jobs, clock, committed, metrics }: CheckLoopDeps,
  onError: (error: unknown) => void,
): Pick<Loop, 'start' | 'stop'> {
  const running = new Set<Claim>();
  const count = createCheckMetrics(metrics, { db, clock, running: () => running.size });
  let isStopping = false;

  async function run(claim: Claim): Promise<void> {
    running.add(claim);
    try {
      for await (const answers of jobs.runCheck(claim)) count(JSON.parse(answers.toString()) as AnswerCount[]);
    } catch (error) {
      if (!isStopping) onError(error);
    }
    running.delete(claim);
    // It may have stored an event.
    committed();
    if (!isStopping) loop.wake();
  }

  const loop = createLoop({
    name: 'running checks',
    everyMs: EVERY_MS,
    onError,
    async tick() {
      while (running.size < MAX_CHECKS) {
        const claim = await claimCheck(db, clock.now());
        if (!claim) return;
        void run(claim);
      }
    },
  });
  return {
    start: () => loop.start(),
    async stop() {
      isStopping = true;
      await loop.stop();
      if (running.size > 0) await abandonClaims(db, running);
    },
  };
}
