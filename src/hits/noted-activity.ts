/**
 * Which redirects this process has already noted as followed in the current minute. To note it again would be a write a second for what
 * is followed all the time, and tell little: `last_hit_at` is right to the minute. Where so many are followed that noting them each
 * minute would cost as much as counting their hits, it is right to ten.
 */
import { ENVIRONMENTS } from '../vocabulary/environment.ts';
import type { RedirectRow } from './batches.ts';

const MINUTE_MS = 60_000;
const TEN_MINUTES_MS = 10 * MINUTE_MS;
/** Redirects of one batch that are noted to the minute. */
const FEW = 1_000;
/** More than that are written once more than needed rather than remembered. */
const MOST = 500_000;

export interface NotedActivity {
  /** Those that a person has followed in a minute (where they are many: ten) in which that is not noted yet. */
  news(redirects: RedirectRow[]): RedirectRow[];
  /** To be called when they are written. */
  keep(redirects: RedirectRow[]): void;
}

export function createNotedActivity(): NotedActivity {
  const minute = createSpan(MINUTE_MS);
  const tenMinutes = createSpan(TEN_MINUTES_MS);
  return {
    news(redirects) {
      const news = redirects.filter((row) => row.tally.lastHitAt > 0 && !minute.has(row));
      return news.length > FEW ? news.filter((row) => !tenMinutes.has(row)) : news;
    },
    keep(redirects) {
      for (const row of redirects) {
        minute.add(row);
        tenMinutes.add(row);
      }
    },
  };
}

/** Those that were noted in the current span of time, which is that of the latest one. */
function createSpan(milliseconds: number) {
  let current = 0;
  let noted = new Set<number>();
  const spanOf = ({ tally }: RedirectRow): number => Math.floor(tally.lastHitAt / milliseconds);
  const keyOf = ({ site, redirectId }: RedirectRow): number =>
    redirectId * ENVIRONMENTS.length + ENVIRONMENTS.indexOf(site.environment);
  return {
    has: (row: RedirectRow): boolean => spanOf(row) === current && noted.has(keyOf(row)),
    add(row: RedirectRow): void {
      if (spanOf(row) < current) return;
      if (spanOf(row) > current) {
        current = spanOf(row);
        noted = new Set();
      }
      if (noted.size < MOST) noted.add(keyOf(row));
    },
  };
}
