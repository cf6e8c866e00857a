/** Days of hits as the recorder would have written them, for reports on more of them than a test can make. */
import { sql } from 'drizzle-orm';
import type { Db } from '../../src/db/client.ts';
import { createMonthlyPartitions } from '../../src/hits/store/monthly-partitions.ts';
import type { Environment } from '../../src/vocabulary/environment.ts';

export interface HitDay {
  websiteId: number;
  day: string;
  environment?: Environment;
  hits?: number;
  botHits?: number;
  micros?: number;
  countries?: Record<string, number>;
}

/** A day of a website. */
export async function websiteDay(db: Db, day: HitDay & { unmatched?: number }): Promise<void> {
  await createMonthlyPartitions(db, day.day);
  await db.execute(sql`
    insert into website_hits (website_id, environment, day, hits, bot_hits, micros, countries, visitors, unmatched, unmatched_bots)
    values (${day.websiteId}, ${day.environment ?? 'production'}, ${day.day}, ${day.hits ?? 0}, ${day.botHits ?? 0},
      ${day.micros ?? 0}, ${JSON.stringify(day.countries ?? {})}, '\\x', ${day.unmatched ?? 0}, 0)`);
}

/** A day of one redirect; the website's own sums are not touched. */
export async function redirectDay(db: Db, day: HitDay & { redirectId: number }): Promise<void> {
  await createMonthlyPartitions(db, day.day);
  await db.execute(sql`
    insert into redirect_hits (website_id, redirect_id, environment, day, hits, bot_hits, micros, countries, visitors)
    values (${day.websiteId}, ${day.redirectId}, ${day.environment ?? 'production'}, ${day.day}, ${day.hits ?? 0},
      ${day.botHits ?? 0}, ${day.micros ?? 0}, ${JSON.stringify(day.countries ?? {})}, '\\x')`);
}

/** When a person last followed a redirect. */
export async function lastHit(
  db: Db,
  at: { websiteId: number; redirectId: number; time: string; environment?: Environment },
): Promise<void> {
  await db.execute(sql`
    insert into redirect_activity (website_id, redirect_id, environment, last_hit_at, last_hit_minute)
    values (${at.websiteId}, ${at.redirectId}, ${at.environment ?? 'production'}, ${at.time}::timestamptz,
      date_trunc('minute', ${at.time}::timestamptz))`);
}

/** A path that no redirect matched. */
export async function missingPath(
  db: Db,
  row: {
    websiteId: number;
    path: string;
    hits: number;
    botHits?: number;
    lastSeenAt?: string;
    referrerHost?: string;
    noise?: boolean;
    environment?: Environment;
  },
): Promise<void> {
  const lastSeenAt = row.lastSeenAt ?? '2030-05-15T11:00:00Z';
  await db.execute(sql`
    insert into not_found (website_id, environment, path, hits, bot_hits, noise, referrer_host, first_seen_at, last_seen_at)
    values (${row.websiteId}, ${row.environment ?? 'production'}, ${row.path}, ${row.hits}, ${row.botHits ?? 0},
      ${row.noise ?? false}, ${row.referrerHost ?? null}, ${lastSeenAt}, ${lastSeenAt})`);
}
