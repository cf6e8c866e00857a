import type { Tx } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import type { WriteBatch } from '../counters/write-batches.ts';

/** Slots of 5 minutes in an hour. */
export const SLOTS = 12;
const SLOT_MS = 300_000;

/**
 * Adds unmatched requests by people to the current hour of each path, and of each website with an empty path. Only for
 * accounts with a notice about bursts. Requires `lockHitCounters` in the same transaction.
 */
export async function writeHours(tx: Tx, { sites, paths }: WriteBatch, now: Date): Promise<void> {
  const rows = [
    ...sites.map((site) => ({ site, path: '', hits: site.unmatched, at: now.getTime() })),
    ...paths.map(({ site, path, counters: { hits, lastSeenAt } }) => ({ site, path, hits, at: lastSeenAt })),
  ].filter(({ hits }) => hits > 0);
  if (rows.length === 0) return;
  const slot = sql`x.slot::int % ${SLOTS}`;
  await tx.execute(sql`
    insert into not_found_hours as h (website_id, environment, path, hour, hits, slots)
    select x.website_id, x.environment, x.path, to_timestamp(x.slot / ${SLOTS} * ${SLOTS * (SLOT_MS / 1_000)}::bigint), x.hits,
      array_fill(0, array[${slot}]) || x.hits || array_fill(0, array[${SLOTS - 1} - ${slot}])
    from unnest(
      ${sql.param(rows.map(({ site }) => site.websiteId))}::int[],
      ${sql.param(rows.map(({ site }) => site.environment))}::text[],
      ${sql.param(rows.map(({ path }) => path))}::text[],
      ${sql.param(rows.map(({ at }) => Math.floor(at / SLOT_MS)))}::bigint[],
      ${sql.param(rows.map(({ hits }) => hits))}::int[]) as x (website_id, environment, path, slot, hits)
      join websites s on s.id = x.website_id
    where exists (select from notices n where n.account_id = s.account_id and n.kinds @> array['not_found.burst'])
    on conflict (website_id, environment, path, hour) do update set hits = h.hits + excluded.hits,
      slots = (select array_agg(a + b order by i) from unnest(h.slots, excluded.slots) with ordinality as t (a, b, i))`);
}
