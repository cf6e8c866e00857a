import { setImmediate as nextTick } from 'node:timers/promises';
import { stopwatch } from '../clock.ts';

const SLICE_MS = 3;
/** A look at the clock takes 60 ns. After items that took less than 0.1 ms, the next 15 do without one. */
const CHEAP_MS = 0.1;
const CHEAP_ITEMS = 16;

/** Bounds how long a loop over many items computes: `if (slice.isOver()) await slice.yield()` once per item. */
export type TimeSlice = ReturnType<typeof createTimeSlice>;

/**
 * Starts a time slice of `ms` milliseconds. A bound on time, because an item may cost a microsecond or a millisecond.
 */
export function createTimeSlice(ms = SLICE_MS) {
  let startedAt = stopwatch();
  /** of the last look at the clock; the first one is behind no item */
  let lookedAt = -Infinity;
  /** calls that do without one */
  let toSkip = 0;
  return {
    isOver(): boolean {
      if (toSkip > 0) {
        toSkip--;
        return false;
      }
      const now = stopwatch();
      toSkip = now - lookedAt < CHEAP_MS ? CHEAP_ITEMS - 1 : 0;
      lookedAt = now;
      return now - startedAt > ms;
    },
    async yield() {
      await nextTick();
      startedAt = stopwatch();
      lookedAt = startedAt;
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
