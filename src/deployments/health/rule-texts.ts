import { sql } from '../../db/drizzle.ts';
import type { Queryable } from '../../db/client.ts';
import { rulesSql } from '../../versions/rules-sql.ts';
import type { WorkingRules } from './working-rules.ts';

/** A rule as its editor wrote it. */
export interface RuleText {
  oldPath: string;
  newPath: string | null;
}

/** Reads texts of rules by their ids; an id that is none of the rules has no entry. */
export type ReadRuleTexts = (ids: number[]) => Promise<Map<number, RuleText>>;

/** Reads how rules were written at their moment; for some hundred ids at a time, since each text may be 2 KB. */
export function ruleTexts(
  db: Queryable,
  { website, at }: Pick<WorkingRules, 'website' | 'at'>,
): ReadRuleTexts {
  const rules = sql.raw(rulesSql(website.id, at));
  return async (ids) => {
    const wanted = sql.param([...new Set(ids)]);
    const { rows } = await db.execute<{ id: string | number; old_path: string; new_path: string | null }>(
      sql`select id, old_path, new_path from (${rules}) r where id = any(${wanted}::bigint[])`,
    );
    return new Map(rows.map((row) => [Number(row.id), { oldPath: row.old_path, newPath: row.new_path }]));
  };
}
