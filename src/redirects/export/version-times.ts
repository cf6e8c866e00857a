import type { Queryable } from '../../db/connection/client.ts';
import { queryRows } from '../../db/rows.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { type DeployedLookup, hostOf, targetsOf } from './deployed-to-prod.ts';
import type { ExportedRow } from '../../formats/write/lossless-format.ts';

/** Larger than any revision. */
const NEVER = 2_147_483_647;

/**
 * Finds deployed_to_prod for the rules of a version of production: the time of the first version since which the rule
 * was unchanged up to this one. So the file of a version stays the same. Null in other environments.
 */
export function versionLookup(
  websiteId: number,
  { environment, version }: { environment: Environment; version: number },
): DeployedLookup {
  return {
    keyOf: (row, group) => (environment === 'production' ? `${group} ${row.rev}` : null),
    isOwnKey: () => false,
    read: (db, rows) => readTimes(db, { websiteId, version }, rows),
  };
}

/** The rule is in a version of environment e at revision r if in_e <= r < until, and its host was not excluded. */
async function readTimes(
  db: Queryable,
  { websiteId, version }: { websiteId: number; version: number },
  rows: ExportedRow[],
): Promise<(Date | null)[]> {
  const rules = rows.map((row, at) => {
    const [production, staging, development] = targetsOf(row).map((since) => since ?? NEVER);
    return { at, production, staging, development, until: Number(row.rev) || NEVER, host: hostOf(row) };
  });
  const found = await queryRows<{ at: number; deployedAt: string }>(db)`
    select a.at, v.deployed_at
    from jsonb_to_recordset(${JSON.stringify(rules)}::jsonb)
      as a(at int, production int, staging int, development int, until int, host text)
    left join lateral (
      select e.version from versions e
      where e.website_id = ${websiteId} and e.environment = 'production' and e.version < ${version}::int and not (
        case e.rules_env when 'production' then a.production when 'staging' then a.staging else a.development end
          <= e.rules_rev and e.rules_rev < a.until
        and (a.host is null or e.target_hosts is null or a.host = any(e.target_hosts)))
      order by e.version desc limit 1) missing on true
    join versions v on v.website_id = ${websiteId} and v.environment = 'production'
      and v.version = coalesce(missing.version, 0) + 1`;
  const times = new Map(found.map(({ at, deployedAt }) => [at, new Date(deployedAt)]));
  return rows.map((_, at) => times.get(at) ?? null);
}
