/** Dry runs neither wait for a write nor make one wait, and see one moment. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withClient } from '../../src/db/connection/client.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';
import { createWriter, type Writer } from '../support/redirect-writes.ts';

let database: FreshDatabase;
let writer: Writer;
beforeAll(async () => {
  database = await freshDatabase();
  writer = await createWriter(database.db);
});
afterAll(() => database.close());

/** Runs `work` while a transaction has every lock that a write may need, and waits for any that is taken. */
async function whileLocked<T>(websiteId: number, work: () => Promise<T>): Promise<T> {
  return withClient(database.db, async (client) => {
    await client.query('begin');
    for (const [table, column] of Object.entries({ accounts: 'id', websites: 'id', redirects: 'website_id' })) {
      const value = table === 'accounts' ? writer.actor.accountId : websiteId;
      await client.query(`select from ${table} where ${column} = $1 for update`, [value]);
    }
    const result = await work();
    await client.query('rollback');
    return result;
  });
}

test('dry runs end while a write holds the website and its redirects', async () => {
  const websiteId = await writer.createSite();
  const entries = [
    { old_path: '/a', new_path: '/b' },
    { old_path: '/b', new_path: '/c' },
    { old_path: '/p/(.*)', new_path: '/$1', is_regex: true },
  ];
  const { changeId } = await writer.load(websiteId, entries);
  const changed = entries.map((entry) => ({ ...entry, new_path: '/x' })).slice(1);
  const results = await whileLocked(websiteId, async () => ({
    undo: await writer.undo(changeId, true),
    import: await writer.load(websiteId, changed, { dry_run: true }),
    sync: await writer.sync(websiteId, changed, true),
    flatten: await writer.flatten(websiteId, true),
    update: await writer.previewUpdate({ filter: { websiteId } }, { change: { notes: 'x' } }),
  }));
  expect(results).toMatchObject({
    undo: { deleted: 3, conflictCount: 0, changeId: null },
    import: { created: 0, updated: 2, unchanged: 0, changeId: null },
    sync: { created: 0, updated: 2, deleted: 1, changeId: null },
    flatten: { updated: 1, changes: [{ oldPath: '/a', after: '/c' }] },
    update: { changed: 3 },
  });
});
