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
 * INVALID_PARAMETER if it ends before it starts, or has more than `maxDays`. Requires valid days. `prefix`: of the names
 * of the parameters.
 */
export function dayRange(
  requested: { startDate?: string | undefined; endDate?: string | undefined },
  now: Date,
  { maxDays = MAX_DAYS, prefix = '' } = {},
): DayRange {
  const endDate = requested.endDate ?? utcDay(now);
  const startDate = requested.startDate ?? daysAfter(endDate, 1 - DEFAULT_DAYS);
  const days = daysIn({ startDate, endDate });
  const name = `${prefix}start_date`;
  if (days < 1) throw wrongParameter(name, `must not be after ${prefix}end_date (${endDate})`);
  if (days > maxDays) throw wrongParameter(name, `the range has ${days} days; at most ${maxDays} are allowed`);
  return { startDate, endDate };
}

/** The period of a report of hits, and with what it is compared. */
export interface HitPeriodChoice {
  /** days up to today */
  period?: number | undefined;
  startDate?: string | undefined;
  endDate?: string | undefined;
  compare?: 'previous' | 'year' | undefined;
  compareStartDate?: string | undefined;
  compareEndDate?: string | undefined;
}

/** A year, with its leap day. */
const MAX_HIT_DAYS = 366;

/**
 * Returns the period, by default of 30 days, and the one to compare: by default as many days before it. Throws
 * INVALID_PARAMETER for parameters that contradict each other, and for a period that ends after today.
 */
export function hitPeriods(choice: HitPeriodChoice, now: Date): { days: DayRange; before: DayRange } {
  const { period, startDate, endDate } = choice;
  const today = utcDay(now);
  if (period !== undefined && (startDate ?? endDate) !== undefined)
    throw wrongParameter('period', 'cannot be combined with start_date or end_date; send one of them');
  const days =
    period === undefined
      ? dayRange({ startDate, endDate }, now, { maxDays: MAX_HIT_DAYS })
      : { startDate: daysAfter(today, 1 - period), endDate: today };
  if (days.endDate > today) throw wrongParameter('end_date', `must not be after today (${today})`);
  return { days, before: comparedWith(days, choice, now) };
}

function comparedWith(days: DayRange, choice: HitPeriodChoice, now: Date): DayRange {
  const { compare, compareStartDate: startDate, compareEndDate: endDate } = choice;
  if ((startDate ?? endDate) !== undefined) {
    if (compare !== undefined)
      throw wrongParameter('compare', 'cannot be combined with compare_start_date; send one of them');
    if (startDate === undefined) throw wrongParameter('compare_start_date', 'is required with compare_end_date');
    if (endDate === undefined) throw wrongParameter('compare_end_date', 'is required with compare_start_date');
    return dayRange({ startDate, endDate }, now, { maxDays: MAX_HIT_DAYS, prefix: 'compare_' });
  }
  const count = daysIn(days);
  if (compare !== 'year')
    return { startDate: daysAfter(days.startDate, -count), endDate: daysAfter(days.startDate, -1) };
  const start = new Date(timeOf(days.startDate));
  start.setUTCFullYear(start.getUTCFullYear() - 1);
  return { startDate: utcDay(start), endDate: utcDay(start, count - 1) };
}

/** The days of a range, newest first. */
export function daysOf({ startDate, endDate }: DayRange): string[] {
  return Array.from({ length: daysIn({ startDate, endDate }) }, (_, ago) => daysAfter(endDate, -ago));
}

const daysIn = ({ startDate, endDate }: DayRange): number => (timeOf(endDate) - timeOf(startDate)) / DAY_MS + 1;

const daysAfter = (day: string, days: number): string => dayOf(timeOf(day) + days * DAY_MS);

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

function timeOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

function dayOf(time: number): string {
  return utcDay(new Date(time));
}
