import { assertRoomFor } from '../../accounts/quota.ts';
import type { Db, Queryable, Tx } from '../../db/connection/client.ts';
import { readLive } from '../../deployments/live/database/live.ts';
import type { ImportPermits } from '../../platform/scheduling/import-permits.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { requireWebsiteRow, type WebsiteRow } from '../../websites/website.ts';
import { lockWebsite, writeTransaction } from '../../websites/write-website.ts';
import { raiseWorkMem, renewStatistics } from '../import/engine/change-sql.ts';
import { carryOut, plannedResult, type Reverted, SNAPSHOT } from './undo-change.ts';
import { planDiscard, type UndoPlan } from './undo-plan.ts';

export interface DiscardInput {
  websiteId: number;
  environment: Environment;
  /** undefined: all that differ */
  redirectIds: number[] | undefined;
  dryRun: boolean;
}

/**
 * Takes back what waits for a deployment to an environment, as one change: each redirect whose rule there differs from
 * the live version gets back its fields, times and id of that version, or is deleted if it was created since. A dry run
 * returns the same from a snapshot, and locks nothing. Throws WEBSITE_NOT_FOUND, CONFLICT if nothing is live or the live
 * rules are those of another environment, PLAN_LIMIT_EXCEEDED as undoChange, and BUSY.
 */
export async function discardChanges(
  { permits }: { permits: ImportPermits<Db> },
  actor: Actor,
  input: DiscardInput,
): Promise<Reverted> {
  const { db } = permits;
  return permits.withPermit(async () => {
    if (input.dryRun) return db.transaction((tx) => previewDiscard(tx, actor, input), SNAPSHOT);
    const done = await writeTransaction(db, actor, (tx) => discardIn(tx, actor, input));
    const { restored, recreated, deleted } = done;
    if (done.changeId !== null) await renewStatistics(db, { created: recreated, updated: restored + deleted });
    return done;
  });
}

async function previewDiscard(tx: Tx, actor: Actor, input: DiscardInput): Promise<Reverted> {
  const website = await requireWebsiteRow(tx, actor, input.websiteId);
  const plan = await planned(tx, website, input);
  await assertRoomFor(tx, actor, plan.recreated - plan.deleted);
  return plannedResult(tx, website.id, plan);
}

async function discardIn(tx: Tx, actor: Actor, input: DiscardInput): Promise<Reverted> {
  const website = await lockWebsite(tx, actor, input.websiteId);
  const plan = await planned(tx, website, input);
  const result = await plannedResult(tx, website.id, plan);
  return { ...result, ...(await carryOut(tx, actor, website, plan, { kind: 'discard' })) };
}

async function planned(
  tx: Queryable,
  website: Pick<WebsiteRow, 'id' | 'allowedTargetHosts'>,
  { environment, redirectIds }: DiscardInput,
): Promise<UndoPlan> {
  const live = (await readLive(tx, [website.id])).find((each) => each.environment === environment);
  const conflict = (details: string) => new DomainError('CONFLICT', 'The changes cannot be discarded', { details });
  if (!live || live.liveVersion === 0)
    throw conflict(`environment: nothing is live in ${environment}; delete the redirects that are not needed`);
  if (live.rulesEnv !== environment)
    throw conflict(
      `environment: ${environment} serves the rules of ${live.rulesEnv}; undo single changes, or deploy ${environment} first`,
    );
  await raiseWorkMem(tx);
  return planDiscard(tx, website, { environment, pointer: live, redirectIds });
}
