import { assertQuota } from '../../accounts/quota.ts';
import type { Queryable, Tx } from '../../db/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { queueAutomaticDeployments } from '../../deployments/publish/queue.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { UndoConflict } from '../../vocabulary/change.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { type LockedWebsite, lockWebsite, writeTransaction } from '../../websites/write-website.ts';
import { type Change, requireChange } from '../changes/find-changes.ts';
import { recordChange } from '../changes/record-change.ts';
import type { ImportPermits } from '../import/limits.ts';
import { raiseWorkMem, renewStatistics } from '../import/merge-settings.ts';
import { environmentsOfBits } from '../import/staged-row.ts';
import { publishUndo } from './undo-events.ts';
import { deleteCreated, markConflicts, planUndo, recreateDeleted, restoreChanged } from './undo-plan.ts';

export interface Undone {
  /** redirects that got their former fields back */
  restored: number;
  /** deleted ones that came back */
  recreated: number;
  /** created ones that are gone */
  deleted: number;
  /** redirects that stay as they are */
  conflictCount: number;
  /** the first 1,000 by id */
  conflicts: { redirectId: number; oldPath: string; code: UndoConflict }[];
  /** null for a dry run, and if nothing changed */
  changeId: string | null;
}

const MAX_CONFLICTS = 1_000;

/**
 * Undoes a change in one transaction, which is a change itself: each redirect that it touched gets back its former
 * fields, times and id, or goes if the change created it. A redirect that has changed since stays, as does one that is
 * no longer possible. A dry run returns the same, and changes nothing. Throws CHANGE_NOT_FOUND, CONFLICT if the change
 * was undone before, PLAN_LIMIT_EXCEEDED if the account has no room for the deleted redirects, and BUSY.
 */
export async function undoChange(
  { permits }: { permits: ImportPermits },
  actor: Actor,
  input: { changeId: string; dryRun: boolean },
): Promise<Undone> {
  const { db } = permits;
  return permits.withPermit(async () => {
    const undone = await writeTransaction(db, actor, (tx) => undoIn(tx, actor, input));
    const { changeId, restored, recreated, deleted } = undone;
    if (changeId !== null) await renewStatistics(db, { created: recreated, updated: restored + deleted });
    return undone;
  });
}

async function undoIn(tx: Tx, actor: Actor, input: { changeId: string; dryRun: boolean }): Promise<Undone> {
  const { websiteId } = await requireChange(tx, actor, input.changeId);
  await tx.execute(sql`savepoint before_undo`);
  const website = await lockWebsite(tx, actor, websiteId);
  // Again, because another call may have undone it before this one had the lock.
  const change = await requireChange(tx, actor, input.changeId);
  if (change.undoneBy !== null) throw alreadyUndone(change.id, change.undoneBy);
  await raiseWorkMem(tx);
  await planUndo(tx, website, change);
  await deleteCreated(tx, website);
  await markConflicts(tx, website, change);
  await restoreChanged(tx, website, change);
  await recreateDeleted(tx, website, change);
  const result = await readResult(tx, change);
  if (result.recreated > 0) await assertQuota(tx, actor, { redirects: result.recreated });
  const { restored, recreated, deleted } = result;
  if (!input.dryRun && restored + recreated + deleted > 0)
    return { ...result, changeId: await complete(tx, actor, { website, change, result }) };
  // The revision of the website, too.
  await tx.execute(sql`rollback to savepoint before_undo`);
  return result;
}

async function readResult(tx: Queryable, { websiteId }: Change): Promise<Undone> {
  const [counts] = await queryRows<Omit<Undone, 'conflicts' | 'changeId'>>(tx)`
    select count(*) filter (where code is null and action = 'restore') as restored,
      count(*) filter (where code is null and action = 'recreate') as recreated,
      count(*) filter (where code is null and action = 'delete') as deleted, count(code) as conflict_count from undo_plan`;
  if (!counts) throw new Error('an aggregate has one row');
  const conflicts = await queryRows<Undone['conflicts'][number]>(tx)`
    select p.id as redirect_id, p.code, coalesce(
      (select old_path from redirects r where r.website_id = ${websiteId}::int and r.id = p.id),
      (select old_path from redirect_revisions v where v.website_id = ${websiteId}::int and v.redirect_id = p.id
        order by v.rev_to desc limit 1)) as old_path
    from undo_plan p where p.code is not null order by p.id limit ${MAX_CONFLICTS}::int`;
  return { ...counts, conflicts, changeId: null };
}

interface Completion {
  website: LockedWebsite;
  change: Change;
  result: Undone;
}

/** Records the undo with its events and deployments. Returns the id of its change, or null if nothing changed. */
async function complete(tx: Tx, actor: Actor, { website, change, result }: Completion): Promise<string | null> {
  const counts = { created: result.recreated, updated: result.restored, deleted: result.deleted };
  const id = await recordChange(tx, actor, website, { kind: 'undo', counts, undoes: change.id });
  if (id === null) return null;
  await queryRows(tx)`
    update changes set undone_by = case when id = ${change.id} then ${id} end where id in (${change.id}, ${change.undoes})`;
  await publishUndo(tx, actor, website, { id, counts });
  const [row] = await queryRows<{ touched: number }>(tx)`
    select coalesce(bit_or(touched), 0) as touched from undo_plan where code is null`;
  await queueAutomaticDeployments(tx, actor, website, environmentsOfBits(row?.touched ?? 0));
  return id;
}

function alreadyUndone(id: string, by: string): DomainError {
  return new DomainError('CONFLICT', 'The change is undone already', {
    details: `id: ${by} has undone ${id}; to apply it again, undo ${by}`,
  });
}
