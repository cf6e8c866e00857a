/** Chooses the write path of each redirect of a batch. */
import type { Tx } from '../../db/client.ts';
import { type RedirectRow, redirectKey, type WriteBatch } from '../counters/write-batches.ts';
import { createDayIncrements } from './increment-days.ts';
import { mergeRedirectDays, type RedirectDay } from './merge-days.ts';

/**
 * Adds the counts of redirects. Increments those with at most one visitor and one country; merges the others, the
 * saturated ones, and the visitors that could not be appended. Requires `lockHitCounters` in the same transaction.
 */
export async function writeRedirects(
  tx: Tx,
  { day, redirects }: WriteBatch,
  saturated: SaturatedRedirects,
): Promise<void> {
  const increments = createDayIncrements();
  const merged: RedirectDay[] = [];
  for (const row of redirects) {
    const counters = saturated.has(day, row) ? undefined : row.site.redirects.singleVisitorAt(row.slot);
    if (counters) increments.add(row, counters);
    else merged.push(redirectDay(row));
  }
  const unmerged = await increments.write(tx, day);
  saturated.add(day, unmerged);
  await mergeRedirectDays(tx, day, [...merged, ...unmerged.map(visitorsOnly)]);
}

function redirectDay({ site, slot }: RedirectRow): RedirectDay {
  const { websiteId, environment, redirects } = site;
  return {
    websiteId,
    environment,
    redirectId: redirects.redirectIdAt(slot),
    counters: redirects.countersAt(slot),
  };
}

/** The visitors of a row whose other counts are added already. */
function visitorsOnly(row: RedirectRow): RedirectDay {
  const day = redirectDay(row);
  const { visitors } = day.counters;
  return { ...day, counters: { hits: 0, botHits: 0, micros: 0, countries: new Map(), visitors } };
}

/** Redirects whose visitor list of a day is known to be full. They are merged at once, without trying the increment. */
export interface SaturatedRedirects {
  has(day: string, row: RedirectRow): boolean;
  add(day: string, rows: RedirectRow[]): void;
}

const MAX_SATURATED = 200_000;

/** Remembers the redirects of one day. */
export function createSaturatedRedirects(): SaturatedRedirects {
  const keys = new Set<number>();
  let current = '';
  return {
    has: (day, row) => day === current && keys.has(redirectKey(row)),
    add(day, rows) {
      if (day !== current || keys.size > MAX_SATURATED) keys.clear();
      current = day;
      for (const row of rows) keys.add(redirectKey(row));
    },
  };
}
