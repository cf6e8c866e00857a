import type { Tx } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import type { SiteCounters } from '../counters/counters.ts';
import type { WriteBatch } from '../counters/write-batches.ts';

/** Paths that are stored per environment of a website, in addition to ignored ones. */
const MAX_PATHS = 10_000;
/** Paths that remain after an eviction, so that the next one is a thousand paths away. */
const PATHS_AFTER_EVICTION = 9_000;

/** Adds the counts of unmatched paths. Requires `lockHitCounters` in the same transaction. */
export async function writePaths(tx: Tx, { sites, paths }: WriteBatch): Promise<void> {
  const withOthers = sites.filter((site) => site.otherPaths.lastSeenAt > 0);
  if (withOthers.length > 0) await addToOther(tx, withOthers);
  if (paths.length === 0) return;
  const time = (at: number): string => new Date(at).toISOString();
  const added = await queryRows<{ websiteId: number; environment: Environment }>(tx)`
    with written as (
      insert into not_found as n
        (website_id, environment, path, hits, bot_hits, assistant_hits, noise, referrer_host, first_seen_at, last_seen_at)
      select * from unnest(
        ${sql.param(paths.map(({ site }) => site.websiteId))}::int[],
        ${sql.param(paths.map(({ site }) => site.environment))}::text[],
        ${sql.param(paths.map(({ path }) => path))}::text[],
        ${sql.param(paths.map(({ counters }) => counters.hits))}::bigint[],
        ${sql.param(paths.map(({ counters }) => counters.botHits))}::bigint[],
        ${sql.param(paths.map(({ counters }) => counters.assistantHits))}::bigint[],
        ${sql.param(paths.map(({ counters }) => counters.noise))}::boolean[],
        ${sql.param(paths.map(({ counters }) => counters.referrerHost))}::text[],
        ${sql.param(paths.map(({ counters }) => time(counters.firstSeenAt)))}::timestamptz[],
        ${sql.param(paths.map(({ counters }) => time(counters.lastSeenAt)))}::timestamptz[])
      on conflict (website_id, environment, path) do update set
        hits = n.hits + excluded.hits, bot_hits = n.bot_hits + excluded.bot_hits,
        assistant_hits = n.assistant_hits + excluded.assistant_hits, noise = excluded.noise,
        referrer_host = coalesce(excluded.referrer_host, n.referrer_host),
        first_seen_at = least(n.first_seen_at, excluded.first_seen_at),
        last_seen_at = greatest(n.last_seen_at, excluded.last_seen_at)
      returning website_id, environment, (xmax = 0) as is_new)
    select distinct website_id, environment from written where is_new`;
  for (const { websiteId, environment } of added) await evict(tx, websiteId, environment);
}

async function addToOther(tx: Tx, sites: SiteCounters[]): Promise<void> {
  await tx.execute(sql`
    insert into not_found_other as o (website_id, environment, hits, bot_hits, assistant_hits, last_seen_at)
    select * from unnest(
      ${sql.param(sites.map((site) => site.websiteId))}::int[],
      ${sql.param(sites.map((site) => site.environment))}::text[],
      ${sql.param(sites.map((site) => site.otherPaths.hits))}::bigint[],
      ${sql.param(sites.map((site) => site.otherPaths.botHits))}::bigint[],
      ${sql.param(sites.map((site) => site.otherPaths.assistantHits))}::bigint[],
      ${sql.param(sites.map((site) => new Date(site.otherPaths.lastSeenAt).toISOString()))}::timestamptz[])
    ${ADD_TO_OTHER}`);
}

/** Evicts paths above the limit: noise first, then those with the fewest hits, then the oldest. */
async function evict(tx: Tx, websiteId: number, environment: Environment): Promise<void> {
  const listed = sql`website_id = ${websiteId} and environment = ${environment} and ignored_at is null`;
  const { rows } = await tx.execute<{ paths: number }>(
    sql`select count(*)::int as paths from not_found where ${listed}`,
  );
  const paths = rows[0]?.paths ?? 0;
  if (paths <= MAX_PATHS) return;
  await tx.execute(sql`
    with evicted as (
      delete from not_found where ctid = any(array(
        select ctid from not_found where ${listed}
        order by noise desc, hits, assistant_hits, bot_hits, last_seen_at limit ${paths - PATHS_AFTER_EVICTION}))
      returning hits, bot_hits, assistant_hits, last_seen_at)
    insert into not_found_other as o (website_id, environment, hits, bot_hits, assistant_hits, last_seen_at)
    select ${websiteId}, ${environment}, sum(hits), sum(bot_hits), sum(assistant_hits), max(last_seen_at) from evicted
    ${ADD_TO_OTHER}`);
}

const ADD_TO_OTHER = sql`on conflict (website_id, environment) do update set hits = o.hits + excluded.hits,
  bot_hits = o.bot_hits + excluded.bot_hits, assistant_hits = o.assistant_hits + excluded.assistant_hits,
  last_seen_at = greatest(o.last_seen_at, excluded.last_seen_at)`;
