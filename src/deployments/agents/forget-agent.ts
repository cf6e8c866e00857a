import type { Db } from '../../db/connection/client.ts';
import { queryRows } from '../../db/rows.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { requireEditableRow } from '../../websites/website.ts';

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
