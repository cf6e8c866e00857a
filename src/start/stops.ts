import { stopwatch } from '../platform/clock.ts';

/** Functions that stop what was started, in the order of the starts. */
export interface Stops {
  /** `stop` receives the milliseconds since the stop signal. */
  add(stop: (elapsedMs: number) => Promise<unknown>): void;
  /** Stops everything, the last added first. */
  stopAll(): Promise<void>;
}

export function createStops(): Stops {
  const list: ((elapsedMs: number) => Promise<unknown>)[] = [];
  return {
    add: (stop) => void list.push(stop),
    async stopAll() {
      const startedAt = stopwatch();
      for (const stop of list.toReversed()) await stop(stopwatch() - startedAt);
    },
  };
}
