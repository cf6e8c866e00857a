import { LOCKS } from '../../db/advisory-lock.ts';
import type { Db } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import type { Channel, DeliveryKind, EventKind } from '../../vocabulary/kinds.ts';
import { isOpen, WAITING } from './queue-stats.ts';

/**
 * How long a claim stays exclusive to a live process: two attempts of 15 s (webhooks/sending/attempt.ts) and the time to write
 * the outcome.
 */
export const LEASE_MS = 45_000;
/** An attempt that takes longer makes its receiver slow. */
export const SLOW_AFTER_MS = 500;
/** Failed attempts in a row that make a receiver failing. */
const FAILING_STREAK = 3;

/** A delivery that this process may send now, with everything that sending needs. */
export interface Claimed {
  id: number;
  channel: Channel;
  webhookId: string;
  eventId: string;
  event: EventKind;
  kind: DeliveryKind;
  /** number of the attempt that this claim allows; fences its outcome (finish.ts) */
  attemptNo: number;
  failures: number;
  /** time since it was queued; negative if the clock of another machine is ahead */
  ageMs: number;
  /** null: the event is past its retention */
  body: string | null;
  url: string;
  /** the sealed mail; null unless the channel is `mail` */
  message: Buffer | null;
  /** sealed, as in `webhooks` */
  secret: Buffer;
  /** sealed; null outside the overlap of a rotation */
  previousSecret: Buffer | null;
  signWith: 'current' | 'previous';
  isFailing: boolean;
  claimedAt: Date;
}

interface Claim {
  instanceId: number;
  now: Date;
  max: number;
  maxSlow: number;
  hasMail: boolean;
}

/**
 * Claims up to `max` due deliveries, up to `maxSlow` for slow and failing receivers, and returns their ids. Round-robin
 * over the webhooks, those of healthy receivers first, and never more in flight than a webhook's limit over all
 * processes. Deliveries of inactive or paused webhooks and of plans without webhooks stay on hold. The process sends or
 * releases what it claims; if it exits, others reclaim it (reclaim.ts). Claims mail only with `hasMail`.
 *
 * One process claims at a time, so that the numbers in flight are exact. The statement after the lock takes its
 * snapshot after it, which a single statement would not. All statements are one message and one transaction: a process
 * that is suspended never keeps the lock. That takes literals instead of parameters; all of them are numbers, times and
 * names of plans. Returns ids only, because a process that is suspended while it reads a large result would keep the
 * lock.
 *
 * Index scans only, and `state || ''` instead of `state`: the partial indexes are full of dead rows, which the
 * statistics do not show.
 */
export async function claimDeliveries(db: Db, { instanceId, now, max, maxSlow, hasMail }: Claim): Promise<number[]> {
  const at = sql`${now.toISOString()}::timestamptz`;
  const leaseUntil = new Date(now.getTime() + LEASE_MS).toISOString();
  const slowIfLeasedUntil = new Date(now.getTime() + LEASE_MS - SLOW_AFTER_MS).toISOString();
  const statements = sql`
    select pg_advisory_xact_lock(${LOCKS.claim}, 0);
    set local enable_seqscan = off;
    set local enable_bitmapscan = off;
    with recursive ${WAITING}, open as (
      select w.id, w.max_in_flight - in_flight.count as free,
        w.fail_streak >= ${FAILING_STREAK} or coalesce(in_flight.oldest_lease < ${slowIfLeasedUntil}::timestamptz, false) as slow
      from waiting join webhooks w on w.id = waiting.webhook_id join accounts a on a.id = w.account_id
        cross join lateral (
          select count(*), min(d.lease_until) as oldest_lease from deliveries d where d.state = 'sending' and d.webhook_id = w.id
        ) in_flight
      where ${isOpen(at, hasMail)}
    ), due as (
      select d.id, d.due_at, open.slow, row_number() over (partition by open.id order by d.due_at, d.id) as round
      from open cross join lateral (
        select d.id, d.due_at from deliveries d where d.state = 'pending' and d.webhook_id = open.id and d.due_at <= ${at}
        order by d.due_at, d.id limit greatest(open.free, 0)) d
    ), ranked as (
      select due.*, row_number() over (partition by slow order by round, due_at) as rank from due
    ), chosen as materialized (
      select id from ranked where not slow or rank <= ${maxSlow} order by slow, round, due_at limit ${max}
    ), locked as materialized (
      select d.id from deliveries d join chosen using (id) where d.state || '' = 'pending' for update of d skip locked
    )
    update deliveries d set state = 'sending', attempt_no = d.attempt_no + 1, locked_by = ${instanceId},
      lease_until = ${leaseUntil}::timestamptz
    from locked where d.id = locked.id returning d.id`;
  // Without parameters the driver sends the text as one message, and returns a result for each statement.
  const results = (await db.execute(statements.inlineParams())) as unknown as { rows: { id: number }[] }[];
  return results.at(-1)?.rows.map(({ id }) => id) ?? [];
}

/**
 * Reads claimed deliveries. Omits those that another process has reclaimed, and those of deleted webhooks. `state ||
 * ''` keeps the planner from the partial index of what is being sent, which may be full of dead rows.
 */
export async function readClaimed(db: Db, instanceId: number, now: Date, ids: readonly number[]): Promise<Claimed[]> {
  if (ids.length === 0) return [];
  const at = now.toISOString();
  const rows = await queryRows<Omit<Claimed, 'claimedAt'>>(db)`
    select d.id, w.channel, d.webhook_id, d.event_id, d.event, d.kind, d.message, d.attempt_no, d.failures,
      (extract(epoch from ${at}::timestamptz - d.created_at) * 1000)::float8 as age_ms,
      coalesce(d.test_body, e.body) as body, w.url, w.secret, w.sign_with, w.fail_streak >= ${FAILING_STREAK} as is_failing,
      case when w.previous_secret_until > ${at}::timestamptz then w.previous_secret end as previous_secret
    from deliveries d join webhooks w on w.id = d.webhook_id
      left join events e on e.day = d.event_day and e.id = d.event_id
    where d.id = any (${`{${ids.join(',')}}`}::bigint[]) and d.state || '' = 'sending' and d.locked_by = ${instanceId}`;
  return rows.map((row) => ({ ...row, claimedAt: now }));
}

/** Undoes claims of which nothing was sent. */
export async function releaseClaims(db: Db, instanceId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await db.execute(sql`
    update deliveries set state = 'pending', attempt_no = attempt_no - 1, locked_by = null, lease_until = null
    where id = any (${`{${ids.join(',')}}`}::bigint[]) and state || '' = 'sending' and locked_by = ${instanceId}`);
}
