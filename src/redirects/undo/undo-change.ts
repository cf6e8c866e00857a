import { assertQuota, assertRoomFor } from '../../accounts/quota.ts';
import type { Db, Queryable, Tx } from '../../db/connection/client.ts';
import { LOCKS } from '../../db/advisory-lock.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { type AutomaticDeployments, queueAutomaticDeployments } from '../../deployments/publish/queue.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { UndoConflict } from '../../vocabulary/kinds.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { requireWebsiteRow, type WebsiteRow } from '../../websites/website.ts';
import { type LockedWebsite, lockWebsite, releaseRevision, writeTransaction } from '../../websites/write-website.ts';
import { type Change, requireChange } from '../changes/find-changes.ts';
import { type NewChange, recordChange } from '../changes/record-change.ts';
import { lastState, redirectWith, withoutSorts } from '../changes/states.ts';
import type { ImportPermits } from '../../platform/scheduling/import-permits.ts';
import { raiseWorkMem, renewStatistics } from '../import/engine/change-sql.ts';
import { environmentsOfBits } from '../import/engine/staged-row.ts';
import { publishUndo } from './undo-events.ts';
import { applyUndo, planUndo, recordAbsence, type UndoCounts, type UndoPlan, WILL } from './undo-plan.ts';

export interface Reverted extends UndoCounts, AutomaticDeployments {
  /** the first 1,000 by id */
  conflicts: { redirectId: number; oldPath: string; code: UndoConflict }[];
  /** null for a dry run, and if nothing changed */
  changeId: string | null;
  /** whose rules it changes, or would change */
  environments: Environment[];
}

export interface Undone extends Reverted {
  /** expectations that the change added and that have not changed since: they are deleted */
  expectations: number;
}

const MAX_CONFLICTS = 1_000;
/** Not read only, which would not allow temporary tables. */
export const SNAPSHOT = { isolationLevel: 'repeatable read' } as const;

/**
 * Undoes a change in one transaction, which is a change itself: each redirect that it touched gets back its former
 * fields, times and id, or goes if the change created it. A redirect that has changed since stays, as does one that is
 * no longer possible. A dry run returns the same from a snapshot, and locks nothing. Throws CHANGE_NOT_FOUND, CONFLICT
 * if the change was undone before, PLAN_LIMIT_EXCEEDED if the account has no room for the deleted redirects, and BUSY.
 */
export async function undoChange(
  { permits }: { permits: ImportPermits<Db> },
  actor: Actor,
  { changeId, dryRun }: { changeId: string; dryRun: boolean },
): Promise<Undone> {
  const { db } = permits;
  return permits.withPermit(async () => {
    if (dryRun) return db.transaction((tx) => previewUndo(tx, actor, changeId), SNAPSHOT);
    const undone = await writeTransaction(db, actor, (tx) => undoIn(tx, actor, changeId));
    const { restored, recreated, deleted } = undone;
    if (undone.changeId !== null) await renewStatistics(db, { created: recreated, updated: restored + deleted });
    return undone;
  });
}

async function previewUndo(tx: Tx, actor: Actor, changeId: string): Promise<Undone> {
  const change = await requireUndoable(tx, actor, changeId);
  const plan = await planned(tx, await requireWebsiteRow(tx, actor, change.websiteId), change);
  await assertRoomFor(tx, actor, plan.recreated - plan.deleted);
  const result = await plannedResult(tx, change.websiteId, plan);
  return { ...result, expectations: await countExpectations(tx, change) };
}

async function undoIn(tx: Tx, actor: Actor, changeId: string): Promise<Undone> {
  const { websiteId } = await requireChange(tx, actor, changeId);
  const website = await lockWebsite(tx, actor, websiteId);
  // Again, because another call may have undone it before this one had the lock.
  const change = await requireUndoable(tx, actor, changeId);
  const plan = await planned(tx, website, change);
  const undone = { ...(await plannedResult(tx, website.id, plan)), expectations: await countExpectations(tx, change) };
  const done = await carryOut(tx, actor, website, plan, { kind: 'undo', undoes: change.id });
  if (!done) return undone;
  await queryRows(tx)`
    update changes set undone_by = case when id = ${change.id} then ${done.changeId} end
    where id in (${change.id}, ${change.undoes})`;
  if (undone.expectations > 0) await deleteExpectations(tx, change);
  return { ...undone, ...done };
}

/** Applies a plan as one change, with its events. Returns undefined if it changes nothing. */
export async function carryOut(
  tx: Tx,
  actor: Actor,
  website: LockedWebsite,
  plan: UndoPlan,
  kind: Pick<NewChange, 'kind' | 'undoes'>,
): Promise<({ changeId: string } & AutomaticDeployments) | undefined> {
  const { restored, recreated, deleted } = plan;
  const counts = { created: recreated, updated: restored, deleted };
  const id = await recordChange(tx, actor, website, { ...kind, counts });
  if (id === null) {
    await releaseRevision(tx, website);
    return undefined;
  }
  if (recreated > 0) await recordAbsence(tx, website, sql`select b.id from undo_plan b where ${WILL('recreate')}`);
  await publishUndo(tx, actor, website, { id, plan });
  await applyUndo(tx, website, plan);
  const automatic = await queueAutomaticDeployments(tx, actor, website, environmentsOfBits(plan.touched));
  if (recreated > deleted) await assertQuota(tx, actor, { redirects: recreated - deleted });
  return { changeId: id, ...automatic };
}

async function requireUndoable(tx: Queryable, actor: Actor, changeId: string): Promise<Change> {
  const change = await requireChange(tx, actor, changeId);
  const { id, undoneBy: by } = change;
  if (by === null) return change;
  const details = `id: ${by} has undone ${id}; to apply it again, undo ${by}`;
  throw new DomainError('CONFLICT', 'The change is undone already', { details });
}

async function planned(tx: Queryable, website: WebsiteRow, change: Change): Promise<UndoPlan> {
  await raiseWorkMem(tx);
  return planUndo(tx, website, change);
}

/** The counts of a plan, with its first conflicts, before it is applied. */
export async function plannedResult(tx: Queryable, websiteId: number, plan: UndoPlan): Promise<Reverted> {
  const { restored, recreated, deleted, conflictCount } = plan;
  const counts = {
    restored,
    recreated,
    deleted,
    conflictCount,
    changeId: null,
    environments: environmentsOfBits(plan.touched),
    deployments: [],
    held: [],
  };
  if (conflictCount === 0) return { ...counts, conflicts: [] };
  const conflicts = await withoutSorts(
    tx,
    () => queryRows<Undone['conflicts'][number]>(tx)`
    select p.id as redirect_id, p.code, coalesce(r.old_path, v.old_path) as old_path
    from (select id, code from undo_plan where code is not null order by id limit ${MAX_CONFLICTS}::int) p
    left join lateral ${redirectWith('id', websiteId, sql`p.id`)} r on true
    left join lateral ${lastState(websiteId, sql`p.id`)} v on true order by p.id`,
  );
  return { ...counts, conflicts };
}

async function countExpectations(tx: Queryable, { id, websiteId }: Change): Promise<number> {
  const [row] = await queryRows<{ count: number }>(tx)`
    select count(*)::int as count from expectations where website_id = ${websiteId} and change_id = ${id}`;
  return row?.count ?? 0;
}

async function deleteExpectations(tx: Queryable, { id, websiteId }: Change): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCKS.expectations}::int, ${websiteId}::int)`);
  await tx.execute(sql`delete from expectations where website_id = ${websiteId} and change_id = ${id}`);
}
