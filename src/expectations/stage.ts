import { type Db, withClient } from '../db/connection/client.ts';
import { copyCell } from '../db/copy/copy-rows.ts';
import { sql } from '../db/drizzle.ts';
import { isInstanceAlive } from '../db/instance.ts';
import { createStageTable, findStages, stageName } from '../db/stage-table.ts';
import { newId } from '../platform/ids.ts';
import { createFingerprintSet } from '../redirects/import/engine/fingerprint-set.ts';
import type { CheckedExpectation } from './check-expectation.ts';

const COLUMNS = `index int not null, environment text not null, key text collate "C" not null, url text not null,
  status_code smallint not null, location text, final text`;

/** Text of one COPY. Between two, the stage holds no connection, so a slow client holds none. */
const CHUNK_CHARACTERS = 512 * 1024;

export type Stage = ReturnType<typeof createStage>;

/** Holds the entries of one body until they are merged. */
export function createStage(db: Db, instanceId: number) {
  const staged = createStageTable(stageName('expectation', instanceId, newId('')), COLUMNS);
  const keys = createFingerprintSet();
  const send = (): Promise<void> =>
    withClient(db, async (client) => {
      await staged.open(client);
      await staged.close();
    });
  const stage = {
    /** the table's name: letters, digits and underscores */
    table: staged.table,
    /** an entry may be repeated */
    hasDuplicates: false,
    /** Adds entries. Resolves when the database has taken what does not fit into memory. */
    async write(entries: (CheckedExpectation & { index: number })[]): Promise<void> {
      let size = 0;
      for (const { index, environment, key, url, statusCode, location, final } of entries) {
        if (keys.add(`${environment} ${key}`)) stage.hasDuplicates = true;
        const cells = [index, environment, key, url, statusCode, location, final];
        size = staged.write(`${cells.map(copyCell).join('\t')}\n`);
      }
      if (size >= CHUNK_CHARACTERS) await send();
    },
    /** Stores the rest. */
    async close(): Promise<void> {
      await send();
      await db.execute(sql`analyze ${sql.identifier(staged.table)}`);
    },
    drop: () => staged.drop(db),
  };
  return stage;
}

/** Drops the stages of expectations and URLs that crashed processes left. Safe to run in several processes at a time. */
export async function dropOrphanedStages(db: Db): Promise<void> {
  for (const kind of ['expectation', 'url'] as const) {
    for (const { table, owner } of await findStages(db, kind)) {
      if (!(await isInstanceAlive(db, owner))) await db.execute(sql`drop table if exists ${sql.identifier(table)}`);
    }
  }
}
