import type { ComponentChildren } from 'preact';
import type { Hits } from '../api/client/wire.ts';
import { DAY_MS, dayOf, number } from '../format.ts';

type Days = Hits['daily_hits'];

/** The first day with the most hits. */
export const peakOf = (days: Days): Days[number] =>
  days.reduce((best, day) => (day.hits > best.hits ? day : best), { date: '', hits: 0 });

/** Hits by day as a line, oldest first, in units of a day and of the most hits. Screen readers get its highest day. */
export function SparkLine({ days, children }: { days: Days; children?: ComponentChildren }) {
  const { date, hits: most } = peakOf(days);
  const top = Math.max(1, most);
  const label = most === 0 ? 'No hits' : `Most hits on ${dayOf(date)}: ${number(most)}`;
  return (
    <svg
      class="spark-line"
      viewBox={`0 0 ${days.length - 1} 1`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <polyline points={days.map(({ hits }, at) => `${at},${1 - hits / top}`).join(' ')} />
      {children}
    </svg>
  );
}

/** Counts of the last days (UTC), today last, with their dates. */
export const lastDays = (counts: readonly number[], now = Date.now()): Days =>
  counts.map((hits, at) => ({
    date: new Date(now - (counts.length - 1 - at) * DAY_MS).toISOString().slice(0, 10),
    hits,
  }));
