import type { Db, Tx } from '../db/connection/client.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { DomainError } from '../vocabulary/error.ts';
import { requireEditableRow, requireWebsite, type Website } from '../websites/website.ts';
import { type Entry, PAGE, withHealthLock } from './bounds.ts';
import type { LeftReason } from './flat-target.ts';
import { planFlattening, type Flattening, rowsOf } from './plan-flattening.ts';
import type { HealthDeps, CurrentRules } from './current-rules.ts';
import { recordChange } from '../redirects/changes/record-change.ts';
import { planChange, type PlannedChange } from '../redirects/rule/change.ts';
import type { RedirectRow } from '../redirects/rule/redirect.ts';
import { updateRows } from '../redirects/write/bulk.ts';
import { MAX_IDS } from '../redirects/write/selection.ts';
import { updatedEvent } from '../redirects/rule/redirect-events.ts';
import { createDeployedTimes, NEVER_DEPLOYED } from '../deployments/live/database/deployed-at.ts';
import { queueAutomaticDeployments } from '../deployments/publish/queue.ts';
import { publishEvents } from '../events/outbox.ts';
import { type LockedWebsite, lockWebsite, writeTransaction } from '../websites/write-website.ts';
import { createTimeSlice } from '../platform/scheduling/time-slice.ts';

/** Plans before BUSY, if other writers change the website while it is planned. */
const MAX_TRIES = 3;

export interface Flattened {
  /** redirects that were changed, or would be changed without a dry run */
  updated: number;
  /** chains left unchanged */
  leftCount: number;
  /** the first 1,000 unchanged chains by id */
  left: Entry<LeftReason>[];
  /** of a dry run: the first 1,000 changes by id */
  changes: FlatChange[];
  /** null for a dry run, and if nothing changed */
  changeId: string | null;
}

export interface FlatChange {
  id: number;
  oldPath: string;
  before: string | null;
  after: string;
}

/**
 * Points the first redirect of each chain of an environment at the final target, if no visitor in any of its
 * environments gets another response. Returns the other chains with the reason. Writes all changes, their events (one
 * per redirect, or one for all over 10,000) and the deployments in one transaction. Plans before it locks the website,
 * and again if the website changed since. Throws BUSY if it keeps changing, or after waiting `waitMs` (10 s) for another
 * health report or flattening.
 */
export async function flattenChains(
  deps: HealthDeps & { writes: Db },
  actor: Actor,
  input: { websiteId: number; environment: Environment; dryRun: boolean },
  waitMs?: number,
): Promise<Flattened> {
  if (!input.dryRun) await requireEditableRow(deps.db, actor, input.websiteId);
  const flatten = async (): Promise<Flattened> => {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const plan = await planFlattening(deps, actor, input);
      // Read before the check, so that all of a dry run is of one revision.
      const changes = input.dryRun ? await changesOf(deps.db, plan) : [];
      const done = input.dryRun
        ? await checkUnchanged(deps.db, actor, plan)
        : await writeFlattening(deps.writes, actor, plan);
      if (!done) continue;
      return {
        updated: plan.ids.length,
        leftCount: plan.left.count,
        left: plan.left.entries().slice(0, PAGE),
        changes,
        ...done,
      };
    }
    throw new DomainError('BUSY', 'The website is busy', {
      details: 'Other writers keep changing its redirects or options; retry in a few seconds',
      retryAfter: 5,
    });
  };
  return withHealthLock(actor.accountId, flatten, waitMs);
}

/** The first changes of a plan. Omits a redirect that changed since. */
async function changesOf(db: Db, plan: Flattening): Promise<FlatChange[]> {
  const ids = plan.ids.toSorted((a, b) => a - b).slice(0, PAGE);
  const changes: FlatChange[] = [];
  for await (const rows of rowsOf(db, plan.rules.website.id, ids)) {
    for (const row of rows) {
      const flat = plan.decide(row);
      if (!flat || 'reason' in flat) continue;
      changes.push({ id: row.id, oldPath: row.oldPath, before: row.newPath, after: flat.newPath });
    }
  }
  return changes;
}

type Done = Pick<Flattened, 'changeId'>;

/** Returns undefined if the website is no longer as planned. */
async function checkUnchanged(db: Db, actor: Actor, { rules }: Flattening): Promise<Done | undefined> {
  const website = await requireWebsite(db, actor, rules.website.id);
  return isUnchanged(website, rules) ? { changeId: null } : undefined;
}

/** Writes the plan. Returns undefined, without a change, if the website is no longer as planned. */
async function writeFlattening(db: Db, actor: Actor, plan: Flattening): Promise<Done | undefined> {
  if (plan.ids.length === 0) return checkUnchanged(db, actor, plan);
  return writeTransaction(db, actor, async (tx) => {
    const website = await lockWebsite(tx, actor, plan.rules.website.id);
    const before = { ...(await requireWebsite(tx, actor, website.id)), headRev: website.rev - 1 };
    if (!isUnchanged(before, plan.rules)) return undefined;
    const asOne = plan.ids.length > MAX_IDS;
    const touched = new Set<Environment>();
    const slice = createTimeSlice();
    for await (const rows of rowsOf(tx, website.id, plan.ids)) {
      const changes: { before: RedirectRow; plan: PlannedChange }[] = [];
      for (const row of rows) {
        if (slice.isOver()) await slice.yield();
        changes.push({ before: row, plan: changeOf(plan, row, website) });
      }
      const plans = changes.map((change) => change.plan);
      await updateRows(tx, website, plans);
      for (const environment of plans.flatMap((each) => each.touched)) touched.add(environment);
      if (asOne) continue;
      const deployed = await createDeployedTimes(tx)(rows);
      const events = changes.map((change, index) =>
        updatedEvent(change.before, change.plan, deployed[index] ?? NEVER_DEPLOYED),
      );
      await publishEvents(tx, actor, website.now, events);
    }
    if (asOne) await publishOne(tx, actor, website, plan);
    const counts = { updated: plan.ids.length };
    const changeId = await recordChange(tx, actor, website, { kind: 'flatten', counts, fields: ['newPath'] });
    await queueAutomaticDeployments(tx, actor, website, [...touched]);
    return { changeId };
  });
}

/** Returns whether the redirects and the options for matching are still those of the rules. */
function isUnchanged(now: Website, { website, at }: CurrentRules): boolean {
  const matching = ({ caseSensitive, trailingSlash, query, allowedTargetHosts, hosts }: Website): string =>
    JSON.stringify([caseSensitive, trailingSlash, query, allowedTargetHosts, hosts]);
  return now.headRev === at.rulesRev && matching(now) === matching(website);
}

function changeOf(plan: Flattening, row: RedirectRow, website: LockedWebsite): PlannedChange {
  const flat = plan.decide(row);
  if (!flat || 'reason' in flat) throw new Error(`redirect ${row.id} changed under its website's lock`);
  return planChange(row, { newPath: flat.newPath }, website);
}

/** One event for all, as for other bulk operations. `updates` is empty because each redirect gets another target. */
async function publishOne(tx: Tx, actor: Actor, { id, now }: LockedWebsite, plan: Flattening): Promise<void> {
  const filter = { website_id: String(id), environment: plan.rules.environment };
  await publishEvents(tx, actor, now, [
    {
      event: 'redirect.updated',
      websiteId: id,
      data: { redirect: null, previous: null, bulk: { filter, updates: {}, count: plan.ids.length } },
    },
  ]);
}
