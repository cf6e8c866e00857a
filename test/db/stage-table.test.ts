import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/db/drizzle.ts';
import { createBodyStage, createStageTable } from '../../src/db/stage-table.ts';
import { withClient } from '../../src/db/connection/client.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';

let database: FreshDatabase;
beforeAll(async () => void (database = await freshDatabase({ isMigrated: false })));
afterAll(() => database.close());

/** As PostgreSQL does with unlogged tables when it restarts after a crash, and at a promotion. */
const empty = (table: string) => database.db.execute(sql`truncate ${sql.identifier(table)}`);
const LOST = expect.objectContaining({ code: 'BUSY', details: expect.stringContaining('send it again') });

test('a stage that a crash has emptied takes no more rows, and is not merged', async () => {
  const stage = createStageTable('import_stage_1_a', 'n int not null');
  await withClient(database.db, async (client) => {
    await stage.open(client);
    stage.write([1]);
    await stage.close();
    // A body that paused goes on.
    await stage.open(client);
    stage.write([2]);
    await stage.close();
  });
  await stage.assertIntact(database.db);
  await empty(stage.table);
  await expect(stage.assertIntact(database.db)).rejects.toEqual(LOST);
  await expect(withClient(database.db, (client) => stage.open(client))).rejects.toEqual(LOST);
});

test('the stage of a body that a crash has emptied between two chunks rejects the rest', async () => {
  const stage = createBodyStage(database.db, 'url_stage_1_a', { columns: 'n int not null', chunkBytes: 1 });
  await stage.write([[1]]);
  await stage.write([[2]]);
  await expect.poll(async () => (await database.db.execute(sql`select from url_stage_1_a`)).rowCount).toBe(2);
  await empty(stage.table);
  await expect(stage.write([[3]]).then(() => stage.close())).rejects.toEqual(LOST);
});

test('a stage whose table another process has dropped is not merged', async () => {
  const stage = createBodyStage(database.db, 'url_stage_1_c', { columns: 'n int not null', chunkBytes: 1 });
  await stage.write([[1]]);
  await stage.close();
  await stage.drop();
  await expect(stage.assertIntact(database.db)).rejects.toEqual(LOST);
});

test('a stage without rows is intact', async () => {
  const stage = createBodyStage(database.db, 'url_stage_1_b', { columns: 'n int not null', chunkBytes: 1 });
  await stage.close();
  await stage.assertIntact(database.db);
});

test('rows are written while the database takes the chunk before them', async () => {
  const stage = createBodyStage(database.db, 'url_stage_1_d', { columns: 'n int not null', chunkBytes: 4 });
  await stage.write([[1], [2]]);
  await expect.poll(async () => (await database.db.execute(sql`select from url_stage_1_d`)).rowCount).toBe(2);
  await database.db.transaction(async (tx) => {
    await tx.execute(sql`lock table url_stage_1_d`);
    await stage.write([[3], [4]]);
    // The COPY of the chunk waits for the lock.
    await stage.write([[5]]);
  });
  await stage.close();
  const { rows } = await database.db.execute(sql`select n from url_stage_1_d order by n`);
  expect(rows.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5]);
});
