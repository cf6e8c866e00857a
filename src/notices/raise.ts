/** Turns signals into messages: at most one an hour for each notice and cause. */
import type { Db, Queryable, Tx } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import type { Signal } from '../events/signal.ts';
import { sha256 } from '../platform/ids.ts';
import { IS_NOTIFIED } from './notice.ts';
import { type MessageDeps, queueMessage, type Receiver } from './queue-message.ts';

const BATCH = 100;
/** Messages of one kind about one place at a time. The last one counts the others. */
const MAX_AT_ONCE = 10;

/** A signal with what keeps it from being reported again. */
export interface Raised extends Signal {
  /** the state lasts until then at least: while it does, nothing is reported again. null: it is an event */
  heldUntil: Date | null;
  /** extends a state that was reported, or ends it if `heldUntil` is over, and reports nothing */
  isOnlyHeld?: boolean;
}

/** The result of a check: nothing was due, messages are queued, or more is due at once. */
export type Looked = 'idle' | 'sent' | 'more';

const lookedAt = (count: number): Looked => (count === 0 ? 'idle' : count < BATCH ? 'sent' : 'more');

/** Reports stored signals, oldest first. Processes take different ones. */
export async function reportSignals(db: Db, deps: MessageDeps): Promise<Looked> {
  return db.transaction(async (tx) => {
    const signals = await queryRows<Signal & { id: number }>(tx)`
      select id, account_id, kind, website_id, environment, path, data from notice_signals
      order by id limit ${BATCH} for update skip locked`;
    for (const signal of signals) await raise(tx, [{ ...signal, heldUntil: null }], deps);
    if (signals.length > 0)
      await tx.execute(
        sql`delete from notice_signals where id = any (${sql.param(signals.map(({ id }) => id))}::int[])`,
      );
    return lookedAt(signals.length);
  });
}

/** Reports signals of one kind to the notices of each account, or counts them for the message after the hour. */
export async function raise(tx: Tx, signals: readonly Raised[], deps: MessageDeps): Promise<void> {
  const groups = Map.groupBy(signals, ({ accountId, websiteId, environment }) =>
    [accountId, websiteId, environment].join(),
  );
  for (const group of groups.values()) {
    const [first] = group;
    if (!first) continue;
    for (const { website, ...receiver } of await receiversOf(tx, first)) {
      const reported = group.map((signal) => ({ ...signal, data: { ...signal.data, website: website ?? '' } }));
      await raiseFor(tx, receiver, reported, deps);
    }
  }
}

/** The notices about a signal, with the name of its website. */
async function receiversOf(tx: Tx, { accountId, kind, websiteId }: Raised) {
  return queryRows<Receiver & { website: string | null }>(tx)`
    select n.id, n.account_id, w.name, w.channel, w.url as address, s.name as website
    from notices n join webhooks w on w.id = n.id join accounts a on a.id = n.account_id
      left join websites s on s.id = ${websiteId}::int
    where n.account_id = ${accountId} and n.kinds @> array[${kind}] and ${IS_NOTIFIED}
      and (${websiteId}::int is null
        or s.deleting_since is null and s.id is not null and (n.website_ids is null or s.id = any (n.website_ids)))
    order by n.id`;
}

async function raiseFor(tx: Tx, receiver: Receiver, signals: readonly Raised[], deps: MessageDeps): Promise<void> {
  const held = await extendHeld(tx, receiver, signals, deps.now);
  const isNew = (signal: Raised): boolean => !signal.isOnlyHeld && !held.has(causeOf(signal).toString('hex'));
  const reported = await takeTurns(tx, receiver, signals.filter(isNew), deps.now);
  for (const [index, { signal, more }] of reported.slice(0, MAX_AT_ONCE).entries()) {
    const others = index === MAX_AT_ONCE - 1 ? reported.length - MAX_AT_ONCE : 0;
    await queueMessage(tx, receiver, signal, { ...deps, more: more + others });
  }
}

