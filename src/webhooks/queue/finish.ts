import type { Db } from '../../db/connection/client.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import type { Finished } from '../sending/result.ts';
import { IS_ACTIVE } from './queue-stats.ts';

/** Days of nothing but failures after which a receiver is deactivated, if a delivery also ran out of attempts. */
export const DEACTIVATE_AFTER_DAYS = 8;

/**
 * Writes outcomes in one statement: deliveries, attempts, and the health of the receivers. Returns the ids of the
 * deliveries that changed. An outcome counts only for its own claim (`attempt_no`, still being sent by this instance).
 * An outcome of a reclaimed delivery changes nothing, and its attempt is logged as superseded. Safe to repeat if the
 * response was lost.
 *
 * Webhooks are locked before deliveries and in the order of their ids, as in every statement that locks both.
 */
export async function finishDeliveries(
  db: Db,
  instanceId: number,
  now: Date,
  batch: readonly Finished[],
): Promise<number[]> {
  const at = sql`${now.toISOString()}::timestamptz`;
  // Not prepared: with the plan of an empty queue, a batch takes ten times as long once many deliveries wait.
  const { rows } = await db.execute<{ id: number }>(sql`
    with batch as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(batch.map(outcomeRow))}::jsonb) as b (ord int, id bigint, webhook_id text,
        attempt_no int, last_attempt_no int, state text, due_at timestamptz, failures int, status int, error text, verdict text,
        paused_until timestamptz, sign_with text)
    ), locked as materialized (
      -- The values after the wait for the lock: another process may have written to the webhook.
      select w.* from webhooks w
      where w.id in (select webhook_id from batch) and (${needsUpdate(at)}
        or w.id in (select webhook_id from batch where verdict is distinct from 'success' or sign_with is not null))
      order by w.id for no key update
    ), outcomes as materialized (
      -- Sorting reads all of locked before the first delivery is updated. A webhook to lock that is not found was deleted.
      select b.*, b.state = 'pending' and w.id is null as is_orphan
      from batch b left join locked w on w.id = b.webhook_id order by b.ord
    ), done as (
      update deliveries d set state = case when o.is_orphan then 'canceled' else o.state end,
        attempt_no = o.last_attempt_no, failures = o.failures, due_at = coalesce(o.due_at, d.due_at),
        locked_by = null, lease_until = null, last_status = o.status, last_error = o.error,
        finished_at = case when o.state <> 'pending' or o.is_orphan then ${at} end,
        message = case when o.state = 'pending' and not o.is_orphan then d.message end
      from outcomes o
      where d.id = o.id and d.attempt_no = o.attempt_no and d.state || '' = 'sending' and d.locked_by = ${instanceId}
      returning d.id, o.ord
    ), ${healthUpdate(at)}, ${attemptLog(batch)}
    select id from done`);
  return rows.map(({ id }) => id);
}

/**
 * True for a webhook `w` that a success changes. A healthy one only once a second: otherwise every batch would rewrite
 * its row.
 */
function needsUpdate(at: SQL): SQL {
  return sql`(w.fail_streak > 0 or w.failing_since is not null
    or w.last_success_at is null or w.last_success_at < ${at} - interval '1 second')`;
}

/** Stores a signal for each webhook of `rows`: a FROM clause with columns of webhooks as `w`, and a condition. */
export function signalDisabled(rows: SQL): SQL {
  return sql`insert into notice_signals (account_id, kind, data)
    select w.account_id, 'webhook.disabled',
      jsonb_build_object('webhook', w.name, 'webhookId', w.id, 'reason', w.deactivated_reason)
    from ${rows} and w.channel = 'webhook'
      and exists (select from notices n where n.account_id = w.account_id and n.kinds @> array['webhook.disabled'])`;
}

/**
 * The health of the locked webhooks. A failure before a success of the same batch does not count. A webhook that is
 * deactivated is a signal for notices.
 */
