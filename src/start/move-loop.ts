import type { Db } from '../db/connection/client.ts';
import type { Jobs } from '../http/jobs.ts';
import { abandonClaim, type Claim, claimMove } from '../moves/match/claim-move.ts';
import { createLoop, type Loop } from '../platform/scheduling/loop.ts';

const EVERY_MS = 1_000;
/** A tick waits for the index of a move, which other builds of the process may delay. */
const MAX_TICK_MS = 1_800_000;

/** Computes the suggestions of moves in the bulk thread, some seconds of a move at a time. */
export function createMoveLoop(
  db: Db,
  jobs: Pick<Jobs, 'matchMove'>,
  onError: (error: unknown) => void,
): Pick<Loop, 'start' | 'stop'> {
  let claim: Claim | undefined;
  const loop = createLoop({
    name: 'matching moves',
    everyMs: EVERY_MS,
    maxTickMs: MAX_TICK_MS,
    onError,
    async tick() {
      claim = await claimMove(db);
      if (!claim) return;
      await jobs.matchMove(claim);
      loop.wake();
    },
  });
  return {
    start: () => loop.start(),
    async stop() {
      const stopped = loop.stop();
      if (claim) await abandonClaim(db, claim);
      await stopped;
    },
  };
}
