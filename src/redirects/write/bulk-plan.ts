/** Decides what a bulk update does to each selected redirect, and previews it. */
import { sha256 } from '../../platform/ids.ts';
import { createTimeSlice } from '../../platform/scheduling/time-slice.ts';
import { type Environment, ENVIRONMENTS } from '../../vocabulary/environment.ts';
import { type ErrorCode, invalid, type Issue } from '../../vocabulary/error.ts';
import { type PlanContext, type PlannedChange, planChange, type RedirectChange } from '../rule/change.ts';
import { environmentsOf, type RedirectRow } from '../rule/redirect.ts';
import type { Db, Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { peekWebsite } from '../../websites/write-website.ts';
import { type Selection, selectBatches, selectWebsites } from './selection.ts';

/** New values for all selected redirects, and changes that depend on the values of each. */
export interface BulkUpdates {
  change: RedirectChange;
  addEnvironments?: readonly Environment[] | undefined;
  removeEnvironments?: readonly Environment[] | undefined;
  /** Replaces each occurrence of `find` in the target; case-sensitive. Redirects without a target stay. */
  replaceInTarget?: Replacement | undefined;
  /** The same in the path. */
  replaceInSource?: Replacement | undefined;
}

interface Replacement {
  find: string;
  replaceWith: string;
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
  const { change, addEnvironments, removeEnvironments = [], replaceInTarget, replaceInSource } = updates;
  const next: RedirectChange = { ...change };
  if (addEnvironments || updates.removeEnvironments) {
    const kept = new Set([...(change.environments ?? environmentsOf(row)), ...(addEnvironments ?? [])]);
    next.environments = ENVIRONMENTS.filter((each) => kept.has(each) && !removeEnvironments.includes(each));
  }
  if (replaceInTarget && row.newPath !== null) {
    next.newPath = replaced(row.newPath, replaceInTarget);
  }
  if (replaceInSource) next.oldPath = replaced(row.oldPath, replaceInSource);
  return next;
}

/** A path or target has at most 2,048 bytes, so a longer text is invalid however it continues. */
const MAX_TEXT = 2_048;

/** Ends early when the text is too long: a call may replace one letter by 2,000. */
function replaced(before: string, { find, replaceWith }: Replacement): string {
  const [first = '', ...others] = before.split(find);
  let text = first;
  for (const part of others) {
    text += replaceWith + part;
    if (text.length > MAX_TEXT) break;
  }
  return text;
}

interface BatchContext {
  updates: BulkUpdates;
  website: PlanContext;
  effect: BulkEffect;
  /** of the website, for all of its batches */
  paths: Paths;
}

/** Plans the update of redirects of one website, and adds its effect to `effect`. Returns the plans without issues. */
export async function planBatch(
  rows: readonly RedirectRow[],
  { updates, website, effect, paths }: BatchContext,
): Promise<BulkPlan[]> {
  const plans: BulkPlan[] = [];
  const slice = createTimeSlice();
  for (const row of rows) {
    // A pattern is compiled, so a batch may take long.
    if (slice.isOver()) await slice.yield();
    plans.push({ before: row, ...planChange(row, changeOf(row, updates), website) });
  }
  const taken = updates.replaceInSource ? await paths.takenBy(plans) : new Set<BulkPlan>();
  return plans.filter((plan) => {
    const { before, row, changed } = plan;
    const issues = taken.has(plan) ? [conflictOf(row)] : plan.issues;
    if (issues.length > 0) {
      effect.invalid++;
      for (const issue of issues) addProblem(effect.problems, before, issue);
    } else {
      if (changed.length > 0) effect.changed++;
      else effect.unchanged++;
      if (changed.includes('newPath') || changed.includes('oldPath')) addSample(effect.samples, before, row);
    }
    return issues.length === 0;
  });
}

const conflictOf = ({ oldPath }: RedirectRow): Issue => ({
  path: 'old_path',
  code: 'CONFLICT',
  message: `another redirect has or had the path ${oldPath}; change it first`,
});

/** Paths that one call may change: their keys stay in memory. */
const MAX_MOVED = 100_000;
/** A longer key, of up to 2 KiB, stays as its hash. */
const MAX_KEPT = 64;

const shortened = (key: string): string => (key.length > MAX_KEPT ? sha256(key).toString('base64') : key);

export type Paths = ReturnType<typeof createPaths>;

/** The paths that a call gives to redirects of a website, and takes from them. */
export function createPaths(tx: Queryable, websiteId: number) {
  /** keys that are given, or were taken away, so that the order of redirects does not matter */
  const used = new Set<string>();
  return {
    /**
     * Returns the plans whose new path another redirect has, had before the call, or gets by it. Throws TOO_MANY_ITEMS over
     * 100,000 new paths.
     */
    async takenBy(plans: readonly BulkPlan[]): Promise<Set<BulkPlan>> {
      const moved = plans.filter(({ before, row }) => row.key !== before.key);
      if (used.size + 2 * moved.length > 2 * MAX_MOVED)
        throw invalid(
          'updates.replace_in_old_path',
          'changes over 100,000 paths; narrow the selection',
          'TOO_MANY_ITEMS',
        );
      const keys = sql.param(moved.map(({ row }) => row.key));
      const { rows } = await tx.execute<{ key: string }>(
        sql`select key from redirects where website_id = ${websiteId} and key = any(${keys}::text[])`,
      );
      const stored = new Set(rows.map(({ key }) => key));
      const taken = new Set<BulkPlan>();
      for (const plan of moved) {
        const { key } = plan.row;
        if (stored.has(key) || used.has(shortened(key))) taken.add(plan);
        used.add(shortened(key));
      }
      for (const { before } of moved) used.add(shortened(before.key));
      return taken;
    },
  };
}

/** The number of selected redirects by effect. */
export const noEffect = () => ({
  changed: 0,
  /** have the new values already */
  unchanged: 0,
  /** would break a rule */
  invalid: 0,
  problems: [] as BulkProblem[],
  /** the first new paths and targets */
  samples: [] as Sample[],
});

interface Sample {
  id: number;
  oldPath: string;
  before: string | null;
  after: string | null;
  /** present if the path changes */
  newOldPath?: string;
}

const MAX_SAMPLES = 3;

function addSample(samples: Sample[], { id, oldPath, newPath: before }: RedirectRow, next: RedirectRow): void {
  if (samples.length >= MAX_SAMPLES) return;
  const path = next.oldPath === oldPath ? {} : { newOldPath: next.oldPath };
  samples.push({ id, oldPath, before, after: next.newPath, ...path });
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
        const paths = createPaths(tx, websiteId);
        for await (const rows of selectBatches(tx, actor, websiteId, selection)) {
          await planBatch(rows, { updates, website, effect, paths });
        }
      }
      return effect;
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
}
