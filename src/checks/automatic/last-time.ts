/** When a schedule last came. */
import { createBoundedCache } from '../../platform/bounded-cache.ts';
import { DAY_MS } from '../../platform/clock.ts';
import type { CheckSchedule } from '../../vocabulary/checks.ts';

const HOUR_MS = 3_600_000;
const QUARTER_MS = 900_000;
const THURSDAY = 4;

/**
 * Returns the last time of the schedule until `now`, as if `every` was `daily` unless it is `weekly`. An hour that the
 * clock skips comes when the clock has moved; of one that it repeats the first counts. So a day has one time.
 */
export function lastTime({ every, hour, weekday, timeZone }: CheckSchedule, now: Date): Date {
  const at = now.getTime();
  const day = Math.floor((at + offsetAt(timeZone, at) - hour * HOUR_MS) / DAY_MS);
  // 1970-01-01 was a Thursday.
  const daysSince = every === 'weekly' ? (day + THURSDAY - weekday + 7) % 7 : 0;
  const period = every === 'weekly' ? 7 : 1;
  const timeOf = (date: number): number => firstInstant(timeZone, date * DAY_MS + hour * HOUR_MS);
  const last = timeOf(day - daysSince);
  // The clock may have gone back over midnight.
  return new Date(last <= at ? last : timeOf(day - daysSince - period));
}

/** The first instant of a local time, which is given as if it was UTC. */
function firstInstant(timeZone: string, local: number): number {
  const instants = [-DAY_MS, DAY_MS].map((shift) => local - offsetAt(timeZone, local + shift));
  const [first = local] = instants;
  return instants.find((instant) => instant + offsetAt(timeZone, instant) === local) ?? first;
}

/** A time zone may be spelled in any case. */
const formats = createBoundedCache<Intl.DateTimeFormat>(1_000);

/** Local time minus UTC, in ms. Offsets are multiples of a quarter of an hour. */
function offsetAt(timeZone: string, at: number): number {
  let format = formats.get(timeZone);
  if (!format) {
    const fields = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
    format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...fields });
    formats.set(timeZone, format);
  }
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const of = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  const local = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'));
  return Math.round((local - at) / QUARTER_MS) * QUARTER_MS;
}
