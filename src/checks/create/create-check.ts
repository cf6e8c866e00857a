import type { Db, Tx } from '../../db/connection/client.ts';
import { queryRows } from '../../db/rows.ts';
import type { LiveRules } from '../../deployments/live/live-registry.ts';
import type { TestedSite } from '../../deployments/live/test-url.ts';
import { siteAgainst } from '../../deployments/publish/rules-against.ts';
import { newId } from '../../platform/ids.ts';
import { lockAccount } from '../../accounts/quota.ts';
import { assertFilterInPlan } from '../../redirects/list/filter.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { type CheckKind, type CheckTrigger, DEFAULT_RATE } from '../../vocabulary/checks.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { DomainError, invalid, missing } from '../../vocabulary/error.ts';
import { type Plan, PLANS } from '../../vocabulary/plan.ts';
import { requireEditableRow, requireWebsite, requireWebsiteRow } from '../../websites/website.ts';
import { at, type Check, type CheckFilter, requireCheck } from '../check.ts';
import { checkBaseUrl, ownHosts } from './base-url.ts';
import { stageSources } from './stage-sources.ts';
import { type NewCheck, stageTargets, stageUrls } from './stage-targets.ts';

/** For the estimated end: requests of a target, and targets that a process asks in a second. */
const REQUESTS = 3;
const TARGETS_A_SECOND = 100;

export interface CreateInput {
  websiteId: number;
  kind: CheckKind;
  environment: Environment;
  filter?: CheckFilter | undefined;
  baseUrl?: string | undefined;
  rate?: number | undefined;
}

/**
 * Creates a check, which a process soon runs. Its targets are those of now. Throws, and starts nothing,
 * WEBSITE_NOT_FOUND, INSUFFICIENT_ROLE, PLAN_REQUIRED, VALIDATION_ERROR, CHECK_RUNNING, and PLAN_LIMIT_EXCEEDED if the
 * account would ask more targets today than its plan has redirects.
 */
export async function createCheck(
  db: Db,
  actor: Actor,
  { websiteId, kind, environment, filter, baseUrl: given, rate = DEFAULT_RATE }: CreateInput,
  { live, now }: { live: LiveRules | undefined; now: Date },
): Promise<Check> {
  await requireEditableRow(db, actor, websiteId);
  if (kind !== 'urls' && filter) assertFilterInPlan(actor, filter);
  const { check, tested } = await planCheck(db, actor, { websiteId, kind, environment, baseUrl: given }, { live, now });
  if (check.baseUrl === null && kind !== 'targets')
    throw missing('base_url', `required: the website has no verified host without a wildcard in ${environment}`);
  await db.transaction(async (tx) => {
    await prepareStaging(tx, actor);
    const skipped = await stage(tx, check, filter, tested);
    const counts = await countTargets(tx, check, rate);
    if (counts.total === 0) throw invalid('filter', nothingToAsk(kind, skipped));
    await storeCheck(tx, actor, check, { counts, rate, filter, skipped, postponed: 0, trigger: 'manual' });
  });
  return requireCheck(db, actor, { websiteId, checkId: check.id });
}

/**
 * Returns a check that is not stored, and of the kind sources the live rules. Call it before the transaction: it needs a
 * connection of its own. Throws WEBSITE_NOT_FOUND, and VALIDATION_ERROR at `base_url`.
 */
export async function planCheck(
  db: Db,
  actor: Actor,
  { websiteId, kind, environment, baseUrl }: Omit<CreateInput, 'filter' | 'rate'>,
  { live, now }: { live: LiveRules | undefined; now: Date },
): Promise<{ check: NewCheck; tested: TestedSite | undefined }> {
  const { hosts } = await requireWebsite(db, actor, websiteId);
  const place = { websiteId, environment };
  const at = { baseUrl: checkBaseUrl(hosts, environment, baseUrl), ownHosts: ownHosts(hosts, environment) };
  const tested = kind === 'sources' ? await siteAgainst(db, actor, { ...place, against: 'live' }, live) : undefined;
  return { check: { id: newId('chk_'), ...place, kind, ...at, now }, tested };
}

/** Throws CHECK_RUNNING before targets are written, which may take some seconds. */
export async function prepareStaging(tx: Tx, actor: Actor): Promise<void> {
  await assertNoneRunning(tx, actor);
  await tx.execute(`set local work_mem = '128MB'`);
}

/** The redirects and targets that a check leaves out, and of a scheduled one its cycle. */
export interface Extent {
  skipped: number;
  postponed: number;
  cycleStartedAt?: string;
}

interface StoredFields extends Extent {
  counts: TargetCounts;
  rate: number;
  filter?: CheckFilter | undefined;
  trigger: CheckTrigger;
}

