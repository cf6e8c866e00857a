import type { Tx } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { type RulesPointer, rulesSql, targetColumn } from '../../deployments/live/database/rules-sql.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { queueAutomaticDeployments } from '../../deployments/publish/queue.ts';
import { publishEvents } from '../../events/outbox.ts';
import { type LockedWebsite, lockWebsite } from '../../websites/write-website.ts';
import { recordChange } from '../changes/record-change.ts';
import { changeTimeSql, raiseWorkMem } from '../import/engine/change-sql.ts';
import { planChange } from '../rule/change.ts';
import { type RawRedirect, environmentsOf, rowOf } from '../rule/redirect.ts';
import { writeBatches, writeUpdates } from './bulk.ts';
import { MAX_IDS } from './selection.ts';

/** Rows in memory. */
const BATCH_SIZE = 2_000;

/**
 * Adds an environment to the redirects whose rules a promotion publishes there, and that lack it. Writes the change and
 * the events of a bulk update, in the caller's transaction. Redirects that were deleted since stay deleted. Returns the
 * id of the change, or null if no redirect lacks the environment.
 */
export async function extendTargeting(
  tx: Tx,
  actor: Actor,
  { websiteId, environment, rules }: { websiteId: number; environment: Environment; rules: RulesPointer },
): Promise<string | null> {
  // The request was allowed; its user may be gone by now.
  const website = await lockWebsite(tx, { ...actor, type: 'system' }, websiteId);
  await tx.execute(sql`
    create temp table extended on commit drop as
    select r.id from redirects r where r.website_id = ${websiteId} and r.${sql.identifier(targetColumn(environment))} is null
      and r.id in (select v.id from (${sql.raw(rulesSql(websiteId, rules))}) v)`);
  const { rows } = await tx.execute<{ count: number }>(sql`select count(*)::int as count from extended`);
  const count = rows[0]?.count ?? 0;
  const summary = (total: number) => {
    const filter = { website_id: String(websiteId), environment };
    const bulk = { filter, updates: { add_environments: [environment] }, count: total };
    return { event: 'redirect.updated' as const, data: { redirect: null, previous: null, bulk } };
  };
  if (count > MAX_IDS) {
    await updateAll(tx, website, environment);
    await publishEvents(tx, actor, website.now, [{ ...summary(count), websiteId }]);
    const change = { kind: 'promote', counts: { updated: count }, fields: ['environments'] } as const;
    const changeId = await recordChange(tx, actor, website, change);
    await queueAutomaticDeployments(tx, actor, website, [environment]);
    return changeId;
  }
  const { changeId } = await writeBatches(tx, actor, website, batches(tx, website), {
    kind: 'promote',
    isSummarized: false,
    apply: (_tx, _website, batch) =>
      writeUpdates(
        tx,
        website,
        batch.map((before) => {
          const environments = [...environmentsOf(before), environment];
          return { before, ...planChange(before, { environments }, website) };
        }),
      ),
    summary,
  });
  return changeId;
}

/** Updates all rows in one statement: this thread does nothing for each of a million. */
async function updateAll(tx: Tx, { id, rev, now }: LockedWebsite, environment: Environment): Promise<void> {
  await raiseWorkMem(tx);
  await tx.execute(sql`analyze extended`);
  await tx.execute(sql`
    update redirects r set ${sql.identifier(targetColumn(environment))} = ${rev}::int, rev = ${rev}::int,
      updated_at = ${changeTimeSql(now)}
    from extended e where r.website_id = ${id} and r.id = e.id`);
}

async function* batches(tx: Tx, { id }: LockedWebsite) {
  for (let after = 0; ;) {
    const { rows } = await tx.execute<RawRedirect>(sql`
      select r.* from redirects r join extended e on e.id = r.id
      where r.website_id = ${id} and r.id > ${after} order by r.id limit ${BATCH_SIZE}`);
    if (rows.length > 0) yield rows.map(rowOf);
    if (rows.length < BATCH_SIZE) return;
    after = Number(rows.at(-1)?.id);
  }
}
