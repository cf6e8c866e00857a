import type { Db, Tx } from '../../db/connection/client.ts';
import { eq, sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { deployments, type DeploymentWarning } from '../../db/schema/deployments.ts';
import { historySql, type VersionId } from '../live/database/history.ts';
import { readCurrentPointer } from '../live/database/live.ts';
import { differenceSql, IS_DIFFERENT, type RulesPointer } from '../live/database/rules-sql.ts';
import type { Candidate } from '../live/rulesets.ts';
import { publishEvents } from '../../events/outbox.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { type Deployment, createdBy, deploymentEvent } from './deployment.ts';

/**
 * Adds an environment to the redirects whose rules are published there and that lack it, as one change. Returns its id,
 * or null if none lacks it. Locks the website until the end of the transaction.
 */
export type ExtendTargeting = (
  tx: Tx,
  actor: Actor,
  input: { websiteId: number; environment: Environment; rules: RulesPointer },
) => Promise<string | null>;

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
  extendTargeting: ExtendTargeting,
): Promise<boolean> {
  const { base, to, prepared, loops } = candidate;
  const { websiteId, environment } = deployment;
  const count = prepared.ruleset.size;
  const hosts = sql`${sql.param(to.targetHosts)}::text[]`;
  return db.transaction(async (tx) => {
    const extended = deployment.targeting === 'extend' ? await extend(tx, deployment, to, extendTargeting) : undefined;
    const [published] = await queryRows<VersionId & { deployedAt: string; isFromBase: boolean }>(tx)`
      with moved as (
        update website_environments set live_version = live_version + 1, rules_env = ${to.rulesEnv}, rules_rev = ${to.rulesRev},
          rules_max_id = ${to.rulesMaxId}, target_hosts = ${hosts}, redirect_count = ${count}, loops = ${loops && JSON.stringify(loops)}::jsonb,
          held = held and ${!extended?.endsHold}, running = null, changed_at = clock_timestamp()
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
    // Nothing is committed: the change of the redirects belongs to this version.
    if (!published && extended) throw new Error(`${deployment.id} is no longer running; nothing is published`);
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
        changeId: extended?.changeId ?? null,
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

/** The hold ends if the current redirects are the published rules: then nothing keeps the two apart. */
async function extend(tx: Tx, deployment: Deployment, rules: RulesPointer, extendTargeting: ExtendTargeting) {
  const { websiteId, environment } = deployment;
  // As an import, it waits for the previous writer, however long that takes.
  await tx.execute(sql`set local lock_timeout = 0`);
  const actor = await createdBy(tx, deployment);
  const changeId = await extendTargeting(tx, actor, { websiteId, environment, rules });
  const draft = await readCurrentPointer(tx, websiteId, environment);
  const [row] = await queryRows<{ isDifferent: boolean }>(tx)`
    ${sql.raw(differenceSql(websiteId, rules, draft ?? rules))}
    select exists (select 1 from b full join a on b.id = a.id where ${sql.raw(IS_DIFFERENT)}) as is_different`;
  return { changeId, endsHold: row?.isDifferent === false };
}
