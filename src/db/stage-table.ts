/** Staging tables: unlogged, filled by COPY, and dropped at the end of their work or after the crash of their process. */
import type { PoolClient } from 'pg';
import { isMissingTable } from './errors.ts';
import { busy, type DomainError } from '../vocabulary/error.ts';
import { type Db, type Queryable, queryableOf, withClient } from './connection/client.ts';
import { type CopyIn, startCopyIn } from './copy/copy-in.ts';
import { type CopyCell, createCopyText } from './copy/copy-text.ts';
import { sql } from './drizzle.ts';
import { queryRows } from './rows.ts';

type StageKind = 'import' | 'expectation' | 'url';

/** The name of a table. It has the id of the process's instance row, so that others can drop it after a crash. */
export function stageName(kind: StageKind, instanceId: number, id: string): string {
  return `${kind}_stage_${instanceId}_${id.replace(/[^A-Za-z0-9]/g, '')}`.toLowerCase();
}

const lostStage = (): DomainError =>
  busy('The database restarted while the body was read; nothing was applied, send it again');

/** Throws the error, or BUSY if the table of a stage is missing. */
export function asLostStage(error: unknown): never {
  throw isMissingTable(error) ? lostStage() : error;
}

/** A stage is analyzed when it is full. An autovacuum in between would compete with the merge for nothing. */
const OWN_STATISTICS = 'with (autovacuum_enabled = off)';

/** Creates a stage without its table. `columns` is their SQL. */
export function createStageTable(table: string, columns: string) {
  const text = createCopyText();
  let isCreated = false;
  let isFilled = false;
  let copy: CopyIn | undefined;

  async function send(pieces: readonly Buffer[]): Promise<void> {
    if (pieces.length > 0) isFilled = true;
    for (const piece of pieces) await copy?.send(piece);
  }

  /**
   * Throws BUSY if its rows are lost: PostgreSQL empties unlogged tables after a crash and at a promotion, and another
   * process drops those of an instance that has lost its lock.
   */
  async function assertIntact(db: Queryable): Promise<void> {
    if (!isFilled) return;
    const found = db.execute(sql`select from ${sql.identifier(table)} limit 1`);
    const { rowCount } = await found.catch(asLostStage);
    if (rowCount === 0) throw lostStage();
  }

  return {
    /** the table's name: letters, digits and underscores */
    table,
    assertIntact,
    /** Starts a COPY on this connection, which is busy until `close`. The first call creates the table. */
    async open(client: PoolClient) {
      if (isCreated) await assertIntact(queryableOf(client));
      else await client.query(`create unlogged table ${table} (${columns}) ${OWN_STATISTICS}`);
      isCreated = true;
      copy = startCopyIn(client, table);
    },
    /** Adds a row. Returns how many bytes are not sent yet. */
    write: (cells: readonly CopyCell[]): number => text.add(cells),
    /** For an open stage. Resolves when the database has taken what was written so far. Call it between batches. */
    flush: () => send(text.take()),
    /** Takes the rows that are not sent yet, for a later `close`. */
    take: text.take,
    /** Sends the rest and ends the COPY: the entries are stored, and the connection is free. It can be opened again. */
    async close(pieces: readonly Buffer[] = text.take()) {
      await send(pieces);
      await copy?.end();
      copy = undefined;
    },
    /** Aborts the COPY if it still runs. The connection stays usable. */
    async abort() {
      await copy?.abort();
      copy = undefined;
    },
    /** Drops the table of a stage that is not open. */
    async drop(db: Queryable) {
      if (isCreated) await db.execute(sql`drop table if exists ${sql.identifier(table)}`);
    },
  };
}

/**
 * A stage that holds a connection only while it sends `chunkBytes` of text, so that a slow reader of a body holds
 * none. `analyzed`: the one column that its statements join by; without it, all columns are analyzed, which takes longer.
 */
export function createBodyStage(
  db: Db,
  table: string,
  { columns, chunkBytes, analyzed }: { columns: string; chunkBytes: number; analyzed?: string },
) {
  const staged = createStageTable(table, columns);
  let sending = Promise.resolve();
  const send = (pieces: readonly Buffer[]): Promise<void> =>
    withClient(db, async (client) => {
      await staged.open(client);
      await staged.close(pieces);
    });
  return {
    table,
    assertIntact: staged.assertIntact,
    /** Adds rows. The database takes a chunk while the next one is read. Rejects if it did not take one before. */
    async write(rows: Iterable<readonly CopyCell[]>): Promise<void> {
      let size = 0;
      for (const cells of rows) size = staged.write(cells);
      if (size < chunkBytes) return;
      await sending;
      sending = send(staged.take());
      sending.catch(() => {});
    },
    /** Stores the rest. */
    async close(): Promise<void> {
      await sending;
      await send(staged.take());
      await db.execute(sql`analyze ${sql.identifier(table)} ${analyzed ? sql`(${sql.identifier(analyzed)})` : sql``}`);
    },
    async drop(): Promise<void> {
      await sending.catch(() => {});
      await staged.drop(db);
    },
  };
}

export async function findStages(db: Queryable, kind: StageKind): Promise<{ table: string; owner: number }[]> {
  const name = `^${kind}_stage_(\\d+)_`;
  return queryRows<{ table: string; owner: number }>(db)`
    select relname as table, substring(relname from ${name})::int as owner from pg_class
    where relkind = 'r' and relname ~ ${name} and relnamespace = current_schema()::regnamespace`;
}
