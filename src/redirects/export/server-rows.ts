import type { PoolClient } from 'pg';
import { copyRows } from '../../db/copy/copy-rows.ts';
import { targetColumn } from '../../deployments/live/database/rules-sql.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { type ExportScope, scopeSource } from './rows.ts';
import type { TargetedRule } from '../../formats/write/servers/server-format.ts';

/** The path in lower case without its final slash: a server may confuse rules that share it. */
const ALIKE = `lower(case when r.key like '_%/' then left(r.key, -1) else r.key end)`;

/** The path of a key without its query. */
const PATH = `split_part(r.key, '?', 1)`;

/** Yields literals with or without a required query, or patterns, of the scope's environment, by the bytes of their keys. */
export async function* targetedRules(
  client: PoolClient,
  scope: ExportScope & { environment: Environment },
  kind: 'queries' | 'literals' | 'patterns',
): AsyncGenerator<TargetedRule[]> {
  const rows = await scopeSource(client, scope);
  // A version has only the rules of its environment, or of the one that it was promoted from.
  const source = scope.rules ? rows : `${rows} and r.${targetColumn(scope.environment)} is not null`;
  const columns = `r.id, r.key, r.old_path, coalesce(r.new_path, ''), r.status_code, r.is_regex,
    num_nonnulls(r.active_from, r.active_until) > 0`;
  const queries = {
    queries: `select ${columns}, case when min(${PATH}) over alike <> max(${PATH}) over alike
      then concat_ws(' ', min(${PATH}) over alike, max(${PATH}) over alike) else '' end from ${source}
      and not r.is_regex and strpos(r.key, '?') > 0
      window alike as (partition by lower(case when ${PATH} like '_%/' then left(${PATH}, -1) else ${PATH} end))
      order by r.key`,
    literals: `select ${columns}, case when count(*) over alike > 1 then string_agg(r.key, ' ') over alike else '' end
      from ${source} and not r.is_regex and strpos(r.key, '?') = 0
      window alike as (partition by ${ALIKE}) order by r.key`,
    patterns: `select ${columns}, '' from ${source} and r.is_regex order by r.key`,
  };
  for await (const rows of copyRows(client, queries[kind])) {
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
