/** The bounds of versions: a trigger maintains them, and the migration computes the same for stored versions. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { versionBounds, versionHosts } from '../../../src/db/schema/deployments.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database.ts';

const MIGRATION = join(import.meta.dirname, '..', '..', '..', 'migrations', '0010_version_bounds.sql');

let database: FreshDatabase;

beforeAll(async () => {
  database = await freshDatabase();
});

afterAll(() => database.close());

async function stored(): Promise<unknown> {
  const { db } = database;
  const bounds = await db.select().from(versionBounds);
  const hosts = await db.select().from(versionHosts);
  const sorted = (rows: object[]): string[] => rows.map((row) => JSON.stringify(row)).toSorted();
  return { bounds: sorted(bounds), hosts: sorted(hosts) };
}

test('the migration stores what the trigger stores version by version', async () => {
  const { db } = database;
  // Revisions go up and down, of several environments and host lists.
  await db.execute(sql`
    insert into versions (website_id, environment, version, rules_env, rules_rev, rules_max_id, behind, target_hosts, redirect_count, deployed_at)
    select 1 + v % 2, (array['production', 'staging'])[1 + v % 3 % 2], v, (array['production', 'staging', 'development'])[1 + v * 7 % 5 % 3],
      case when v % 4 = 0 then v * 31 % 200 else v end, v, false,
      case when v % 11 = 0 then array['a' || v % 3] end, 0, now()
    from generate_series(1, 400) v`);
  const byTrigger = await stored();
  expect(JSON.stringify(byTrigger).length).toBeGreaterThan(5_000);
  await db.execute(sql`truncate version_bounds, version_hosts`);
  const inserts = readFileSync(MIGRATION, 'utf8')
    .split('--> statement-breakpoint')
    .filter((statement) => statement.trim().startsWith('INSERT INTO'));
  expect(inserts).toHaveLength(2);
  for (const statement of inserts) await db.execute(sql.raw(statement));
  expect(await stored()).toEqual(byTrigger);
});
