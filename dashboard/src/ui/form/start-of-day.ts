import { isoTime } from '../../format.ts';

/** The time at which a day of the user's time zone begins, or that `later` days after it; undefined if it is no day. */
export function startOfDay(day: string | null, later = 0): string | undefined {
  const start = new Date(/^\d{4}-\d\d-\d\d$/.test(day ?? '') ? `${day}T00:00` : Number.NaN);
  start.setDate(start.getDate() + later);
  return Number.isNaN(start.getTime()) ? undefined : isoTime(start.toISOString());
}
