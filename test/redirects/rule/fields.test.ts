/** The triggers on `redirects` keep every field of the table of fields, and notice a change of each. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  COLUMN_FIELDS,
  LABEL_COLUMNS,
  SERVED_COLUMNS,
  TARGET_COLUMNS,
  wireNames,
} from '../../../src/redirects/rule/fields.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database.ts';
import { createWriter, type Writer } from '../../support/redirect-writes.ts';

let database: FreshDatabase;
let writer: Writer;
beforeAll(async () => {
  database = await freshDatabase();
  writer = await createWriter(database.db);
});
afterAll(() => database.close());

const COLUMNS = [...SERVED_COLUMNS, ...LABEL_COLUMNS, ...TARGET_COLUMNS];

async function select(from: string): Promise<Record<string, unknown>[]> {
  return (await database.db.execute(sql.raw(`select ${COLUMNS.join(', ')} from ${from}`))).rows;
}

test('a former state has every field that its redirect had', async () => {
  const websiteId = await writer.createSite();
  const entry = {
    ...{ old_path: '/A', new_path: '/b', status_code: 302, group_id: 'g', notes: 'n' },
    ...{ target_environments: ['production', 'staging', 'development'] },
    ...{ active_from: '2030-01-01T00:00:00Z', active_until: '2030-02-01T00:00:00Z' },
  };
  await writer.load(websiteId, [entry]);
  const [created] = await select('redirects');
  expect(Object.entries(created ?? {}).filter(([, value]) => value === null)).toEqual([]);
  await writer.update({ filter: { websiteId } }, { change: { statusCode: 301 } });
  expect(await select('redirect_revisions')).toEqual([created]);
  const [updated] = await select('redirects');
  await writer.remove({ filter: { websiteId } });
  expect(await select('redirect_revisions order by rev_to')).toEqual([created, updated]);
});

test('a change of any label leaves a former state, though the rule stays', async () => {
  const { db } = database;
  const websiteId = await writer.createSite();
  await writer.load(websiteId, [{ old_path: '/a', new_path: '/b' }]);
  for (const [at, label] of LABEL_COLUMNS.entries()) {
    await db.execute(sql`update websites set head_rev = head_rev + 1 where id = ${websiteId}`);
    await db.execute(sql`update redirects set ${sql.identifier(label)} = 'changed' where website_id = ${websiteId}`);
    const { rowCount } = await db.execute(sql`select from redirect_revisions where website_id = ${websiteId}`);
    expect([label, rowCount]).toEqual([label, at + 1]);
  }
});

test('the columns of a redirect are served or label it', () => {
  expect([...SERVED_COLUMNS, ...LABEL_COLUMNS].toSorted()).toEqual(['key', ...wireNames(COLUMN_FIELDS)].toSorted());
});
