import type { Tx } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { type RulesPointer, rulesSql, targetColumn } from '../../deployments/live/database/rules-sql.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { type LockedWebsite, lockWebsite } from '../../websites/write-website.ts';
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
  const website = await lockWebsite(tx, actor, websiteId);
  await tx.execute(sql`
    create temp table extended on commit drop as
    select r.id from redirects r where r.website_id = ${websiteId} and r.${sql.identifier(targetColumn(environment))} is null
      and r.id in (select v.id from (${sql.raw(rulesSql(websiteId, rules))}) v)`);
  const { rows } = await tx.execute<{ count: number }>(sql`select count(*)::int as count from extended`);
  const filter = { website_id: String(websiteId), environment };
  const { changeId } = await writeBatches(tx, actor, website, batches(tx, website), {
    kind: 'promote',
    isSummarized: (rows[0]?.count ?? 0) > MAX_IDS,
    apply: (_tx, _website, batch) =>
      writeUpdates(
        tx,
        website,
        batch.map((before) => {
          const environments = [...environmentsOf(before), environment];
          return { before, ...planChange(before, { environments }, website) };
        }),
      ),
    summary: (count) => ({
      event: 'redirect.updated',
      data: {
        redirect: null,
        previous: null,
        bulk: { filter, updates: { add_environments: [environment] }, count },
      },
    }),
  });
  return changeId;
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
