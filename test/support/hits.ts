/**
 * Hits for tests: an aggregator without a worker thread, a request, and stored days as the recorder would write them.
 */
import { sql } from 'drizzle-orm';
import type { Db } from '../../src/db/connection/client.ts';
import { type AggregatorOptions, createBatchAggregator } from '../../src/hits/count/aggregator.ts';
import { createBatchEncoder, type Request } from '../../src/hits/count/request-batch.ts';
import type { HitAggregator } from '../../src/hits/record/worker-client.ts';
import { createMonthlyPartitions } from '../../src/hits/store/monthly-partitions.ts';
import type { Environment } from '../../src/vocabulary/environment.ts';

export const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36';
/** An assistant on behalf of a person. */
export const ASSISTANT =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot';

export const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

/**
 * The worker's batch aggregator behind an encoder, in this thread: for tests that need their own database connection.
 */
export function localAggregator(options: AggregatorOptions): HitAggregator {
  const encoder = createBatchEncoder();
  const aggregator = createBatchAggregator(options);
  const countBatch = (): void => aggregator.count(encoder.take());
  return {
    count(request, at) {
      encoder.add(request, at);
      if (encoder.isFull()) countBatch();
    },
    write(now) {
      countBatch();
      return aggregator.write(now);
    },
    unwritten() {
      countBatch();
      return aggregator.unwritten();
    },
    overflow() {
      countBatch();
      return aggregator.overflow();
    },
    lost: () => 0,
    close: () => Promise.resolve(),
  };
}

/** A GET of redirect 1 by a browser. */
export function hitRequest(fields: Partial<Request> & { websiteId: number }): Request {
  return {
    environment: 'production',
    redirectId: 1,
    path: '/',
    micros: 10,
    address: '192.0.2.1',
    userAgent: BROWSER,
    country: undefined,
    referrer: undefined,
    utmSource: undefined,
    ...fields,
  };
}

export interface HitDay {
  websiteId: number;
  day: string;
  environment?: Environment;
  hits?: number;
  botHits?: number;
  assistantHits?: number;
  micros?: number;
  countries?: Record<string, number>;
  referrers?: Record<string, number>;
  utmSources?: Record<string, number>;
}

/** Stores a day of a website. */
export async function websiteDay(db: Db, day: HitDay & { unmatched?: number }): Promise<void> {
  await createMonthlyPartitions(db, day.day);
  await db.execute(sql`
    insert into website_hits (website_id, environment, day, hits, bot_hits, assistant_hits, micros, countries, visitors, referrers, utm_sources, unmatched, unmatched_bots)
    values (${day.websiteId}, ${day.environment ?? 'production'}, ${day.day}, ${day.hits ?? 0}, ${day.botHits ?? 0},
      ${day.assistantHits ?? 0}, ${day.micros ?? 0}, ${JSON.stringify(day.countries ?? {})}, '\\x', ${JSON.stringify(day.referrers ?? {})},
      ${JSON.stringify(day.utmSources ?? {})}, ${day.unmatched ?? 0}, 0)`);
}

/** Stores requests of an assistant or crawler, without changing the sums of the website. */
export async function namedDay(
  db: Db,
  row: { websiteId: number; day: string; name: string; hits: number; unmatched?: number; environment?: Environment },
): Promise<void> {
  await db.execute(sql`
    insert into named_hits (website_id, environment, day, name, hits, unmatched)
    values (${row.websiteId}, ${row.environment ?? 'production'}, ${row.day}, ${row.name}, ${row.hits},
      ${row.unmatched ?? 0})`);
}

/** Stores a day of one redirect, without changing the sums of the website. */
export async function redirectDay(db: Db, day: HitDay & { redirectId: number }): Promise<void> {
  await createMonthlyPartitions(db, day.day);
  await db.execute(sql`
    insert into redirect_hits (website_id, redirect_id, environment, day, hits, bot_hits, assistant_hits, micros, countries, visitors, referrers, utm_sources)
    values (${day.websiteId}, ${day.redirectId}, ${day.environment ?? 'production'}, ${day.day}, ${day.hits ?? 0},
      ${day.botHits ?? 0}, ${day.assistantHits ?? 0}, ${day.micros ?? 0}, ${JSON.stringify(day.countries ?? {})}, '\\x',
      ${JSON.stringify(day.referrers ?? {})}, ${JSON.stringify(day.utmSources ?? {})})`);
}

/** Stores the last human hit of a redirect. */
export async function lastHit(
  db: Db,
  at: { websiteId: number; redirectId: number; time: string; environment?: Environment },
): Promise<void> {
  await db.execute(sql`
    insert into redirect_activity (website_id, redirect_id, environment, last_hit_at, last_hit_minute)
    values (${at.websiteId}, ${at.redirectId}, ${at.environment ?? 'production'}, ${at.time}::timestamptz,
      date_trunc('minute', ${at.time}::timestamptz))`);
}

/** Stores an unmatched path. */
export async function missingPath(
  db: Db,
  row: {
    websiteId: number;
    path: string;
    hits: number;
    botHits?: number;
    assistantHits?: number;
    lastSeenAt?: string;
    referrerHost?: string;
    noise?: boolean;
    environment?: Environment;
  },
): Promise<void> {
  const lastSeenAt = row.lastSeenAt ?? '2030-05-15T11:00:00Z';
  await db.execute(sql`
    insert into not_found (website_id, environment, path, hits, bot_hits, assistant_hits, noise, referrer_host, first_seen_at, last_seen_at)
    values (${row.websiteId}, ${row.environment ?? 'production'}, ${row.path}, ${row.hits}, ${row.botHits ?? 0},
      ${row.assistantHits ?? 0}, ${row.noise ?? false}, ${row.referrerHost ?? null}, ${lastSeenAt}, ${lastSeenAt})`);
}
