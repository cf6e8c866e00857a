import type { Queryable } from '../../../db/connection/client.ts';
import { queryRows } from '../../../db/rows.ts';
import type { Environment } from '../../../vocabulary/environment.ts';
import { DomainError } from '../../../vocabulary/error.ts';
import { historySql } from '../../live/database/history.ts';
import { readCurrentPointer, readLive } from '../../live/database/live.ts';
import type { RulesPointer } from '../../live/database/rules-sql.ts';
import { isRetained, RETAINED_DAYS, RETAINED_VERSIONS } from './version-retention.ts';

/** Rules of an environment to read: those of a version, the live ones, or those of the current redirects. */
export type VersionChoice = number | 'live' | 'draft';

export interface ChosenRules {
  /** the number of the version; 0 for the live rules before the first deployment */
  version: number | 'draft';
  /** of the version (deployments/live/database/history.ts); empty for the draft, and before the first deployment */
  history: string;
  pointer: RulesPointer;
}

/**
 * Returns the pointer to the chosen rules. Before the first deployment nothing is live. The caller has checked the
 * website. Throws VERSION_NOT_FOUND if the environment has no such version, and VERSION_EXPIRED if it is no longer
 * retained.
 */
export async function chooseRules(
  db: Queryable,
  { websiteId, environment }: { websiteId: number; environment: Environment },
  choice: VersionChoice,
): Promise<ChosenRules> {
  if (choice === 'draft') {
    const pointer = await readCurrentPointer(db, websiteId, environment);
    if (!pointer) throw new Error(`website ${websiteId} does not exist`);
    return { version: 'draft', history: '', pointer };
  }
  if (choice !== 'live') {
    const pointer = await requireVersion(db, websiteId, environment, { version: choice });
    return { version: choice, history: pointer.history, pointer };
  }
  const live = (await readLive(db, [websiteId])).find((row) => row.environment === environment);
  if (!live) throw new Error(`website ${websiteId} has no ${environment}`);
  const { liveVersion: version, history } = live;
  return { version, history, pointer: version > 0 ? live : noRules(environment) };
}

/** The pointer to the live rules before the first deployment. */
export function noRules(environment: Environment): RulesPointer {
  return { rulesEnv: environment, rulesRev: 0, rulesMaxId: 0, targetHosts: null };
}

/**
 * Returns the pointer of a version that can be published again. Throws VERSION_NOT_FOUND, and VERSION_EXPIRED also if its
 * history is not the given one.
 */
export async function requireVersion(
  db: Queryable,
  websiteId: number,
  environment: Environment,
  { version, history }: { version: number; history?: string | undefined },
): Promise<RulesPointer & { history: string }> {
  const [row] = await queryRows<RulesPointer & { liveVersion: number; retained: boolean | null; history: string }>(db)`
    select we.live_version, ${isRetained} as retained, ${historySql} as history, v.rules_env, v.rules_rev, v.rules_max_id, v.target_hosts
    from website_environments we left join versions v on v.website_id = we.website_id
      and v.environment = we.environment and v.version = ${version}::bigint
    where we.website_id = ${websiteId} and we.environment = ${environment}`;
  const live = row?.liveVersion ?? 0;
  if (!row || version < 1 || version > live) {
    const range = live === 0 ? 'nothing was deployed there yet' : `it has the versions 1 to ${live}`;
    throw new DomainError('VERSION_NOT_FOUND', 'Version not found', {
      details: `version: there is no version ${version} of ${environment}; ${range}`,
    });
  }
  if (history !== undefined && history !== row.history) {
    throw new DomainError('VERSION_EXPIRED', 'The version is not known', {
      details: `history: version ${version} of ${environment} has another one, because the database went back in time; fetch the whole version without since`,
    });
  }
  if (row.retained) return row;
  throw new DomainError('VERSION_EXPIRED', 'The version is no longer retained', {
    details: `version: the last ${RETAINED_VERSIONS} versions and those of ${RETAINED_DAYS} days are retained; version ${version} is older`,
  });
}
