/** Stores results, in short statements that write nothing once the lease is lost. */
import type { Db, Queryable, Tx } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows, repeatInBatches } from '../../db/rows.ts';
import { publishEvents } from '../../events/outbox.ts';
import { storeSignal } from '../../events/signal.ts';
import { isoSeconds } from '../../platform/clock.ts';
import { systemActor } from '../../accounts/system-actor.ts';
import { BROKEN_STATES, type CheckState } from '../../vocabulary/checks.ts';
import type { Plan } from '../../vocabulary/plan.ts';
import { at, type Check } from '../check.ts';
import { countStates, IS_NEWLY_BROKEN } from '../list-checks.ts';
import { type Claim, isHeld, renewed } from './claim-check.ts';
import type { Result } from './judge.ts';
import type { QueuedTarget } from './target-queue.ts';

/** Redirects whose state one statement writes: one target may be that of 100,000. */
const STATES_BATCH = 5_000;
/** Newly broken targets in an event. */
const MAX_EXAMPLES = 100;

export interface Answered {
  target: QueuedTarget;
  result: Result;
}

/** Writes the results of at most 100 targets, with a signal for each newly broken one. False if the lease is lost. */
export async function writeResults(
  db: Db,
  check: Check,
  claim: Claim,
  answered: readonly Answered[],
  now: Date,
): Promise<boolean> {
  if (check.kind === 'targets') await writeTargetStates(db, check, answered);
  return db.transaction(async (tx) => {
    if (!(await updateTargets(tx, claim, answered, now))) return false;
    await storeSignals(tx, check, answered.filter(isNewlyBroken));
    return true;
  });
}

async function updateTargets(tx: Tx, claim: Claim, answered: readonly Answered[], now: Date): Promise<boolean> {
  const added = answered.filter(({ target, result }) => target.state === null && result.state !== null).length;
  const held = await queryRows(tx)`
    with held as (
      update checks set done = done + ${added}::int, ${renewed(now)} where ${isHeld(claim)} returning id),
    v as materialized (
      select * from json_to_recordset(${JSON.stringify(answered.map(rowOf))}::json)
        as v (n int, state text, reason text, confirmed boolean, tries smallint, due_at timestamptz,
          waiting_since timestamptz, status smallint, location text, end_url text, note text, duration_ms int,
          checked_at timestamptz)),
    written as (
      update check_targets t set state = v.state, reason = v.reason, confirmed = v.confirmed, tries = v.tries,
        due_at = v.due_at, waiting_since = v.waiting_since, status = v.status, location = v.location, end_url = v.end_url,
        note = v.note, duration_ms = v.duration_ms, checked_at = v.checked_at
      from v where t.check_id = (select id from held) and t.n = v.n)
    select id from held`;
  return held.length === 1;
}

const rowOf = ({ result: { probed, ...result } }: Answered) => ({
  n: result.n,
  state: result.state,
  reason: result.reason,
  confirmed: result.confirmed,
  tries: result.tries,
  due_at: result.dueAt,
  waiting_since: result.waitingSince,
  status: probed.status,
  location: storable(probed.location),
  end_url: storable(probed.end),
  note: probed.note,
  duration_ms: Math.round(probed.durationMs),
  checked_at: result.checkedAt,
});

/** PostgreSQL stores no NUL, and JSON of it no lone surrogate. */
const storable = (text: string | null): string | null => text?.replaceAll('\0', '').toWellFormed() ?? null;

/**
 * Confirmed states become those of the redirects that still have the target; of own targets only those of production.
 * Repeating it changes nothing.
 */
async function writeTargetStates(db: Queryable, check: Check, answered: readonly Answered[]): Promise<void> {
  const confirmed = answered.filter(({ result }) => result.confirmed);
  if (confirmed.length === 0) return;
  const rows = JSON.stringify(confirmed.map(rowOf));
  await repeatInBatches(STATES_BATCH, (limit) =>
    db.execute(sql`
      insert into target_states as s (website_id, redirect_id, target, state, reason, checked_at)
      select r.website_id, r.id, r.new_path, v.state, v.reason, v.checked_at
      from json_to_recordset(${rows}::json) as v (n int, state text, reason text, checked_at timestamptz)
        join check_targets t on t.check_id = ${check.id} and t.n = v.n
        join check_rules c on c.check_id = ${check.id} and c.n = v.n
        join redirects r on r.website_id = ${check.websiteId} and r.id = c.redirect_id
        left join target_states o on o.website_id = r.website_id and o.redirect_id = r.id
      where r.new_path = c.target and coalesce(o.checked_at < v.checked_at, true)
        and (${check.environment} = 'production' or not t.is_own)
      order by r.id limit ${limit}
      on conflict (website_id, redirect_id) do update set target = excluded.target, state = excluded.state,
        reason = excluded.reason, checked_at = excluded.checked_at
      where s.checked_at < excluded.checked_at`),
  );
}

const isBroken = (state: CheckState | null): boolean => state !== null && BROKEN_STATES.includes(state);

const isNewlyBroken = ({ target, result }: Answered): boolean =>
  result.confirmed && isBroken(result.state) && !isBroken(target.before);

async function storeSignals(tx: Tx, check: Check, broken: readonly Answered[]): Promise<void> {
  if (broken.length === 0) return;
  const { accountId, websiteId, environment } = check;
  const rules = await queryRows<{ n: number; oldPath: string }>(tx)`
    select distinct on (c.n) c.n, r.old_path from check_rules c
      join redirects r on r.website_id = ${websiteId} and r.id = c.redirect_id
    where c.check_id = ${check.id} and c.n = any(${sql.param(broken.map(({ result }) => result.n))}::int[])
    order by c.n, c.redirect_id`;
  const pathOf = new Map(rules.map(({ n, oldPath }) => [n, oldPath]));
  for (const { target, result } of broken) {
    const path = pathOf.get(result.n) ?? target.url;
    const problem = [result.state, result.reason].filter((text) => text !== null).join(', ');
    const data = { environment, path, target: target.expectedLocation ?? target.url, problem };
    // Without a path, so that all of a check are one message, which counts the others.
    await storeSignal(tx, { accountId, kind: 'check.broken', websiteId, environment, path: null, data });
  }
}

/** Completes a check whose targets all have a first state, and publishes its event. False if it is not so far. */
export async function completeCheck(db: Db, { id }: Check, claim: Claim, now: Date): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [check] = await queryRows<Check & { plan: Plan }>(tx)`
      update checks set status = 'completed', ended_at = ${at(now)}
      where ${isHeld(claim)} and status = 'running' and done >= total
      returning *, (select plan from accounts a where a.id = account_id)`;
    if (!check) return false;
    const counts = await countStates(tx, id);
    const examples = await queryRows<{ url: string; state: CheckState; reason: string | null }>(tx)`
      select t.url, t.state, t.reason from check_targets t where t.check_id = ${id} and ${IS_NEWLY_BROKEN}
      order by t.n limit ${MAX_EXAMPLES}`;
    const { accountId, plan, actorType: type, actorId, actorName: name } = check;
    const actor = { ...systemActor({ id: accountId, plan }), type, id: actorId, name };
    const data = {
      check_id: id,
      website_id: String(check.websiteId),
      environment: check.environment,
      kind: check.kind,
      total: check.total,
      states: counts.states,
      newly_broken_count: counts.newlyBroken,
      newly_broken: examples,
      completed_at: isoSeconds(now),
    };
    await publishEvents(tx, actor, now, [
      { event: 'check.completed', websiteId: check.websiteId, data: { check: data } },
    ]);
    return true;
  });
}
