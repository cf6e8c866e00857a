import type { Db } from '../db/connection/client.ts';
import type { HitScope } from '../hits/report/hit-rows.ts';
import { HOUR_MS, HOURS_DAYS, readWebsiteHours } from '../hits/store/website-hours.ts';
import { utcDay } from '../platform/clock.ts';

/**
 * Each hour of a day until now, newest first, with the same hour of the compared day. Null for longer periods, for days
 * without hours, and for scopes that are not stored by hour.
 */
export async function reportHours(
  db: Db,
  scope: HitScope,
  { days, daysBefore }: { days: string[]; daysBefore: string[] },
  now: Date,
): Promise<{ hour: Date; hits: number; previousHits: number | null }[] | null> {
  const { groupId, filter } = scope;
  const [day = '', ...moreDays] = days;
  const [dayBefore = '', ...moreBefore] = daysBefore;
  const hasHours = (one: string): boolean => one > utcDay(now, -HOURS_DAYS);
  const isStored = groupId === undefined && (filter === undefined || filter.agents !== undefined);
  if (!isStored || moreDays.length > 0 || !hasHours(day)) return null;
  const isCompared = moreBefore.length === 0 && hasHours(dayBefore);
  const [hits, hitsBefore] = await Promise.all([
    readWebsiteHours(db, scope, day),
    isCompared ? readWebsiteHours(db, scope, dayBefore) : undefined,
  ]);
  const start = Date.parse(`${day}T00:00:00Z`);
  const count = Math.min(hits.length, Math.floor((now.getTime() - start) / HOUR_MS) + 1);
  return Array.from({ length: count }, (_, ago) => {
    const hour = count - 1 - ago;
    return {
      hour: new Date(start + hour * HOUR_MS),
      hits: hits[hour] ?? 0,
      previousHits: hitsBefore ? (hitsBefore[hour] ?? 0) : null,
    };
  });
}
