import { setImmediate as nextTick } from 'node:timers/promises';
import { stopwatch } from '../clock.ts';

const SLICE_MS = 3;

/** Bounds how long a loop over many items computes: `if (slice.isOver()) await slice.yield()` once per item. */
export type TimeSlice = ReturnType<typeof createTimeSlice>;

/**
 * Starts a time slice of `ms` milliseconds. A bound on time, because an item may cost a microsecond or a millisecond.
 */
export function createTimeSlice(ms = SLICE_MS) {
  let startedAt = stopwatch();
  return {
    isOver: () => stopwatch() - startedAt > ms,
    async yield() {
      await nextTick();
      startedAt = stopwatch();
    },
  };
}

/** Runs a generator to its end, and yields to the event loop between steps when a slice is over. Returns its result. */
export async function runInSlices<T>(steps: Generator<unknown, T, undefined>, slice = createTimeSlice()): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (slice.isOver()) await slice.yield();
  }
}
