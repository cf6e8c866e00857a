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
