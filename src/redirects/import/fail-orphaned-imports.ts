import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { isInstanceAlive } from '../../db/instance.ts';

/**
 * Marks imports whose process has died as failed and drops their staging tables: nothing of them was applied. Called at start and
 * from time to time; safe on several processes at once.
 */
export async function failOrphanedImports(db: Db): Promise<void> {
  const { rows } = await db.execute<{ table: string; owner: number }>(sql`
    select c.relname as table, substring(c.relname from '^import_stage_(\\d+)_')::int as owner
    from pg_class c where c.relkind = 'r' and c.relname ~ '^import_stage_\\d+_' and c.relnamespace = current_schema()::regnamespace`);
  const { rows: running } = await db.execute<{ owner: number }>(
    sql`select distinct owner from imports where status = 'running'`,
  );
  const dead = new Set<number>();
  for (const owner of new Set([...rows, ...running].map((row) => row.owner))) {
    if (!(await isInstanceAlive(db, owner))) dead.add(owner);
  }
  for (const { table, owner } of rows) {
    if (dead.has(owner)) await db.execute(sql`drop table if exists ${sql.identifier(table)}`);
  }
  for (const owner of dead) {
    await db.execute(sql`
      update imports set status = 'failed', completed_at = clock_timestamp(),
        error = 'INTERNAL_ERROR: the service stopped while the import was running; nothing was applied, send it again'
      where status = 'running' and owner = ${owner}`);
  }
}
