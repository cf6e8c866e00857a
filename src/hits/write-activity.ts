import { sql } from '../db/drizzle.ts';
import type { Tx } from '../db/client.ts';
import type { RedirectRow } from './batches.ts';
import { bigints, ints, texts, times } from './columns.ts';

/** Notes when people last followed these redirects. Part of a transaction in which nobody else writes those websites. */
export async function writeActivity(tx: Tx, rows: RedirectRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(sql`
    insert into redirect_activity as a (website_id, redirect_id, environment, last_hit_at, last_hit_minute)
    select website_id, redirect_id, environment, last_hit_at, date_trunc('minute', last_hit_at)
    from unnest(${ints(rows.map(({ site }) => site.websiteId))}::int[],
      ${bigints(rows.map(({ site, place }) => site.redirects.redirectIdAt(place)))}::bigint[],
      ${texts(rows.map(({ site }) => site.environment))}::text[],
      ${times(rows.map(({ site, place }) => site.redirects.lastHitAt(place)))}::timestamptz[])
      as b (website_id, redirect_id, environment, last_hit_at)
    order by website_id, redirect_id, environment
    on conflict (website_id, redirect_id, environment) do update
    set last_hit_at = excluded.last_hit_at, last_hit_minute = excluded.last_hit_minute
    where a.last_hit_at < excluded.last_hit_at`);
}
