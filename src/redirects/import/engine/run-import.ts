/**
 * The import engine of CSV files and bulk bodies:
 *
 *     batches -> stage (COPY) -> settle -> [lock website -> replay -> merge -> event, deployments] -> commit
 *
 * Entries are checked one by one while they are staged. The part in brackets is one transaction. A dry run reads a
 * snapshot instead, and locks nothing. An import whose body pauses closes its stage, and holds neither a connection nor
 * a permit until more arrives.
 */
import type { PoolClient } from 'pg';
import { assertQuota, assertRoomFor } from '../../../accounts/quota.ts';
import { queryableOf, withClient } from '../../../db/connection/client.ts';
import { isDatabaseUnavailable } from '../../../db/errors.ts';
import { asLostStage } from '../../../db/stage-table.ts';
import { queueAutomaticDeployments } from '../../../deployments/publish/queue.ts';
import { publishEvents } from '../../../events/outbox.ts';
import { createArrivals } from '../../../platform/scheduling/arrivals.ts';
import { isoSeconds, stopwatch } from '../../../platform/clock.ts';
import type { Actor } from '../../../vocabulary/actor.ts';
import { lockWebsite, peekWebsite, releaseRevision, revisionsOf } from '../../../websites/write-website.ts';
import { recordChange } from '../../changes/record-change.ts';
import { isRowError } from '../../../rules/entry.ts';
import { createRowCount } from '../../../vocabulary/call-limits.ts';
import { createErrorLog } from './error-log.ts';
import { recordCompletion, recordFailure, recordStart, updateImport } from './import-record.ts';
import { assertStrict } from './invalid-entries.ts';
import type {
  ImportDeps,
  ImportRequest,
  ImportResult,
  ImportTarget,
  SyncResult,
  VerdictCounts,
} from './import-request.ts';
import { renewStatistics } from './change-sql.ts';
import { type MergeResult, mergeStage } from './merge.ts';
import { applyDefaults, createStage } from './stage.ts';

/** Entries between two updates of the progress. */
const PROGRESS_EVERY = 50_000;
/** An import that waits longer for its body makes room for others. */
const PAUSE_AFTER_MS = 250;

/**
 * Runs an import: applies the valid entries in one transaction, with its event and deployments, and returns the invalid
 * ones by line. If it throws, nothing was applied, and the import's record has the reason. Throws BUSY after 30 s of
 * waiting for another import, and PLAN_LIMIT_EXCEEDED if the call or then the account has too many redirects. If the
 * database is unavailable, its error is thrown at once, and the caller records it.
 */
export async function runImport(deps: ImportDeps, actor: Actor, request: ImportRequest): Promise<ImportResult> {
  const started = stopwatch();
  const { db, instanceId: owner, permits } = deps;
  const { importId, source, websiteId, fileName } = request;
  await recordStart(db, actor, { id: importId, source, owner, websiteId, fileName });
  const run = createRun(deps, actor, request, started);
  try {
    return await permits.withTurn(actor.accountId, () => runStaged(run));
  } catch (error) {
    if (!isDatabaseUnavailable(error)) await recordFailure(db, importId, error);
    throw error;
  }
}

type Run = ReturnType<typeof createRun>;

/** `started`: stopwatch() at the start. */
function createRun(deps: ImportDeps, actor: Actor, request: ImportRequest, started: number) {
  const { importId, batches } = request;
  return {
    ...deps,
    ...{ actor, request, importId, started },
    arrivals: createArrivals(batches),
    countRows: createRowCount(actor.plan),
    stage: createStage(deps.instanceId, importId),
    errors: createErrorLog(deps.permits.db, importId),
    /** entries read, errors included */
    total: 0,
    /** bytes read */
    bytes: 0,
  };
}

async function runStaged(run: Run): Promise<ImportResult> {
  const { permits, arrivals, stage } = run;
  let isAway = false;
  try {
    for (;;) {
      await arrivals.arrived();
      const result = await permits.withPermit(() => withClient(permits.db, (reader) => stageArrived(run, reader)));
      if (result) return result;
    }
  } catch (error) {
    isAway = isDatabaseUnavailable(error);
    return asLostStage(error);
  } finally {
    arrivals.close();
    // If this fails too, cleanUpImports drops the table later.
    const dropped = stage.drop(run.db).catch(() => {});
    if (!isAway) await dropped;
  }
}

/** Stages what has arrived. Returns the result if that was the rest, and undefined if more is to come. */
async function stageArrived(run: Run, reader: PoolClient): Promise<ImportResult | undefined> {
  const { stage } = run;
  await stage.open(reader);
  try {
    const isComplete = await stageBatches(run);
    await recordProgress(run);
    await stage.close();
    if (!isComplete) return undefined;
  } catch (error) {
    const aborted = stage.abort();
    if (!isDatabaseUnavailable(error)) await aborted;
    throw error;
  }
  await reader.query(`analyze ${stage.table}`);
  return finish(run, reader);
}

