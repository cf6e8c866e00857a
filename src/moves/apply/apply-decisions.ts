/** Writes decided URLs as one import: one change, which one undo takes back. */
import type { Db, Queryable } from '../../db/connection/client.ts';
import { siteAgainst } from '../../deployments/publish/rules-against.ts';
import type { LiveRulesOf } from '../../health/current-rules.ts';
import { newId } from '../../platform/ids.ts';
import type { ImportDeps, ImportResult } from '../../redirects/import/engine/import-request.ts';
import { runImport } from '../../redirects/import/engine/run-import.ts';
import type { ImportEntry, RowError } from '../../rules/entry.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { DomainError, invalid as invalidField } from '../../vocabulary/error.ts';
import { requireRoleAt, requireWebsite, targetHostsOf, type Website } from '../../websites/website.ts';
import type { RevisionId } from '../../websites/write-website.ts';
import { entriesOf, findFlattenings } from './apply-entries.ts';
import { addExpectations, findContradictions } from './apply-expectations.ts';
import type { ApplyConflict, ApplyOptions, Flattening } from './decided-urls.ts';
import { type ApplyPlan, type Decisions, planApply } from './plan-apply.ts';

export interface Applied extends ImportResult {
  leftOut: number;
  /** the first redirects that are written */
  writes: { oldPath: string; newPath: string | null; statusCode: number; isRegex: boolean }[];
  gone: number;
  rules: number;
  conflicts: ApplyConflict[];
  conflictCount: number;
  flatten: Flattening[];
  flattenCount: number;
}

export interface ApplyInput {
  websiteId: number;
  decisions: Decisions;
  options: ApplyOptions;
  at: { live: LiveRulesOf; now: Date };
  /** writes more in the same transaction */
  alongside?: (tx: Queryable, changeId: string | null) => Promise<void>;
}

const MAX_TRIES = 3;
/** Conflicts and redirects to flatten that a result lists. */
const MAX_LISTED = 1_000;
const BATCH = 1_000;
/** Redirects that a result shows, to check before the apply. */
const MAX_WRITES = 20;

/**
 * Writes what the current rules do not answer as decided. What cannot be written is a conflict, and the rest is written.
 * A dry run returns the same, changes nothing and needs only the role viewer. Plans again if the website changes
 * meanwhile. Throws WEBSITE_NOT_FOUND, INSUFFICIENT_ROLE, PLAN_LIMIT_EXCEEDED, REVISION_CHANGED and BUSY.
 */
export async function applyDecisions(
  deps: ImportDeps,
  actor: Actor,
  importId: string,
  input: ApplyInput,
): Promise<Applied> {
  const { websiteId, options } = input;
  if (!options.dryRun) await requireRoleAt(deps.db, actor, websiteId, 'editor');
  for (let tries = 1; ; tries++) {
    try {
      return await applyOnce(deps, actor, tries === 1 ? importId : newId('imp_'), input);
    } catch (error) {
      const isChanged = error instanceof DomainError && error.code === 'REVISION_CHANGED';
      if (!isChanged || tries === MAX_TRIES) throw error;
    }
  }
}

async function applyOnce(deps: ImportDeps, actor: Actor, importId: string, input: ApplyInput): Promise<Applied> {
  const { websiteId, options, alongside } = input;
  const website = await requireWebsite(deps.db, actor, websiteId);
  const plan = await readPlan(deps.db, actor, input);
  const { wanted, conflicts } = plan;
  const flatten = await findFlattenings(deps.db, websiteId, wanted);
  const context = { options, hosts: targetHostsOf(website) };
  const { entries, gone } = await entriesOf(deps.db, websiteId, plan, options.flatten ? flatten : [], context);
  const place = { websiteId, environments: options.environments };
  const failed = new Set(conflicts.map(({ url }) => url));
  const written = wanted.filter(({ url }) => !failed.has(url));
  if (options.expectations) conflicts.push(...(await findContradictions(deps.db, place, written)));
  const result = await runImport(deps, actor, {
    ...{ importId, websiteId, source: 'move', mode: 'update' },
    batches: inBatches(entries),
    settle: async () => ({
      websiteId,
      dryRun: options.dryRun,
      assertFound: (found) => assertUnchanged(website, found),
      async alongside(tx, changeId, invalid) {
        const lost = invalidUrls(entries, invalid);
        const expected = written.filter(({ url }) => !lost.has(url));
        if (options.expectations) await addExpectations(tx, actor, place, { wanted: expected, changeId });
        await alongside?.(tx, changeId);
      },
    }),
  });
  for (const { line, code, column, message } of result.errors)
    conflicts.push({ url: entries[line]?.oldPath ?? '', code, message: `${column}: ${message}` });
  const rejected = new Set(result.errors.map(({ line }) => line));
  return {
    ...result,
    ...{ leftOut: plan.leftOut, gone, rules: plan.rules.length },
    writes: entries
      .filter((_entry, line) => !rejected.has(line))
      .slice(0, MAX_WRITES)
      .map(({ oldPath, newPath, statusCode = options.statusCode, isRegex = false }) => {
        return { oldPath, newPath, statusCode, isRegex };
      }),
    conflicts: conflicts.slice(0, MAX_LISTED),
    conflictCount: conflicts.length + result.errorCount - result.errors.length,
    flatten: flatten.slice(0, MAX_LISTED),
    flattenCount: flatten.length,
  };
}

/** Throws for an invalid rule: no redirect answers its rows. */
function invalidUrls(entries: ImportEntry[], invalid: RowError[]): Set<string> {
  for (const { line, code, column, message } of invalid) {
    const entry = entries[line];
    if (!entry?.isRegex) continue;
    const remedy = 'nothing was applied; remove the rule from the move, then its rows become redirects of their own';
    throw invalidField('rules', `${entry.oldPath}: ${column} ${message}; ${remedy}`, code);
  }
  return new Set(invalid.map(({ line }) => entries[line]?.oldPath ?? ''));
}

async function readPlan(db: Db, actor: Actor, { websiteId, decisions, options, at }: ApplyInput): Promise<ApplyPlan> {
  const drafts = [];
  for (const environment of options.environments) {
    const place = { websiteId, environment, against: 'draft' } as const;
    const { site, rules } = await siteAgainst(db, actor, place, at.live(websiteId, environment));
    drafts.push({ ruleset: rules.ruleset, options: site, at: at.now.getTime() });
  }
  return planApply(decisions, drafts, options);
}

async function* inBatches(entries: ImportEntry[]) {
  for (let at = 0; at < entries.length; at += BATCH) yield { rows: entries.slice(at, at + BATCH), bytes: 0 };
}

/** Throws if what the plan has read may have changed. */
function assertUnchanged({ headRev, history }: Website, found: RevisionId): void {
  if (found.revision === headRev && found.history === (history?.[0] ?? null)) return;
  const details = 'website: its redirects keep changing meanwhile; nothing was applied, send the call again';
  throw new DomainError('REVISION_CHANGED', 'The website has changed', { details });
}
