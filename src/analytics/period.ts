/**
 * Ranges of days, and the weeks and months that they contain. Days are UTC strings `YYYY-MM-DD`, which sort by time.
 */
import { DAY_MS, utcDay } from '../platform/clock.ts';
import { wrongParameter } from '../vocabulary/error.ts';

export const PERIODS = ['day', 'week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

export interface DayRange {
  /** both included */
  startDate: string;
  endDate: string;
}

const DEFAULT_DAYS = 30;
export const MAX_DAYS = 3_660;

/**
 * Returns the requested range. The default end is today, and the default start is 29 days before the end. Throws
 * INVALID_PARAMETER if it ends before it starts, or has more than 3,660 days. Requires valid days.
 */
export function dayRange(requested: { startDate?: string | undefined; endDate?: string | undefined }, now: Date) {
  const endDate = requested.endDate ?? utcDay(now);
  const startDate = requested.startDate ?? dayOf(timeOf(endDate) - (DEFAULT_DAYS - 1) * DAY_MS);
  const days = (timeOf(endDate) - timeOf(startDate)) / DAY_MS + 1;
  if (days < 1) throw wrongParameter('start_date', `must not be after end_date (${endDate})`);
  if (days > MAX_DAYS)
    throw wrongParameter('start_date', `the range has ${days} days; at most ${MAX_DAYS} are allowed`);
  return { startDate, endDate };
}

/** The first day of the period that contains the day. A week begins on Monday. */
export function periodOf(day: string, period: Period): string {
  if (period === 'day') return day;
  if (period === 'month') return `${day.slice(0, 7)}-01`;
  const time = timeOf(day);
  return dayOf(time - ((new Date(time).getUTCDay() + 6) % 7) * DAY_MS);
}

/** The first days of all periods that overlap the range, oldest first. */
export function periodsIn({ startDate, endDate }: DayRange, period: Period): string[] {
  const periods = new Set<string>();
  for (let time = timeOf(startDate); time <= timeOf(endDate); time += DAY_MS) {
    periods.add(periodOf(dayOf(time), period));
  }
  return [...periods];
}

/** The `count` days up to `ago` days before today (UTC), newest first. */
export function daysUntil(now: Date, count: number, ago = 0): [string, ...string[]] {
  const earlier = Array.from({ length: count - 1 }, (_, i) => utcDay(now, -(ago + i + 1)));
  return [utcDay(now, -ago), ...earlier];
}

function timeOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

function dayOf(time: number): string {
  return utcDay(new Date(time));
}
