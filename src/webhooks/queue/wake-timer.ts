import { stopwatch } from '../../platform/clock.ts';

export interface WakeTimer {
  /** Fires in `ms` milliseconds, unless it is set to fire earlier. */
  in(ms: number): void;
  off(): void;
}

/** One timer, set to the earliest of the requested times. */
export function createWakeTimer(onWake: () => void): WakeTimer {
  let timer: NodeJS.Timeout | undefined;
  let wakeAt = Infinity;
  const off = (): void => {
    clearTimeout(timer);
    wakeAt = Infinity;
  };
  return {
    in(ms) {
      if (stopwatch() + ms >= wakeAt) return;
      off();
      wakeAt = stopwatch() + ms;
      timer = setTimeout(() => {
        wakeAt = Infinity;
        onWake();
      }, ms);
    },
    off,
  };
}
