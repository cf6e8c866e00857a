/** A request that takes longer than this in milliseconds no longer counts: a slow host delays no other. */
const YOUNG_MS = 500;

export type SendGate = ReturnType<typeof createSendGate>;

/**
 * Bounds what a crash loses: a request is sent while fewer than `limit` results are not written, those that recent requests
 * may become included.
 */
export function createSendGate(limit: number) {
  const waiting: (() => void)[] = [];
  let unwritten = 0;
  let young = 0;
  let isOpen = false;
  let isPending = false;

  function admit(): void {
    isPending = false;
    for (;;) {
      if (!isOpen && unwritten + young >= limit) return;
      const send = waiting.shift();
      if (!send) return;
      young++;
      send();
    }
  }

  /** Later, because a response that has ended becomes a result first. */
  function admitSoon(): void {
    if (!isPending) setImmediate(admit);
    isPending = true;
  }

  return {
    /** Resolves to a function to be called when the request has led to another one, or to a result. */
    enter(): Promise<() => void> {
      admitSoon();
      return new Promise((resolve) => {
        waiting.push(() => {
          let isEnded = false;
          const end = (): void => {
            if (!isEnded) young--;
            isEnded = true;
            clearTimeout(timer);
            admitSoon();
          };
          const timer = setTimeout(end, YOUNG_MS);
          resolve(end);
        });
      });
    },
    answered: (): void => void unwritten++,
    written(results: number): void {
      unwritten -= results;
      admitSoon();
    },
    /** Admits all: nothing more is stored. */
    open(): void {
      isOpen = true;
      admitSoon();
    },
  };
}
