/** Deletion of imports: after the retention, above the maximum of an account, and with their website. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { purgeImports } from '../../../../src/redirects/import/verdicts/purge-imports.ts';
import { purgeDeletedWebsites } from '../../../../src/websites/delete.ts';
import { freshDatabase, type FreshDatabase } from '../../../support/database.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
  await database.db.execute(sql`insert into accounts (plan) values ('free'), ('pro')`);
});
afterAll(() => database.close());
beforeEach(() => database.db.execute(sql`truncate imports, import_errors`));

interface StoredImport {
  id: string;
  accountId?: number;
  websiteId?: number;
  status?: 'running' | 'completed' | 'failed';
  ageDays: number;
  errors?: number;
}

async function store({ id, accountId = 1, websiteId, status = 'completed', ageDays, errors = 1 }: StoredImport) {
  const at = sql`clock_timestamp() - ${ageDays} * interval '1 day'`;
  await database.db.execute(sql`
    insert into imports (id, account_id, website_id, source, status, owner, created_at, completed_at)
    values (${id}, ${accountId}, ${websiteId ?? null}, 'csv', ${status}, 1, ${at}, ${status === 'running' ? null : at})`);
  await database.db.execute(sql`
    insert into import_errors (import_id, n, line, code, message)
    select ${id}::text, n, n, 'X', 'x' from generate_series(1, ${errors}::int) n`);
}

/** The ids of the imports, and of those that have errors. */
async function stored(): Promise<{ imports: string[]; errors: string[] }> {
  const { rows } = await database.db.execute<{ imports: string[]; errors: string[] }>(sql`
    select array(select id from imports order by id) as imports,
      array(select distinct import_id from import_errors order by import_id) as errors`);
  return rows[0] ?? { imports: [], errors: [] };
}

test('imports and their errors are deleted after the retention; running ones stay', async () => {
  await store({ id: 'a-old', ageDays: 31, errors: 12_000 });
  await store({ id: 'b-failed', ageDays: 40, status: 'failed' });
  await store({ id: 'c-running', ageDays: 50, status: 'running' });
  await store({ id: 'd-new', ageDays: 29 });
  await purgeImports(database.db, 30);
  expect(await stored()).toEqual({ imports: ['c-running', 'd-new'], errors: ['c-running', 'd-new'] });
});

test('an account keeps its newest 1,000 imports, whatever others have', async () => {
  await database.db.execute(sql`
    insert into imports (id, account_id, source, status, owner, created_at, completed_at)
    select 'many-' || lpad(n::text, 4, '0'), 1, 'api', 'completed', 1, now() - n * interval '1 minute', now()
    from generate_series(0, 1200) n`);
  await database.db.execute(sql`insert into import_errors (import_id, n, line, code, message)
    select id, 1, 1, 'X', 'x' from imports`);
  await store({ id: 'other', accountId: 2, ageDays: 1 });
  await purgeImports(database.db, 30);
  const { imports, errors } = await stored();
  expect(imports).toHaveLength(1_001);
  expect([imports[0], imports[999], imports[1_000]]).toEqual(['many-0000', 'many-0999', 'other']);
  expect(errors).toEqual(imports);
});

test('a deleted website takes its imports and their errors with it', async () => {
  const { rows } = await database.db.execute<{ id: number }>(sql`
    insert into websites (account_id, name, deleting_since) values (1, 'deleted', now() - interval '1 hour'), (1, 'kept', null)
    returning id`);
  const [deleted = 0, kept = 0] = rows.map(({ id }) => id);
  await store({ id: 'a', websiteId: deleted, ageDays: 1, errors: 12_000 });
  await store({ id: 'b', websiteId: deleted, ageDays: 1, status: 'failed' });
  await store({ id: 'c', websiteId: kept, ageDays: 1 });
  while (await purgeDeletedWebsites(database.db));
  expect(await stored()).toEqual({ imports: ['c'], errors: ['c'] });
  expect((await database.db.execute(sql`select id from websites`)).rows).toEqual([{ id: kept }]);
});
