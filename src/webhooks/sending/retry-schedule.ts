const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Delays in milliseconds between the attempts: 18 attempts over at least 7 days, 21 hours and 43 minutes. */
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

/** Spreads the retries of deliveries that failed together. */
const JITTER = 0.2;

/**
 * Returns the delay after failure number `failures` (from 1) in whole milliseconds: the scheduled delay plus 0 to 20 %.
 * Null after the last attempt. `random` returns a number from 0 to below 1.
 */
export function nextDelayMs(failures: number, random: () => number = Math.random): number | null {
  if (!Number.isInteger(failures) || failures < 1)
    throw new RangeError(`failures must be a positive integer, not ${failures}`);
  const delay = RETRY_DELAYS_MS[failures - 1];
  return delay === undefined ? null : Math.round(delay * (1 + JITTER * random()));
}

const MAX_RETRY_AFTER_SECONDS = 24 * 60 * 60;

const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const TIME = String.raw`\d{2}:\d{2}:\d{2}`;
/** The three date formats of RFC 9110, section 5.6.7. */
const HTTP_DATE = new RegExp(
  [
    String.raw`^${DAY}, \d{2} ${MONTH} \d{4} ${TIME} GMT$`,
    String.raw`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{2}-${MONTH}-\d{2} ${TIME} GMT$`,
    String.raw`^${DAY} ${MONTH} [ \d]\d ${TIME} \d{4}$`,
  ].join('|'),
);

/**
 * Returns the whole seconds from `now` that a Retry-After header requests, at most 24 hours. Null if the header is
 * missing, in the past, or neither seconds nor an HTTP date.
 */
export function retryAfterSeconds(header: string | string[] | undefined, now: Date): number | null {
  if (typeof header !== 'string') return null;
  const text = header.trim();
  const seconds = /^\d+$/.test(text) ? Number(text) : secondsUntil(text, now);
  return seconds > 0 ? Math.min(Math.ceil(seconds), MAX_RETRY_AFTER_SECONDS) : null;
}

/** Returns NaN if the text is not an HTTP date. */
function secondsUntil(text: string, now: Date): number {
  if (!HTTP_DATE.test(text)) return Number.NaN;
  const inGmt = text.endsWith(' GMT') ? text : `${text} GMT`;
  return (Date.parse(inGmt) - now.getTime()) / 1000;
}
