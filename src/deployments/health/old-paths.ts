import { sql } from 'drizzle-orm';
import type { Queryable } from '../../db/client.ts';
import { rulesSql } from '../../versions/rules-sql.ts';
import type { WorkingRules } from './working-rules.ts';

const BATCH = 1_000;

/** The old_path of each of these rules as its editor wrote it, at the moment of the rules. */
export async function readOldPaths(
  db: Queryable,
  { website, at }: WorkingRules,
  ids: number[],
): Promise<Map<number, string>> {
  const wanted = [...new Set(ids)];
  const found = new Map<number, string>();
  for (let from = 0; from < wanted.length; from += BATCH) {
    const batch = wanted.slice(from, from + BATCH);
    const { rows } = await db.execute<{ id: string | number; old_path: string }>(sql`
      select id, old_path from (${sql.raw(rulesSql(website.id, at))}) r where id = any(${sql.param(batch)}::bigint[])`);
    for (const row of rows) found.set(Number(row.id), row.old_path);
  }
  return found;
}
