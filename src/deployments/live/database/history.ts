/**
 * The identity of versions. A database that goes back in time (failover to a replica that lags, restored dump) assigns
 * the same numbers again. So each version has a random id, and only versions that the database knows are patched.
 */
import type { PoolClient } from 'pg';
import { sql } from '../../../db/drizzle.ts';
import { queryRows } from '../../../db/rows.ts';
import { queryableOf } from '../../../db/connection/client.ts';
import type { Environment } from '../../../vocabulary/environment.ts';
import { isRetained } from '../../publish/versions/version-retention.ts';

export interface VersionId {
  /** 0: nothing is live */
  version: number;
  /** random id of the version; empty for version 0, and if it is unknown */
  history: string;
}

/** SQL for the history of version `v`. Versions of earlier releases have no id and differ by their time. */
export const historySql = sql.raw('coalesce(v.history, md5(v.deployed_at::text)::uuid)::text');

/** True if both are the same version of the same history. */
export const isSameVersion = (a: VersionId, b: VersionId): boolean =>
  a.version === b.version && a.history === b.history;

/**
 * `known`: a difference from the version can be read. `expired`: it is no longer retained. `lost`: the database does not
 * have it, or has another version of the same number.
 */
export type VersionState = 'known' | 'expired' | 'lost';

/** Compares a version that is stored outside of the database with the database: of a process, a file or an agent. */
export async function versionState(
  client: PoolClient,
  { websiteId, environment }: { websiteId: number; environment: Environment },
  { version, history }: VersionId,
): Promise<VersionState> {
  const [row] = await queryRows<{ retained: boolean }>(queryableOf(client), { isConstant: true })`
    select ${isRetained} as retained from website_environments we
    join versions v on v.website_id = we.website_id and v.environment = we.environment and v.version <= we.live_version
    where we.website_id = ${websiteId} and we.environment = ${environment} and v.version = ${version}::int
      and ${historySql} = ${history}`;
  if (!row) return 'lost';
  return row.retained ? 'known' : 'expired';
}
