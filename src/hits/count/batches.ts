/** What was counted, cut into batches of a size that is written in one short transaction. */
import { DAY_MS } from '../../platform/clock.ts';
import { ENVIRONMENTS } from '../../vocabulary/environment.ts';
import type { PathTally, SiteTally, PendingCounters } from './counters.ts';

const REDIRECTS = 10_000;
const SITES = 100;
const PATHS = 1_000;

/** A redirect that was followed: its place among the website's tallies. */
export interface RedirectRow {
  site: SiteTally;
  place: number;
}

/** A number that no other redirect has, nor the same one in another environment. */
export function redirectKey({ site, place }: RedirectRow): number {
  return site.redirects.redirectIdAt(place) * ENVIRONMENTS.length + ENVIRONMENTS.indexOf(site.environment);
}

export interface PathRow {
  site: SiteTally;
  path: string;
  tally: PathTally;
}

/** Parts of one day. A website's own row is in one batch, its redirects and paths in as many as they need. */
export interface Batch {
  /** `YYYY-MM-DD` */
  day: string;
  sites: SiteTally[];
  redirects: RedirectRow[];
  paths: PathRow[];
}

/** Every count is in exactly one batch. Made one after the other, so that all of them never stand in memory beside the tallies. */
export function* batchesOf(tallies: PendingCounters): Generator<Batch> {
  for (const [number, sites] of tallies.days) {
    const day = new Date(number * DAY_MS).toISOString().slice(0, 10);
    let batch = emptyBatch(day);
    for (const site of sites.values()) {
      batch.sites.push(site);
      for (let place = 0; place < site.redirects.size; place++) {
        batch.redirects.push({ site, place });
        if (isFull(batch)) {
          yield batch;
          batch = emptyBatch(day);
        }
      }
      for (const [path, tally] of site.paths) {
        batch.paths.push({ site, path, tally });
        if (isFull(batch)) {
          yield batch;
          batch = emptyBatch(day);
        }
      }
      if (isFull(batch)) {
        yield batch;
        batch = emptyBatch(day);
      }
    }
    if (batch.sites.length + batch.redirects.length + batch.paths.length > 0) yield batch;
  }
}

function emptyBatch(day: string): Batch {
  return { day, sites: [], redirects: [], paths: [] };
}

function isFull({ sites, redirects, paths }: Batch): boolean {
  return sites.length >= SITES || redirects.length >= REDIRECTS || paths.length >= PATHS;
}
