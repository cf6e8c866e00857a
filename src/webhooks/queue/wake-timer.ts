export interface WakeTimer {
  /** Rings after so long, unless it rings earlier anyway. */
  in(ms: number): void;
  off(): void;
}

/** One timer, set to the earliest of the times asked for. */
export function createWakeTimer(ring: () => void): WakeTimer {
  let timer: NodeJS.Timeout | undefined;
  let at = Infinity;
  const off = (): void => {
    clearTimeout(timer);
    at = Infinity;
  };
  return {
    in(ms) {
      if (performance.now() + ms >= at) return;
      off();
      at = performance.now() + ms;
      timer = setTimeout(() => {
        at = Infinity;
        ring();
      }, ms);
    },
    off,
  };
}
