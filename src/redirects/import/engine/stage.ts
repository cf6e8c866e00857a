import { sql } from '../../../db/drizzle.ts';
import type { PoolClient } from 'pg';
import { type Queryable, queryableOf } from '../../../db/client.ts';
import { type CopyIn, startCopyIn } from '../../../db/copy-in.ts';
import type { CallDefaults, ImportEntry } from '../../../rules/entry.ts';
import { stageTable } from './import-record.ts';
import { createFingerprintSet } from './fingerprint-set.ts';
import { DEFAULT_TARGETS, providedBit, STAGE_COLUMNS, stageLine, targetBits } from './staged-row.ts';

const CHUNK_BYTES = 64 * 1024;

/** Holds the entries of one import until the merge: an unlogged table, filled by COPY. */
export interface Stage {
  /** the table's name: letters, digits and underscores */
  table: string;
  /** entries written */
  count: number;
  /** a key may be duplicated */
  hasDuplicates: boolean;
  /** an entry cannot be merged as part of the set (replay-entries.ts) */
  needsReplay: boolean;
  /** the bits of `targets` that every entry would give a new redirect; undefined if they differ */
  targets: number | undefined;
  /** Starts a COPY on this connection, which is busy until `close`. The first call creates the table. */
  open(client: PoolClient): Promise<void>;
  /** For an open stage. */
  write(entry: ImportEntry): void;
  /** Resolves when the database has taken what was written so far. Call it between batches. */
  flush(): Promise<void>;
  /** Ends the COPY: the entries are stored, and the connection is free. The stage can be opened again. */
  close(): Promise<void>;
  /** Aborts the COPY if it still runs. The connection stays usable. */
  abort(): Promise<void>;
  /** Drops the table of a stage that is not open. */
  drop(db: Queryable): Promise<void>;
}

/**
 * The table's name contains the id of the process's instance row, so that another process can drop the tables of a
 * crashed one.
 */
export function createStage(instanceId: number, importId: string): Stage {
  const table = stageTable(instanceId, importId);
  const keys = createFingerprintSet();
  let text = '';
  let isCreated = false;
  let copy: CopyIn | undefined;

  async function send(): Promise<void> {
    const chunk = text;
    text = '';
    if (chunk !== '') await copy?.send(chunk);
  }

  const stage: Stage = {
    table,
    count: 0,
    hasDuplicates: false,
    needsReplay: false,
    targets: undefined,
    async open(client) {
      if (!isCreated) await client.query(`create unlogged table ${table} (${STAGE_COLUMNS})`);
      isCreated = true;
      copy = startCopyIn(client, table);
    },
    write(entry) {
      const isRepeated = keys.add(entry.key);
      const needsReplay = isRepeated || dependsOnWebsite(entry);
      if (isRepeated) stage.hasDuplicates = true;
      if (needsReplay) stage.needsReplay = true;
      const targets = entry.environments ? targetBits(entry.environments) : DEFAULT_TARGETS;
      if (stage.count === 0) stage.targets = targets;
      else if (stage.targets !== targets) stage.targets = undefined;
      text += stageLine(stage.count++, entry, needsReplay);
    },
    async flush() {
      if (text.length >= CHUNK_BYTES) await send();
    },
    async close() {
      await send();
      await copy?.end();
      copy = undefined;
    },
    async abort() {
      await copy?.abort();
      copy = undefined;
    },
    async drop(db) {
      if (isCreated) await db.execute(sql`drop table if exists ${sql.identifier(table)}`);
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