/** Extends or ends the states that were reported already. Returns their causes in hexadecimal. */
async function extendHeld(tx: Tx, { id }: Receiver, signals: readonly Raised[], now: Date): Promise<Set<string>> {
  const states = signals.flatMap((signal) => (signal.heldUntil ? [{ signal, until: signal.heldUntil }] : []));
  if (states.length === 0) return new Set();
  const rows = await queryRows<{ cause: string }>(tx)`
    update notice_causes c set held_until = case when h.until <= ${now.toISOString()}::timestamptz then h.until
      else greatest(c.held_until, h.until) end
    from unnest(${sql.param(states.map(({ signal }) => causeOf(signal)))}::bytea[],
      ${sql.param(states.map(({ until }) => until.toISOString()))}::timestamptz[]) as h (cause, until)
    where c.notice_id = ${id} and c.cause = h.cause and c.held_until > ${now.toISOString()}::timestamptz
    returning encode(c.cause, 'hex') as cause`;
  return new Set(rows.map(({ cause }) => cause));
}

/**
 * Takes the turns of causes, each once an hour. Returns the signals to send now, and how often each was counted since
 * its last message. The others are counted.
 */
async function takeTurns(tx: Tx, { id }: Receiver, signals: readonly Raised[], now: Date) {
  const byCause = new Map(signals.map((signal) => [causeOf(signal).toString('hex'), signal]));
  if (byCause.size === 0) return [];
  const values = [...byCause.values()];
  const isDue = sql`c.sent_at <= excluded.sent_at - interval '1 hour'`;
  const rows = await queryRows<{ cause: string; counted: number }>(tx)`
    with former as materialized (
      select i.n, i.cause, i.held_until, i.latest, coalesce(c.more, 0) as more
      from unnest(${sql.param(values.map(causeOf))}::bytea[],
        ${sql.param(values.map(({ heldUntil }) => heldUntil?.toISOString() ?? null))}::timestamptz[],
        ${sql.param(values.map((signal) => JSON.stringify(signal)))}::jsonb[]) with ordinality as i (cause, held_until, latest, n)
        left join notice_causes c on c.notice_id = ${id} and c.cause = i.cause
    ), written as (
      insert into notice_causes as c (notice_id, cause, sent_at, held_until, latest)
      select ${id}, cause, ${now.toISOString()}::timestamptz, held_until, latest from former order by cause
      on conflict (notice_id, cause) do update set held_until = excluded.held_until, latest = excluded.latest,
        more = case when ${isDue} then 0 else c.more + 1 end,
        sent_at = case when ${isDue} then excluded.sent_at else c.sent_at end
      returning cause, more)
    select encode(f.cause, 'hex') as cause, f.more as counted from former f join written w on w.cause = f.cause
    where w.more = 0 order by f.n`;
  return rows.flatMap(({ cause, counted: more }) => {
    const signal = byCause.get(cause);
    return signal ? [{ signal, more }] : [];
  });
}

/** Reports what was counted within the hour after a message. */
export async function reportCounted(db: Db, deps: MessageDeps): Promise<Looked> {
  const at = deps.now.toISOString();
  return db.transaction(async (tx) => {
    const rows = await queryRows<Receiver & { latest: Raised; more: number; isNotified: boolean }>(tx)`
      with due as (
        select c.notice_id, c.cause, c.latest, c.more from notice_causes c
        where c.more > 0 and c.sent_at <= ${at}::timestamptz - interval '1 hour'
        order by c.sent_at limit ${BATCH} for update skip locked
      ), reported as (
        update notice_causes c set sent_at = ${at}::timestamptz, more = 0
        from due where c.notice_id = due.notice_id and c.cause = due.cause)
      select n.id, n.account_id, w.name, w.channel, w.url as address, due.latest, due.more, ${IS_NOTIFIED} as is_notified
      from due join notices n on n.id = due.notice_id join webhooks w on w.id = n.id join accounts a on a.id = n.account_id`;
    for (const { latest, more, isNotified, ...receiver } of rows)
      if (isNotified) await queueMessage(tx, receiver, latest, { ...deps, more });
    return lookedAt(rows.length);
  });
}

/** Deletes causes that would be reported again at once. */
export async function purgeCauses(db: Queryable, now: Date): Promise<void> {
  const at = now.toISOString();
  await db.execute(sql`
    delete from notice_causes where more = 0 and sent_at <= ${at}::timestamptz - interval '1 hour'
      and (held_until is null or held_until <= ${at}::timestamptz)`);
}

/** Several webhooks, keys, quotas, agents and windows are different causes. */
function causeOf({ kind, websiteId, environment, path, data }: Raised): Buffer {
  const { webhookId, keyId, quota, agent, at } = data as Partial<Record<string, string>>;
  const parts = [kind, websiteId, environment, path, webhookId, keyId, quota, agent, at];
  return sha256(parts.filter((part) => part !== null && part !== undefined).join('\n'));
}