/** Returns true at the end of the body, and false if it pauses. */
async function stageBatches(run: Run): Promise<boolean> {
  const { arrivals, countRows, stage, errors } = run;
  let reported = run.total;
  for (;;) {
    const arrived = await arrivals.next(PAUSE_AFTER_MS);
    if (!arrived) return false;
    if (arrived.done) return true;
    const { rows, bytes } = arrived.value;
    run.total += rows.length;
    run.bytes = bytes;
    countRows(rows.length);
    for (const row of rows) {
      if (isRowError(row)) errors.add(row);
      else stage.write(row);
    }
    await stage.flush();
    await errors.flush();
    if (run.total - reported < PROGRESS_EVERY) continue;
    reported = run.total;
    await recordProgress(run);
  }
}

const recordProgress = ({ permits, importId, total, bytes }: Run): Promise<void> =>
  updateImport(permits.db, importId, { received: total, bytes });

/** Merges the staged entries. */
async function finish(run: Run, reader: PoolClient): Promise<ImportResult> {
  const { db, request, importId, stage, permits } = run;
  const target = await request.settle();
  await updateImport(db, importId, { websiteId: target.websiteId, dryRun: target.dryRun });
  await target.sync?.addErrors(reader, stage, run.errors);
  assertStrict(target, run);
  if (target.defaults) await applyDefaults(reader, stage, target.defaults);
  const result = target.dryRun
    ? await merge(run, target, reader, reader)
    : await withClient(permits.db, (client) => merge(run, target, reader, client));
  const { created, updated, deleted } = result;
  await request.complete?.(run.errors).catch(() => {});
  if (!target.dryRun) await renewStatistics(permits.db, { created, updated: updated + deleted });
  return result;
}

/** `client`: of a dry run the reader, so that all of it sees one snapshot. */
async function merge(run: Run, target: ImportTarget, reader: PoolClient, client: PoolClient): Promise<ImportResult> {
  const { actor, importId, request, stage, errors, total } = run;
  const { websiteId, dryRun, sync } = target;
  // COPY and the query builder share this connection, and so the transaction.
  const tx = queryableOf(client);
  await client.query(dryRun ? 'begin isolation level repeatable read' : 'begin');
  await stage.assertIntact(tx);
  // An import waits for the previous one, however long that takes.
  if (!dryRun) await client.query('set local lock_timeout = 0');
  const website = await (dryRun ? peekWebsite : lockWebsite)(tx, actor, websiteId);
  const { written, found } = revisionsOf(website);
  target.assertFound?.(found);
  const assertValid = async (): Promise<void> => {
    // The verdicts of a dry run read them. If it is strict, they must outlast its failure.
    await errors.finish(dryRun && !sync && !target.isStrict ? tx : undefined);
    assertStrict(target, run);
  };
  const merged: MergeResult & Partial<SyncResult> = sync
    ? await sync.merge(client, reader, website, { stage, dryRun, errors, assertValid })
    : await mergeStage(client, reader, website, { stage, mode: request.mode, dryRun, onError: errors.add });
  await assertValid();
  const { created, updated, skipped, unchanged, deleted = 0, cleared, changes, check, touched } = merged;
  const isChanged = created + merged.changed + deleted > 0;
  const change = { kind: sync ? 'sync' : 'import', counts: { created, updated: merged.changed, deleted } } as const;
  const changeId = dryRun ? null : await recordChange(tx, actor, website, change);
  if (!dryRun) await target.alongside?.(tx, changeId, errors.first());
  const automatic = dryRun
    ? { deployments: [], held: [] }
    : await queueAutomaticDeployments(tx, actor, website, touched);
  const processingSeconds = (stopwatch() - run.started) / 1_000;
  const counts = { created, updated, skipped };
  const summary = { total_submitted: total, ...counts, errors: errors.count, ...(sync && { deleted, unchanged }) };
  let verdicts: VerdictCounts | undefined;
  if (dryRun) {
    await assertRoomFor(tx, actor, created - deleted);
    const rows = { importId, websiteId, stage: stage.table, mode: request.mode };
    verdicts = await request.keepRows?.(tx, rows);
    await client.query('commit');
    await recordCompletion(run.permits.db, importId, summary, changeId);
  } else {
    const completedAt = await recordCompletion(tx, importId, summary, changeId);
    const completed = {
      import_id: importId,
      website_id: String(websiteId),
      source: request.source,
      summary,
      processing_time: `${processingSeconds.toFixed(2)}s`,
      completed_at: isoSeconds(completedAt),
    };
    const event = { event: 'bulk_import.completed', websiteId, data: { import: completed } } as const;
    await publishEvents(tx, actor, completedAt, [event]);
    if (!isChanged) await releaseRevision(tx, website);
    if (created > deleted) await assertQuota(tx, actor, { redirects: created - deleted });
    await client.query('commit');
  }
  const invalid = { errorCount: errors.count, errorCounts: errors.counts(), errors: errors.first() };
  const outcome = { ...invalid, changed: merged.changed, processingSeconds, ...automatic, changeId };
  const at = !dryRun && isChanged ? written : found;
  const dry = { changes, check, ...(verdicts && { verdicts }) };
  return { importId, total, ...counts, unchanged, deleted, ...(cleared && { cleared }), ...at, ...dry, ...outcome };
}
