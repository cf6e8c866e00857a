/** The rows of a file beside their errors: joined by line, and bounded. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createErrorLog } from '../../../../src/redirects/import/engine/error-log.ts';
import { type OriginalRow, storeOriginals } from '../../../../src/redirects/import/verdicts/store-originals.ts';
import { freshDatabase, type FreshDatabase } from '../../../support/database.ts';

let database: FreshDatabase;
beforeAll(async () => void (database = await freshDatabase()));
afterAll(() => database.close());

async function* inBatches(rows: OriginalRow[], size: number) {
  for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size);
}

/** The stored cells of each error by line. */
async function cellsAfter(importId: string, lines: number[], rows: OriginalRow[], maxCharacters?: number) {
  const { db } = database;
  const errors = createErrorLog(db, importId);
  for (const line of lines) errors.add({ line, column: 'old_path', code: 'TOO_LONG', message: 'x', oldPath: 'x' });
  await errors.finish();
  await storeOriginals(
    db,
    importId,
    { headers: ['a'], fields: [''], read: () => inBatches(rows, 2) },
    errors,
    maxCharacters,
  );
  const stored = await db.execute<{ line: number; cells: string[] | null }>(
    sql`select line, cells from import_errors where import_id = ${importId} order by line, n`,
  );
  return stored.rows.map(({ line, cells }) => [line, cells]);
}

const ROWS = [2, 3, 5, 6, 9].map((line) => ({ line, cells: [`cell ${line}`, '"\\\ud800'] }));

test('each error gets the row of its line, whatever the order of the errors', async () => {
  expect(await cellsAfter('imp_lines', [9, 3, 3, 5, 7], ROWS)).toEqual([
    [3, ['cell 3', '"\\\ufffd']],
    [3, ['cell 3', '"\\\ufffd']],
    [5, ['cell 5', '"\\\ufffd']],
    [7, null],
    [9, ['cell 9', '"\\\ufffd']],
  ]);
});

test('rows beyond the bound are not stored', async () => {
  const long = ROWS.map(({ line }) => ({ line, cells: ['x'.repeat(600_000)] }));
  const stored = await cellsAfter('imp_bound', [2, 3, 5, 6], long, 1_900_000);
  expect(stored.map(([line, cells]) => [line, cells !== null])).toEqual([
    [2, true],
    [3, true],
    [5, true],
    [6, false],
  ]);
});
