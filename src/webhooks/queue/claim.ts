import { LOCKS } from '../../db/advisory-lock.ts';
import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import type { EventKind } from '../../vocabulary/event.ts';
import type { DeliveryKind } from './delivery.ts';
import { SENDING_PLANS } from '../../events/outbox.ts';

/** How long a claim is its process's alone, if that lives. Twice the 15 s of an attempt (see attempt.ts) and time to write it. */
export const LEASE_MS = 45_000;

/** One delivery that this process may send now, with everything that takes. */
export interface Claimed {
  id: number;
  webhookId: string;
  eventId: string;
  event: EventKind;
  kind: DeliveryKind;
  /** of this claim: the number of its attempt, and the token that its outcome is written under */
  attemptNo: number;
  failures: number;
  /** how long ago it was queued; negative where another machine's clock is ahead */
  ageMs: number;
  /** null: the event is past its retention */
  body: string | null;
  url: string;
  /** sealed, as in `webhooks` */
  secret: Buffer;
  /** sealed; null where there is none, or its overlap is over */
  previousSecret: Buffer | null;
  signWith: 'current' | 'previous';
  /** whether its receiver counts as failing */
  isFailing: boolean;
  claimedAt: Date;
}

export interface Claim {
  instanceId: number;
  now: Date;
  /** the most that is claimed */
  max: number;
  /** the most of them that go to receivers that are failing, or slow at present */
  maxSlow: number;
}

/**
 * Claims what is due, fairly over the webhooks and within the limit of each, over all processes. Waits for other claimers (a few
 * milliseconds each). What is claimed is sent by this process or given back, or taken from it when it dies (reclaim.ts).
 */
export async function claimDeliveries(db: Db, { instanceId, now, max, maxSlow }: Claim): Promise<number[]> {
  const leaseUntil = new Date(now.getTime() + LEASE_MS);
  const { rows } = await db.execute<{ claimed_id: number }>(sql`
    select claimed_id from claim_deliveries(${LOCKS.claim}, ${instanceId}, ${now.toISOString()}, ${leaseUntil.toISOString()},
      ${SENDING_PLANS}, ${max}, ${maxSlow})`);
  return rows.map((row) => row.claimed_id);
}

interface Row extends Record<string, unknown> {
  id: number;
  webhook_id: string;
  event_id: string;
  event: EventKind;
  kind: DeliveryKind;
  attempt_no: number;
  failures: number;
  age_ms: number;
  body: string | null;
  url: string;
  secret: Buffer;
  previous_secret: Buffer | null;
  sign_with: 'current' | 'previous';
  is_failing: boolean;
}

/**
 * Reads what was claimed; what another took meanwhile, or whose webhook is deleted, is left out. `state || ''` keeps the partial index
 * of what is being sent away: it may be full of rows that are sent already.
 */
export async function readClaimed(
  db: Db,
  instanceId: number,
  now: Date,
  ids: readonly number[],
): Promise<Claimed[]> {
  if (ids.length === 0) return [];
  const at = now.toISOString();
  const { rows } = await db.execute<Row>(sql`
    select d.id, d.webhook_id, d.event_id, d.event, d.kind, d.attempt_no, d.failures,
      (extract(epoch from ${at}::timestamptz - d.created_at) * 1000)::float8 as age_ms,
      coalesce(d.test_body, e.body) as body, w.url, w.secret, w.sign_with, w.fail_streak >= 3 as is_failing,
      case when w.previous_secret_until > ${at}::timestamptz then w.previous_secret end as previous_secret
    from deliveries d join webhooks w on w.id = d.webhook_id
      left join events e on e.day = d.event_day and e.id = d.event_id
    where d.id = any (${`{${ids.join(',')}}`}::bigint[]) and d.state || '' = 'sending' and d.locked_by = ${instanceId}`);
  return rows.map((row) => ({
    id: row.id,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    event: row.event,
    kind: row.kind,
    attemptNo: row.attempt_no,
    failures: row.failures,
    ageMs: row.age_ms,
    body: row.body,
    url: row.url,
    secret: row.secret,
    previousSecret: row.previous_secret,
    signWith: row.sign_with,
    isFailing: row.is_failing,
    claimedAt: now,
  }));
}

/** Gives back claims of which nothing was sent: as if they had never been made. */
export async function releaseClaims(db: Db, instanceId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await db.execute(sql`
    update deliveries set state = 'pending', attempt_no = attempt_no - 1, locked_by = null, lease_until = null
    where id = any (${`{${ids.join(',')}}`}::bigint[]) and state || '' = 'sending' and locked_by = ${instanceId}`);
}
