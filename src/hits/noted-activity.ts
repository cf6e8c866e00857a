/**
 * Which redirects this process has already noted as followed in the current minute. To note it again would be a write a second for what
 * is followed all the time, and tell little: `last_hit_at` is right to the minute.
 */
import { ENVIRONMENTS } from '../vocabulary/environment.ts';
import type { RedirectRow } from './batches.ts';

const MINUTE_MS = 60_000;
/** More than that are written once more than needed rather than remembered. */
const MOST = 500_000;

export interface NotedActivity {
  /** Those that a person has followed in a minute in which that is not noted yet. */
  news(redirects: RedirectRow[]): RedirectRow[];
  /** To be called when they are written. */
  keep(redirects: RedirectRow[]): void;
}

export function createNotedActivity(): NotedActivity {
  let minute = 0;
  let noted = new Set<number>();
  const minuteOf = ({ tally }: RedirectRow): number => Math.floor(tally.lastHitAt / MINUTE_MS);
  const keyOf = ({ site, redirectId }: RedirectRow): number =>
    redirectId * ENVIRONMENTS.length + ENVIRONMENTS.indexOf(site.environment);
  return {
    news: (redirects) =>
      redirects.filter(
        (row) => row.tally.lastHitAt > 0 && !(minuteOf(row) === minute && noted.has(keyOf(row))),
      ),
    keep(redirects) {
      for (const row of redirects) {
        if (minuteOf(row) < minute) continue;
        if (minuteOf(row) > minute) {
          minute = minuteOf(row);
          noted = new Set();
        }
        if (noted.size < MOST) noted.add(keyOf(row));
      }
    },
  };
}
