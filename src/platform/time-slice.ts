import { setImmediate as nextTick } from 'node:timers/promises';
import { stopwatch } from './clock.ts';

const SLICE_MS = 3;

/** Bounds how long a loop over many items computes: `if (slice.isOver()) await slice.yield()` once per item. */
export interface TimeSlice {
  isOver(): boolean;
  /** Yields to the event loop, then starts the next slice. */
  yield(): Promise<void>;
}

/**
 * Starts a time slice of `ms` milliseconds. A bound on time, because an item may cost a microsecond or a millisecond.
 */
export function createTimeSlice(ms = SLICE_MS): TimeSlice {
  let startedAt = stopwatch();
  return {
    isOver: () => stopwatch() - startedAt > ms,
    async yield() {
      await nextTick();
      startedAt = stopwatch();
    },
  };
}
