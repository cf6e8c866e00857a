import type { Db, Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import type { DeploymentWarning } from '../../db/schema/deployments.ts';
import type { DeploymentSource } from './queue.ts';
import { readCurrentPointer } from '../live/database/live.ts';
import { isAllowedSql, type RulesPointer, rulesSql } from '../live/database/rules-sql.ts';
import { type Deployment, sourceOf } from './deployment.ts';

/** Paths of excluded rules that one deployment lists. A last warning says that there are more. */
const MAX_EXCLUDED = 1_000;

export interface Publication {
  to: RulesPointer;
  warnings: DeploymentWarning[];
}

/**
 * Returns the rules that a deployment publishes: those of its source version, or the current rules if it has no source.
 * Of a source version it excludes the rules whose target host the website no longer allows, and names them in a
 * warning. Undefined if the website does not exist.
 */
export async function resolvePublication(db: Db, deployment: Deployment): Promise<Publication | undefined> {
  const { websiteId, environment } = deployment;
  const source = sourceOf(deployment);
  if (source) return sourceRules(db, websiteId, source);
  const to = await readCurrentPointer(db, websiteId, environment);
  return to && { to, warnings: [] };
}

/** Returns the rules of a version, without those whose target host the website no longer allows. */
export async function sourceRules(
  db: Queryable,
  websiteId: number,
  { environment, version }: DeploymentSource,
): Promise<Publication | undefined> {
  const [row] = await queryRows<RulesPointer & { allowedTargetHosts: string[] }>(db)`
    select v.rules_env, v.rules_rev, v.rules_max_id, v.target_hosts, w.allowed_target_hosts
    from versions v join websites w on w.id = v.website_id and w.deleting_since is null
    where v.website_id = ${websiteId} and v.environment = ${environment} and v.version = ${version}`;
  if (!row) return undefined;
  const { allowedTargetHosts, ...source } = row;
  const hosts = allowedTargetHosts.filter((host) => source.targetHosts?.includes(host) ?? true);
  const warnings = await exclusionWarnings(db, websiteId, source, hosts);
  // Without exclusions keep the source's pointer, so that a later difference does not search all targets.
  return { to: warnings.length === 0 ? source : { ...source, targetHosts: hosts }, warnings };
}

/** Searches all targets of the version in the database: about 0.2 s for 1,000,000 rules. */
async function exclusionWarnings(
  db: Queryable,
  websiteId: number,
  source: RulesPointer,
  hosts: string[],
): Promise<DeploymentWarning[]> {
  const { rows } = await db.execute<{ old_path: string }>(
    sql.raw(`
    select old_path from (${rulesSql(websiteId, source)}) r where not ${isAllowedSql(hosts)}
    order by key limit ${MAX_EXCLUDED + 1}`),
  );
  if (rows.length === 0) return [];
  const paths = rows.slice(0, MAX_EXCLUDED).map((row) => row.old_path);
  const warning = { code: 'TARGET_HOST_NOT_ALLOWED', old_paths: paths };
  return rows.length > MAX_EXCLUDED ? [warning, { code: 'MORE_LEFT_OUT', old_paths: [] }] : [warning];
}
