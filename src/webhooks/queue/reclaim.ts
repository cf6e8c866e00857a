/**
 * Reclaims deliveries that no process will finish: claims of a crashed process, claims past their lease, and claims of
 * this process that it does not know of (the response to the claim was lost with the connection).
 */
import type { Db } from '../../db/connection/client.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { isInstanceAlive } from '../../db/instance.ts';
import { queryRows } from '../../db/rows.ts';
import { stopwatch } from '../../platform/clock.ts';
import { RETRY_DELAYS_MS } from '../sending/retry-schedule.ts';
import { LEASE_MS } from './claim.ts';

/** A database restart releases every instance lock; a live process reacquires its own within this time. */
const DEAD_FOR_MS = 1_000;
/** During a database outage every lease expires; live processes write their outcomes first. */
const STEADY_FOR_MS = 2_000;
/** Interruptions in a row after which a delivery waits as after a failure: it may be what crashes the process. */
const MAX_INTERRUPTIONS = 3;

/**
 * The first run reclaims from dead instances immediately, as after a crash; later runs only if they stay dead for a
 * second.
 */
export function createReclaimer(db: Db, instanceId: number) {
  let deadSince: Map<number, number> | undefined;
  let steadySince: number | undefined;

  /** Returns the instances that have been dead for DEAD_FOR_MS. */
  async function findDead(instances: number[]): Promise<number[]> {
    const since = new Map<number, number>();
    const dead: number[] = [];
    for (const instance of instances) {
      if (await isInstanceAlive(db, instance)) continue;
      const first = deadSince?.get(instance) ?? stopwatch();
      since.set(instance, first);
      if (deadSince === undefined || stopwatch() - first >= DEAD_FOR_MS) dead.push(instance);
    }
    deadSince = since;
    return dead;
  }

  async function reclaim(now: Date, inFlight: Iterable<number>): Promise<number> {
    const isUnknown = sql`d.id <> all (${`{${[...inFlight].join(',')}}`}::bigint[])`;
    const owners = await readOwners(db, now, isUnknown);
    const others = owners.map(({ id }) => id).filter((id) => id !== instanceId);
    const lost: SQL[] = (await findDead(others)).map((owner) => sql`d.locked_by = ${owner}`);
    if (owners.some(({ id, hasUnknown }) => id === instanceId && hasUnknown))
      lost.push(sql`d.locked_by = ${instanceId} and d.kind <> 'test' and ${isUnknown}`);
    const isSteady = stopwatch() - (steadySince ??= stopwatch()) >= STEADY_FOR_MS;
    if (isSteady && owners.some(({ hasExpired }) => hasExpired))
      lost.push(sql`d.lease_until < ${now.toISOString()}::timestamptz and ${isUnknown}`);
    let count = 0;
    for (const condition of lost) count += await makePending(db, now, condition);
    return count;
  }

  return {
    /**
     * Makes lost deliveries pending again, and returns how many. `inFlight` are the ids that this process knows of.
     * Must not run concurrently with a claim of this process.
     */
    async reclaim(now: Date, inFlight: Iterable<number>): Promise<number> {
      try {
        return await reclaim(now, inFlight);
      } catch (error) {
        steadySince = undefined;
        throw error;
      }
    },
  };
}

interface Owner {
  id: number;
  /** has claims, tests excluded, that this process does not know of */
  hasUnknown: boolean;
  /** has claims past their lease */
  hasExpired: boolean;
}

async function readOwners(db: Db, now: Date, isUnknown: SQL): Promise<Owner[]> {
  return queryRows<Owner>(db)`
    select d.locked_by as id, bool_or(d.kind <> 'test' and ${isUnknown}) as has_unknown,
      bool_or(d.lease_until < ${now.toISOString()}::timestamptz and ${isUnknown}) as has_expired
    from deliveries d where d.state = 'sending' group by d.locked_by`;
}

/**
 * Makes the deliveries due immediately, because it is unknown whether they were sent. Logs the attempts as interrupted,
 * which is not a failure. A test is not repeated, and the deliveries of deleted webhooks are canceled.
 */
async function makePending(db: Db, now: Date, condition: SQL): Promise<number> {
  const at = sql`${now.toISOString()}::timestamptz`;
  const { rowCount } = await db.execute(sql`
    with lost as materialized (
      select d.id, d.attempt_no, d.lease_until - make_interval(secs => ${LEASE_MS / 1_000}) as claimed_at,
        case when d.kind = 'test' then 'failed' when w.id is null then 'canceled' else 'pending' end as next,
        (select count(*) from attempts a where a.delivery_id = d.id and a.outcome = 'interrupted'
          and a.attempt_no between d.attempt_no - ${MAX_INTERRUPTIONS - 1} and d.attempt_no - 1) + 1 as interruptions
      from deliveries d left join webhooks w on w.id = d.webhook_id
      where d.state = 'sending' and ${condition} for update of d skip locked
    ), logged as (
      insert into attempts (day, delivery_id, attempt_no, started_at, duration_ms, outcome, error)
      select (claimed_at at time zone 'UTC')::date, id, attempt_no, claimed_at,
        greatest(0, least(extract(epoch from ${at} - claimed_at) * 1000, 2147483647))::int, 'interrupted',
        'the process ended, or lost its claim, before the outcome was written'
      from lost on conflict do nothing
    )
    update deliveries d set state = lost.next, locked_by = null, lease_until = null,
      due_at = case when lost.interruptions >= ${MAX_INTERRUPTIONS}
        then ${at} + make_interval(secs => ${retryDelaySeconds()}) else ${at} end,
      finished_at = case when lost.next <> 'pending' then ${at} end,
      message = case when lost.next = 'pending' then d.message end
    from lost where lost.id = d.id`);
  return rowCount ?? 0;
}

/** The delay that the retry schedule has after the failures of delivery `d`. */
function retryDelaySeconds(): SQL {
  const seconds = `{${RETRY_DELAYS_MS.map((ms) => ms / 1_000).join(',')}}`;
  return sql`(${seconds}::float8[])[least(greatest(d.failures, 1), ${RETRY_DELAYS_MS.length})]`;
}
