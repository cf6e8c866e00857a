/** Renews the results of expectations after a deployment that did not check them, and after other changes. */
import { systemActor } from '../accounts/system-actor.ts';
import type { Db, Queryable } from '../db/connection/client.ts';
import { queryRows } from '../db/rows.ts';
import { ARE_OUTDATED } from '../deployments/gate/results.ts';
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

/** Runs expectations with outdated results, those of one environment. Returns false if all are up to date. */
export async function renewResults(db: Db, run: (actor: Actor, place: Place) => Promise<void>): Promise<boolean> {
  const claimed = await claim(db);
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
 * Claims the environment that waits longest. Another process may claim it when this one has stopped. The search steps from
 * one environment with expectations to the next by the primary key, so its cost does not grow with their number.
 */
async function claim(db: Db): Promise<(Place & { accountId: number; plan: Plan }) | undefined> {
  const [found] = await queryRows<Place & { accountId: number; plan: Plan }>(db)`
    with recursive places as (
      (select website_id, environment from expectations order by website_id, environment limit 1)
      union all
      select n.website_id, n.environment from places p cross join lateral (
        select x.website_id, x.environment from expectations x
        where (x.website_id, x.environment) > (p.website_id, p.environment)
        order by x.website_id, x.environment limit 1) n
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
