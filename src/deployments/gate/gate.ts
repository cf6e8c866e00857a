/** The gate of a deployment: publishes a version only if it meets its expectations and loses no URL. */
import type { PoolClient } from 'pg';
import { LOCKS } from '../../db/advisory-lock.ts';
import { type Db, withClient } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Ruleset } from '../../resolver/ruleset.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { readSites } from '../live/database/read-sites.ts';
import { type GateReport, type Gates, runGates } from './run-gates.ts';

export interface GateInput {
  deploymentId: string;
  websiteId: number;
  environment: Environment;
  gates: Gates;
  /** the rules about to be published */
  ruleset: Ruleset;
  /** the rules that they replace */
  live: Ruleset;
}

/** `errors` say why the rules may not be published, in words; empty if they may. */
export type GateResult = Pick<GateReport, 'errors' | 'warnings'>;

/** Checks rules before they are published. The work is done in a worker thread. */
export type CheckGate = (input: GateInput) => Promise<GateResult>;

/** Checks rules in this thread, from this database. Stores the failures, so that they can be listed. */
export function checkGateFrom(db: Db): CheckGate {
  return async ({ deploymentId, websiteId, environment, gates, ...rules }) => {
    const [site] = await readSites(db, [websiteId]);
    // A deleted website has nothing to publish.
    if (!site) return { errors: [], warnings: [] };
    const gated = { ...rules, site, environment, at: systemClock.now() };
    const { failures, errors, warnings } = await withClient(db, (client) => runGates(client, gated, gates));
    await storeFailures(db, { websiteId, deploymentId }, failures);
    return { errors, warnings };
  };
}

/** Replaces the failures of an earlier try. */
async function storeFailures(
  db: Db,
  { websiteId, deploymentId }: { websiteId: number; deploymentId: string },
  failures: string[],
): Promise<void> {
  await queryRows(db)`
    delete from deployment_failures where website_id = ${websiteId} and deployment_id = ${deploymentId}`;
  if (failures.length === 0) return;
  await queryRows(db)`
    insert into deployment_failures (website_id, deployment_id, position, failure)
    select ${websiteId}, ${deploymentId}, position, failure
    from unnest(${sql.param(failures)}::text[]) with ordinality as f(failure, position)`;
}

/**
 * Keeps writers from changing the expectations of the website, so that a version is published only with the ones it was
 * checked against. `client` holds the lock; if what follows throws, its session must end.
 */
export async function lockExpectations(client: PoolClient, websiteId: number): Promise<void> {
  await client.query('select pg_advisory_lock_shared($1, $2)', [LOCKS.expectations, websiteId]);
}

export async function unlockExpectations(client: PoolClient, websiteId: number): Promise<void> {
  await client.query('select pg_advisory_unlock_shared($1, $2)', [LOCKS.expectations, websiteId]);
}
