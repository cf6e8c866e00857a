/** PostgreSQL empties the stages of bodies when it restarts after a crash, and at a promotion: nothing is merged then. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { sql } from '../../src/db/drizzle.ts';
import { websiteHosts } from '../../src/db/schema/websites.ts';
import { findStages } from '../../src/db/stage-table.ts';
import { createMove } from '../../src/moves/create/create-move.ts';
import { createImportPermits } from '../../src/platform/scheduling/import-permits.ts';
import { addUrls } from '../../src/urls/add-urls.ts';
import { pushList } from '../../src/urls/push-list.ts';
import { addPart, openUpload } from '../../src/urls/uploads.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';
import { createWriter } from '../support/redirect-writes.ts';

const LIST = { environment: 'production', list: 'main' } as const;
const MAX_BYTES = 1024;

let database: FreshDatabase;
let writer: Awaited<ReturnType<typeof createWriter>>;
let websiteId: number;

beforeAll(async () => {
  database = await freshDatabase();
  writer = await createWriter(database.db);
  websiteId = await writer.createSite();
  await database.db
    .insert(websiteHosts)
    .values({ websiteId, hostname: 'www.example.com', environment: 'production', position: 1 });
});
afterAll(() => database.close());

/** Empties the stages between their last row and the merge. */
function emptied() {
  const { db } = database;
  const permits = createImportPermits(db);
  const withPermit = <T>(work: () => Promise<T>): Promise<T> =>
    permits.withPermit(async () => {
      for (const { table } of await findStages(db, 'url')) await db.execute(sql`truncate ${sql.identifier(table)}`);
      return work();
    });
  return { db, streams: db, instanceId: 1, permits: { ...permits, withPermit } };
}

const LOST = { code: 'BUSY', details: expect.stringContaining('send it again') };

test.each(['push', 'add', 'part', 'move'])('a stage that is empty when it is merged: %s', async (name) => {
  const folder = mkdtempSync(join(tmpdir(), 'detour-lost-stage-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'urls.txt');
  writeFileSync(path, '/a\n/b\n');
  const { actor } = writer;
  const body = { websiteId, path, maxBytes: MAX_BYTES };
  const { id: uploadId } = await openUpload(database.db, actor, { websiteId, ...LIST, fromHosts: [] });
  const urls = [{ rows: [{ line: 1, url: '/a', living: true }], invalid: [] }];
  const write: Record<string, () => Promise<unknown>> = {
    push: () => pushList(emptied(), actor, { ...body, ...LIST, fromHosts: [], dryRun: false }),
    add: () => addUrls(emptied(), actor, { ...body, fromHosts: [] }),
    part: () => addPart(emptied(), actor, { ...body, uploadId }),
    move: () =>
      createMove(
        emptied(),
        actor,
        {
          ...{ websiteId, name: 'Relaunch', fromHosts: [], filter: undefined, toWebsite: {} },
          ...{ from: { kind: 'urls', read: () => urls }, to: { read: () => urls } },
        },
        { live: undefined, now: new Date() },
      ),
  };
  await expect(write[name]?.()).rejects.toMatchObject(LOST);
  const { rows } = await database.db.execute(sql`
    select (select count(*) from urls) + (select count(*) from url_upload_rows) + (select count(*) from moves) as stored`);
  expect(rows).toEqual([{ stored: 0 }]);
});