/** Stores a check whose targets are written. Throws CHECK_RUNNING and PLAN_LIMIT_EXCEEDED. */
export async function storeCheck(
  tx: Tx,
  actor: Actor,
  { id, websiteId, environment, kind, baseUrl, now }: NewCheck,
  { counts, rate, filter, skipped, postponed, trigger, cycleStartedAt }: StoredFields,
): Promise<void> {
  // At the end, because other writes of the account wait for the lock.
  const plan = (await lockAccount(tx, actor.accountId)) ?? actor.plan;
  // It may have been deleted meanwhile.
  await requireWebsiteRow(tx, actor, websiteId);
  await assertNoneRunning(tx, actor);
  await assertTargets(tx, actor, plan, counts.total, now);
  const seconds = Math.max(counts.seconds * REQUESTS, counts.total / TARGETS_A_SECOND);
  const end = new Date(now.getTime() + 1_000 * Math.ceil(seconds));
  await queryRows(tx)`
    insert into checks (id, account_id, website_id, environment, kind, trigger, cycle_started_at, status, filter, base_url,
      rate, total, skipped, postponed, done, estimated_end, next_at, actor_type, actor_id, actor_name, created_at)
    values (${id}, ${actor.accountId}, ${websiteId}, ${environment}, ${kind}, ${trigger},
      ${cycleStartedAt ?? null}::timestamptz, 'queued', ${filter ? JSON.stringify(filter) : null}::jsonb, ${baseUrl},
      ${rate}, ${counts.total}, ${skipped}, ${postponed}, ${counts.done}, ${at(end)}, ${at(now)}, ${actor.type}, ${actor.id},
      ${actor.name}, ${at(now)})`;
}

/** Returns the number of redirects that cannot be asked. */
async function stage(
  tx: Tx,
  check: NewCheck,
  filter: CheckFilter | undefined,
  tested: TestedSite | undefined,
): Promise<number> {
  const { kind, baseUrl } = check;
  if (kind === 'targets') return (await stageTargets(tx, check, filter ?? {})).skipped;
  if (kind === 'urls') await stageUrls(tx, check, filter ?? {});
  else if (baseUrl !== null && tested) await stageSources(tx, { ...check, baseUrl }, filter ?? {}, tested);
  return 0;
}

function nothingToAsk(kind: CheckKind, skipped: number): string {
  if (kind === 'urls') return 'finds no living URL of the environment; push URLs first (PUT .../urls/living)';
  const reason = skipped > 0 ? ` whose target can be asked; ${skipped.toLocaleString('en')} are skipped` : '';
  return `finds no redirect of the environment${reason}`;
}

interface TargetCounts {
  total: number;
  done: number;
  /** requests of the host that takes longest, one for each target, at its rate */
  seconds: number;
}

export async function countTargets(tx: Tx, { id, baseUrl }: NewCheck, rate: number): Promise<TargetCounts> {
  const ownHost = baseUrl === null ? '' : new URL(baseUrl).hostname;
  const [counts] = await queryRows<TargetCounts>(tx)`
    select coalesce(sum(targets), 0)::int as total, coalesce(sum(done), 0)::int as done,
      coalesce(max(targets::float8 / case when host = ${ownHost} then ${rate}::int else ${DEFAULT_RATE}::int end), 0) as seconds
    from (select host, count(*) as targets, count(state) as done from check_targets where check_id = ${id} group by host) h`;
  return counts ?? { total: 0, done: 0, seconds: 0 };
}

async function assertNoneRunning(tx: Tx, { accountId }: Actor): Promise<void> {
  const [running] = await queryRows(tx)`
    select id from checks where account_id = ${accountId} and status in ('queued', 'running')`;
  if (!running) return;
  const details = 'A check of the account is running; wait for its end, or stop it (DELETE .../checks/{id})';
  throw new DomainError('CHECK_RUNNING', 'A check is running', { details });
}

async function assertTargets(tx: Tx, actor: Actor, plan: Plan, added: number, now: Date): Promise<void> {
  const left = await targetsLeft(tx, actor, plan, now);
  if (added <= left) return;
  const asked = PLANS[plan].maxRedirects - left;
  throw tooManyTargets(
    plan,
    `this check has ${text(added)} beside ${text(asked)} of today, so nothing was started; narrow the filter, or start it tomorrow`,
  );
}

const text = (count: number): string => count.toLocaleString('en');

/** Returns how many targets the account may ask today (UTC). */
export async function targetsLeft(tx: Tx, { accountId }: Actor, plan: Plan, now: Date): Promise<number> {
  const [today] = await queryRows<{ asked: number }>(tx)`
    select coalesce(sum(total), 0)::int as asked from checks
    where account_id = ${accountId} and created_at >= date_trunc('day', ${at(now)}, 'UTC')`;
  return PLANS[plan].maxRedirects - (today?.asked ?? 0);
}

export function tooManyTargets(plan: Plan, why: string): DomainError {
  const details = `The plan has ${text(PLANS[plan].maxRedirects)} targets a day (UTC); ${why}`;
  return new DomainError('PLAN_LIMIT_EXCEEDED', "The check exceeds the plan's limit of targets a day", { details });
}
