import type { Db, Queryable } from '../../db/client.ts';
import { queryRows } from '../../db/rows.ts';
import { readDatabaseId } from '../../db/settings.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { isRetained } from '../publish/version-retention.ts';
import type { LiveRegistry } from './live-registry.ts';
import type { LoadedSnapshots } from './read-snapshots.ts';
import type { SnapshotVersion } from './snapshot-files.ts';

type Place = Pick<SnapshotVersion, 'websiteId' | 'environment'>;

/**
 * Returns the environments whose snapshot can be patched by a difference: the same version, published at the same time,
 * exists and is retained. A database that was restored from an older backup may have other rules under its number.
 */
export async function findPatchable(db: Queryable, snapshots: SnapshotVersion[]): Promise<Place[]> {
  if (snapshots.length === 0) return [];
  const given = snapshots.map((each) => ({
    website_id: each.websiteId,
    environment: each.environment,
    version: each.version,
    rules_env: each.rulesEnv,
    rules_rev: each.rulesRev,
    rules_max_id: each.rulesMaxId,
    target_hosts: each.targetHosts,
    deployed_at: each.deployedAt,
  }));
  return queryRows<Place>(db)`
    select v.website_id, v.environment
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as s(website_id int, environment text, version int,
      rules_env text, rules_rev int, rules_max_id bigint, target_hosts text[], deployed_at timestamptz)
    join versions v on v.website_id = s.website_id and v.environment = s.environment and v.version = s.version
    join website_environments we on we.website_id = v.website_id and we.environment = v.environment
    where v.rules_env = s.rules_env and v.rules_rev = s.rules_rev and v.rules_max_id = s.rules_max_id
      and v.target_hosts is not distinct from s.target_hosts and v.deployed_at = s.deployed_at
      and v.version <= we.live_version and ${isRetained}`;
}

/** Returns when a version was published, as PostgreSQL writes it. Undefined if it does not exist, or has other rules. */
export async function readDeployedAt(
  db: Queryable,
  websiteId: number,
  environment: Environment,
  { version, rulesEnv, rulesRev }: Pick<SnapshotVersion, 'version' | 'rulesEnv' | 'rulesRev'>,
): Promise<string | undefined> {
  const [row] = await queryRows<{ deployedAt: string }>(db)`
    select v.deployed_at::text as deployed_at from versions v
    join websites w on w.id = v.website_id and w.deleting_since is null
    where v.website_id = ${websiteId} and v.environment = ${environment} and v.version = ${version}
      and v.rules_env = ${rulesEnv} and v.rules_rev = ${rulesRev}`;
  return row?.deployedAt;
}

/** Which rules in memory come from a file that the database does not confirm. */
export interface SnapshotCheck {
  /** Compares the files with the database, once. Removes the websites of another database from memory. */
  ready(): Promise<void>;
  /** True if the rules must be loaded, because they cannot be patched. */
  isStale(websiteId: number, environment: Environment): boolean;
  /** Call it when the rules were loaded. */
  replaced(websiteId: number, environment: Environment): void;
}

export function createSnapshotCheck(
  db: Db,
  registry: LiveRegistry,
  { databaseId, versions }: LoadedSnapshots,
): SnapshotCheck {
  const keyOf = ({ websiteId, environment }: Place): string => `${websiteId} ${environment}`;
  const stale = new Set(versions.map(keyOf));
  let checked: Promise<void> | undefined;
  /** False for rules from a file of an earlier release: patches of them would have no checksum either. */
  const hasChecksum = ({ websiteId, environment }: Place): boolean =>
    registry.rules(websiteId, environment).ruleset.checksum !== undefined;

  async function check(): Promise<void> {
    if (databaseId === undefined) return;
    if ((await readDatabaseId(db)) !== databaseId) {
      for (const id of registry.websiteIds()) registry.remove(id);
      stale.clear();
      return;
    }
    for (const place of await findPatchable(db, versions.filter(hasChecksum))) stale.delete(keyOf(place));
  }

  return {
    ready() {
      checked ??= check().catch((error: unknown) => {
        checked = undefined;
        throw error;
      });
      return checked;
    },
    isStale: (websiteId, environment) => stale.has(keyOf({ websiteId, environment })),
    replaced: (websiteId, environment) => void stale.delete(keyOf({ websiteId, environment })),
  };
}
