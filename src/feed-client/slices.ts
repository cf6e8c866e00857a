/** Bounds how long a loop over many items computes, so that the thread can answer requests between its steps. */

const SLICE_MS = 3;

/** Resolves in a later turn of the event loop. */
export type Pause = () => Promise<void>;

/** Works in every JavaScript runtime; one of the runtime itself is faster. */
export const pauseByTimer: Pause = () => new Promise((resolve) => setTimeout(resolve, 0));

export type Slices = ReturnType<typeof createSlices>;

export function createSlices(pause: Pause) {
  let startedAt = performance.now();
  return {
    /** Call it before each step of about a millisecond. Pauses if the current slice of 3 ms is over. */
    async next() {
      if (performance.now() - startedAt < SLICE_MS) return;
      await pause();
      startedAt = performance.now();
    },
  };
}

/** Runs a generator to its end in slices. Returns its result. */
export async function runInSlices<T>(steps: Generator<unknown, T, undefined>, slices: Slices): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await slices.next();
  }
}
