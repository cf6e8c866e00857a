/** Hits of websites by hour (UTC), for the chart of a day. */
import type { Db, Queryable, Tx } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { deleteInBatches, queryRows } from '../../db/rows.ts';
import { DAY_MS, utcDay } from '../../platform/clock.ts';
import type { WriteBatch } from '../counters/write-batches.ts';
import { countedHits, type HitScope } from '../report/hit-rows.ts';

/** Days for which hours are kept. */
export const HOURS_DAYS = 8;
export const HOUR_MS = 3_600_000;

/**
 * Adds the hits of a batch to the hour in which it is written, a second or so after the hits. Reports of earlier days
 * have no hour. Requires `lockHitCounters` in the same transaction.
 */
export async function writeWebsiteHours(tx: Tx, { day, sites }: WriteBatch, now: Date): Promise<void> {
  const hour = hourOf(day, now);
  if (hour === undefined || sites.length === 0) return;
  await tx.execute(sql`
    insert into website_hours as h (website_id, environment, hour, hits, bot_hits, assistant_hits)
    select x.website_id, x.environment, ${hour}::timestamptz, x.hits, x.bot_hits, x.assistant_hits
    from unnest(
      ${sql.param(sites.map(({ websiteId }) => websiteId))}::int[],
      ${sql.param(sites.map(({ environment }) => environment))}::text[],
      ${sql.param(sites.map(({ hits }) => hits))}::bigint[],
      ${sql.param(sites.map(({ botHits }) => botHits))}::bigint[],
      ${sql.param(sites.map(({ assistantHits }) => assistantHits))}::bigint[])
      as x (website_id, environment, hits, bot_hits, assistant_hits)
    where x.hits + x.bot_hits + x.assistant_hits > 0
    order by x.website_id, x.environment
    on conflict (website_id, environment, hour) do update set hits = h.hits + excluded.hits,
      bot_hits = h.bot_hits + excluded.bot_hits, assistant_hits = h.assistant_hits + excluded.assistant_hits`);
}

/** The hour to which the hits of a day count: the current one, or the last one of a day that has just ended. */
function hourOf(day: string, now: Date): string | undefined {
  if (day === utcDay(now)) return new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS).toISOString();
  return day === utcDay(new Date(now.getTime() - HOUR_MS)) ? `${day}T23:00:00Z` : undefined;
}

const DAY_HOURS = 24;

/** The hits of a website in the 24 hours of a day. */
export async function readWebsiteHours(
  db: Queryable,
  { websiteId, environment, filter }: HitScope,
  day: string,
): Promise<number[]> {
  const rows = await queryRows<{ hour: number; hits: number }>(db)`
    select extract(hour from h.hour at time zone 'UTC')::int as hour, ${countedHits(filter)} as hits from website_hours h
    where h.website_id = ${websiteId} and h.environment = ${environment}
      and h.hour >= ${`${day}T00:00:00Z`}::timestamptz and h.hour <= ${`${day}T23:00:00Z`}::timestamptz`;
  const hits = new Array<number>(DAY_HOURS).fill(0);
  for (const row of rows) hits[row.hour] = row.hits;
  return hits;
}

/** Purges hours that are older than `HOURS_DAYS` or `retentionDays`. */
export async function purgeWebsiteHours(db: Db, now: Date, retentionDays: number): Promise<void> {
  const cutoff = new Date(now.getTime() - Math.min(HOURS_DAYS, retentionDays) * DAY_MS).toISOString();
  await deleteInBatches(db, 'website_hours', sql`t.hour < ${cutoff}::timestamptz`);
}
