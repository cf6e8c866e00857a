export interface Loop {
  start(): void;
  /** Starts no further tick and resolves when the one in flight has ended. */
  stop(): Promise<void>;
  /** A tick as soon as possible: at once, or right after the one in flight. Never lost while the loop runs. */
  wake(): void;
}

/**
 * Runs `tick` at once and then `everyMs` after the end of the one before: two never overlap. What a tick throws goes to
 * `onError` and the loop goes on.
 */
export function createLoop(
  tick: () => Promise<unknown>,
  everyMs: number,
  onError: (error: unknown) => void,
): Loop {
  let running = false;
  let poked = false;
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
    poked = false;
    inFlight = runTick().finally(() => {
      inFlight = undefined;
      if (!running) return;
      if (poked) next();
      else timer = setTimeout(next, everyMs);
    });
  }

  return {
    start() {
      if (running) return;
      running = true;
      if (inFlight) poked = true;
      else next();
    },
    async stop() {
      running = false;
      clearTimeout(timer);
      await inFlight;
    },
    wake() {
      poked = true;
      if (running && !inFlight) next();
    },
  };
}
