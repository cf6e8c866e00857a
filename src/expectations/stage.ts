import type { Db } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { isInstanceAlive } from '../db/instance.ts';
import { createBodyStage, findStages, stageName } from '../db/stage-table.ts';
import { newId } from '../platform/ids.ts';
import { createFingerprintSet } from '../redirects/import/engine/fingerprint-set.ts';
import type { CheckedExpectation } from './check-expectation.ts';

const COLUMNS = `index int not null, environment text not null, key text collate "C" not null, url text not null,
  status_code smallint not null, location text, final text`;

/** Bytes of one COPY. */
const CHUNK_BYTES = 512 * 1024;

export type Stage = ReturnType<typeof createStage>;

/** Holds the entries of one body until they are merged. */
export function createStage(db: Db, instanceId: number) {
  const table = stageName('expectation', instanceId, newId(''));
  const staged = createBodyStage(db, table, { columns: COLUMNS, chunkBytes: CHUNK_BYTES });
  const keys = createFingerprintSet();
  const stage = {
    ...staged,
    /** an entry may be repeated */
    hasDuplicates: false,
    write(entries: (CheckedExpectation & { index: number })[]): Promise<void> {
      const rows = entries.map(({ index, environment, key, url, statusCode, location, final }) => {
        if (keys.add(`${environment} ${key}`)) stage.hasDuplicates = true;
        return [index, environment, key, url, statusCode, location, final];
      });
      return staged.write(rows);
    },
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
