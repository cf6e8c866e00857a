import { once } from 'node:events';
import { sql } from 'drizzle-orm';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { queryableOf } from '../../db/client.ts';
import type { CallDefaults, ImportEntry } from '../rule/entry.ts';
import { stageTable } from './import-record.ts';
import { createFingerprintSet } from './fingerprint-set.ts';
import { DEFAULT_TARGETS, PROVIDED, STAGE_COLUMNS, stageLine, targetBits } from './staged-row.ts';

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
  write(entry: ImportEntry): void;
  /** Resolves when the database has taken what was written so far. Call it between batches. */
  flush(): Promise<void>;
  finish(): Promise<void>;
  /** After `finish`: sets the call's values on entries that do not provide them. Rewrites the table. */
  applyDefaults(defaults: CallDefaults): Promise<void>;
  /** Aborts the COPY if it still runs, and drops the table. The connection stays usable. */
  drop(): Promise<void>;
}

/**
 * Creates the table and opens its COPY on this connection, which is busy until `finish`. The name contains the id of
 * the process's instance row, so that another process can drop the tables of a crashed one.
 */
export async function openStage(client: PoolClient, instanceId: number, importId: string): Promise<Stage> {
  const table = stageTable(instanceId, importId);
  await client.query(`create unlogged table ${table} (${STAGE_COLUMNS})`);
  const copy = client.query(copyFrom(`copy ${table} from stdin`));
  const failed = new Promise<never>((_, reject) => copy.once('error', reject));
  failed.catch(() => {});
  const keys = createFingerprintSet();
  let text = '';

  async function send(): Promise<void> {
    const chunk = text;
    text = '';
    if (chunk !== '' && !copy.write(chunk)) await Promise.race([once(copy, 'drain'), failed]);
  }

  const stage: Stage = {
    table,
    count: 0,
    hasDuplicates: false,
    needsReplay: false,
    targets: undefined,
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
    async finish() {
      await send();
      const finished = once(copy, 'finish');
      copy.end();
      await Promise.race([finished, failed]);
      await client.query(`analyze ${table}`);
    },
    async applyDefaults({ groupId, environments }) {
      const set = (column: string, bit: number, value: string | number | null) =>
        queryableOf(client).execute(sql`
          update ${sql.identifier(table)} set ${sql.identifier(column)} = ${value}, provided = provided | ${bit}::int
          where provided & ${bit}::int = 0`);
      if (groupId !== undefined) await set('group_id', PROVIDED.groupId, groupId);
      if (environments === undefined) return;
      await set('targets', PROVIDED.environments, targetBits(environments));
      stage.targets = undefined;
    },
    async drop() {
      // Destroying a running COPY sends CopyFail; a query before its end would wait forever.
      if (!copy.writableFinished && !copy.destroyed) {
        const closed = once(copy, 'close').catch(() => {});
        copy.destroy(new Error('the import was aborted'));
        await closed;
      }
      await client.query(`drop table if exists ${table}`);
    },
  };
  return stage;
}

/** Patterns, statuses without a target, and unchecked target hosts are valid depending on the website. */
function dependsOnWebsite(entry: ImportEntry): boolean {
  return entry.isRegex === true || entry.newPath === null || entry.isUndecided === true;
}
