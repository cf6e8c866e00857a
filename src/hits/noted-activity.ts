/**
 * When this process last noted that a redirect was followed. To note it with each hit would be a write a second for what is followed all
 * the time, and tell little: `last_hit_at` is right to the minute. Where so many are followed that noting them each minute would cost
 * as much as counting their hits, it is right to ten.
 */
import { redirectKey, type RedirectRow } from './batches.ts';

const MINUTE_MS = 60_000;
const MANY_MINUTES = 10;
/** Redirects of one batch that are noted to the minute. */
const FEW = 1_000;
/** More than that are written once more than needed rather than remembered. */
const MOST = 1_000_000;

export interface NotedActivity {
  /** Those that a person has followed in a minute (where they are many: ten minutes) after that in which it was noted. */
  news(redirects: RedirectRow[]): RedirectRow[];
  /** To be called when they are written. */
  keep(redirects: RedirectRow[]): void;
}

export function createNotedActivity(): NotedActivity {
  /** minutes since the epoch, by `redirectKey` */
  const noted = new Map<number, number>();
  const age = (row: RedirectRow): number => {
    const minute = minuteOf(row);
    return minute === 0 ? 0 : minute - (noted.get(redirectKey(row)) ?? 0);
  };
  return {
    news(redirects) {
      const news = redirects.filter((row) => age(row) > 0);
      return news.length > FEW ? news.filter((row) => age(row) >= MANY_MINUTES) : news;
    },
    keep(redirects) {
      if (noted.size > MOST) noted.clear();
      redirects.forEach((row) => noted.set(redirectKey(row), minuteOf(row)));
    },
  };
}

/** 0: nobody came. */
function minuteOf({ site, place }: RedirectRow): number {
  return Math.floor(site.redirects.lastHitAt(place) / MINUTE_MS);
}
