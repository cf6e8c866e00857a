import type { PoolClient } from 'pg';
import { copyRows } from '../../db/copy/copy-rows.ts';
import { targetColumn } from '../../deployments/live/database/rules-sql.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { type ExportScope, scopeSource } from './rows.ts';
import type { TargetedRule } from '../../formats/write/servers/server-format.ts';

/** The path in lower case without its final slash: a server may confuse rules that share it. */
const ALIKE = `lower(case when r.key like '_%/' then left(r.key, -1) else r.key end)`;

/** Yields the scope's literals or patterns that are targeted at the environment, in the byte order of their keys. */
export async function* targetedRules(
  client: PoolClient,
  scope: ExportScope & { environment: Environment },
  kind: 'literals' | 'patterns',
): AsyncGenerator<TargetedRule[]> {
  const rows = await scopeSource(client, scope);
  // A version has only the rules of its environment, or of the one that it was promoted from.
  const source = scope.rules ? rows : `${rows} and r.${targetColumn(scope.environment)} is not null`;
  const columns = `r.id, r.key, r.old_path, coalesce(r.new_path, ''), r.status_code, r.is_regex,
    num_nonnulls(r.active_from, r.active_until) > 0`;
  const query =
    kind === 'patterns'
      ? `select ${columns}, '' from ${source} and r.is_regex order by r.key`
      : `select ${columns}, case when count(*) over alike > 1 then string_agg(r.key, ' ') over alike else '' end
         from ${source} and not r.is_regex window alike as (partition by ${ALIKE}) order by r.key`;
  for await (const rows of copyRows(client, query)) {
    yield rows.map(([id, key, oldPath, newPath, statusCode, isRegex, isScheduled, alike]) => ({
      id: id ?? '',
      key: key ?? '',
      oldPath: oldPath ?? '',
      newPath: newPath || null,
      statusCode: Number(statusCode),
      isRegex: isRegex === 't',
      isScheduled: isScheduled === 't',
      companions: alike ? alike.split(' ').filter((other) => other !== key) : [],
    }));
  }
}
