import { LOCKS } from '../../db/advisory-lock.ts';
import type { Db, Tx } from '../../db/connection/client.ts';
import { sql, type SQL } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { EVENT_TIME } from '../../events/outbox.ts';
import { isoSeconds } from '../../platform/clock.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { DomainError, invalid } from '../../vocabulary/error.ts';
import { requireActive, type Webhook } from '../receivers/webhook.ts';
import { bodyOf, type Delivery, requireDelivery } from './delivery.ts';

/** Bounds the time of the request, which waits for one transaction. */
const MAX_REPLAYED = 1_000_000;
export const REPLAY_STATES = ['failed', 'all', 'waiting'] as const;
export type ReplayState = (typeof REPLAY_STATES)[number];

/** Waiting deliveries that one statement makes due. */
const BATCH_SIZE = 10_000;

/**
 * Queues the events from `since` (inclusive) to `until` (exclusive; default: now) again, all or none, and returns how
 * many. `failed`: events whose last delivery failed; `all`: every event of the webhook's event types, even if it was
 * never delivered; `waiting`: none. Deliveries of the range that wait for a retry become due now and count too. Skips events that are
 * otherwise pending or in flight, so a repeated call queues nothing twice. Throws CONFLICT if the webhook is inactive or
 * another replay of it is being queued, and TOO_MANY_ITEMS for more than 1,000,000 events.
 */
export async function replay(
  db: Db,
  actor: Actor,
  input: { webhookId: string; since: Date; until?: Date | undefined; state: ReplayState },
  now: Date,
): Promise<number> {
  const { webhookId, since, until, state } = input;
  if (until && since >= until) throw invalid('since', 'must be before until');
  return db.transaction(async (tx) => {
    const webhook = await requireActive(tx, actor, webhookId);
    await lockReplay(tx, webhookId);
    const at = now.toISOString();
    const retried = await makeWaitingDue(tx, webhookId, inRange(since, until), at);
    if (state === 'waiting') return retried;
    const chosen = state === 'failed' ? failedEvents(webhook) : wantedEvents(actor, webhook);
    const { rowCount } = await tx.execute(sql`
      insert into deliveries (account_id, webhook_id, event_day, event_id, event, kind, due_at, created_at)
      select ${actor.accountId}::int, ${webhookId}::text, e.day, e.id, e.event, 'replay', ${at}::timestamptz, ${at}::timestamptz
      from events e
      where ${inRange(since, until)} and ${chosen} and not exists (
        select 1 from deliveries p
        where p.webhook_id = ${webhookId} and p.event_id = e.id and p.state in ('pending', 'sending'))
      order by e.id limit ${MAX_REPLAYED + 1}`);
    const count = retried + (rowCount ?? 0);
    if (count > MAX_REPLAYED) throw tooMany();
    return count;
  });
}

/**
 * Makes the webhook's deliveries that wait for a later attempt due at `at`, and returns how many. Skips locked ones, so
 * that it never waits: another statement claims them or makes them due.
 */
async function makeWaitingDue(tx: Tx, webhookId: string, isInRange: SQL, at: string): Promise<number> {
  let total = 0;
  for (let after = { due: at, id: 0 }; ;) {
    const [moved] = await queryRows<{ count: number; due: string | null; id: number | null }>(tx)`
      with waiting as (
        select d.id, d.due_at from deliveries d join events e on e.day = d.event_day and e.id = d.event_id
        where d.webhook_id = ${webhookId} and d.state = 'pending' and d.due_at > ${at}::timestamptz
          and (d.due_at, d.id) > (${after.due}::timestamptz, ${after.id}::bigint) and ${isInRange}
        order by d.due_at, d.id limit ${BATCH_SIZE} for update of d skip locked),
      moved as (
        update deliveries d set due_at = ${at}::timestamptz from waiting where d.id = waiting.id
        returning waiting.due_at, d.id)
      select count(*)::int as count, max(due_at)::text as due,
        (select id from moved order by due_at desc, id desc limit 1) as id
      from moved`;
    const { count = 0, due = null, id = null } = moved ?? {};
    total += count;
    if (total > MAX_REPLAYED) throw tooMany();
    if (count < BATCH_SIZE || due === null || id === null) return total;
    after = { due, id };
  }
}

function tooMany(): DomainError {
  return invalid('since', `more than ${MAX_REPLAYED} events; choose a shorter time`, 'TOO_MANY_ITEMS');
}

async function lockReplay(tx: Tx, webhookId: string): Promise<void> {
  const { rows } = await tx.execute<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(${LOCKS.replay}::int, hashtext(${webhookId})) as locked`,
  );
  if (rows[0]?.locked) return;
  throw new DomainError('CONFLICT', 'Another replay of this webhook is being queued', {
    details: 'Retry when it has finished',
  });
}

/** Selects events by their timestamp, which has whole seconds. Conditions on the day exclude the other partitions. */
function inRange(since: Date, until: Date | undefined): SQL {
  const from = isoSeconds(since);
  const isSince = sql`e.day >= ${from.slice(0, 10)}::date and ${EVENT_TIME} >= ${from}::timestamptz`;
  if (!until) return isSince;
  const to = isoSeconds(new Date(Math.ceil(until.getTime() / 1_000) * 1_000));
  return sql`${isSince} and e.day <= ${to.slice(0, 10)}::date and ${EVENT_TIME} < ${to}::timestamptz`;
}

function wantedEvents(actor: Actor, webhook: Webhook): SQL {
  return sql`e.account_id = ${actor.accountId} and e.event in ${webhook.events}`;
}

/** Selects events whose last delivery to this webhook failed. */
function failedEvents(webhook: Webhook): SQL {
  return sql`(e.day, e.id) in (
    select f.event_day, f.event_id from deliveries f
    where f.webhook_id = ${webhook.id} and f.state = 'failed' and not exists (
      select 1 from deliveries l where l.webhook_id = f.webhook_id and l.event_id = f.event_id and l.id > f.id))`;
}

/**
 * Queues a delivery again, due immediately, in any state: a new delivery with the same event id and body. Throws
 * EVENT_NOT_FOUND if the event is past its retention, and CONFLICT if the webhook is inactive.
 */
export async function redeliver(
  db: Db,
  actor: Actor,
  { webhookId, id }: { webhookId: string; id: number },
  now: Date,
): Promise<Delivery> {
  const earlier = await requireDelivery(db, actor, { webhookId, id });
  await requireActive(db, actor, webhookId);
  if ((await bodyOf(db, earlier)) === null) {
    throw new DomainError('EVENT_NOT_FOUND', 'The event is no longer kept', {
      details: `delivery_id: the event of whd_${id} is older than the retention period`,
    });
  }
  const at = now.toISOString();
  const { rows } = await db.execute<{ id: number }>(sql`
    insert into deliveries (account_id, webhook_id, event_day, event_id, event, kind, due_at, created_at, test_body)
    select account_id, webhook_id, event_day, event_id, event, 'redelivery', ${at}::timestamptz, ${at}::timestamptz, test_body
    from deliveries where id = ${id} returning id`);
  return requireDelivery(db, actor, { webhookId, id: rows[0]?.id ?? 0 });
}
