/** Renews the results of expectations after a deployment that did not check them, and after other changes. */
import { systemActor } from '../accounts/system-actor.ts';
import type { Db, Queryable } from '../db/connection/client.ts';
import { type SQL, sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { ARE_OUTDATED, WRITTEN } from '../deployments/gate/results.ts';
import { stopwatch } from '../platform/clock.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import type { Plan } from '../vocabulary/plan.ts';

/** Longer than a run takes. After a failed one, the next follows then. */
const CLAIM_SECONDS = 1_800;
/**
 * A rest after a run, in proportion to its duration: runs take 2 % of the time of a thread, although edits are deployed
 * one by one.
 */
const REST_SHARE = 50;
const MAX_REST_MS = 300_000;

interface Place {
  websiteId: number;
  environment: Environment;
}

/** Lists the environments of a website whose results are outdated. A run renews them soon. */
export async function outdatedEnvironments(db: Queryable, websiteId: number): Promise<Environment[]> {
  const rows = await queryRows<Place>(db)`
    select e.environment from website_environments e join websites s on s.id = e.website_id
    where e.website_id = ${websiteId} and ${ARE_OUTDATED}
      and exists (select from expectations x where x.website_id = s.id and x.environment = e.environment)
    order by e.environment`;
  return rows.map(({ environment }) => environment);
}

/**
 * Runs expectations with outdated results, those of one environment. Returns false if all are up to date. Without
 * `searchesAll`, it searches the environments that changed in the last 15 minutes; the others change by schedules.
 */
export async function renewResults(
  db: Db,
  searchesAll: boolean,
  run: (actor: Actor, place: Place) => Promise<void>,
): Promise<boolean> {
  const claimed = await claim(db, searchesAll ? ALL : RECENT);
  if (!claimed) return false;
  const startedAt = stopwatch();
  const { accountId, plan, websiteId, environment } = claimed;
  await run(systemActor({ id: accountId, plan }), { websiteId, environment });
  const restMs = Math.min((stopwatch() - startedAt) * REST_SHARE, MAX_REST_MS);
  await queryRows(db)`
    update website_environments set expectations_rest_until = now() + ${restMs} * interval '1 ms'
    where website_id = ${websiteId} and environment = ${environment}`;
  return true;
}

/**
 * SQL: the environments with expectations. Steps from one to the next by the primary key, so the cost does not grow with
 * the number of expectations.
 */
const ALL = sql`
      (select website_id, environment from expectations order by website_id, environment limit 1)
      union all
      select n.website_id, n.environment from places p cross join lateral (
        select x.website_id, x.environment from expectations x
        where (x.website_id, x.environment) > (p.website_id, p.environment)
        order by x.website_id, x.environment limit 1) n`;

/**
 * SQL: those of which rules, settings or expectations changed lately. Longer than a rest. The array and the limit let the
 * planner use no other way than the indexes, whatever the statistics say.
 */
const RECENT = sql`
      select e.website_id, e.environment from website_environments e cross join lateral (
        select from expectations x where x.website_id = e.website_id and x.environment = e.environment limit 1) x
      where e.website_id = any(array(
        select website_id from website_environments where changed_at > now() - interval '15 minutes'
        union select website_id from website_environments where starts_with(expectations_state, ${WRITTEN})
        union select id from websites where changed_at > now() - interval '15 minutes'))`;

/** Claims the environment of `places` that waits longest. Another process may claim it when this one has stopped. */
async function claim(db: Db, places: SQL): Promise<(Place & { accountId: number; plan: Plan }) | undefined> {
  const [found] = await queryRows<Place & { accountId: number; plan: Plan }>(db)`
    with recursive places as (${places}
    ), due as (
      select e.website_id, e.environment, s.account_id
      from places p join website_environments e on e.website_id = p.website_id and e.environment = p.environment
        join websites s on s.id = e.website_id and s.deleting_since is null
      where (e.expectations_rest_until is null or e.expectations_rest_until <= now()) and ${ARE_OUTDATED}
      order by e.expectations_rest_until nulls first limit 1)
    update website_environments e set expectations_rest_until = now() + ${CLAIM_SECONDS} * interval '1 s'
    from due d join accounts a on a.id = d.account_id
    where e.website_id = d.website_id and e.environment = d.environment
      and (e.expectations_rest_until is null or e.expectations_rest_until <= now())
    returning e.website_id, e.environment, d.account_id, a.plan`;
  return found;
}
