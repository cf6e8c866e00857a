/** Starts a check by itself. Its targets are limited: by those that the plan has left today, or to a sample. */
import type { Db, Tx } from '../../db/connection/client.ts';
import { queryRows } from '../../db/rows.ts';
import type { LiveRules } from '../../deployments/live/live-registry.ts';
import type { TestedSite } from '../../deployments/live/test-url.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { DEFAULT_RATE } from '../../vocabulary/checks.ts';
import {
  countTargets,
  type Extent,
  planCheck,
  prepareStaging,
  storeCheck,
  targetsLeft,
  tooManyTargets,
} from '../create/create-check.ts';
import { stageSources } from '../create/stage-sources.ts';
import { filteredRules, type NewCheck, stageTargets } from '../create/stage-targets.ts';
import type { Start } from './due-starts.ts';

const SAMPLE_SIZE = 200;

/**
 * Starts a check, of the targets of redirects by a schedule, of sources after a deployment. Returns false if there is
 * nothing to ask, or if another process has started it: it is never started again. Throws, and starts nothing,
 * WEBSITE_NOT_FOUND; CHECK_RUNNING and PLAN_LIMIT_EXCEEDED if it must wait.
 */
export async function startCheck(
  db: Db,
  actor: Actor,
  start: Start,
  { live, now }: { live: LiveRules | undefined; now: Date },
): Promise<boolean> {
  const { websiteId, environment, trigger } = start;
  const kind = trigger === 'schedule' ? 'targets' : 'sources';
  const { check, tested } = await planCheck(db, actor, { websiteId, kind, environment }, { live, now });
  return db.transaction(async (tx) => {
    const claimed = await claimStart(tx, start);
    if (!claimed) return false;
    await prepareStaging(tx, actor);
    const left = await targetsLeft(tx, actor, actor.plan, now);
    if (left <= 0) throw tooManyTargets(actor.plan, 'nothing is left of today');
    const extent =
      kind === 'targets'
        ? await stageCycle(tx, check, left)
        : await stageSample(tx, check, tested, claimed.before, Math.min(left, SAMPLE_SIZE));
    const counts = await countTargets(tx, check, DEFAULT_RATE);
    if (counts.total === 0) return false;
    await storeCheck(tx, actor, check, { ...extent, trigger, counts, rate: DEFAULT_RATE });
    return true;
  });
}

/** Claims a start until the transaction ends. Returns nothing if another process has claimed it. */
async function claimStart(
  tx: Tx,
  { websiteId, environment, trigger, at: time }: Start,
): Promise<{ before: string } | undefined> {
  // Deployments at the former time are checked; without one, all before this one.
  const [claimed] = await queryRows<{ before: string }>(tx)`
    with before as (
      select coalesce(
        (select at from check_starts where website_id = ${websiteId} and environment = ${environment} and what = ${trigger}),
        ${time}::timestamptz - interval '1 microsecond') as at)
    insert into check_starts as s (website_id, environment, what, at)
    values (${websiteId}, ${environment}, ${trigger}, ${time}::timestamptz)
    on conflict (website_id, environment, what) do update set at = excluded.at where s.at < excluded.at
    returning (select at from before) as before`;
  return claimed;
}

/** Writes the heaviest targets. If the last scheduled check had left some, those that its cycle has not asked yet. */
async function stageCycle(tx: Tx, check: NewCheck, limit: number): Promise<Extent> {
  const [last] = await queryRows<{ cycle: string; postponed: number }>(tx)`
    select cycle_started_at as cycle, postponed from checks
    where website_id = ${check.websiteId} and trigger = 'schedule' order by created_at desc limit 1`;
  if (last && last.postponed > 0) {
    const rest = await stageTargets(tx, check, {}, { limit, cycle: last.cycle });
    if (rest.staged > 0) return { ...rest, cycleStartedAt: last.cycle };
  }
  return { ...(await stageTargets(tx, check, {}, { limit })), cycleStartedAt: check.now.toISOString() };
}

/** Writes literal redirects: those changed since the deployment at `before`, or the last one until then; then the most hit. */
async function stageSample(
  tx: Tx,
  check: NewCheck,
  tested: TestedSite | undefined,
  before: string,
  limit: number,
): Promise<Extent> {
  const { baseUrl, websiteId, environment } = check;
  if (baseUrl === null || !tested) return { skipped: 0, postponed: 0 };
  const sample = await queryRows<{ id: number; found: number }>(tx)`
    select r.id, (count(*) over ())::int as found from ${filteredRules(check, { isRegex: false })}
    order by r.rev > coalesce((
      select v.rules_rev from versions v where v.website_id = ${websiteId} and v.environment = ${environment}
        and v.deployed_at <= ${before}::timestamptz order by v.version desc limit 1), 0) desc,
      coalesce(h.hits, 0) desc, r.key
    limit ${limit}`;
  await stageSources(tx, { ...check, baseUrl }, { ids: sample.map(({ id }) => id) }, tested);
  return { skipped: 0, postponed: (sample[0]?.found ?? 0) - sample.length };
}
