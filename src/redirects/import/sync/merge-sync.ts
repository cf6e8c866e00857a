/**
 * Merges the staged entries of a sync: as an import does, and deletes the redirects of the website or group that have no
 * entry. Within the caller's transaction, under the lock of the website.
 */
import type { PoolClient } from 'pg';
import { type Queryable, queryableOf } from '../../../db/connection/client.ts';
import { type SQL, sql } from '../../../db/drizzle.ts';
import { queryRows } from '../../../db/rows.ts';
import type { LockedWebsite } from '../../../websites/write-website.ts';
import { raiseWorkMem, TARGETS_BEFORE } from '../engine/change-sql.ts';
import type { SyncInput, SyncResult, SyncSteps } from '../engine/import-request.ts';
import type { EntryPlace } from '../engine/invalid-entries.ts';
import { applyEntries } from '../engine/merge.ts';
import { replayEntries } from '../engine/replay-entries.ts';
import { environmentsOfBits } from '../engine/staged-row.ts';
import type { FieldName } from '../../rule/fields.ts';
import { allowedDeletes, type MaxDelete } from '../../../rules/max-delete.ts';
import { checkSync, type CheckContext } from './check-sync.ts';
import { addForeign, addRepeated } from './sync-errors.ts';
import { assertDeletes, type SyncCounts } from './sync-guards.ts';
import { countSync, inScope, listChanges, type SyncScope, withoutEntry } from './sync-plan.ts';

/** The options by which an import is a sync. */
interface SyncRules {
  /** only redirects of this group are compared and deleted */
  groupId: string | undefined;
  maxDelete: MaxDelete | undefined;
  place: EntryPlace;
  /** complete once every entry has been read */
  decided: ReadonlySet<FieldName>;
  context: CheckContext;
}

export const syncSteps = (rules: SyncRules): SyncSteps => ({
  place: rules.place,
  addErrors: (reader, stage, errors) => addRepeated(reader, stage, errors, rules.place),
  merge: (client, reader, website, input) => mergeSync(client, reader, website, rules, input),
});

/**
 * Merges and returns the counts; a dry run returns the same counts and writes nothing. Throws VALIDATION_ERROR or
 * TOO_MANY_DELETES; the caller then rolls back. The connections are those of mergeStage.
 */
async function mergeSync(
  client: PoolClient,
  reader: PoolClient,
  website: LockedWebsite,
  { groupId, maxDelete, decided, context }: SyncRules,
  { stage, dryRun, errors, assertValid }: SyncInput,
): Promise<SyncResult> {
  const tx = queryableOf(client);
  const table = sql`${sql.identifier(stage.table)}`;
  const scope = { websiteId: website.id, groupId, decided };
  const keptPatterns = stays(table, groupId);
  const replay = { stage, mode: 'update', dryRun, onError: errors.add, keptPatterns, decided } as const;
  const { staged } = await replayEntries(reader, website, replay);
  if (groupId !== undefined) await addForeign(reader, stage.table, { websiteId: website.id, groupId }, errors);
  await assertValid();
  await raiseWorkMem(tx);
  const total = await countScope(tx, scope);
  // Counted before the merge only if that alone shows too many deletions, or for a dry run.
  if (dryRun || total - staged > allowedDeletes(maxDelete, total, staged)) {
    const counts = await countSync(tx, table, scope, total);
    assertDeletes(counts, total, maxDelete);
    const changes = await listChanges(tx, table, scope, counts);
    return {
      ...counts,
      skipped: 0,
      changed: counts.updated,
      touched: [],
      changes,
      check: await checkSync(client, table, scope, context),
    };
  }
  const merge = { tx, reader: queryableOf(reader), table, website, decided };
  const { created, changed, touched, cleared } = await applyEntries(merge, { stage, mode: 'update' }, staged);
  const counts: SyncCounts = {
    created,
    updated: changed,
    deleted: total - (staged - created),
    unchanged: staged - created - changed,
    cleared,
  };
  assertDeletes(counts, total, maxDelete);
  const removed = counts.deleted > 0 ? await deleteOthers(tx, table, scope) : 0;
  return { ...counts, skipped: 0, changed, touched: environmentsOfBits(touched | removed) };
}

/** A pattern `r` that the sync does not delete. */
function stays(table: SQL, groupId: string | undefined): SQL {
  const hasEntry = sql`exists (select 1 from ${table} s where s.key = r.key and s.is_regex)`;
  return groupId === undefined ? hasEntry : sql`(r.group_id is distinct from ${groupId} or ${hasEntry})`;
}

/** How many redirects the scope has. Triggers maintain both counts, so it costs the same for any number. */
async function countScope(tx: Queryable, { websiteId, groupId }: SyncScope): Promise<number> {
  const [row] =
    groupId === undefined
      ? await queryRows<{ redirects: number }>(tx)`select redirects from websites where id = ${websiteId}`
      : await queryRows<{ redirects: number }>(tx)`
          select redirects from redirect_groups where website_id = ${websiteId} and group_id = ${groupId}`;
  return row?.redirects ?? 0;
}

/** Deletes the redirects of the scope that have no entry. Returns the environments whose rules changed, as bits. */
async function deleteOthers(tx: Queryable, table: SQL, scope: SyncScope): Promise<number> {
  const [row] = await queryRows<{ touched: number }>(tx)`with deleted as (
      delete from redirects r where ${inScope(scope)} and ${withoutEntry(table)} returning ${TARGETS_BEFORE} as targets)
    select coalesce(bit_or(targets), 0)::int as touched from deleted`;
  return row?.touched ?? 0;
}
