import type { Db } from '../db/connection/client.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { busy } from '../vocabulary/error.ts';
import { requireEditableRow, requireWebsite, type Website } from '../websites/website.ts';
import { type Entry, PAGE, withHealthLock } from './bounds.ts';
import type { LeftReason } from './flat-target.ts';
import { planFlattening, type Flattening, rowsOf } from './plan-flattening.ts';
import type { HealthDeps, CurrentRules } from './current-rules.ts';
import { planChange, type PlannedChange } from '../redirects/rule/change.ts';
import type { RedirectRow } from '../redirects/rule/redirect.ts';
import { writeBatches, writeUpdates } from '../redirects/write/bulk.ts';
import type { BulkPlan } from '../redirects/write/bulk-plan.ts';
import { MAX_IDS } from '../redirects/write/selection.ts';
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

export interface FlattenInput {
  websiteId: number;
  environment: Environment;
  /** the first redirects of the chains; undefined: all chains */
  redirectIds: number[] | undefined;
  dryRun: boolean;
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
  input: FlattenInput,
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
    const details = 'Other writers keep changing its redirects or options; retry in a few seconds';
    throw busy(details, 5, 'The website is busy');
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
    const slice = createTimeSlice();
    const { changeId } = await writeBatches(tx, actor, website, rowsOf(tx, website.id, plan.ids), {
      kind: 'flatten',
      isSummarized: plan.ids.length > MAX_IDS,
      async apply(_tx, _website, rows) {
        const changes: BulkPlan[] = [];
        for (const row of rows) {
          if (slice.isOver()) await slice.yield();
          changes.push({ before: row, ...changeOf(plan, row, website) });
        }
        return { ...(await writeUpdates(tx, website, changes)), fields: ['newPath'] };
      },
      summary(count) {
        const filter = { website_id: String(website.id), environment: plan.rules.environment };
        // `updates` is empty because each redirect gets another target.
        const data = { redirect: null, previous: null, bulk: { filter, updates: {}, count } };
        return { event: 'redirect.updated', data };
      },
    });
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
