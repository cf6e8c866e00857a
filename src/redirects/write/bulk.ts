/** Bulk writes: one transaction over all selected redirects, website by website and batch by batch. */
import type { Db, Tx } from '../../db/connection/client.ts';
import { and, eq, inArray, sql } from '../../db/drizzle.ts';
import { isUniqueViolation } from '../../db/errors.ts';
import { redirects } from '../../db/schema/redirects.ts';
import { createDeployedTimes, NEVER_DEPLOYED } from '../../deployments/live/database/deployed-at.ts';
import { queueAutomaticDeployments } from '../../deployments/publish/queue.ts';
import { type NewEvent, publishEvents } from '../../events/outbox.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { DomainError, type Issue, validationError } from '../../vocabulary/error.ts';
import { requireEditableRow } from '../../websites/website.ts';
import { type LockedWebsite, lockWebsite, releaseRevision, writeTransaction } from '../../websites/write-website.ts';
import { type ChangeCounts, recordChange } from '../changes/record-change.ts';
import { countRedirects } from '../list/find.ts';
import type { PlannedChange } from '../rule/change.ts';
import { COLUMN_FIELDS, FIELDS } from '../rule/fields.ts';
import { assertPatternLimit } from '../rule/pattern-limit.ts';
import { redirectEvent, updatedEvent } from '../rule/redirect-events.ts';
import { environmentsOf, type RedirectFields, redirectOf, type RedirectRow } from '../rule/redirect.ts';
import {
  type BulkEffect,
  type BulkPlan,
  type BulkProblem,
  type BulkUpdates,
  createPaths,
  noEffect,
  type Paths,
  planBatch,
} from './bulk-plan.ts';
import { MAX_IDS, type Selection, selectBatches, selectWebsites } from './selection.ts';

export interface BulkResult {
  /** selected redirects */
  count: number;
  /** one change for each website whose redirects changed */
  changeIds: string[];
  /** environments where the call is not deployed, because a rollback or promotion holds them */
  held: Environment[];
}

/**
 * Changes every selected redirect in one transaction and returns the number of selected ones, without those left out.
 * Each changed redirect gets an event; a filter that matches over 10,000 redirects gets one event per website, with the
 * call (`bulk`). Throws without any change if one redirect would be invalid, unless `skipInvalid` leaves it out.
 */
export async function bulkUpdateRedirects(
  db: Db,
  actor: Actor,
  call: { selection: Selection; updates: BulkUpdates; skipInvalid?: boolean; bulk: Record<string, unknown> },
): Promise<BulkResult & { effect: BulkEffect }> {
  const { selection, updates, skipInvalid = false, bulk } = call;
  let effect = noEffect();
  let paths: { of: LockedWebsite; paths: Paths } | undefined;
  const result = await writeSelected(db, actor, selection, {
    kind: 'bulk_update',
    // A transaction may run again.
    start: () => void (effect = noEffect()),
    async apply(tx, website, rows) {
      if (paths?.of !== website) paths = { of: website, paths: createPaths(tx, website.id) };
      const plans = await planBatch(rows, { updates, website, effect, paths: paths.paths });
      if (effect.invalid > 0 && !skipInvalid) throw validationError(effect.problems.flatMap(issuesOf));
      const changes = plans.filter(({ changed }) => changed.length > 0);
      return writeUpdates(tx, website, changes);
    },
    summary: (count) => ({
      event: 'redirect.updated',
      data: { redirect: null, previous: null, bulk: { ...bulk, count } },
    }),
  });
  return { ...result, count: result.count - effect.invalid, effect };
}

const issuesOf = ({ field, code, redirects: rows }: BulkProblem): Issue[] =>
  rows.map(({ id, message }) => ({ path: field, code, message: `redirect ${id}: ${message}` }));

/** Deletes every selected redirect in one transaction and returns their number. Makes events as an update does. */
export async function bulkDeleteRedirects(
  db: Db,
  actor: Actor,
  { selection, bulk }: { selection: Selection; bulk: Record<string, unknown> },
): Promise<BulkResult> {
  return writeSelected(db, actor, selection, {
    kind: 'bulk_delete',
    async apply(tx, website, rows) {
      const ids = rows.map(({ id }) => id);
      await tx.delete(redirects).where(and(eq(redirects.websiteId, website.id), inArray(redirects.id, ids)));
      return {
        counts: { deleted: rows.length },
        touched: rows.flatMap(environmentsOf),
        events: async () => {
          const deployed = await createDeployedTimes(tx)(rows);
          return rows.map((row, index) =>
            redirectEvent('redirect.deleted', redirectOf(row), deployed[index] ?? NEVER_DEPLOYED),
          );
        },
      };
    },
    summary: (count) => ({ event: 'redirect.deleted', data: { redirect: null, bulk: { ...bulk, count } } }),
  });
}

interface WrittenBatch {
  /** how many changed */
  counts: Partial<ChangeCounts>;
  /** with a new value in one of them; undefined for a deletion */
  fields?: (keyof RedirectFields)[];
  /** environments whose rules changed */
  touched: Environment[];
  events: () => Promise<NewEvent[]>;
}

