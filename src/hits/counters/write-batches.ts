/** Cuts the counters into batches that are each written in one short transaction. */
import { DAY_MS } from '../../platform/clock.ts';
import { ENVIRONMENTS } from '../../vocabulary/environment.ts';
import type { PathCounters, PendingCounters, SiteCounters } from './counters.ts';
import { redirectsOf } from './packed-redirects.ts';
import type { RedirectCounters } from './redirect-counters.ts';

const MAX_REDIRECTS = 10_000;
const MAX_SITES = 100;
const MAX_PATHS = 1_000;

/** A redirect with hits, and the counters of its website. */
export interface RedirectRow {
  site: SiteCounters;
  redirect: RedirectCounters;
}

/** A number that is unique for the redirect and environment. */
export function redirectKey({ site, redirect }: RedirectRow): number {
  return redirect.redirectId * ENVIRONMENTS.length + ENVIRONMENTS.indexOf(site.environment);
}

/** Counters of one day. A website's own row is in one batch; its redirects and paths may span several. */
export interface WriteBatch {
  /** `YYYY-MM-DD` */
  day: string;
  sites: SiteCounters[];
  redirects: RedirectRow[];
  paths: { site: SiteCounters; path: string; counters: PathCounters }[];
}

/**
 * Yields every counter in exactly one batch, the latest day first. Lazy, so that the batches are never all in memory.
 */
export function* splitIntoBatches(pending: PendingCounters): Generator<WriteBatch> {
  for (const [dayNumber, sites] of [...pending.days].sort(([a], [b]) => b - a)) {
    const day = dayText(dayNumber);
    const emptyBatch = (): WriteBatch => ({ day, sites: [], redirects: [], paths: [] });
    let batch = emptyBatch();
    const startNext = (): WriteBatch => {
      const full = batch;
      batch = emptyBatch();
      return full;
    };
    for (const site of sites.values()) {
      batch.sites.push(site);
      for (const redirect of redirectsOf(site)) {
        batch.redirects.push({ site, redirect });
        if (isFull(batch)) yield startNext();
      }
      for (const [path, counters] of site.paths) {
        batch.paths.push({ site, path, counters });
        if (isFull(batch)) yield startNext();
      }
      if (isFull(batch)) yield startNext();
    }
    if (batch.sites.length + batch.redirects.length + batch.paths.length > 0) yield batch;
  }
}

/** The days of the counters, as `YYYY-MM-DD`. */
export const daysOf = ({ days }: PendingCounters): string[] => Array.from(days.keys(), dayText);

const dayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

function isFull({ sites, redirects, paths }: WriteBatch): boolean {
  return sites.length >= MAX_SITES || redirects.length >= MAX_REDIRECTS || paths.length >= MAX_PATHS;
}
