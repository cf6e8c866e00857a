/**
 * The one import engine: stage by COPY, check each entry by itself on the way, merge in one transaction under the website's lock.
 * CSV files skip what is there (or update it, if asked); bulk bodies update.
 */
import { sql } from 'drizzle-orm';
import type { PoolClient } from 'pg';
import { type Db, type Queryable, queryableOf, withClient } from '../../db/client.ts';
import { isoSeconds } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { type QueuedDeployment, queueAutomaticDeployments } from '../../deployments/publish/queue.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { publishEvents } from '../../events/outbox.ts';
import { lockWebsite } from '../../websites/write-website.ts';
import type { CallDefaults, ConflictMode, ImportEntry, ImportError } from './entry.ts';
import { createErrorLog, type ErrorLog } from './error-log.ts';
import { storeVerdicts, type VerdictCounts, dropSurplusRowTables } from './store-verdicts.ts';
import { type MergeResult, mergeStage } from './merge.ts';
import type { WithImportPermit } from './import-semaphore.ts';
import { openStage, type Stage } from './stage.ts';

export interface ImportDeps {
  db: Db;
  withImportPermit: WithImportPermit;
  /** instances.id of this process: whose imports are given up when it dies */
  instanceId: number;
}

/** Batches of entries and of errors found while reading; `bytes` read so far, for the progress that others see. */
export type ImportBatches = AsyncIterable<{ entries: ImportEntry[]; errors: ImportError[]; bytes: number }>;

export interface ImportRequest {
  source: 'csv' | 'api';
  mode: ConflictMode;
  batches: ImportBatches;
  /** the import's id where the caller has named it; CONFLICT where there is one of that id */
  importId?: string | undefined;
  /** a dry run whose rows can be read afterwards, each with its verdict (find-rows.ts) */
  keepsRows?: boolean;
  /** The rest of the request, asked for when every batch has been read: a bulk body may say it after its entries. */
  settle: () => Promise<ImportTarget>;
}

export interface ImportTarget {
  websiteId: number;
  dryRun: boolean;
  /** what the call says for entries that do not, where it said so too late to be staged with them */
  defaults?: CallDefaults;
}

export interface ImportResult {
  importId: string;
  total: number;
  created: number;
  updated: number;
  skipped: number;
  errorCount: number;
  errors: ImportError[];
  processingSeconds: number;
  deployments: QueuedDeployment[];
  /** rows by verdict, where the request wanted them kept */
  verdicts?: VerdictCounts;
}

/** Progress is written this often while entries come in. */
const PROGRESS_EVERY = 50_000;

/**
 * Runs an import to its end: what is valid is applied as one transaction, with its event and deployments, and what is not is told by
 * line. Where it throws, nothing was applied, and the import's record says why.
 */
export async function runImport(
  deps: ImportDeps,
  actor: Actor,
  request: ImportRequest,
): Promise<ImportResult> {
  const started = performance.now();
  const importId = request.importId ?? newId('imp_');
  await recordStart(deps, actor, importId, request);
  try {
    return await deps.withImportPermit((db) => runInSlot({ ...deps, db }, actor, request, importId, started));
  } catch (error) {
    await recordFailure(deps.db, importId, error).catch(() => {});
    throw error;
  }
}

async function runInSlot(
  { db, instanceId }: ImportDeps,
  actor: Actor,
  request: ImportRequest,
  importId: string,
  started: number,
): Promise<ImportResult> {
  const errors = createErrorLog(db, importId);
  return withClient(db, async (reader) => {
    const stage = await openStage(reader, instanceId, importId);
    try {
      const total = await stageEntries(db, importId, stage, errors, request.batches);
      const to = await request.settle();
      await recordTarget(db, importId, to);
      if (to.defaults) await stage.applyDefaults(to.defaults);
      const result = await merge(db, reader, actor, { importId, request, to, stage, errors, total, started });
      if (!to.dryRun) await renewStatistics(reader, result);
      if (!to.dryRun || !request.keepsRows) return result;
      // The website's lock is free again: nobody waits for this.
      const { websiteId } = to;
      const verdicts = await storeVerdicts(reader, {
        importId,
        websiteId,
        stage: stage.table,
        mode: request.mode,
      });
      await dropSurplusRowTables(db, actor.accountId);
      return { ...result, verdicts };
    } finally {
      // Should this fail too, the connection is broken, and the table goes with the next clean-up (clear-dead-imports.ts).
      await stage.drop().catch(() => {});
    }
  });
}

/** Rows from which the planner is told at once: until autovacuum comes, it would read a million new rows for the next small change. */
const MANY = 10_000;

async function renewStatistics(reader: PoolClient, { created, updated }: ImportResult): Promise<void> {
  if (created + updated < MANY) return;
  // A sample of 3,000 rows is enough to tell that the table is large, and takes a tenth of the usual one's time.
  await reader.query('set default_statistics_target = 10');
  await reader.query('analyze redirects (website_id, id, key, rev)');
  if (updated >= MANY) await reader.query('analyze redirect_revisions');
  await reader.query('reset default_statistics_target');
}

