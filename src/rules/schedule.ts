/** The window of a redirect: from `active_from`, inclusive, until `active_until`, exclusive. Null leaves an end open. */
import { wholeSecond } from '../platform/clock.ts';
import type { Issue } from '../vocabulary/error.ts';

export interface Schedule {
  activeFrom: Date | null;
  activeUntil: Date | null;
}

export const ALWAYS: Schedule = { activeFrom: null, activeUntil: null };

export const NOT_A_MOMENT =
  'must be a time with a zone from 1970 to 9999, such as 2030-01-31T12:00:00Z or 2030-01-31T13:00:00+01:00';

const MOMENT =
  /^(\d{4})-(\d\d)-(\d\d)[T ]([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;
const MAX_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * Parses a time in ISO 8601 with a zone, from 1970 to 9999, and cuts the fraction of its second. Undefined for any other
 * text, and for a day that does not exist.
 */
export function parseMoment(text: string): Date | undefined {
  const parts = MOMENT.exec(text);
  if (!parts) return undefined;
  const [, year, month, day] = parts;
  const isDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  const time = wholeSecond(new Date(text.toUpperCase().replace(' ', 'T')));
  const isInRange = time.getTime() >= 0 && time.getTime() <= MAX_TIME;
  return isDay && isInRange && Number(month) >= 1 && Number(month) <= 12 ? time : undefined;
}

/** Reads a bound of a body or file; undefined if it is absent. Returns the issue of a text that is not a time. */
export function readMoment(
  path: 'active_from' | 'active_until',
  text: string | null | undefined,
): Date | null | undefined | Issue {
  if (text === undefined || text === null) return text;
  return parseMoment(text) ?? scheduleIssue(path, `is ${JSON.stringify(text.slice(0, 60))}; it ${NOT_A_MOMENT}`);
}

function scheduleIssue(path: 'active_from' | 'active_until', message: string): Issue {
  return { path, code: 'INVALID_SCHEDULE', message };
}

/** Returns why no moment is in the window. */
export function checkSchedule({ activeFrom, activeUntil }: Schedule): Issue | undefined {
  if (activeFrom === null || activeUntil === null || activeUntil > activeFrom) return undefined;
  return scheduleIssue('active_until', 'must be after active_from; otherwise the redirect would never be active');
}
