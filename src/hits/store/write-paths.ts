import { sql } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import type { Batch } from '../count/batches.ts';
import type { SiteTally } from '../count/counters.ts';

/** Paths that are kept of one environment of a website, besides those that are ignored. */
export const PATHS_KEPT = 10_000;
/** When there are more, so many are left: then the next thousand may come before it has to be looked at again. */
const PATHS_LEFT = 9_000;

/** Adds what nothing matched. Part of a transaction in which nobody else writes those websites. */
export async function writePaths(tx: Tx, { sites, paths }: Batch): Promise<void> {
  const others = sites.filter((site) => site.otherPaths.lastSeenAt > 0);
  if (others.length > 0) await addToOther(tx, others);
  if (paths.length === 0) return;
  const time = (at: number): string => new Date(at).toISOString();
  const { rows } = await tx.execute<{ website_id: number; environment: Environment; added: number }>(sql`
    with written as (
      insert into not_found as n
        (website_id, environment, path, hits, bot_hits, noise, referrer_host, first_seen_at, last_seen_at)
      select * from unnest(
        ${sql.param(paths.map(({ site }) => site.websiteId))}::int[],
        ${sql.param(paths.map(({ site }) => site.environment))}::text[],
        ${sql.param(paths.map(({ path }) => path))}::text[],
        ${sql.param(paths.map(({ tally }) => tally.hits))}::bigint[],
        ${sql.param(paths.map(({ tally }) => tally.botHits))}::bigint[],
        ${sql.param(paths.map(({ tally }) => tally.noise))}::boolean[],
        ${sql.param(paths.map(({ tally }) => tally.referrerHost))}::text[],
        ${sql.param(paths.map(({ tally }) => time(tally.firstSeenAt)))}::timestamptz[],
        ${sql.param(paths.map(({ tally }) => time(tally.lastSeenAt)))}::timestamptz[])
      on conflict (website_id, environment, path) do update set
        hits = n.hits + excluded.hits, bot_hits = n.bot_hits + excluded.bot_hits, noise = excluded.noise,
        referrer_host = coalesce(excluded.referrer_host, n.referrer_host),
        first_seen_at = least(n.first_seen_at, excluded.first_seen_at),
        last_seen_at = greatest(n.last_seen_at, excluded.last_seen_at)
      returning website_id, environment, (xmax = 0) as is_new)
    select website_id, environment, count(*)::int as added from written where is_new group by 1, 2`);
  for (const { website_id: websiteId, environment } of rows) await pushOut(tx, websiteId, environment);
}

async function addToOther(tx: Tx, sites: SiteTally[]): Promise<void> {
  await tx.execute(sql`
    insert into not_found_other as o (website_id, environment, hits, bot_hits, last_seen_at)
    select * from unnest(
      ${sql.param(sites.map((site) => site.websiteId))}::int[],
      ${sql.param(sites.map((site) => site.environment))}::text[],
      ${sql.param(sites.map((site) => site.otherPaths.hits))}::bigint[],
      ${sql.param(sites.map((site) => site.otherPaths.botHits))}::bigint[],
      ${sql.param(sites.map((site) => new Date(site.otherPaths.lastSeenAt).toISOString()))}::timestamptz[])
    ${ADDED_TO_OTHER}`);
}

/** Where there are too many paths by now, the least useful go: noise first, then those with the fewest hits, of these the oldest. */
async function pushOut(tx: Tx, websiteId: number, environment: Environment): Promise<void> {
  const kept = sql`website_id = ${websiteId} and environment = ${environment} and ignored_at is null`;
  const { rows } = await tx.execute<{ paths: number }>(
    sql`select count(*)::int as paths from not_found where ${kept}`,
  );
  const paths = rows[0]?.paths ?? 0;
  if (paths <= PATHS_KEPT) return;
  await tx.execute(sql`
    with gone as (
      delete from not_found where ctid = any(array(
        select ctid from not_found where ${kept}
        order by noise desc, hits, bot_hits, last_seen_at limit ${paths - PATHS_LEFT}))
      returning hits, bot_hits, last_seen_at)
    insert into not_found_other as o (website_id, environment, hits, bot_hits, last_seen_at)
    select ${websiteId}, ${environment}, sum(hits), sum(bot_hits), max(last_seen_at) from gone
    ${ADDED_TO_OTHER}`);
}

const ADDED_TO_OTHER = sql`on conflict (website_id, environment) do update set hits = o.hits + excluded.hits,
  bot_hits = o.bot_hits + excluded.bot_hits, last_seen_at = greatest(o.last_seen_at, excluded.last_seen_at)`;
