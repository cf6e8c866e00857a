/** Pauses between tries that fail in a row. */

export type Backoff = ReturnType<typeof createBackoff>;

/** Pauses of `firstMs`, twice that, and so on, up to `maxMs`. */
export function createBackoff(firstMs: number, maxMs: number) {
  let failures = 0;
  return {
    /** Counts a failure and returns the pause before the next try, in milliseconds. */
    next: () => pauseAfter(failures++, firstMs, maxMs),
    /** Call it after a success: the next pause is the first one again. */
    reset(): void {
      failures = 0;
    },
  };
}

export function pauseAfter(former: number, firstMs: number, maxMs: number): number {
  return Math.min(maxMs, firstMs * 2 ** former);
}

/** Shortens a pause by up to a half, at random, so that many that failed together retry apart. */
export function spread(pauseMs: number): number {
  return pauseMs * (0.5 + Math.random() / 2);
}
