import type { Clock } from '../../src/platform/clock.ts';

export interface TestClock extends Clock {
  advance(ms: number): void;
  set(time: string): void;
}

/** A clock that the test moves. Starts just after a full minute, far from any deadline in the data. */
export function testClock(start = '2030-05-15T12:00:01.000Z'): TestClock {
  let now = Date.parse(start);
  return {
    now: () => new Date(now),
    advance: (ms) => void (now += ms),
    set: (time) => void (now = Date.parse(time)),
  };
}
