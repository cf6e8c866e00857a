import { sql } from '../../../db/drizzle.ts';
import type { PoolClient } from 'pg';
import { queryableOf } from '../../../db/connection/client.ts';
import { createStageTable, stageName } from '../../../db/stage-table.ts';
import type { CallDefaults, ImportEntry } from '../../../rules/entry.ts';
import { createFingerprintSet } from './fingerprint-set.ts';
import { DEFAULT_TARGETS, providedBit, STAGE_COLUMNS, stagedCells, targetBits } from './staged-row.ts';

export type Stage = ReturnType<typeof createStage>;

/** Holds the entries of one import until the merge. */
export function createStage(instanceId: number, importId: string) {
  const staged = createStageTable(stageName('import', instanceId, importId), STAGE_COLUMNS);
  const keys = createFingerprintSet();
  const stage = {
    ...staged,
    /** entries written */
    count: 0,
    /** a key may be duplicated */
    hasDuplicates: false,
    /** an entry cannot be merged as part of the set (replay-entries.ts) */
    needsReplay: false,
    /** the bits of `targets` that every entry would give a new redirect; undefined if they differ */
    targets: undefined as number | undefined,
    /** For an open stage. */
    write(entry: ImportEntry): void {
      const isRepeated = keys.add(entry.key);
      const needsReplay = isRepeated || dependsOnWebsite(entry);
      if (isRepeated) stage.hasDuplicates = true;
      if (needsReplay) stage.needsReplay = true;
      const targets = entry.environments ? targetBits(entry.environments) : DEFAULT_TARGETS;
      if (stage.count === 0) stage.targets = targets;
      else if (stage.targets !== targets) stage.targets = undefined;
      staged.write(stagedCells(stage.count++, entry, needsReplay));
    },
  };
  return stage;
}

/** Sets the call's values on staged entries that do not provide them. Rewrites the table, whose stage is closed. */
export async function applyDefaults(client: PoolClient, stage: Stage, defaults: CallDefaults): Promise<void> {
  const { groupId, environments } = defaults;
  const set = (column: string, bit: number, value: string | number | null) =>
    queryableOf(client).execute(sql`
      update ${sql.identifier(stage.table)} set ${sql.identifier(column)} = ${value}, provided = provided | ${bit}::int
      where provided & ${bit}::int = 0`);
  if (groupId !== undefined) await set('group_id', providedBit('groupId'), groupId);
  if (environments === undefined) return;
  await set('targets', providedBit('environments'), targetBits(environments));
  stage.targets = undefined;
}

/**
 * Patterns, statuses without a target, undecided target hosts, and one bound of a window are valid depending on the
 * website.
 */
function dependsOnWebsite(entry: ImportEntry): boolean {
  const { activeFrom, activeUntil } = entry;
  const hasOneBound = (activeFrom === undefined) !== (activeUntil === undefined) && (activeFrom ?? activeUntil) != null;
  return entry.isRegex === true || entry.newPath === null || entry.isUndecided === true || hasOneBound;
}
