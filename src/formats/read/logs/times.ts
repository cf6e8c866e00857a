/** Times of access logs, as milliseconds since the epoch. */
import type { LocalTime } from './log-line.ts';

const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';
const CLF = /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d):(\d\d):\d\d ([+-])(\d\d)(\d\d)$/;
const SECOND = '10/Oct/2030:13:55:'.length;
const ZONE = '10/Oct/2030:13:55:36'.length;
export const CLF_LENGTH = '10/Oct/2030:13:55:36 -0700'.length;
/** Also a leap second. */
const MAX_SECOND = 60;
const ISO = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(\.\d{1,9})?(?:(Z)|([+-])(\d\d):?(\d\d))?$/i;
const MINUTE_MS = 60_000;

/** Remembers the last text: consecutive lines have the same second. */
function remembered(parse: LocalTime): LocalTime {
  let text = '';
  let time: number | undefined;
  return (next) => {
    if (next !== text) [text, time] = [next, parse(next)];
    return time;
  };
}

/**
 * Returns a parser of the CLF_LENGTH characters at a position of a line: a time of the common log format, such as
 * `10/Oct/2030:13:55:36 -0700`. It remembers the minute, and the last text.
 */
export function createClfTimes(): (line: string, at: number) => number | undefined {
  const timeOf = createMinutes();
  let known = '';
  let time: number | undefined;
  return (line, at) => {
    if (known === '' || !line.startsWith(known, at)) {
      known = line.slice(at, at + CLF_LENGTH);
      time = timeOf(known);
    }
    return time;
  };
}

function createMinutes(): LocalTime {
  let known = '';
  let minute: number | undefined;
  return (text) => {
    if (!known.startsWith(text.slice(0, SECOND)) || !known.endsWith(text.slice(ZONE))) {
      minute = minuteOf(text);
      known = text;
    }
    const [tens, ones] = [text.charCodeAt(SECOND) - ZERO, text.charCodeAt(SECOND + 1) - ZERO];
    const second = tens * 10 + ones;
    const isSecond = tens >= 0 && ones >= 0 && ones <= 9 && second <= MAX_SECOND;
    return minute === undefined || !isSecond ? undefined : minute + second * 1000;
  };
}
const ZERO = 48;

function minuteOf(text: string): number | undefined {
  const [, day, name = '', year, hour, minute, sign, hours, minutes] = CLF.exec(text) ?? [];
  const month = MONTHS.indexOf(name);
  if (day === undefined || month < 0 || month % 3 > 0) return undefined;
  const utc = utcOf(year, month / 3 + 1, day, hour, minute, 0);
  return utc === undefined ? undefined : utc - offsetOf(sign, hours, minutes);
}

/** Returns a parser of ISO 8601; `localTime` has the zone of texts without one. */
export const createIsoTimes = (localTime: LocalTime): LocalTime =>
  remembered((text) => {
    const found = ISO.exec(text);
    if (!found) return undefined;
    const [, year, month, day, hour, minute, second, fraction = '', z, sign, hours, minutes] = found;
    const utc = utcOf(year, month, day, hour, minute, second);
    if (utc === undefined) return undefined;
    const milliseconds = Math.floor(Number(`0${fraction}`) * 1000);
    if (z === undefined && sign === undefined) {
      const time = localTime(text.slice(0, 19));
      return time === undefined ? undefined : time + milliseconds;
    }
    return utc + milliseconds - (sign === undefined ? 0 : offsetOf(sign, hours, minutes));
  });

/** The time of a number or text of a JSON field: ISO 8601, or seconds or milliseconds since the epoch. */
export function jsonTime(value: unknown, isoTime: LocalTime): number | undefined {
  if (typeof value === 'string' && !/^\d{9,13}(\.\d+)?$/.test(value)) return isoTime(value);
  const number = Number(value);
  if (typeof value === 'boolean' || value === null || !Number.isFinite(number) || number <= 0) return undefined;
  return number < FIRST_MILLISECONDS ? Math.floor(number * 1000) : number;
}
/** Larger numbers are milliseconds: as seconds they would be after the year 5100. */
const FIRST_MILLISECONDS = 1e11;

/**
 * Returns a parser of `YYYY-MM-DD hh:mm:ss` in a zone of the IANA database. Of an hour that the end of summer time
 * repeats, the first one counts. Throws RangeError for an unknown zone.
 */
export function createLocalTimes(timeZone: string): LocalTime {
  const isUtc = timeZone === 'UTC';
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  /** in milliseconds, by quarter of an hour */
  const offsets = new Map<number, number>();
  function offsetAt(utc: number): number {
    const quarter = Math.floor(utc / (15 * MINUTE_MS));
    let offset = offsets.get(quarter);
    if (offset === undefined) {
      const name = format.formatToParts(utc).find(({ type }) => type === 'timeZoneName')?.value ?? '';
      const [, sign, hours, minutes] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
      offset = sign === undefined ? 0 : offsetOf(sign, hours, minutes);
      if (offsets.size > MAX_OFFSETS) offsets.clear();
      offsets.set(quarter, offset);
    }
    return offset;
  }
  return remembered((text) => {
    const [, year, month, day, hour, minute, second] = ISO.exec(text) ?? [];
    const local = utcOf(year, month, day, hour, minute, second);
    if (local === undefined || isUtc) return local;
    // The offset before a change of the clocks, if it gives this local time, is that of the first of two hours.
    const before = local - offsetAt(local - DAY_MS);
    return before + offsetAt(before) === local ? before : local - offsetAt(local - offsetAt(local));
  });
}
const MAX_OFFSETS = 50_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

type Digits = string | number | undefined;

function utcOf(...[year, month, day, hour, minute, second]: Digits[]): number | undefined {
  const [monthNumber, dayNumber] = [Number(month), Number(day)];
  const isTime = Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= MAX_SECOND;
  if (!(isTime && monthNumber >= 1 && monthNumber <= 12 && dayNumber >= 1)) return undefined;
  const midnight = Date.UTC(Number(year), monthNumber - 1, dayNumber);
  if (dayNumber > 28 && new Date(midnight).getUTCDate() !== dayNumber) return undefined;
  return midnight + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000;
}

function offsetOf(sign: string | undefined, hours: string | undefined, minutes: string | undefined): number {
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
}
