import type { Hits } from '../api/client/wire.ts';
import { DAY_MS, dayOf, number } from '../format.ts';

/** Hits by day as a line, oldest first. Screen readers get its highest day. */
export function SparkLine({ days }: { days: Hits['daily_hits'] }) {
  const peak = days.reduce((best, day) => (day.hits > best.hits ? day : best), { date: '', hits: 0 });
  const top = Math.max(1, peak.hits);
  const label = peak.hits === 0 ? 'No hits' : `Most hits on ${dayOf(peak.date)}: ${number(peak.hits)}`;
  return (
    <svg
      class="spark-line"
      viewBox={`0 0 ${days.length - 1} 1`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <polyline points={days.map(({ hits }, at) => `${at},${1 - hits / top}`).join(' ')} />
    </svg>
  );
}

/** Counts of the last days (UTC), today last, with their dates. */
export const lastDays = (counts: readonly number[], now = Date.now()): Hits['daily_hits'] =>
  counts.map((hits, at) => ({
    date: new Date(now - (counts.length - 1 - at) * DAY_MS).toISOString().slice(0, 10),
    hits,
  }));
