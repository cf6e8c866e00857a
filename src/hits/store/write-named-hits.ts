import type { Tx } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import type { WriteBatch } from '../counters/write-batches.ts';

/** Adds the requests of bots and assistants by name. Requires `lockHitCounters` in the same transaction. */
export async function writeNamedHits(tx: Tx, { day, sites }: WriteBatch): Promise<void> {
  const rows = sites.flatMap((site) => [...site.named].map(([name, counters]) => ({ site, name, counters })));
  if (rows.length === 0) return;
  await tx.execute(sql`
    insert into named_hits as n (website_id, environment, day, name, hits, unmatched)
    select b.website_id, b.environment, ${day}::date, b.name, b.hits, b.unmatched
    from unnest(
      ${sql.param(rows.map(({ site }) => site.websiteId))}::int[],
      ${sql.param(rows.map(({ site }) => site.environment))}::text[],
      ${sql.param(rows.map(({ name }) => name))}::text[],
      ${sql.param(rows.map(({ counters }) => counters.hits))}::bigint[],
      ${sql.param(rows.map(({ counters }) => counters.unmatched))}::bigint[])
      as b (website_id, environment, name, hits, unmatched)
    on conflict (website_id, environment, day, name)
    do update set hits = n.hits + excluded.hits, unmatched = n.unmatched + excluded.unmatched`);
}
