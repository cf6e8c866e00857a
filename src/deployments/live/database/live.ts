import type { Queryable } from '../../../db/connection/client.ts';
import { sql } from '../../../db/drizzle.ts';
import { queryRows } from '../../../db/rows.ts';
import type { Environment } from '../../../vocabulary/environment.ts';
import { historySql } from './history.ts';
import type { RulesPointer } from './rules-sql.ts';

/**
 * SQL: the state of what an environment answers. A text that changes with the live version, the settings, and the times
 * at which rules begin and end. `s` is the website and `e` its environment. An index finds each time.
 */
export const ANSWERING_STATE = `concat_ws('|', e.live_version, extract(epoch from s.changed_at),
  coalesce((select extract(epoch from max(r.active_from))::text from redirects r where r.website_id = s.id and r.active_from <= now()), ''),
  coalesce((select extract(epoch from max(r.active_until))::text from redirects r where r.website_id = s.id and r.active_until <= now()), ''))`;

/** The live version of an environment. */
export interface LiveEnvironmentRow extends RulesPointer {
  websiteId: number;
  environment: Environment;
  liveVersion: number;
  /** of the live version (history.ts) */
  history: string;
  redirectCount: number;
  /** some version of this environment has the rules of another one */
  promoted: boolean;
}

/**
 * Reads the live pointers of these websites, the newest last: three rows each, and none for a deleted website.
 */
export async function readLive(db: Queryable, websiteIds: number[]): Promise<LiveEnvironmentRow[]> {
  return queryRows<LiveEnvironmentRow>(db, { isConstant: true })`
    select we.website_id, we.environment, we.live_version, we.rules_env, we.rules_rev, we.rules_max_id, we.target_hosts,
      we.redirect_count, coalesce(${historySql}, '') as history,
      exists (select 1 from version_bounds b where b.website_id = we.website_id and b.environment = we.environment
        and b.rules_env = any(array_remove(array['production', 'staging', 'development'], we.environment))) as promoted
    from website_environments we join websites w on w.id = we.website_id and w.deleting_since is null
    left join versions v on v.website_id = we.website_id and v.environment = we.environment and v.version = we.live_version
    where we.website_id = any(${sql.param(websiteIds)}::int[])
    order by we.changed_at`;
}

/**
 * Reads the pointer to the current rules: revision and largest id from one snapshot. Undefined if the website does not
 * exist.
 */
export async function readCurrentPointer(
  db: Queryable,
  websiteId: number,
  environment: Environment,
): Promise<RulesPointer | undefined> {
  const [row] = await queryRows<{ headRev: number; maxId: number | null }>(db)`
    select head_rev, (select max(id) from redirects where website_id = ${websiteId}) as max_id
    from websites where id = ${websiteId} and deleting_since is null`;
  return row && { rulesEnv: environment, rulesRev: row.headRev, rulesMaxId: row.maxId ?? 0, targetHosts: null };
}
