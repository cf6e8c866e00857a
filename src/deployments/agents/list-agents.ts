import type { Db, Queryable } from '../../db/connection/client.ts';
import { queryRows, timeOf } from '../../db/rows.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { AgentKind } from '../../vocabulary/kinds.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { requireEditableRow, requireWebsite } from '../../websites/website.ts';

export interface Agent {
  environment: Environment;
  name: string;
  kind: AgentKind;
  /** the version that it serves; null if none yet */
  version: number | null;
  liveVersion: number;
  /** when the version after its own was published; null unless it is behind */
  behindSince: Date | null;
  lastSeenAt: Date;
}

interface AgentRow extends Omit<Agent, 'behindSince' | 'lastSeenAt'> {
  behindSince: string | null;
  lastSeenAt: string;
}

/** Lists the agents of a website by environment and name, at most 1,000. Throws WEBSITE_NOT_FOUND. */
export async function listAgents(db: Queryable, actor: Actor, websiteId: number): Promise<Agent[]> {
  await requireWebsite(db, actor, websiteId);
  const rows = await queryRows<AgentRow>(db)`
    select a.environment, a.name, a.kind, a.version, coalesce(we.live_version, 0) as live_version,
      v.deployed_at as behind_since, a.last_seen_at
    from feed_agents a
    left join website_environments we on we.website_id = a.website_id and we.environment = a.environment
    left join versions v on v.website_id = a.website_id and v.environment = a.environment and v.version = a.version + 1
    where a.website_id = ${websiteId}
    order by array_position(array['production', 'staging', 'development'], a.environment), a.name`;
  return rows.map(({ behindSince, lastSeenAt, ...agent }) => ({
    ...agent,
    behindSince: timeOf(behindSince),
    lastSeenAt: new Date(lastSeenAt),
  }));
}

/** Removes an agent from the list. Returns whether it was listed. Throws WEBSITE_NOT_FOUND or INSUFFICIENT_ROLE. */
export async function forgetAgent(
  db: Db,
  actor: Actor,
  websiteId: number,
  agent: { environment: Environment; name: string },
): Promise<boolean> {
  await requireEditableRow(db, actor, websiteId);
  const deleted = await queryRows(db)`
    delete from feed_agents
    where website_id = ${websiteId} and environment = ${agent.environment} and name = ${agent.name}
    returning name`;
  return deleted.length > 0;
}
