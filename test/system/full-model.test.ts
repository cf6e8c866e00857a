/**
 * Random writes, imports, syncs, undos, deployments, rollbacks, promotions and times on two processes, against a plain
 * model: after each step everything that the service serves and says equals the model. A failure names its seed;
 * `MODEL_SEED=7` repeats it, and `MODEL_ROUNDS=100` searches longer.
 */
import { afterAll, beforeAll, test } from 'vitest';
import { testClock } from '../support/clock.ts';
import { startTestDetour, type TestDetour } from '../support/detour.ts';
import { checkAll } from '../support/full-model/checks.ts';
import { deploy, moveClock, promote, rollBack, settle, switchAutoDeploy } from '../support/full-model/deployments.ts';
import { MOMENTS, type Run, startRun } from '../support/full-model/run.ts';
import { undo } from '../support/full-model/undo.ts';
import {
  create,
  importCsv,
  importJson,
  type Publication,
  remove,
  removeMany,
  sync,
  update,
  updateMany,
} from '../support/full-model/writes.ts';

const STEPS = 50;
const FIRST_SEED = Number(process.env['MODEL_SEED'] ?? 20_261_123);
const ROUNDS = Number(process.env['MODEL_ROUNDS'] ?? 1);

const OPERATIONS: [weight: number, operation: (run: Run) => Promise<Publication[]>][] = [
  [10, create],
  [10, update],
  [4, remove],
  [4, updateMany],
  [2, removeMany],
  [6, importJson],
  [3, importCsv],
  [7, sync],
  [14, undo],
  [5, deploy],
  [4, rollBack],
  [3, promote],
  [1, switchAutoDeploy],
  [5, (run) => moveClock(run, MOMENTS)],
];
const WEIGHTED = OPERATIONS.flatMap(([weight, operation]) => Array.from({ length: weight }, () => operation));

const clock = testClock();
let detour: TestDetour;
let other: string;
beforeAll(async () => {
  detour = await startTestDetour({}, { clock });
  other = (await detour.another()).address;
});
afterAll(() => detour.stop());

test.each(Array.from({ length: ROUNDS }, (_, round) => FIRST_SEED + round))(
  'both processes serve and report what the model says (seed %i)',
  async (seed) => {
    const run = await startRun(detour, other, clock, seed);
    for (let step = 1; step <= STEPS; step++) {
      const operation = run.pick(WEIGHTED);
      run.trace.length = 0;
      try {
        await settle(run, await operation(run));
        await checkAll(run);
      } catch (error) {
        throw new Error(`step ${step}: ${operation.name}\n${run.trace.join('\n')}`, { cause: error });
      }
    }
  },
);
