import type { Queryable } from '../../db/connection/client.ts';
import { queryRows } from '../../db/rows.ts';
import { NAMED_AGENTS, type NamedAgent } from '../count/assistants.ts';
import type { DayRange, HitScope } from './hit-rows.ts';

/** Requests of assistants and crawlers with a name in the list of hits/count/assistants.ts. */
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
