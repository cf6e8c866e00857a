import { eq, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { deployments, type DeploymentWarning } from '../../db/schema.ts';
import type { Candidate } from '../live/candidate.ts';
import type { RulesPointer } from '../live/rules-sql.ts';
import { publishEvents } from '../../events/outbox.ts';
import { type Deployment, createdBy, deploymentEvent } from './deployment.ts';

/**
 * Makes the pointer the next version: one row in `versions`, whatever its size, with the deployment's end and its event in the same
 * transaction; `serve` is called with its number just before the commit. False where the deployment is no longer the one that runs.
 */
export async function publishVersion(
  db: Db,
  deployment: Deployment,
  to: RulesPointer,
  prepared: { candidate: Candidate; warnings: DeploymentWarning[]; serve: (version: number) => void },
): Promise<boolean> {
  const { candidate, warnings, serve } = prepared;
  const { websiteId, environment } = deployment;
  const count = candidate.ruleset.size;
  const hosts = sql`${sql.param(to.targetHosts)}::text[]`;
  return db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ version: number; deployed_at: string }>(sql`
      with moved as (
        update website_environments set live_version = live_version + 1, rules_env = ${to.rulesEnv}, rules_rev = ${to.rulesRev},
          rules_max_id = ${to.rulesMaxId}, target_hosts = ${hosts}, redirect_count = ${count}, running = null, changed_at = clock_timestamp()
        where website_id = ${websiteId} and environment = ${environment} and running = ${deployment.id}
        returning live_version)
      insert into versions
        (website_id, environment, version, rules_env, rules_rev, rules_max_id, behind, target_hosts, redirect_count, deployed_at)
      select ${websiteId}::int, ${environment}, live_version, ${to.rulesEnv}, ${to.rulesRev}::int, ${to.rulesMaxId}::bigint,
        exists (select 1 from versions v where v.website_id = ${websiteId} and v.environment = ${environment}
          and v.rules_env = ${to.rulesEnv} and v.rules_rev > ${to.rulesRev}),
        ${hosts}, ${count}::int, date_trunc('milliseconds', clock_timestamp()) from moved
      returning version, deployed_at`);
    const published = rows[0];
    if (!published) return false;
    const { added, changed, removed } = candidate;
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
        deployedAt: new Date(published.deployed_at),
      })
      .where(eq(deployments.id, deployment.id))
      .returning();
    if (!completed) throw new Error(`deployment ${deployment.id} has no row`);
    const actor = await createdBy(tx, completed);
    await publishEvents(tx, actor, new Date(published.deployed_at), [
      deploymentEvent('deployment.completed', completed),
    ]);
    serve(published.version);
    return true;
  });
}
