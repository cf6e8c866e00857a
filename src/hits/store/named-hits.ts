/** Requests of assistants and crawlers by name (hits/count/assistants.ts). */
import type { Queryable, Tx } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { NAMED_AGENTS, type NamedAgent } from '../count/assistants.ts';
import type { WriteBatch } from '../counters/write-batches.ts';
import type { DayRange, HitScope } from '../report/hit-rows.ts';

export interface NamedRequests extends NamedAgent {
  name: string;
  requests: number;
  /** of these, those that no redirect matched */
  notFound: number;
}

/** Most requests first, then by name: those of a website, or of one class. Names are not verified. */
export async function readNamedHits(
  db: Queryable,
  { websiteId, environment, filter }: HitScope,
  { from, to }: DayRange,
): Promise<NamedRequests[]> {
  const rows = await queryRows<Pick<NamedRequests, 'name' | 'requests' | 'notFound'>>(db)`
    select name, sum(hits + unmatched)::bigint as requests, sum(unmatched)::bigint as not_found
    from named_hits
    where website_id = ${websiteId} and environment = ${environment} and day between ${from}::date and ${to}::date
    group by name order by requests desc, name`;
  const wanted = filter?.agents && (filter.agents === 'bots' ? 'bot' : 'assistant');
  return rows.flatMap((row) => {
    const agent = NAMED_AGENTS.get(row.name);
    return agent && (wanted === undefined || agent.class === wanted) ? [{ ...row, ...agent }] : [];
  });
}

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
