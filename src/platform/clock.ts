/** The source of the time. A parameter of every function that depends on it, so that a test can set the time. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** Monotonic milliseconds with fractions, for durations; the same in all threads. */
export function stopwatch(): number {
  return STARTED_AT + performance.now();
}

/**
 * `performance` counts from the start of its thread. The monotonic clock of the machine is that of all threads, whereas
 * the time of day of two starts differs by what the clock was adjusted between them.
 */
const STARTED_AT = Number(nanoseconds() ?? 0) / 1e6 - performance.now();

/** Absent where the edge library runs: browsers and CDNs, some of which have a part of it. */
function nanoseconds(): bigint | undefined {
  return (globalThis as { process?: { hrtime?: { bigint?: () => bigint } } }).process?.hrtime?.bigint?.();
}

/** Resolves as `work` does, or to `late` after `ms`. The work then goes on, and an error of it is ignored. */
export async function within<Value, Late>(ms: number, work: Promise<Value>, late: Late): Promise<Value | Late> {
  const { promise, resolve } = Promise.withResolvers<Late>();
  const timer = setTimeout(resolve, ms, late);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** `YYYY-MM-DDThh:mm:ssZ` in UTC; the fraction of the second is truncated. */
export function isoSeconds(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/**
 * The time of a change: `now`, but at least the next whole second after the previous change. Clients see whole seconds,
 * so two states of a resource must not share one.
 */
export function changeTime(now: Date, previous: Date): Date {
  const nextSecond = (Math.floor(previous.getTime() / 1000) + 1) * 1000;
  return new Date(Math.max(now.getTime(), nextSecond));
}

export function wholeSecond(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1000) * 1000);
}

export const DAY_MS = 86_400_000;

/** The UTC day `YYYY-MM-DD` of a moment, or the day `ahead` days after it. */
export function utcDay(time: Date, ahead = 0): string {
  return new Date(time.getTime() + ahead * DAY_MS).toISOString().slice(0, 10);
}
