import { sql } from 'drizzle-orm';
import type { Queryable } from '../../db/client.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import type { RulesPointer } from './rules-sql.ts';

/** What an environment of a website serves. */
export interface LiveEnvironmentRow extends RulesPointer {
  websiteId: number;
  environment: Environment;
  liveVersion: number;
  redirectCount: number;
  /** some version of this environment has the rules of another one */
  promoted: boolean;
}

interface Row extends Record<string, unknown> {
  website_id: number;
  environment: Environment;
  live_version: number;
  rules_env: Environment;
  rules_rev: number;
  rules_max_id: string | number;
  target_hosts: string[] | null;
  redirect_count: number;
  promoted: boolean;
}

/** The live pointers of these websites, three rows each; none of a deleted one, whose rules nobody asks for any more. */
export async function readLive(db: Queryable, websiteIds: number[]): Promise<LiveEnvironmentRow[]> {
  const { rows } = await db.execute<Row>(sql`
    select we.website_id, we.environment, we.live_version, we.rules_env, we.rules_rev, we.rules_max_id, we.target_hosts,
      we.redirect_count,
      exists (select 1 from versions v where v.website_id = we.website_id and v.environment = we.environment
        and v.rules_env = any(array_remove(array['production', 'staging', 'development'], we.environment))) as promoted
    from website_environments we join websites w on w.id = we.website_id and w.deleting_since is null
    where we.website_id = any(${sql.param(websiteIds)}::int[])`);
  return rows.map((row) => ({
    websiteId: row.website_id,
    environment: row.environment,
    liveVersion: row.live_version,
    rulesEnv: row.rules_env,
    rulesRev: row.rules_rev,
    rulesMaxId: Number(row.rules_max_id),
    targetHosts: row.target_hosts,
    redirectCount: row.redirect_count,
    promoted: row.promoted,
  }));
}
