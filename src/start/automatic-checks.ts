import { dueStarts } from '../checks/automatic/due-starts.ts';
import type { Db } from '../db/connection/client.ts';
import type { Jobs } from '../http/jobs.ts';
import type { Clock } from '../platform/clock.ts';
import { createLoop, type Loop } from '../platform/scheduling/loop.ts';
import { DomainError } from '../vocabulary/error.ts';

const EVERY_MS = 15_000;
const MAX_TICK_MS = 600_000;
/** The start is tried again. Or the website is gone. */
const WAITS = new Set(['CHECK_RUNNING', 'PLAN_LIMIT_EXCEEDED', 'BUSY', 'WEBSITE_NOT_FOUND']);

interface AutomaticDeps {
  db: Db;
  jobs: Pick<Jobs, 'startCheck'>;
  clock: Clock;
}

/** Starts the checks that are due by schedules and deployments. Several processes may do so: each starts once. */
export function createAutomaticChecks(deps: AutomaticDeps, onError: (error: unknown) => void): Loop {
  return createLoop({
    name: 'starting checks',
    everyMs: EVERY_MS,
    maxTickMs: MAX_TICK_MS,
    onError,
    tick: () => startDueChecks(deps, onError),
  });
}

/** One tick. One start that fails holds no other one up. */
export async function startDueChecks(
  { db, jobs, clock }: AutomaticDeps,
  onError: (error: unknown) => void,
): Promise<void> {
  for (const { actor, start } of await dueStarts(db, clock.now())) {
    try {
      await jobs.startCheck(actor, start);
    } catch (error) {
      if (!(error instanceof DomainError && WAITS.has(error.code))) onError(error);
    }
  }
}
