/** The last result of each expectation against the live rules: whether it holds, since when, and the response instead. */
import type { PoolClient } from 'pg';
import { LOCKS } from '../../db/advisory-lock.ts';
import { type Db, type Queryable, queryableOf } from '../../db/connection/client.ts';
import type { CopyRow } from '../../db/copy/copy-rows.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { ANSWERING_STATE } from '../live/database/live.ts';
import type { ActualResponse } from './compare.ts';
import { actualJson } from './describe.ts';

/** Rows of one statement. */
const BATCH_SIZE = 100_000;

/** Identifies an expectation with its content: a result of one that has changed meanwhile fits no row. */
const FINGERPRINT = 'hash_record_extended(row(e.key, e.url, e.status_code, e.location, e.final), 0)';

/** The columns that `add` needs of an expectation `e`. */
export const RESULT_COLUMNS = `${FINGERPRINT}, e.holds, e.actual`;

/** The state of an environment at the start of a run, and the state of its stored results at that time. */
interface RunState {
  state: string | null;
  stored: string | null;
}

/** The place and the version of a run. */
interface ResultsOf extends RunState {
  websiteId: number;
  environment: Environment;
  version: number;
}

export type Results = ReturnType<typeof createResults>;

/** Collects the results of a run that differ from the stored ones: a few bytes of each, as 1,000,000 may change. */
export function createResults() {
  const prints: bigint[] = [];
  const holding: boolean[] = [];
  const responses: (string | null)[] = [];
  return {
    /** `actual`: the response instead of the expected one; null if the run lists no more. */
    add([print, stored, storedActual]: CopyRow, holds: boolean, actual: ActualResponse | null): void {
      const text = actual && actualJson(actual);
      if (stored === (holds ? 't' : 'f') && storedActual === text) return;
      prints.push(BigInt(print ?? 0));
      holding.push(holds);
      responses.push(text);
    },

    /**
     * Stores them, and the `state` they are of, if `version` is still live. Writers of expectations wait meanwhile; after
     * a write during the run, the results stay outdated.
     */
    async store(client: PoolClient, { websiteId, environment, version, state, stored }: ResultsOf): Promise<void> {
      await client.query('begin');
      const tx = queryableOf(client);
      await tx.execute(sql`select pg_advisory_xact_lock(${LOCKS.expectations}::int, ${websiteId}::int)`);
      // An estimate of few rows must not make the planner compare each with each.
      await tx.execute(sql`set local enable_nestloop = off`);
      for (let start = 0; start < prints.length; start += BATCH_SIZE) {
        const [ofPrints, ofHolding, ofResponses] = [prints, holding, responses].map((column) =>
          sql.param(column.slice(start, start + BATCH_SIZE)),
        );
        await tx.execute(sql`
          update expectations e set holds = r.holds, actual = r.actual,
            result_since = case when e.holds is distinct from r.holds then now() else e.result_since end
          from unnest(${ofPrints}::bigint[], ${ofHolding}::boolean[], ${ofResponses}::text[]) r (print, holds, actual)
          where e.website_id = ${websiteId} and e.environment = ${environment} and ${sql.raw(FINGERPRINT)} = r.print
            and (e.holds, e.actual) is distinct from (r.holds, r.actual)
            and ${version}::int = coalesce((select live_version from website_environments
              where website_id = ${websiteId} and environment = ${environment}), 0)`);
      }
      await tx.execute(sql`
        update website_environments set expectations_state = ${state}
        where website_id = ${websiteId} and environment = ${environment} and live_version = ${version}
          and expectations_state is not distinct from ${stored}`);
      await client.query('commit');
    },
  };
}

/** SQL condition: the live rules of `e`, of the website `s`, or its expectations have changed since the last run. */
export const ARE_OUTDATED = sql.raw(`e.live_version > 0 and e.expectations_state is distinct from ${ANSWERING_STATE}`);

/** Reads the state of a run that starts now. */
export async function readRunState(db: Queryable, websiteId: number, environment: Environment): Promise<RunState> {
  const [row] = await queryRows<RunState>(db)`
    select ${sql.raw(ANSWERING_STATE)} as state, e.expectations_state as stored
    from website_environments e join websites s on s.id = e.website_id
    where e.website_id = ${websiteId} and e.environment = ${environment}`;
  return row ?? { state: null, stored: null };
}

/** Begins the state of results after a write of the expectations. */
export const WRITTEN = 'written at ';

/** Marks the results of a website as outdated after a write of its expectations. The time lets a run notice it. */
export async function outdateResults(tx: Queryable, websiteId: number): Promise<void> {
  await queryRows(tx)`
    update website_environments set expectations_state = ${WRITTEN}::text || clock_timestamp() where website_id = ${websiteId}`;
}

/** Stores that all expectations hold, after the gate: while it is locked, and the version that met them is live. */
export async function storeAllHold(db: Db, websiteId: number, environment: Environment): Promise<void> {
  await queryRows(db)`
    with stored as (
      update expectations set holds = true, actual = null, result_since = now()
      where website_id = ${websiteId} and environment = ${environment} and holds is distinct from true)
    update website_environments e set expectations_state = ${sql.raw(ANSWERING_STATE)} from websites s
    where s.id = e.website_id and e.website_id = ${websiteId} and e.environment = ${environment}`;
}
