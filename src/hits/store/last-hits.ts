/** The time of the last human hit of each redirect (`last_hit_at`), throttled. */
import type { Tx } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { redirectKey, type RedirectRow } from '../counters/write-batches.ts';
import { int4Array, int8Array, textArray, timestamptzArray } from './pg-arrays.ts';

const MINUTE_MS = 60_000;
/** Redirects of one batch above which `last_hit_at` is written every ten minutes instead of every minute. */
const CROWD_THRESHOLD = 1_000;
const CROWD_MINUTES = 10;
/** Redirects that are remembered. Above it all are forgotten, and written once more than needed. */
const MAX_REMEMBERED = 1_000_000;

/** Limits how often the last hit of a redirect is written: with each hit it would be a write every second. */
export function createLastHitThrottle() {
  /** minutes since the epoch, by `redirectKey` */
  const written = new Map<number, number>();
  const age = (row: RedirectRow): number => {
    const minute = lastHitMinute(row);
    return minute === 0 ? 0 : minute - (written.get(redirectKey(row)) ?? 0);
  };
  return {
    /** The redirects whose last hit is a minute (in a crowd: ten minutes) or more after the written one. */
    due(redirects: RedirectRow[]): RedirectRow[] {
      const due = redirects.filter((row) => age(row) > 0);
      return due.length > CROWD_THRESHOLD ? due.filter((row) => age(row) >= CROWD_MINUTES) : due;
    },
    markWritten(redirects: RedirectRow[]): void {
      if (written.size > MAX_REMEMBERED) written.clear();
      redirects.forEach((row) => written.set(redirectKey(row), lastHitMinute(row)));
    },
    forget: () => written.clear(),
  };
}

/** Minutes since the epoch; 0 if there is no human hit. */
function lastHitMinute({ redirect }: RedirectRow): number {
  return Math.floor(redirect.lastHitAt / MINUTE_MS);
}

/** Writes the last hits of these redirects. Requires `lockHitCounters` in the same transaction. */
export async function writeLastHits(tx: Tx, rows: RedirectRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += BATCH_SIZE) await upsertLastHits(tx, rows.slice(at, at + BATCH_SIZE));
}
const BATCH_SIZE = 10_000;

async function upsertLastHits(tx: Tx, rows: RedirectRow[]): Promise<void> {
  await tx.execute(sql`
    insert into redirect_activity as a (website_id, redirect_id, environment, last_hit_at, last_hit_minute)
    select website_id, redirect_id, environment, last_hit_at, date_trunc('minute', last_hit_at)
    from unnest(${int4Array(rows.map(({ site }) => site.websiteId))}::int[],
      ${int8Array(rows.map(({ redirect }) => redirect.redirectId))}::bigint[],
      ${textArray(rows.map(({ site }) => site.environment))}::text[],
      ${timestamptzArray(rows.map(({ redirect }) => redirect.lastHitAt))}::timestamptz[])
      as b (website_id, redirect_id, environment, last_hit_at)
    order by website_id, redirect_id, environment
    on conflict (website_id, redirect_id, environment) do update
    set last_hit_at = excluded.last_hit_at, last_hit_minute = excluded.last_hit_minute
    where a.last_hit_at < excluded.last_hit_at`);
}