interface BulkWrite {
  kind: 'bulk_update' | 'bulk_delete' | 'flatten' | 'promote';
  /** Writes one batch. */
  apply(tx: Tx, website: LockedWebsite, rows: RedirectRow[]): Promise<WrittenBatch>;
  /** The single event for all `count` redirects of a website. */
  summary(count: number): Omit<NewEvent, 'websiteId'>;
}

async function writeSelected(
  db: Db,
  actor: Actor,
  selection: Selection,
  { start, ...write }: BulkWrite & { start?: () => void },
) {
  return writeTransaction(db, actor, async (tx) => {
    start?.();
    const named = 'filter' in selection ? selection.filter.websiteId : selection.websiteId;
    if (named !== undefined) await requireEditableRow(tx, actor, named);
    let total = 0;
    const changeIds: string[] = [];
    const held = new Set<Environment>();
    const isSummarized = 'filter' in selection && (await countRedirects(tx, actor, selection.filter)) > MAX_IDS;
    for (const websiteId of await selectWebsites(tx, actor, selection)) {
      const website = await lockWebsite(tx, actor, websiteId);
      const batches = selectBatches(tx, actor, websiteId, selection);
      const { count, changeId, ...written } = await writeBatches(tx, actor, website, batches, {
        ...write,
        isSummarized,
      });
      if (changeId !== null) changeIds.push(changeId);
      total += count;
      for (const environment of written.held) held.add(environment);
    }
    return { count: total, changeIds, held: [...held] };
  });
}

/** Writes the redirects of a locked website, with their events or a single one, their change and the deployments. */
export async function writeBatches(
  tx: Tx,
  actor: Actor,
  website: LockedWebsite,
  batches: AsyncIterable<RedirectRow[]>,
  { kind, apply, summary, isSummarized }: BulkWrite & { isSummarized: boolean },
) {
  const touched = new Set<Environment>();
  let count = 0;
  const counts = { updated: 0, deleted: 0 };
  let fields: Set<keyof RedirectFields> | undefined;
  for await (const rows of batches) {
    const result = await apply(tx, website, rows);
    for (const environment of result.touched) touched.add(environment);
    if (result.fields) fields = new Set([...(fields ?? []), ...result.fields]);
    if (!isSummarized) await publishEvents(tx, actor, website.now, await result.events());
    count += rows.length;
    counts.updated += result.counts.updated ?? 0;
    counts.deleted += result.counts.deleted ?? 0;
  }
  if (isSummarized) await publishEvents(tx, actor, website.now, [{ ...summary(count), websiteId: website.id }]);
  const changeId = await recordChange(tx, actor, website, { kind, counts, ...(fields && { fields }) });
  if (changeId === null) await releaseRevision(tx, website);
  const { held } = await queueAutomaticDeployments(tx, actor, website, [...touched]);
  return { count, changeId, held };
}

/** Writes planned changes. Those of paths do not conflict. */
export async function writeUpdates(tx: Tx, website: LockedWebsite, changes: BulkPlan[]): Promise<WrittenBatch> {
  if (changes.length > 0) await updateRows(tx, website, changes);
  return {
    counts: { updated: changes.length },
    fields: changes.flatMap(({ changed }) => changed),
    touched: changes.flatMap(({ touched }) => touched),
    events: async () => {
      const deployed = await createDeployedTimes(tx)(changes.map(({ before }) => before));
      return changes.map((plan, index) => updatedEvent(plan.before, plan, deployed[index] ?? NEVER_DEPLOYED));
    },
  };
}

/** Absent if they stay, as each may have 2 KiB. */
const LONG: readonly string[] = ['oldPath', 'newPath'];
const ASSIGNED = sql.raw(
  COLUMN_FIELDS.map((name) => {
    const { wire } = FIELDS[name];
    return `${wire} = ${LONG.includes(name) ? `coalesce(c."${name}", r.${wire})` : `c."${name}"`}`;
  }).join(', '),
);
const TYPED = sql.raw(COLUMN_FIELDS.map((name) => `"${name}" ${FIELDS[name].type}`).join(', '));

async function updateRows(tx: Tx, website: LockedWebsite, plans: PlannedChange[]): Promise<void> {
  const patterns = plans.flatMap(({ newPattern }) => newPattern ?? []);
  if (patterns.length > 0) await assertPatternLimit(tx, website.id, patterns);
  const rows = JSON.stringify(
    plans.map(({ row: { oldPath, newPath, ...row }, changed }) => ({
      ...row,
      ...(changed.includes('oldPath') && { oldPath }),
      ...(changed.includes('newPath') && { newPath }),
    })),
  );
  try {
    await tx.execute(sql`
      update redirects r set key = c.key, ${ASSIGNED}, rev = c.rev,
        in_prod = c."inProd", in_staging = c."inStaging", in_dev = c."inDev", updated_at = c."updatedAt"
      from jsonb_to_recordset(${rows}::jsonb) as c(id bigint, key text, ${TYPED}, rev int,
        "inProd" int, "inStaging" int, "inDev" int, "updatedAt" timestamptz)
      where r.website_id = ${website.id} and r.id = c.id`);
  } catch (error) {
    if (!isUniqueViolation(error, 'redirects_website_id_key_key')) throw error;
    throw new DomainError('CONFLICT', 'A redirect with the same path already exists', {
      details: 'is_regex: the change would give two redirects the same path; change them one by one',
    });
  }
}
