/**
 * The statements of a write cost a small multiple of the rows that it touches, without statistics and with outdated
 * ones: no plan compares each row of the change with each row of the website.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Db } from '../../src/db/connection/client.ts';
import { sql } from '../../src/db/drizzle.ts';
import { pruneRevisions } from '../../src/deployments/publish/versions/version-retention.ts';
import { purgeChanges } from '../../src/redirects/changes/record-change.ts';
import { purgeImports } from '../../src/redirects/import/verdicts/purge-imports.ts';
import { purgeDeletedAccounts } from '../../src/websites/delete-account.ts';
import { purgeDeletedWebsites } from '../../src/websites/delete.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';
import { recordPlans, type Work } from '../support/plans.ts';
import { createWriter, type Writer } from '../support/redirect-writes.ts';
import { inSoak } from '../support/soak.ts';

const SIZE = inSoak(10_000, 800);
/** Rows of one batch of a purge; more than the states of the smaller size. */
const PURGED = Math.max(SIZE, 5_000);
/** Rows of one statement for each row of the change. The largest finds three rows for each, in 20 nodes. */
const MAX_ROWS = 40;

let database: FreshDatabase;
let writer: Writer;
let works: Work[];
beforeEach(async () => {
  database = await freshDatabase();
  writer = await createWriter(database.db);
  works = await recordPlans(database.db);
});
afterEach(() => database.close());

/** Another website has all redirects and former states that the statistics know. */
async function makeOutdated(): Promise<void> {
  const { db } = database;
  const other = await writer.createSite();
  await db.execute(sql`
    insert into redirects (website_id, key, old_path, new_path, status_code, is_regex, rev, in_prod, created_at, updated_at)
    select ${other}::int, '/o' || n, '/o' || n, '/x', 301, false, 1, 1, now(), now() from generate_series(1, ${SIZE * 10}::int) n`);
  await db.execute(sql`update redirects set rev = 2, new_path = '/y' where website_id = ${other}`);
  await db.execute(sql`analyze redirects`);
  await db.execute(sql`analyze redirect_revisions`);
}

/** A website that had redirects and former states was deleted before the statistics were taken. */
async function makeEmptied(): Promise<void> {
  await makeOutdated();
  await database.db.execute(sql`delete from redirects`);
  await database.db.execute(sql`delete from redirect_revisions`);
  await database.db.execute(sql`analyze redirects`);
  await database.db.execute(sql`analyze redirect_revisions`);
}

async function purgeHistory(db: Db): Promise<void> {
  await purgeImports(db, 30);
  await purgeChanges(db);
  for (let after = await pruneRevisions(db, 0); after > 0; after = await pruneRevisions(db, after));
}

const entries = (name: string, target: string, count: number) =>
  Array.from({ length: count }, (_, n) => ({ old_path: `/${name}${n}`, new_path: `${target}${n}`, status_code: 301 }));

const paths = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => ({ url: `${name}${n}`, status_code: 404 }));

const STATISTICS: [name: string, prepare: () => Promise<unknown>][] = [
  ['outdated statistics', makeOutdated],
  ['statistics of emptied tables', makeEmptied],
  ['no statistics', () => Promise.resolve()],
];

test.each(inSoak(STATISTICS, STATISTICS.slice(0, 2)))(
  'with %s, every statement grows with the change',
  async (_name, prepare) => {
    await prepare();
    const websiteId = await writer.createSite();
    const selection = { filter: { websiteId } };
    const tooMuch: string[] = [];
    async function cheap<T>(name: string, work: () => Promise<T>, size = SIZE): Promise<T> {
      works.length = 0;
      const result = await work();
      for (const { rows, statement } of works)
        if (rows > MAX_ROWS * size) tooMuch.push(`${name}: ${rows} rows in ${statement.trim().slice(0, 100)}`);
      return result;
    }
    /** Each write, its undo, and the undo of that. */
    async function undone(name: string, write: () => Promise<string | null>): Promise<void> {
      const changeId = await cheap(name, write);
      await cheap(`undo of ${name}, dry`, () => writer.undo(changeId, true));
      const { changeId: undoId } = await cheap(`undo of ${name}`, () => writer.undo(changeId));
      await cheap(`undo of undo of ${name}`, () => writer.undo(undoId));
    }
    const half = SIZE / 2;
    const first = [...entries('a', '/x', half), ...entries('b', '/b', half)];
    await undone('import into one redirect', async () => {
      await writer.load(websiteId, first.slice(0, 1));
      return (await writer.load(websiteId, entries('a', '/b', SIZE))).changeId;
    });
    const mixed = [...entries('a', '/y', half), ...entries('b', '/b', half)];
    await cheap('import, dry', () => writer.load(websiteId, mixed, { dry_run: true }));
    await undone('import', async () => (await writer.load(websiteId, mixed)).changeId);
    await cheap('sync, dry', () => writer.sync(websiteId, entries('b', '/z', SIZE), true));
    await undone('sync', async () => (await writer.sync(websiteId, entries('b', '/z', SIZE))).changeId);
    await cheap('update, dry', () => writer.previewUpdate(selection, { change: { notes: 'x' } }));
    await undone('update by filter', () => writer.update(selection, { change: { statusCode: 302 } }));
    const ids = await writer.ids(websiteId);
    await undone('update by ids', () => writer.update({ ids }, { change: { groupId: 'g' } }));
    await undone('flattening', async () => {
      await writer.load(websiteId, [...entries('a', '/b', SIZE), ...entries('b', '/end', SIZE)]);
      await cheap('flattening, dry', () => writer.flatten(websiteId, true));
      return (await writer.flatten(websiteId)).changeId;
    });
    await undone('deletion', () => writer.remove({ ids }));
    // Half of them are replayed one by one.
    const odd = entries('b', '/c', SIZE).map((entry, n) =>
      n % 2 ? { ...entry, new_path: null, status_code: 410 } : entry,
    );
    await undone('import of gone pages', async () => (await writer.load(websiteId, [...odd, ...odd])).changeId);
    await cheap('verdicts', () => writer.checkRows(websiteId, SIZE));
    await cheap('expectations', () => writer.expect(websiteId, paths('/a', SIZE)));
    await cheap('other expectations', () => writer.expect(websiteId, paths('/b', SIZE)));
    await cheap('added expectations', () => writer.expect(websiteId, paths('/a', half), { replaces: false }));
    // Autovacuum analyses the tables within a minute.
    if (prepare === makeEmptied) await database.db.execute(sql`analyze redirects, redirect_revisions`);
    await cheap('activity', () => writer.activity(websiteId));
    // A month later, no change needs its former states.
    await database.db.execute(sql`update changes set created_at = created_at - interval '31 days'`);
    await database.db.execute(sql`update imports set completed_at = completed_at - interval '31 days'`);
    await cheap('retention', () => purgeHistory(database.db), PURGED);
    await database.db.execute(sql`update websites set deleting_since = now() where id = ${websiteId}`);
    const purge = async () => {
      while (await purgeDeletedWebsites(database.db));
    };
    await cheap('purge of a website', purge, PURGED);
    await database.db.execute(sql`delete from users`);
    const purgeAccounts = async () => {
      while (await purgeDeletedAccounts(database.db, () => {}));
    };
    await cheap('purge of an account', purgeAccounts, PURGED);
    expect(tooMuch).toEqual([]);
  },
  inSoak(1_800_000, 200_000),
);
