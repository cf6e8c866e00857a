import { setTimeout as pause } from 'node:timers/promises';
import { createTimeSlice, type TimeSlice } from './time-slice.ts';

const POLL_MS = 30;
/** Background work goes on after this time, with one slice per pause: a tenth of the thread. */
const MAX_WAIT_MS = 10_000;

/** Background work of a thread waits for the jobs of callers. */
export type Precedence = ReturnType<typeof createPrecedence>;

export function createPrecedence(maxWaitMs = MAX_WAIT_MS) {
  let running = 0;
  return {
    /** Runs the work of a caller. */
    async run<T>(work: () => Promise<T>): Promise<T> {
      running++;
      try {
        return await work();
      } finally {
        running--;
      }
    },
    /**
     * The time slice of one background job. It yields until no other work runs, at most 10 s over all its yields.
     * After that, each yield lasts a pause beside other work.
     */
    backgroundSlice(): TimeSlice {
      const slice = createTimeSlice();
      let waitedMs = 0;
      return {
        isOver: slice.isOver,
        async yield() {
          while (running > 0) {
            await pause(POLL_MS);
            waitedMs += POLL_MS;
            if (waitedMs >= maxWaitMs) break;
          }
          await slice.yield();
        },
      };
    },
  };
}
