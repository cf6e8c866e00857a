export interface Loop {
  start(): void;
  /** Starts no further tick. Resolves when the tick in flight has ended. */
  stop(): Promise<void>;
  /** Runs a tick at once, or right after the one in flight. Never lost while the loop runs. */
  wake(): void;
}

/**
 * Runs `tick` at once, and again `everyMs` after the end of each tick, so ticks never overlap. Passes an error of a
 * tick to `onError` and continues.
 */
export function createLoop(tick: () => Promise<unknown>, everyMs: number, onError: (error: unknown) => void): Loop {
  let running = false;
  let isWoken = false;
  let inFlight: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function runTick(): Promise<void> {
    try {
      await tick();
    } catch (error) {
      onError(error);
    }
  }

  function next(): void {
    clearTimeout(timer);
    isWoken = false;
    inFlight = runTick().finally(() => {
      inFlight = undefined;
      if (!running) return;
      if (isWoken) next();
      else timer = setTimeout(next, everyMs);
    });
  }

  return {
    start() {
      if (running) return;
      running = true;
      if (inFlight) isWoken = true;
      else next();
    },
    async stop() {
      running = false;
      clearTimeout(timer);
      await inFlight;
    },
    wake() {
      isWoken = true;
      if (running && !inFlight) next();
    },
  };
}
