import { type Db, withClient } from '../db/client.ts';
import { copyCell } from '../db/copy-rows.ts';
import { startCopyIn } from '../db/copy-in.ts';
import { sql } from '../db/drizzle.ts';
import { isInstanceAlive } from '../db/instance.ts';
import { queryRows } from '../db/rows.ts';
import { newId } from '../platform/ids.ts';
import { createFingerprintSet } from '../redirects/import/engine/fingerprint-set.ts';
import type { CheckedExpectation } from './check-expectation.ts';

/** Text of one COPY. Between two, the stage holds no connection, so a slow client holds none. */
const CHUNK_CHARACTERS = 512 * 1024;

/** Holds the entries of one body until they are merged: an unlogged table, filled by COPY. */
export interface Stage {
  /** the table's name: letters, digits and underscores */
  table: string;
  /** an entry may be repeated */
  hasDuplicates: boolean;
  /** Adds an entry. Resolves when the database has taken what does not fit into memory. */
  write(entries: (CheckedExpectation & { index: number })[]): Promise<void>;
  /** Stores the rest. */
  close(): Promise<void>;
  drop(): Promise<void>;
}

/** Creates the table. Its name contains the id of the process, so that another one can drop it after a crash. */
export async function createStage(db: Db, instanceId: number): Promise<Stage> {
  const id = newId('').replace(/[^A-Za-z0-9]/g, '');
  const table = `expectation_stage_${instanceId}_${id}`.toLowerCase();
  const name = sql.identifier(table);
  await db.execute(sql`
    create unlogged table ${name} (index int not null, environment text not null, key text collate "C" not null,
      url text not null, status_code smallint not null, location text, final text)`);
  const keys = createFingerprintSet();
  let text = '';

  async function send(): Promise<void> {
    const chunk = text;
    text = '';
    if (chunk === '') return;
    await withClient(db, async (client) => {
      const copy = startCopyIn(client, table);
      await copy.send(chunk);
      await copy.end();
    });
  }

  const stage: Stage = {
    table,
    hasDuplicates: false,
    async write(entries) {
      for (const { index, environment, key, url, statusCode, location, final } of entries) {
        if (keys.add(`${environment} ${key}`)) stage.hasDuplicates = true;
        const cells = [index, environment, key, url, statusCode, location, final];
        text += `${cells.map(copyCell).join('\t')}\n`;
      }
      if (text.length >= CHUNK_CHARACTERS) await send();
    },
    async close() {
      await send();
      await db.execute(sql`analyze ${name}`);
    },
    async drop() {
      await db.execute(sql`drop table if exists ${name}`);
    },
  };
  return stage;
}

/** Drops the stages of crashed processes. Safe to run in several processes at a time. */
export async function dropOrphanedStages(db: Db): Promise<void> {
  const stages = await queryRows<{ table: string; owner: number }>(db)`
    select relname as table, substring(relname from '^expectation_stage_(\\d+)_')::int as owner from pg_class
    where relkind = 'r' and relname ~ '^expectation_stage_\\d+_' and relnamespace = current_schema()::regnamespace`;
  const isAlive = new Map<number, boolean>();
  for (const { table, owner } of stages) {
    if (!isAlive.has(owner)) isAlive.set(owner, await isInstanceAlive(db, owner));
    if (!isAlive.get(owner)) await db.execute(sql`drop table if exists ${sql.identifier(table)}`);
  }
}