async function recordStart(
  deps: ImportDeps,
  actor: Actor,
  id: string,
  request: ImportRequest,
): Promise<void> {
  const { rowCount } = await deps.db.execute(sql`
    insert into imports (id, account_id, source, status, owner, created_at)
    values (${id}, ${actor.accountId}, ${request.source}, 'running', ${deps.instanceId}, clock_timestamp())
    on conflict (id) do nothing`);
  if (rowCount) return;
  throw new DomainError('CONFLICT', 'There is an import of this id', {
    details: `import_id: ${id} was sent before; look at that import, or send another id`,
    issues: [{ path: 'import_id', code: 'CONFLICT', message: 'was sent before' }],
  });
}

async function recordTarget(
  db: Db,
  id: string,
  { websiteId, dryRun }: Pick<ImportTarget, 'websiteId' | 'dryRun'>,
): Promise<void> {
  await db.execute(sql`update imports set website_id = ${websiteId}, dry_run = ${dryRun} where id = ${id}`);
}

async function recordFailure(db: Db, id: string, error: unknown): Promise<void> {
  const reason =
    error instanceof DomainError ? `${error.code}: ${error.details || error.message}` : 'INTERNAL_ERROR';
  await db.execute(sql`
    update imports set status = 'failed', error = ${reason}, completed_at = clock_timestamp() where id = ${id} and status = 'running'`);
}

async function stageEntries(
  db: Db,
  importId: string,
  stage: Stage,
  errors: ErrorLog,
  batches: ImportBatches,
): Promise<number> {
  let total = 0;
  let bytes = 0;
  let reported = 0;
  const tell = () =>
    db.execute(sql`update imports set received = ${total}, bytes = ${bytes} where id = ${importId}`);
  for await (const batch of batches) {
    for (const entry of batch.entries) stage.write(entry);
    for (const error of batch.errors) errors.add(error);
    total += batch.entries.length + batch.errors.length;
    bytes = batch.bytes;
    await stage.flush();
    await errors.flush();
    if (total - reported < PROGRESS_EVERY) continue;
    reported = total;
    await tell();
  }
  await tell();
  await stage.finish();
  return total;
}

interface MergeStep {
  importId: string;
  request: ImportRequest;
  to: ImportTarget;
  stage: Stage;
  errors: ErrorLog;
  total: number;
  started: number;
}

async function merge(db: Db, reader: PoolClient, actor: Actor, step: MergeStep): Promise<ImportResult> {
  return withClient(db, async (client) => {
    // One connection for the query builder and for COPY: they share the transaction that is begun here by hand.
    const tx = queryableOf(client);
    await client.query('begin');
    // An import waits for the one before it, however long that takes.
    await client.query('set local lock_timeout = 0');
    const website = await lockWebsite(tx, actor, step.to.websiteId);
    const { mode } = step.request;
    const { dryRun } = step.to;
    const onError = (error: ImportError): void => step.errors.add(error);
    const merged = await mergeStage(client, reader, website, { stage: step.stage, mode, dryRun, onError });
    await step.errors.finish();
    const deployments = dryRun ? [] : await queueAutomaticDeployments(tx, actor, website, merged.touched);
    const result = resultOf(step, merged, deployments);
    if (dryRun) await client.query('rollback');
    await recordCompletion(dryRun ? db : tx, actor, step, result);
    if (!dryRun) await client.query('commit');
    return result;
  });
}

function resultOf(step: MergeStep, merged: MergeResult, deployments: QueuedDeployment[]): ImportResult {
  return {
    importId: step.importId,
    total: step.total,
    created: merged.created,
    updated: merged.updated,
    skipped: merged.skipped,
    errorCount: step.errors.count,
    errors: step.errors.first(),
    processingSeconds: (performance.now() - step.started) / 1_000,
    deployments,
  };
}

async function recordCompletion(
  tx: Queryable,
  actor: Actor,
  step: MergeStep,
  result: ImportResult,
): Promise<void> {
  const { source } = step.request;
  const { websiteId, dryRun } = step.to;
  const summary = {
    total_submitted: result.total,
    created: result.created,
    updated: result.updated,
    skipped: result.skipped,
    errors: result.errorCount,
  };
  const { rows } = await tx.execute<{ completed_at: string }>(sql`
    update imports set status = 'completed', received = ${result.total}, summary = ${JSON.stringify(summary)}::jsonb,
      completed_at = clock_timestamp() where id = ${step.importId} returning completed_at`);
  if (dryRun) return;
  const completedAt = new Date(rows[0]?.completed_at ?? 0);
  const data = {
    import: {
      import_id: step.importId,
      website_id: String(websiteId),
      source,
      summary,
      processing_time: `${result.processingSeconds.toFixed(2)}s`,
      completed_at: isoSeconds(completedAt),
    },
  };
  await publishEvents(tx, actor, completedAt, [{ event: 'bulk_import.completed', websiteId, data }]);
}
