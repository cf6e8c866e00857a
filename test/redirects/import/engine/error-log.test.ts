import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createErrorLog } from '../../../../src/redirects/import/engine/error-log.ts';
import { freshDatabase, type FreshDatabase } from '../../../support/database.ts';

let database: FreshDatabase;
beforeAll(async () => void (database = await freshDatabase()));
afterAll(() => database.close());

test('an error with NUL and lone surrogates is stored with replacements, and its escapes stay', async () => {
  const { db } = database;
  const log = createErrorLog(db, 'imp_test');
  const oldPath = '/nul\0lone\ud800 \\u0000';
  log.add({ line: 1, column: '\udc00', code: 'CONTROL_CHARACTER', message: 'refused \ud800', oldPath });
  await log.finish();
  const { rows } = await db.execute(sql`select field, message, old_path from import_errors`);
  expect(rows).toEqual([{ field: '\ufffd', message: 'refused \ufffd', old_path: '/nul\ufffdlone\ufffd \\u0000' }]);
  expect(log.first()[0]?.oldPath).toBe(oldPath);
});

test('a path that is too long for a redirect is truncated', async () => {
  const log = createErrorLog(database.db, 'imp_long');
  log.add({
    line: 1,
    column: 'old_path',
    code: 'TOO_LONG',
    message: 'too long',
    oldPath: `/${'a'.repeat(60_000)}`,
  });
  await log.finish();
  expect(log.first()[0]?.oldPath).toBe(`/${'a'.repeat(2_047)}…`);
});
