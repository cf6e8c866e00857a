/** Makes a list of living pages exactly that of a body. */
import type { PoolClient } from 'pg';
import { type Db, queryableOf, type Queryable, withClient } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import type { ImportDeps } from '../redirects/import/engine/import-request.ts';
import { allowedDeletes, type MaxDelete } from '../rules/max-delete.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import { requireEditableRow, requireRoleAt } from '../websites/website.ts';
import { assertListVersion, closeList, type ListName, openList } from './list.ts';
import { countWritten, lockUrls } from './lock.ts';
import {
  copyUrls,
  countMerge,
  type MergeCounts,
  removeFromList,
  uniteDuplicates,
  useListMemory,
  writeUrls,
} from './merge-list.ts';
import { type BodyCounts, stageBody } from './read-body.ts';
import { createStage, type Stage } from './stage.ts';
import { readUrlRules } from './url-rules.ts';

export interface PushOptions {
  /** the most URLs that may leave the list; 10 %, and at least 10, if absent */
  maxRemoved?: MaxDelete | undefined;
  ifListVersion?: number | undefined;
  /** counts and checks, and changes nothing */
  dryRun: boolean;
}

export interface PushInput extends ListName, PushOptions {
  fromHosts: string[];
  /** of the body on disk */
  path: string;
  maxBytes: number;
}

export interface PushResult extends MergeCounts, BodyCounts {
  total: number;
  merged: number;
  mergedExamples: string[];
  mergedParameters: string[];
  listVersion: number;
}

/**
 * Replaces the list. Throws, and changes nothing, as stageBody, and WEBSITE_NOT_FOUND, INSUFFICIENT_ROLE, TOO_MANY_GONE,
 * REVISION_CHANGED, TOO_MANY_URLS, PLAN_LIMIT_EXCEEDED and BUSY.
 */
export async function pushList(deps: ImportDeps, actor: Actor, input: PushInput): Promise<PushResult> {
  const rules = await readUrlRules(deps.db, actor, input);
  if (!input.dryRun) await requireRoleAt(deps.db, actor, input.websiteId, 'editor');
  return withStage(deps, actor, async (stage) => {
    const counts = await stageBody(input.path, rules, stage, input.maxBytes);
    await stage.close();
    return mergeStage(deps, actor, input, stage, counts);
  });
}

/** Runs `work` with an empty stage, which is dropped afterwards, in the account's turn. */
export function withStage<T>(
  { permits, instanceId }: ImportDeps,
  { accountId }: Actor,
  work: (stage: Stage) => Promise<T>,
): Promise<T> {
  return permits.withTurn(accountId, async () => {
    const stage = createStage(permits.db, instanceId);
    try {
      return await work(stage);
    } finally {
      // If this fails too, dropOrphanedStages drops the table after the process ends.
      await stage.drop().catch(() => {});
    }
  });
}

/** One that is filled in the same transaction needs no check. */
type MergedStage = Pick<Stage, 'table' | 'hasDuplicates'> & Partial<Pick<Stage, 'assertIntact'>>;

/** Merges a closed stage into the list. If `counts` is a function, it fills the stage in the same transaction. */
export async function mergeStage(
  { permits }: Pick<ImportDeps, 'permits'>,
  actor: Actor,
  input: ListName & PushOptions,
  stage: MergedStage,
  counts: BodyCounts | ((tx: Queryable) => Promise<BodyCounts>),
): Promise<PushResult> {
  const result = await permits.withPermit(() =>
    withClient(permits.db, async (client) => {
      await client.query('begin');
      const tx = queryableOf(client);
      const body = typeof counts === 'function' ? await counts(tx) : counts;
      const merged = await merge({ db: permits.db, client, tx }, actor, input, stage, body);
      await client.query(input.dryRun ? 'rollback' : 'commit');
      return merged;
    }),
  );
  // The caller need not wait for statistics. If this fails, autovacuum renews them.
  if (!input.dryRun && result.added + result.removed >= ANALYZE_THRESHOLD)
    permits.db.execute(sql`analyze urls, url_list_changes`).catch(() => {});
  return result;
}

/** Changed rows that renew the statistics at once, which autovacuum would do later. */
const ANALYZE_THRESHOLD = 10_000;

async function merge(
  { db, client, tx }: { db: Db; client: PoolClient; tx: Queryable },
  actor: Actor,
  input: ListName & PushOptions,
  stage: MergedStage,
  body: BodyCounts,
): Promise<PushResult> {
  await useListMemory(tx);
  await lockUrls(tx, input.websiteId);
  await stage.assertIntact?.(tx);
  // The body may have taken long to arrive.
  if (!input.dryRun) await requireEditableRow(tx, actor, input.websiteId);
  const list = await openList(tx, input);
  assertListVersion(list, input.ifListVersion);
  const duplicates = await uniteDuplicates(tx, stage);
  const target = { websiteId: input.websiteId, list, source: 'list' } as const;
  const { living: total, toWrite, ...counts } = await countMerge(tx, target, stage);
  const removed = list.total - counts.unchanged;
  assertMayLose(list.total, removed, total, input);
  if (removed > 0) await removeFromList(tx, list, stage);
  // The reader does not see the URLs that were united here.
  const isCopied = list.version === 0 && !stage.hasDuplicates && toWrite.created > 0;
  if (isCopied) await withClient(db, (reader) => copyUrls(client, reader, target, stage));
  await writeUrls(tx, target, stage, isCopied ? { ...toWrite, created: 0 } : toWrite);
  await countWritten(tx, actor, input.websiteId, toWrite);
  const listVersion = await closeList(tx, actor, list, { total, added: total - counts.unchanged, removed });
  return { ...body, ...duplicates, ...counts, total, removed, listVersion };
}

function assertMayLose(before: number, removed: number, living: number, { list, maxRemoved }: ListName & PushOptions) {
  const allowed = allowedDeletes(maxRemoved, before, living);
  if (removed <= allowed) return;
  const text = (count: number): string => count.toLocaleString('en');
  const byDefault =
    living === 0 ? 'a list without living URLs needs an explicit max_removed' : 'by default 10 %, and at least 10';
  throw new DomainError('TOO_MANY_GONE', 'The list would lose too many URLs', {
    details: `max_removed: ${text(removed)} of ${text(before)} URLs would leave the list ${list}, and ${text(allowed)} may${maxRemoved ? '' : ` (${byDefault})`}; nothing was applied. Check that the body is complete, then send max_removed=${removed}`,
    extra: { removed, total: before, max_removed: allowed },
  });
}
