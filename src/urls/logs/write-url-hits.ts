import type { Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import type { UrlSet } from '../../deployments/gate/urls/url-set.ts';
import { DAY_MS } from '../../platform/clock.ts';
import { ENVIRONMENTS } from '../../vocabulary/environment.ts';
import { URL_SOURCES } from '../../vocabulary/urls.ts';
import { lockUrls } from '../lock.ts';
import type { UrlHits } from './log-counters.ts';

/** Rows per statement. */
const BATCH_SIZE = 5_000;

/** Adds requests of URLs by logs. `urlHits` is that of LogCounters. */
export async function writeUrlHits(
  tx: Queryable,
  websiteId: number,
  urls: UrlSet,
  urlHits: ReadonlyMap<number, ReadonlyMap<number, UrlHits>>,
): Promise<void> {
  if (urlHits.size === 0) return;
  await lockUrls(tx, websiteId);
  for (const [key, byUrl] of urlHits) {
    const day = new Date(Math.floor(key / ENVIRONMENTS.length) * DAY_MS).toISOString();
    const environment = ENVIRONMENTS[key % ENVIRONMENTS.length] ?? 'production';
    const rows = [...byUrl];
    for (let at = 0; at < rows.length; at += BATCH_SIZE) {
      const batch = rows.slice(at, at + BATCH_SIZE);
      const added = sql`unnest(${sql.param(batch.map(([index]) => urls.text(index)))}::text[],
        ${sql.param(batch.map(([, { hits }]) => hits))}::bigint[],
        ${sql.param(batch.map(([, { botHits }]) => botHits))}::bigint[],
        ${sql.param(batch.map(([, { assistantHits }]) => assistantHits))}::bigint[]) as b (url, hits, bot_hits, assistant_hits)
        join urls u on u.website_id = ${websiteId} and u.url = b.url`;
      await tx.execute(sql`
        insert into url_hits as h (website_id, environment, url_id, day, hits, bot_hits, assistant_hits)
        select ${websiteId}::int, ${environment}, u.id, ${day}::date, b.hits, b.bot_hits, b.assistant_hits from ${added}
        on conflict (website_id, environment, url_id, day)
        do update set hits = h.hits + excluded.hits, bot_hits = h.bot_hits + excluded.bot_hits,
          assistant_hits = h.assistant_hits + excluded.assistant_hits`);
      // URLs that only visitors added are counted by that source alone.
      await tx.execute(sql`
        update urls set sources = urls.sources | ${URL_SOURCES.log}::smallint from ${added}
        where urls.id = u.id and u.sources & ${URL_SOURCES.log}::smallint = 0 and u.sources <> ${URL_SOURCES.visitors}`);
    }
  }
}

/** A URL may be gone: `urls` has no foreign keys. */
export async function purgeUrlHits(tx: Queryable): Promise<void> {
  await tx.execute(
    sql`delete from url_hits where day < (now() at time zone 'UTC')::date - ${sql.raw(String(HIT_DAYS))}`,
  );
}
/** No report reads older ones. */
const HIT_DAYS = 31;
