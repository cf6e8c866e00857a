/**
 * Numbers and times in the browser's locale. Relative times such as `3 min ago` are part of English sentences, so they
 * are in English.
 */
export const DAY_MS = 86_400_000;

const count = new Intl.NumberFormat();
const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const dayOfYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short' });
const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat('en-GB', { numeric: 'auto', style: 'short' });
const bytes = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

export const number = (value: number): string => count.format(value);
export const fullTime = (iso: string): string => dateTime.format(new Date(iso));
/** `28 Nov 2026, 10:00 – 12:30`; with both dates if they differ. */
export const timeRange = (from: string, to: string): string => dateTime.formatRange(new Date(from), new Date(to));
export const dayOf = (iso: string): string => date.format(new Date(iso));
/** `Today`, `Yesterday`, `Tomorrow`, otherwise the date; of later days with the weekday. */
export function relativeDay(iso: string, now = Date.now()): string {
  const day = dayOf(iso);
  if (day === date.format(now)) return 'Today';
  if (day === date.format(now - DAY_MS)) return 'Yesterday';
  if (day === date.format(now + DAY_MS)) return 'Tomorrow';
  return Date.parse(iso) > now ? `${weekday.format(new Date(iso))}, ${day}` : day;
}

const isSoon = (at: Date, now: number): boolean => at.getTime() > now && at.getTime() < now + 6 * DAY_MS;

/** `22:01` today, `Thu 22:01` in the next six days, otherwise `27 Nov`. */
export function nearTime(iso: string, now: number): string {
  const at = new Date(iso);
  if (at.toDateString() === new Date(now).toDateString()) return time.format(at);
  return isSoon(at, now) ? `${weekday.format(at)} ${time.format(at)}` : shortDay(iso, now);
}
/** `27 Nov` in the year of `now`, otherwise with the year. */
export function shortDay(iso: string, now = Date.now()): string {
  const at = new Date(iso);
  return at.getFullYear() === new Date(now).getFullYear() ? dayOfYear.format(at) : date.format(at);
}

export const timeOfDay = (epochMs: number): string => time.format(epochMs);

/** A first word that is a name: of a host, a path or an address. */
const NAME = /^\S*[.:/@]\S/;

/** With a capital first letter, unless the text begins with a name. */
export const capitalized = (text: string): string =>
  NAME.test(text) ? text : text.slice(0, 1).toUpperCase() + text.slice(1);

/** `1 redirect`, `2,000 redirects`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

const STEPS = [
  [60, 'second'],
  [3_600, 'minute'],
  [86_400, 'hour'],
  [604_800, 'day'],
] as const;

/** `3 min ago`; after a week the date. */
export function ago(iso: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(iso)) / 1000));
  if (seconds < 5) return 'just now';
  let unitSeconds = 1;
  for (const [below, unit] of STEPS) {
    if (seconds < below) return relative.format(-Math.floor(seconds / unitSeconds), unit);
    unitSeconds = below;
  }
  return dayOf(iso);
}

/** A duration such as `1.2 s`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${number(Math.max(0, Math.round(ms)))} ms`;
  return ms < 60_000 ? `${bytes.format(ms / 1_000)} s` : `${bytes.format(ms / 60_000)} min`;
}

const SIZES = ['B', 'kB', 'MB', 'GB'] as const;

export function fileSize(value: number): string {
  const step = Math.min(SIZES.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3));
  return `${bytes.format(value / 1000 ** step)} ${SIZES[step] ?? 'B'}`;
}

/** The user's time zone, such as `Europe/Berlin`. */
export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Options of a select: the current zone, the user's and UTC first. */
export const timeZoneOptions = (current: string): (readonly [zone: string, label: string])[] =>
  [...new Set([current, timeZone(), 'UTC', ...Intl.supportedValuesOf('timeZone')])].map(
    (zone) => [zone, zone] as const,
  );

const padded = (value: number, length = 2): string => String(value).padStart(length, '0');

/** A time as the value of a datetime-local input in the user's time zone; '' stays ''. */
export function localTime(iso: string): string {
  if (iso === '') return '';
  const at = new Date(iso);
  const day = `${padded(at.getFullYear(), 4)}-${padded(at.getMonth() + 1)}-${padded(at.getDate())}`;
  const seconds = at.getSeconds() === 0 ? '' : `:${padded(at.getSeconds())}`;
  return `${day}T${padded(at.getHours())}:${padded(at.getMinutes())}${seconds}`;
}

/** The time of a datetime-local input, in whole seconds; '' if it is empty. */
export function isoTime(local: string): string {
  const at = Date.parse(local);
  return Number.isNaN(at) ? '' : new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** `12 created, 3 updated`. */
export function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${number(count)} ${name}`)
    .join(', ');
}
