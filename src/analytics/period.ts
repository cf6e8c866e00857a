/** Calendar days and the periods they fall into. Days are UTC and written YYYY-MM-DD, so their text order is their order. */
import { DAY_MS } from '../platform/clock.ts';
import { DomainError, type ErrorCode } from '../vocabulary/error.ts';

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
 * The range that was asked for; the last 30 days where nothing was, 30 days that end where only an end was, and until today where
 * only a start was. INVALID_PARAMETER where it ends before it starts or is longer than 3,660 days. Days must be real ones.
 */
export function dayRange(
  asked: { startDate?: string | undefined; endDate?: string | undefined },
  now: Date,
): DayRange {
  const endDate = asked.endDate ?? dayOf(now.getTime());
  const startDate = asked.startDate ?? dayOf(timeOf(endDate) - (DEFAULT_DAYS - 1) * DAY_MS);
  const days = (timeOf(endDate) - timeOf(startDate)) / DAY_MS + 1;
  if (days < 1) {
    throw refusal(
      `the range starts on ${startDate} and ends on ${endDate}; start_date must not be after end_date`,
    );
  }
  if (days > MAX_DAYS) {
    throw refusal(`the range has ${days} days, at most ${MAX_DAYS} are answered; ask for a shorter one`);
  }
  return { startDate, endDate };
}

/** The first day of the period that the day falls into: a week begins on Monday. */
export function periodOf(day: string, period: Period): string {
  if (period === 'day') return day;
  if (period === 'month') return `${day.slice(0, 7)}-01`;
  const time = timeOf(day);
  return dayOf(time - ((new Date(time).getUTCDay() + 6) % 7) * DAY_MS);
}

/** Every period that has a day in the range, oldest first. */
export function periodsIn({ startDate, endDate }: DayRange, period: Period): string[] {
  const periods = new Set<string>();
  for (let time = timeOf(startDate); time <= timeOf(endDate); time += DAY_MS) {
    periods.add(periodOf(dayOf(time), period));
  }
  return [...periods];
}

/** So many days, today (UTC) first. */
export function daysUntil(now: Date, count: number): [string, ...string[]] {
  const today = dayOf(now.getTime());
  const before = Array.from({ length: count - 1 }, (_, i) => dayOf(timeOf(today) - (i + 1) * DAY_MS));
  return [today, ...before];
}

function timeOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function refusal(reason: string): DomainError {
  const code: ErrorCode = 'INVALID_PARAMETER';
  return new DomainError(code, 'The range of days cannot be answered', {
    details: `start_date: ${reason}`,
    issues: [{ path: 'start_date', code, message: reason }],
  });
}
