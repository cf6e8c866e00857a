/** Chooses the write path of each redirect of a batch. */
import type { Tx } from '../../db/connection/client.ts';
import type { HitCounters } from '../counters/redirect-counters.ts';
import { createSketch, MAX_EXACT_OF_REDIRECT } from '../counters/visitor-sketch.ts';
import { type RedirectRow, redirectKey, type WriteBatch } from '../counters/write-batches.ts';
import { incrementDays } from './increment-days.ts';
import { mergeRedirectDays, type RedirectDay } from './merge-days.ts';

/**
 * Adds the counts of redirects. Increments those with at most one visitor, country and source; merges the others, the
 * saturated ones, days that are over, and the visitors and sources that could not be appended. Requires
 * `lockHitCounters` in the same transaction.
 */
export async function writeRedirects(
  tx: Tx,
  { day, redirects }: WriteBatch,
  { saturated, isOver }: { saturated: ReturnType<typeof createSaturatedRedirects>; isOver: boolean },
): Promise<void> {
  const single: RedirectRow[] = [];
  const merged: RedirectDay[] = [];
  for (const row of redirects) {
    if (!isOver && !saturated.has(day, row) && row.redirect.isSingle()) single.push(row);
    else merged.push(redirectDay(row));
  }
  const unmerged = await incrementDays(tx, day, single);
  saturated.add(day, unmerged.visitors);
  await mergeRedirectDays(tx, day, merged, isOver);
  // Separate statements: a statement must not change a row twice.
  await mergeRedirectDays(tx, day, unmerged.visitors.map(visitorsOnly), isOver);
  await mergeRedirectDays(tx, day, unmerged.sources.map(sourcesOnly), isOver);
}

function redirectDay({ site: { websiteId, environment }, redirect }: RedirectRow): RedirectDay {
  return { websiteId, environment, redirectId: redirect.redirectId, counters: redirect.all() };
}

/** The visitors of a row whose other counts are added already. */
function visitorsOnly(row: RedirectRow): RedirectDay {
  const day = redirectDay(row);
  return { ...day, counters: { ...noCounters(), visitors: day.counters.visitors } };
}

/** The sources of a row whose other counts are added already. */
function sourcesOnly(row: RedirectRow): RedirectDay {
  const day = redirectDay(row);
  const { referrers, utmSources } = day.counters;
  return { ...day, counters: { ...noCounters(), referrers, utmSources } };
}

const noCounters = (): HitCounters => ({
  hits: 0,
  botHits: 0,
  assistantHits: 0,
  micros: 0,
  countries: new Map(),
  visitors: createSketch(MAX_EXACT_OF_REDIRECT),
  referrers: new Map(),
  utmSources: new Map(),
});

const MAX_SATURATED = 200_000;

/** Remembers the redirects whose visitor list of a day is full, which are merged at once. Keeps one day. */
export function createSaturatedRedirects() {
  const keys = new Set<number>();
  let current = '';
  return {
    has: (day: string, row: RedirectRow) => day === current && keys.has(redirectKey(row)),
    add(day: string, rows: RedirectRow[]): void {
      if (day !== current || keys.size > MAX_SATURATED) keys.clear();
      current = day;
      for (const row of rows) keys.add(redirectKey(row));
    },
  };
}
