/**
 * When this process last noted that a redirect was followed. To note it with each hit would be a write a second for what is followed all
 * the time, and tell little: `last_hit_at` is right to the minute. Where so many are followed that noting them each minute would cost
 * as much as counting their hits, it is right to ten.
 */
import { redirectKey, type RedirectRow } from '../count/batches.ts';
import { sql } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { int8Array, int4Array, textArray, times } from './pg-arrays.ts';

const MINUTE_MS = 60_000;
const MANY_MINUTES = 10;
/** Redirects of one batch that are noted to the minute. */
const FEW = 1_000;
/** More than that are written once more than needed rather than remembered. */
const MOST = 1_000_000;

export interface LastHitThrottle {
  /** Those that a person has followed in a minute (where they are many: ten minutes) after that in which it was noted. */
  news(redirects: RedirectRow[]): RedirectRow[];
  /** To be called when they are written. */
  keep(redirects: RedirectRow[]): void;
}

export function createNotedActivity(): LastHitThrottle {
  /** minutes since the epoch, by `redirectKey` */
  const noted = new Map<number, number>();
  const age = (row: RedirectRow): number => {
    const minute = minuteOf(row);
    return minute === 0 ? 0 : minute - (noted.get(redirectKey(row)) ?? 0);
  };
  return {
    news(redirects) {
      const due = redirects.filter((row) => age(row) > 0);
      return due.length > FEW ? due.filter((row) => age(row) >= MANY_MINUTES) : due;
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

/** Notes when people last followed these redirects. Part of a transaction in which nobody else writes those websites. */
export async function writeLastHits(tx: Tx, rows: RedirectRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(sql`
    insert into redirect_activity as a (website_id, redirect_id, environment, last_hit_at, last_hit_minute)
    select website_id, redirect_id, environment, last_hit_at, date_trunc('minute', last_hit_at)
    from unnest(${int4Array(rows.map(({ site }) => site.websiteId))}::int[],
      ${int8Array(rows.map(({ site, place }) => site.redirects.redirectIdAt(place)))}::bigint[],
      ${textArray(rows.map(({ site }) => site.environment))}::text[],
      ${times(rows.map(({ site, place }) => site.redirects.lastHitAt(place)))}::timestamptz[])
      as b (website_id, redirect_id, environment, last_hit_at)
    order by website_id, redirect_id, environment
    on conflict (website_id, redirect_id, environment) do update
    set last_hit_at = excluded.last_hit_at, last_hit_minute = excluded.last_hit_minute
    where a.last_hit_at < excluded.last_hit_at`);
}
