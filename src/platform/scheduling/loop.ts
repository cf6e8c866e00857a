export interface LoopOptions {
  /** for log lines and probes, such as "poll of changes" */
  name: string;
  tick: () => Promise<unknown>;
  /** from the end of a tick to the start of the next one */
  everyMs: number;
  onError: (error: unknown) => void;
  /** A longer tick is abandoned. Default: 30 s. */
  maxTickMs?: number;
}

const MAX_TICK_MS = 30_000;

/** Loops of this process whose last tick was abandoned, until one ends again. */
const overdue = new Set<string>();

/** Names of the loops of this process that are stuck: their last tick did not end in time. */
export function overdueLoops(): string[] {
  return [...overdue];
}

export type Loop = ReturnType<typeof createLoop>;

/**
 * Runs `tick` at once, and again `everyMs` after the end of each tick, so ticks never overlap. Passes an error of a
 * tick to `onError` and continues, unless the loop was stopped meanwhile. A tick that does not end in time is reported
 * once, its result is ignored, and the next one starts.
 */
export function createLoop({ name, tick, everyMs, onError, maxTickMs = MAX_TICK_MS }: LoopOptions) {
  let running = false;
  let isWoken = false;
  let inFlight: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** Resolves when the tick has ended or is abandoned. */
  function runTick(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let isAbandoned = false;
    const watchdog = setTimeout(() => {
      isAbandoned = true;
      if (!overdue.has(name)) onError(new Error(`${name}: did not end within ${maxTickMs / 1_000} s; it starts again`));
      overdue.add(name);
      resolve();
    }, maxTickMs);
    void Promise.try(tick)
      .catch((error: unknown) => {
        // A stop ends threads and connections under the tick in flight. The next start runs it again.
        if (!isAbandoned && running) onError(error);
      })
      .finally(() => {
        clearTimeout(watchdog);
        if (!isAbandoned) overdue.delete(name);
        resolve();
      });
    return promise;
  }

  function next(): void {
    clearTimeout(timer);
    isWoken = false;
    inFlight = runTick().then(() => {
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
    /** Starts no further tick. Resolves when the tick in flight has ended, or was abandoned. */
    async stop() {
      running = false;
      clearTimeout(timer);
      await inFlight;
    },
    /** Runs a tick at once, or right after the one in flight. Never lost while the loop runs. */
    wake() {
      isWoken = true;
      if (running && !inFlight) next();
    },
  };
}
