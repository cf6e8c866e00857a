import type { Queryable } from '../../db/connection/client.ts';
import { sql, type SQL } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { AGENT_SILENT_SECONDS } from '../../vocabulary/kinds.ts';
import { isoSeconds } from '../../platform/clock.ts';
import type { Raised } from '../raise.ts';

const BEHIND_SECONDS = 300;
/** Longer than the time between two looks: the state of an agent that goes on is reported once. */
const HELD_MS = 300_000;

export interface LaggingAgent {
  accountId: number;
  websiteId: number;
  environment: Environment;
  agent: string;
  behindSeconds: number | null;
  lastSeenAt: string;
}

/** Returns the agents of accounts with such a notice that serve an older version for 5 minutes, or are unseen for 10. */
export async function laggingAgents(db: Queryable, now: Date): Promise<Raised[]> {
  const isWatched = sql`s.deleting_since is null
    and s.account_id in (select n.account_id from notices n where n.kinds @> array['agent.lagging'])`;
  const rows = await findLaggingAgents(db, isWatched, now);
  const heldUntil = new Date(now.getTime() + HELD_MS);
  return rows.map(({ accountId, websiteId, environment, agent, behindSeconds, lastSeenAt }) => ({
    ...{ accountId, websiteId, environment, heldUntil },
    kind: 'agent.lagging',
    path: null,
    data: { environment, agent, behindSeconds, lastSeenAt: isoSeconds(new Date(lastSeenAt)) },
  }));
}

/** Finds such agents of the websites `s` that meet a condition, by environment and name. */
export function findLaggingAgents(db: Queryable, isWatched: SQL, now: Date): Promise<LaggingAgent[]> {
  const at = sql`${now.toISOString()}::timestamptz`;
  return queryRows<LaggingAgent>(db)`
    select s.account_id, a.website_id, a.environment, a.name as agent, a.last_seen_at,
      case when v.deployed_at <= ${at} - ${BEHIND_SECONDS} * interval '1 s'
        then extract(epoch from ${at} - v.deployed_at)::int end as behind_seconds
    from websites s join feed_agents a on a.website_id = s.id
      left join versions v on v.website_id = a.website_id and v.environment = a.environment and v.version = a.version + 1
    where ${isWatched} and (v.deployed_at <= ${at} - ${BEHIND_SECONDS} * interval '1 s'
      or a.last_seen_at <= ${at} - ${AGENT_SILENT_SECONDS} * interval '1 s')
    order by a.website_id, a.environment, a.name`;
}
