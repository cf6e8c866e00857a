import type { PoolClient } from 'pg';
import { copyRows } from '../../../db/copy-rows.ts';
import type { Environment } from '../../../vocabulary/environment.ts';
import { type ExportScope, scopeCondition } from '../rows.ts';
import { foldPath } from '../../../resolver/case-fold.ts';
import { storedPatternForm } from '../../../resolver/pattern.ts';

/** A rule that an environment is targeted with. */
export interface TargetedRule {
  id: string;
  key: string;
  oldPath: string;
  newPath: string | null;
  statusCode: number;
  isRegex: boolean;
  /** keys of other literals that differ from this one by a final slash or the case of ASCII letters alone */
  companions: string[];
}

const COLUMN = { production: 'in_prod', staging: 'in_staging', development: 'in_dev' } as const;

/** The path without final slash and in lower case: rules that a server may take for one another share it. */
const ALIKE = `lower(case when r.key like '_%/' then left(r.key, -1) else r.key end)`;

/** Rules of the scope that are targeted at the environment, literals or patterns, in the byte order of their keys. */
export async function* targetedRules(
  client: PoolClient,
  scope: ExportScope & { environment: Environment },
  kind: 'literals' | 'patterns',
): AsyncGenerator<TargetedRule[]> {
  const condition = `${await scopeCondition(client, scope)} and r.${COLUMN[scope.environment]} is not null`;
  const columns = `r.id, r.key, r.old_path, coalesce(r.new_path, ''), r.status_code, r.is_regex`;
  const query =
    kind === 'patterns'
      ? `select ${columns}, '' from redirects r where ${condition} and r.is_regex order by r.key`
      : `select ${columns}, case when count(*) over alike > 1 then string_agg(r.key, ' ') over alike else '' end
         from redirects r where ${condition} and not r.is_regex window alike as (partition by ${ALIKE}) order by r.key`;
  for await (const rows of copyRows(client, query)) {
    yield rows.map(([id, key, oldPath, newPath, statusCode, isRegex, alike]) => ({
      id: id ?? '',
      key: key ?? '',
      oldPath: oldPath ?? '',
      newPath: newPath || null,
      statusCode: Number(statusCode),
      isRegex: isRegex === 't',
      companions: alike ? alike.split(' ').filter((other) => other !== key) : [],
    }));
  }
}

/** A pattern with what decides its place: the length of what every match begins with. */
export interface RankedPattern {
  rule: TargetedRule;
  prefix: number;
}

export function rankPattern(rule: TargetedRule): RankedPattern {
  return { rule, prefix: foldPath(storedPatternForm(rule.oldPath)?.prefix ?? '').length };
}

/** Patterns in the order in which they are tried: longest literal prefix, longest pattern, byte order. */
export function patternsInPrecedence(patterns: RankedPattern[]): TargetedRule[] {
  return patterns
    .toSorted(
      (one, other) =>
        other.prefix - one.prefix ||
        other.rule.key.length - one.rule.key.length ||
        Buffer.compare(Buffer.from(one.rule.key), Buffer.from(other.rule.key)),
    )
    .map(({ rule }) => rule);
}
