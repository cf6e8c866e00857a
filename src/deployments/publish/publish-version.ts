import type { Db } from '../../db/connection/client.ts';
import { eq, sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { deployments, type DeploymentWarning } from '../../db/schema/deployments.ts';
import { historySql, type VersionId } from '../live/database/history.ts';
import type { Candidate } from '../live/rulesets.ts';
import { publishEvents } from '../../events/outbox.ts';
import { type Deployment, createdBy, deploymentEvent } from './deployment.ts';

/**
 * Publishes the candidate as the next version: one row in `versions`, whatever its size. Completes the deployment and
 * stores its event in the same transaction. Serves it just before the commit. Returns
 * false if the deployment is no longer the running one. Throws, so that the caller prepares again, if the live version is
 * no longer the one from which the rules were prepared: the database went back in time meanwhile.
 */
export async function publishVersion(
  db: Db,
  deployment: Deployment,
  candidate: Candidate,
  warnings: DeploymentWarning[],
): Promise<boolean> {
  const { base, to, prepared, loops } = candidate;
  const { websiteId, environment } = deployment;
  const count = prepared.ruleset.size;
  const hosts = sql`${sql.param(to.targetHosts)}::text[]`;
  return db.transaction(async (tx) => {
    const [published] = await queryRows<VersionId & { deployedAt: string; isFromBase: boolean }>(tx)`
      with moved as (
        update website_environments set live_version = live_version + 1, rules_env = ${to.rulesEnv}, rules_rev = ${to.rulesRev},
          rules_max_id = ${to.rulesMaxId}, target_hosts = ${hosts}, redirect_count = ${count}, loops = ${loops && JSON.stringify(loops)}::jsonb,
          running = null, changed_at = clock_timestamp()
        where website_id = ${websiteId} and environment = ${environment} and running = ${deployment.id}
        returning live_version)
      insert into versions as v
        (website_id, environment, version, rules_env, rules_rev, rules_max_id, behind, target_hosts, redirect_count, deployed_at)
      select ${websiteId}::int, ${environment}, live_version, ${to.rulesEnv}, ${to.rulesRev}::int, ${to.rulesMaxId}::bigint,
        exists (select 1 from versions o where o.website_id = ${websiteId} and o.environment = ${environment}
          and o.rules_env = ${to.rulesEnv} and o.rules_rev > ${to.rulesRev}),
        ${hosts}, ${count}::int, date_trunc('milliseconds', clock_timestamp()) from moved
      returning version, ${historySql} as history, deployed_at, version = ${base.version}::int + 1 and
        coalesce((select ${historySql} from versions v where v.website_id = ${websiteId} and v.environment = ${environment}
          and v.version = ${base.version}::int), '') = ${base.history} as is_from_base`;
    if (!published) return false;
    if (!published.isFromBase)
      throw new Error(`version ${base.version} is no longer the live one; ${deployment.id} is prepared again`);
    const { added, changed, removed } = prepared;
    const deployedAt = new Date(published.deployedAt);
    const [completed] = await tx
      .update(deployments)
      .set({
        status: 'completed',
        version: published.version,
        redirectCount: count,
        added,
        changed,
        removed,
        warnings,
        deployedAt,
      })
      .where(eq(deployments.id, deployment.id))
      .returning();
    if (!completed) throw new Error(`deployment ${deployment.id} has no row`);
    const actor = await createdBy(tx, completed);
    await publishEvents(tx, actor, deployedAt, [deploymentEvent('deployment.completed', completed)]);
    candidate.swap(published);
    return true;
  });
}
