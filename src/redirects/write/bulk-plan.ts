/** Decides what a bulk update does to each selected redirect, and previews it. */
import { createTimeSlice } from '../../platform/scheduling/time-slice.ts';
import { type Environment, ENVIRONMENTS } from '../../vocabulary/environment.ts';
import type { ErrorCode, Issue } from '../../vocabulary/error.ts';
import { type PlanContext, type PlannedChange, planChange, type RedirectChange } from '../rule/change.ts';
import { environmentsOf, type RedirectRow } from '../rule/redirect.ts';
import type { Db } from '../../db/connection/client.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { peekWebsite } from '../../websites/write-website.ts';
import { type Selection, selectBatches, selectWebsites } from './selection.ts';

/** New values for all selected redirects, and changes that depend on the values of each. */
export interface BulkUpdates {
  change: RedirectChange;
  addEnvironments?: readonly Environment[] | undefined;
  removeEnvironments?: readonly Environment[] | undefined;
  /** Replaces each occurrence of `find` in the target; case-sensitive. Redirects without a target stay. */
  replaceInTarget?: { find: string; replaceWith: string } | undefined;
}

/** A reason why redirects cannot be changed, with the first of them. */
export interface BulkProblem {
  field: string;
  code: ErrorCode;
  /** of the first redirect */
  message: string;
  count: number;
  /** the first 100 by id */
  redirects: { id: number; oldPath: string; message: string }[];
}

export type BulkEffect = ReturnType<typeof noEffect>;

export interface BulkPlan extends PlannedChange {
  before: RedirectRow;
}

/** The new values of one redirect. */
export function changeOf(row: RedirectRow, updates: BulkUpdates): RedirectChange {
  const { change, addEnvironments, removeEnvironments = [], replaceInTarget } = updates;
  const next: RedirectChange = { ...change };
  if (addEnvironments || updates.removeEnvironments) {
    const kept = new Set([...(change.environments ?? environmentsOf(row)), ...(addEnvironments ?? [])]);
    next.environments = ENVIRONMENTS.filter((each) => kept.has(each) && !removeEnvironments.includes(each));
  }
  if (replaceInTarget && row.newPath !== null) {
    next.newPath = replaced(row.newPath, replaceInTarget);
  }
  return next;
}

/** A target has at most 2,048 bytes, so a longer text is invalid however it continues. */
const MAX_TARGET = 2_048;

/** Ends early when the text is too long: a call may replace one letter by 2,000. */
function replaced(target: string, { find, replaceWith }: { find: string; replaceWith: string }): string {
  const [first = '', ...others] = target.split(find);
  let text = first;
  for (const part of others) {
    text += replaceWith + part;
    if (text.length > MAX_TARGET) break;
  }
  return text;
}

/** Plans the update of redirects of one website, and adds its effect to `effect`. Returns the plans without issues. */
export async function planBatch(
  rows: readonly RedirectRow[],
  { updates, website, effect }: { updates: BulkUpdates; website: PlanContext; effect: BulkEffect },
): Promise<BulkPlan[]> {
  const plans: BulkPlan[] = [];
  const slice = createTimeSlice();
  for (const row of rows) {
    // A pattern is compiled, so a batch may take long.
    if (slice.isOver()) await slice.yield();
    const plan = planChange(row, changeOf(row, updates), website);
    if (plan.issues.length > 0) {
      effect.invalid++;
      for (const issue of plan.issues) addProblem(effect.problems, row, issue);
    } else {
      if (plan.changed.length > 0) effect.changed++;
      else effect.unchanged++;
      if (plan.changed.includes('newPath')) addSample(effect.samples, row, plan.row.newPath);
      plans.push({ before: row, ...plan });
    }
  }
  return plans;
}

/** The number of selected redirects by effect. */
export const noEffect = () => ({
  changed: 0,
  /** have the new values already */
  unchanged: 0,
  /** would break a rule */
  invalid: 0,
  problems: [] as BulkProblem[],
  /** the first new targets */
  samples: [] as TargetSample[],
});

interface TargetSample {
  id: number;
  oldPath: string;
  before: string | null;
  after: string | null;
}

const MAX_SAMPLES = 3;

function addSample(samples: TargetSample[], { id, oldPath, newPath: before }: RedirectRow, after: string | null): void {
  if (samples.length < MAX_SAMPLES) samples.push({ id, oldPath, before, after });
}

/** Redirects that a problem lists. */
const MAX_LISTED = 100;

/** Problems are grouped by field and code, whose texts may differ in a host or a number. */
function addProblem(problems: BulkProblem[], row: RedirectRow, { path: field, code, message }: Issue): void {
  let problem = problems.find((each) => each.field === field && each.code === code);
  if (!problem) {
    problem = { field, code, message, count: 0, redirects: [] };
    problems.push(problem);
  }
  problem.count++;
  if (problem.redirects.length < MAX_LISTED) problem.redirects.push({ id: row.id, oldPath: row.oldPath, message });
}

/**
 * Returns what a bulk update would do, without doing it: how many redirects change, stay or would be invalid, and why.
 * Reads every selected redirect, and does not check the limit of patterns.
 */
export async function previewBulkUpdate(
  db: Db,
  actor: Actor,
  { selection, updates }: { selection: Selection; updates: BulkUpdates },
): Promise<BulkEffect> {
  return db.transaction(
    async (tx) => {
      const effect = noEffect();
      for (const websiteId of await selectWebsites(tx, actor, selection)) {
        const website = await peekWebsite(tx, actor, websiteId);
        for await (const rows of selectBatches(tx, actor, websiteId, selection)) {
          await planBatch(rows, { updates, website, effect });
        }
      }
      return effect;
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
}
