const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Milliseconds from each failed attempt to the next one: 18 attempts over 7 days, 21 hours and 43 minutes at least. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
  12 * HOUR,
  18 * HOUR,
  24 * HOUR,
  24 * HOUR,
  24 * HOUR,
  24 * HOUR,
  24 * HOUR,
  24 * HOUR,
];

/** Deliveries that failed together must not come back together. */
const JITTER = 0.2;

/**
 * How long to wait after the failure with this number (1 is the first), in whole milliseconds: the scheduled delay and 0 to 20 % more.
 * null after the last attempt of the schedule. `random` gives a number from 0 to below 1.
 */
export function nextDelayMs(failures: number, random: () => number = Math.random): number | null {
  if (!Number.isInteger(failures) || failures < 1)
    throw new RangeError(`there is no failure number ${failures}`);
  const delay = RETRY_DELAYS_MS[failures - 1];
  return delay === undefined ? null : Math.round(delay * (1 + JITTER * random()));
}
