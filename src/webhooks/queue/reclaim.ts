/**
 * Takes back what no process will send any more: claims of a process that died, that ran out of their lease, or that this process
 * has in the database but not in its hands (the answer to the claim was lost with the connection).
 */
import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { isInstanceAlive } from '../../db/instance.ts';
import { LEASE_MS } from './claim.ts';
import { RETRY_DELAYS_MS } from '../sending/retry-schedule.ts';

/** A restart of the database frees the locks of all; whoever lives has its own again within this time. */
const DEAD_FOR_MS = 1_000;
/** An outage of the database makes every lease run out; whoever lives writes its outcomes first. */
const STEADY_FOR_MS = 2_000;
/** Interruptions in a row from which on a delivery waits as after a failure: it may be what kills the process. */
const INTERRUPTIONS = 3;

export interface Reclaimer {
  /**
   * Looks once and answers how many deliveries are pending again. `held` are those in this process's hands. To be called in turn
   * with claiming, never while a claim is under way.
   */
  look(now: Date, held: Iterable<number>): Promise<number>;
}

/** The first look takes from the dead at once (a start after a crash must not wait); later ones when they stayed dead. */
export function createReclaimer(db: Db, instanceId: number): Reclaimer {
  let deadSince: Map<number, number> | undefined;
  let steadySince: number | undefined;

  /** Those of the owners that have been dead for long enough. */
  async function dead(owners: number[]): Promise<number[]> {
    const since = new Map<number, number>();
    const over: number[] = [];
    for (const owner of owners) {
      if (await isInstanceAlive(db, owner)) continue;
      const first = deadSince?.get(owner) ?? performance.now();
      since.set(owner, first);
      if (deadSince === undefined || performance.now() - first >= DEAD_FOR_MS) over.push(owner);
    }
    deadSince = since;
    return over;
  }

  async function look(now: Date, held: Iterable<number>): Promise<number> {
    const notInHands = sql`d.id <> all (${`{${[...held].join(',')}}`}::bigint[])`;
    const owners = await readOwners(db, now, notInHands);
    const lost: SQL[] = (await dead(owners.map(({ id }) => id).filter((id) => id !== instanceId))).map(
      (owner) => sql`d.locked_by = ${owner}`,
    );
    if (owners.some(({ id, hasLoose }) => id === instanceId && hasLoose))
      lost.push(sql`d.locked_by = ${instanceId} and d.kind <> 'test' and ${notInHands}`);
    const isSteady = performance.now() - (steadySince ??= performance.now()) >= STEADY_FOR_MS;
    if (isSteady && owners.some(({ hasExpired }) => hasExpired))
      lost.push(sql`d.lease_until < ${now.toISOString()}::timestamptz and ${notInHands}`);
    let count = 0;
    for (const which of lost) count += await takeBack(db, now, which);
    return count;
  }

  return {
    async look(now, held) {
      try {
        return await look(now, held);
      } catch (error) {
        steadySince = undefined;
        throw error;
      }
    },
  };
}

interface Owner {
  id: number;
  /** holds something other than tests that is not in this process's hands */
  hasLoose: boolean;
  /** holds something whose lease is over */
  hasExpired: boolean;
}

async function readOwners(db: Db, now: Date, notInHands: SQL): Promise<Owner[]> {
  const { rows } = await db.execute<{ locked_by: number; has_loose: boolean; has_expired: boolean }>(sql`
    select d.locked_by, bool_or(d.kind <> 'test' and ${notInHands}) as has_loose,
      bool_or(d.lease_until < ${now.toISOString()}::timestamptz and ${notInHands}) as has_expired
    from deliveries d where d.state = 'sending' group by d.locked_by`);
  return rows.map((row) => ({ id: row.locked_by, hasLoose: row.has_loose, hasExpired: row.has_expired }));
}

/**
 * What was sent of them is unknown, so they are sent again, at once: such an attempt is logged as interrupted and counts as no
 * failure. A test is not repeated, and what belonged to a deleted webhook is canceled.
 */
async function takeBack(db: Db, now: Date, which: SQL): Promise<number> {
  const at = sql`${now.toISOString()}::timestamptz`;
  const { rowCount } = await db.execute(sql`
    with lost as materialized (
      select d.id, d.attempt_no, d.lease_until - make_interval(secs => ${LEASE_MS / 1_000}) as claimed_at,
        case when d.kind = 'test' then 'failed' when w.id is null then 'canceled' else 'pending' end as next,
        (select count(*) from attempts a where a.delivery_id = d.id and a.outcome = 'interrupted'
          and a.attempt_no between d.attempt_no - ${INTERRUPTIONS - 1} and d.attempt_no - 1) + 1 as interruptions
      from deliveries d left join webhooks w on w.id = d.webhook_id
      where d.state = 'sending' and ${which} for update of d skip locked
    ), logged as (
      insert into attempts (day, delivery_id, attempt_no, started_at, duration_ms, outcome, error)
      select (claimed_at at time zone 'UTC')::date, id, attempt_no, claimed_at,
        greatest(0, least(extract(epoch from ${at} - claimed_at) * 1000, 2147483647))::int, 'interrupted',
        'the process ended, or lost its claim, before the outcome was written'
      from lost on conflict do nothing
    )
    update deliveries d set state = lost.next, locked_by = null, lease_until = null,
      due_at = case when lost.interruptions >= ${INTERRUPTIONS}
        then ${at} + make_interval(secs => ${delaySeconds()}) else ${at} end,
      finished_at = case when lost.next <> 'pending' then ${at} end
    from lost where lost.id = d.id`);
  return rowCount ?? 0;
}

/** The delay of the schedule at the delivery's place in it. */
function delaySeconds(): SQL {
  const seconds = `{${RETRY_DELAYS_MS.map((ms) => ms / 1_000).join(',')}}`;
  return sql`(${seconds}::float8[])[least(greatest(d.failures, 1), ${RETRY_DELAYS_MS.length})]`;
}
