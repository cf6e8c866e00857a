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

/** A receiver cannot ask for more than this. */
const MOST_SECONDS = 24 * 60 * 60;

const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const TIME = String.raw`\d{2}:\d{2}:\d{2}`;
/** The three forms of a date that RFC 9110 (5.6.7) wants understood. */
const HTTP_DATE = new RegExp(
  [
    String.raw`^${DAY}, \d{2} ${MONTH} \d{4} ${TIME} GMT$`,
    String.raw`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{2}-${MONTH}-\d{2} ${TIME} GMT$`,
    String.raw`^${DAY} ${MONTH} [ \d]\d ${TIME} \d{4}$`,
  ].join('|'),
);

/**
 * The whole seconds that a Retry-After header asks to wait from `now` on, at most 24 hours. null where it asks for nothing that can be
 * done: a time that has passed, a negative number, anything but seconds or an HTTP date.
 */
export function retryAfterSeconds(header: string | string[] | undefined, now: Date): number | null {
  if (typeof header !== 'string') return null;
  const text = header.trim();
  const seconds = /^\d+$/.test(text) ? Number(text) : secondsUntil(text, now);
  return seconds > 0 ? Math.min(Math.ceil(seconds), MOST_SECONDS) : null;
}

/** NaN where the text is no HTTP date. */
function secondsUntil(text: string, now: Date): number {
  if (!HTTP_DATE.test(text)) return Number.NaN;
  const inGmt = text.endsWith(' GMT') ? text : `${text} GMT`;
  return (Date.parse(inGmt) - now.getTime()) / 1000;
}
