/** Where the time comes from. A parameter wherever the time decides something, so that a test can say what time it is. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** Milliseconds, with fractions, since some moment: for how long something took. */
export function stopwatch(): number {
  return performance.now();
}

/** `YYYY-MM-DDThh:mm:ssZ` in UTC; the fraction of the second is cut off, not rounded. */
export function isoSeconds(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

export const DAY_MS = 86_400_000;

/** The UTC day `YYYY-MM-DD` of a moment, or the day `ahead` days after it. */
export function utcDay(time: Date, ahead = 0): string {
  return new Date(time.getTime() + ahead * DAY_MS).toISOString().slice(0, 10);
}
