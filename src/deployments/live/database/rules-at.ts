import type { PoolClient } from 'pg';
import { copyRows } from '../../../db/copy/copy-rows.ts';
import type { Rule } from '../../../resolver/rule.ts';
import { differenceSql, type RulesPointer, rulesSql, windowSql } from './rules-sql.ts';

/** One rule of the difference between two pointers: the key to remove, the rule to add, or both. */
export interface RuleChange {
  oldKey: string | null;
  /** as its editor wrote it, for warnings and diffs */
  oldPath: string;
  rule: Rule | null;
}

/** Streams every rule of the pointer in batches, in no defined order. */
export async function* rulesAt(client: PoolClient, websiteId: number, at: RulesPointer): AsyncGenerator<Rule[]> {
  const text = `select id, key, is_regex, new_path, status_code, ${windowSql('r').join(', ')} from (${rulesSql(websiteId, at)}) r`;
  for await (const rows of copyRows(client, text)) yield rows.map((row) => ruleOf(row, 0));
}

/**
 * Streams the difference between two pointers with the same rulesEnv, in either direction. The cost grows with the
 * difference, except if their targetHosts differ: then all rules are searched for absolute targets.
 */
export async function* changesBetween(
  client: PoolClient,
  websiteId: number,
  from: RulesPointer,
  to: RulesPointer,
): AsyncGenerator<RuleChange[]> {
  const text = `${differenceSql(websiteId, from, to)}
    select b.key, coalesce(a.old_path, b.old_path), a.id, a.key, a.is_regex, a.new_path, a.status_code,
      ${windowSql('a').join(', ')}
    from b full join a on b.id = a.id where b.since is distinct from a.since`;
  yield* readChanges(client, text);
}

/** Streams changes of a query: the key to remove, the path, then id, key, is_regex, target, status and window. */
export async function* readChanges(client: PoolClient, query: string): AsyncGenerator<RuleChange[]> {
  for await (const rows of copyRows(client, query)) {
    yield rows.map((row) => ({
      oldKey: row[0] ?? null,
      oldPath: row[1] ?? '',
      rule: row[3] == null ? null : ruleOf(row, 2),
    }));
  }
}

function ruleOf(row: (string | null)[], at: number): Rule {
  const rule: Rule = {
    id: Number(row[at]),
    key: row[at + 1] ?? '',
    isRegex: row[at + 2] === 't',
    newPath: row[at + 3] ?? null,
    statusCode: Number(row[at + 4]),
  };
  const [from, until] = [numberOf(row[at + 5]), numberOf(row[at + 6])];
  if (from !== null || until !== null) rule.window = { from, until };
  return rule;
}

const numberOf = (cell: string | null | undefined): number | null => (cell == null ? null : Number(cell));