function healthUpdate(at: SQL): SQL {
  const ends = sql`${IS_ACTIVE} and j.is_over`;
  return sql`counted as (
      select o.*, max(o.ord) filter (where o.verdict = 'success') over (partition by o.webhook_id) as last_success
      from outcomes o join done using (ord) where o.verdict is not null
    ), verdicts as (
      select webhook_id, bool_or(verdict = 'success') as succeeded, bool_or(verdict = 'gone') as gone,
        count(*) filter (where verdict <> 'success' and ord > coalesce(last_success, 0))::int as failed,
        coalesce(bool_or(state = 'failed' and ord > coalesce(last_success, 0)), false) as exhausted,
        max(paused_until) as paused_until,
        (array_agg(sign_with order by ord desc) filter (where sign_with is not null))[1] as sign_with
      from counted group by webhook_id
    ), health as (
      select w.id, v.succeeded, v.gone, v.sign_with, greatest(w.paused_until, v.paused_until) as paused_until,
        case when v.succeeded then 0 else w.fail_streak end + v.failed as fail_streak,
        case when v.failed > 0 then coalesce(case when not v.succeeded then w.failing_since end, ${at})
          when not v.succeeded then w.failing_since end as failing_since,
        v.exhausted or (w.exhausted and not v.succeeded) as exhausted
      from locked w join verdicts v on v.webhook_id = w.id
      where v.failed > 0 or v.gone or v.sign_with is not null or ${needsUpdate(at)}
    ), judged as (
      select h.*, h.gone
        or coalesce(h.exhausted and h.failing_since <= ${at} - make_interval(days => ${DEACTIVATE_AFTER_DAYS}), false) as is_over
      from health h
    ), written as (
      update webhooks w set fail_streak = j.fail_streak, failing_since = j.failing_since, exhausted = j.exhausted,
        last_success_at = case when j.succeeded then ${at} else w.last_success_at end,
        paused_until = case when j.paused_until > ${at} then j.paused_until end,
        sign_with = coalesce(j.sign_with, w.sign_with),
        is_active = w.is_active and not j.is_over,
        deactivated_at = case when ${ends} then ${at} else w.deactivated_at end,
        deactivated_reason = case when ${ends} then case when j.gone then 'gone' else 'failing' end else w.deactivated_reason end
      from judged j where w.id = j.id
      returning w.id, w.account_id, w.channel, w.name, w.deactivated_reason, w.deactivated_at = ${at} as is_ended
    ), signalled as (
      ${signalDisabled(sql`written w where w.is_ended`)}
    )`;
}

/** The log of the attempts. The outcome of a reclaimed attempt replaces the interruption that reclaim.ts logged. */
function attemptLog(batch: readonly Finished[]): SQL {
  return sql`logged as (
      insert into attempts as a (day, delivery_id, attempt_no, started_at, duration_ms, outcome, status, error, response_body,
        signed_with, superseded)
      select (l.started_at at time zone 'UTC')::date, l.delivery_id, l.attempt_no, l.started_at, l.duration_ms, l.outcome, l.status,
        l.error, l.response_body, l.signed_with, l.delivery_id not in (select done.id from done)
      from jsonb_to_recordset(${JSON.stringify(batch.flatMap(attemptRows))}::jsonb) as l (delivery_id bigint, attempt_no int,
        started_at timestamptz, duration_ms int, outcome text, status int, error text, response_body text, signed_with text)
      on conflict (delivery_id, attempt_no, day) do update set started_at = excluded.started_at,
        duration_ms = excluded.duration_ms, outcome = excluded.outcome, status = excluded.status, error = excluded.error,
        response_body = excluded.response_body, signed_with = excluded.signed_with, superseded = true
      where a.outcome = 'interrupted' and excluded.outcome <> 'interrupted'
    )`;
}

function outcomeRow(finished: Finished, index: number): Record<string, unknown> {
  const { claimed, attempts } = finished;
  return {
    ord: index + 1,
    id: claimed.id,
    webhook_id: claimed.webhookId,
    attempt_no: claimed.attemptNo,
    last_attempt_no: attempts.at(-1)?.attemptNo ?? claimed.attemptNo,
    state: finished.state,
    due_at: finished.dueAt,
    failures: finished.failures,
    status: finished.status,
    error: storable(finished.error),
    verdict: finished.verdict,
    paused_until: finished.pausedUntil,
    sign_with: finished.signWith,
  };
}

function attemptRows({ claimed, attempts }: Finished): Record<string, unknown>[] {
  return attempts.map((attempt) => ({
    delivery_id: claimed.id,
    attempt_no: attempt.attemptNo,
    started_at: attempt.startedAt,
    duration_ms: Math.round(attempt.durationMs),
    outcome: attempt.outcome,
    status: attempt.status,
    error: storable(attempt.error),
    response_body: storable(attempt.responseBody),
    signed_with: attempt.signedWith,
  }));
}

/** PostgreSQL cannot store NUL or a lone surrogate; one such text would fail the whole batch. */
function storable(text: string | null): string | null {
  return text === null ? null : text.replaceAll('\0', '\uFFFD').toWellFormed();
}
