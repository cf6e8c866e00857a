/** Bulk writes: one transaction over all selected redirects, website by website and batch by batch. */
import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { isUniqueViolation } from '../../db/errors.ts';
import { redirects } from '../../db/schema.ts';
import { queueAutomaticDeployments } from '../../deployments/publish/queue.ts';
import { type NewEvent, publishEvents } from '../../events/outbox.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { DomainError, validationError } from '../../vocabulary/error.ts';
import { type LockedWebsite, lockWebsite, writeTransaction } from '../../websites/write-website.ts';
import { countRedirects } from '../list/find.ts';
import { type PlannedChange, planChange, type RedirectChange } from '../rule/change.ts';
import { assertPatternLimit } from '../rule/pattern-limit.ts';
import { deletedEvent, updatedEvent } from '../rule/redirect-events.ts';
import { environmentsOf, redirectOf, type RedirectRow } from '../rule/redirect.ts';
import { MAX_IDS, type Selection, selectBatches, selectWebsites } from './selection.ts';

/** Issues in one validation error. */
const MAX_ISSUES = 20;

/** The filter and updates of the call, for the event of a large one. */
export type BulkCall = Record<string, unknown>;

/**
 * Changes every selected redirect in one transaction and returns the number of selected ones. Each changed redirect
 * gets an event; a filter that matches over 10,000 redirects gets one event per website (`bulk`). Throws without any
 * change if one redirect would be invalid.
 */
export async function bulkUpdateRedirects(
  db: Db,
  actor: Actor,
  { selection, change, bulk }: { selection: Selection; change: RedirectChange; bulk: BulkCall },
): Promise<number> {
  return writeSelected(db, actor, selection, {
    async apply(tx, website, rows) {
      const plans = rows.map((row) => ({ row, plan: planChange(row, change, website) }));
      assertValid(plans.map(({ plan }) => plan));
      const changes = plans.filter(({ plan }) => plan.changed.length > 0);
      await updateRows(
        tx,
        website,
        changes.map(({ plan }) => plan),
      );
      return {
        touched: changes.flatMap(({ plan }) => plan.touched),
        events: () => changes.map(({ row, plan }) => updatedEvent(row, plan)),
      };
    },
    summary: (count) => ({
      event: 'redirect.updated',
      data: { redirect: null, previous: null, bulk: { ...bulk, count } },
    }),
  });
}

/**
 * Deletes every selected redirect in one transaction and returns their number. Each gets an event; a filter that
 * matches over 10,000 redirects gets one event per website (`bulk`).
 */
export async function bulkDeleteRedirects(
  db: Db,
  actor: Actor,
  { selection, bulk }: { selection: Selection; bulk: BulkCall },
): Promise<number> {
  return writeSelected(db, actor, selection, {
    async apply(tx, website, rows) {
      const ids = rows.map(({ id }) => id);
      await tx.delete(redirects).where(and(eq(redirects.websiteId, website.id), inArray(redirects.id, ids)));
      return {
        touched: rows.flatMap(environmentsOf),
        events: () => rows.map((row) => deletedEvent(redirectOf(row))),
      };
    },
    summary: (count) => ({ event: 'redirect.deleted', data: { redirect: null, bulk: { ...bulk, count } } }),
  });
}

interface BulkWrite {
  /** Writes one batch. Returns the environments whose rules changed, and the events of the single redirects. */
  apply(
    tx: Tx,
    website: LockedWebsite,
    rows: RedirectRow[],
  ): Promise<{ touched: Environment[]; events: () => NewEvent[] }>;
  /** The single event for all `count` redirects of a website. */
  summary(count: number): Omit<NewEvent, 'websiteId'>;
}

async function writeSelected(
  db: Db,
  actor: Actor,
  selection: Selection,
  { apply, summary }: BulkWrite,
): Promise<number> {
  return writeTransaction(db, actor, async (tx) => {
    let total = 0;
    const isSummarized =
      'filter' in selection && (await countRedirects(tx, actor, selection.filter)) > MAX_IDS;
    for (const websiteId of await selectWebsites(tx, actor, selection)) {
      const website = await lockWebsite(tx, actor, websiteId);
      const touched = new Set<Environment>();
      let count = 0;
      for await (const rows of selectBatches(tx, actor, websiteId, selection)) {
        const result = await apply(tx, website, rows);
        for (const environment of result.touched) touched.add(environment);
        if (!isSummarized) await publishEvents(tx, actor, website.now, result.events());
        count += rows.length;
      }
      if (isSummarized) await publishEvents(tx, actor, website.now, [{ ...summary(count), websiteId }]);
      await queueAutomaticDeployments(tx, actor, website, [...touched]);
      total += count;
    }
    return total;
  });
}

function assertValid(plans: PlannedChange[]): void {
  const issues = plans.flatMap((plan) =>
    plan.issues.map((issue) => ({ ...issue, message: `redirect ${plan.row.id}: ${issue.message}` })),
  );
  if (issues.length > 0) throw validationError(issues.slice(0, MAX_ISSUES));
}

async function updateRows(tx: Tx, website: LockedWebsite, plans: PlannedChange[]): Promise<void> {
  if (plans.length === 0) return;
  const patterns = plans.flatMap((plan) => (plan.newPattern ? [plan.newPattern] : []));
  if (patterns.length > 0) await assertPatternLimit(tx, website.id, patterns);
  const rows = plans.map(({ row }) => ({
    id: row.id,
    key: row.key,
    status_code: row.statusCode,
    is_regex: row.isRegex,
    group_id: row.groupId,
    notes: row.notes,
    rev: row.rev,
    in_prod: row.inProd,
    in_staging: row.inStaging,
    in_dev: row.inDev,
    updated_at: row.updatedAt,
  }));
  try {
    await tx.execute(sql`
      update redirects r set key = c.key, status_code = c.status_code, is_regex = c.is_regex, group_id = c.group_id,
        notes = c.notes, rev = c.rev, in_prod = c.in_prod, in_staging = c.in_staging, in_dev = c.in_dev, updated_at = c.updated_at
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as c(id bigint, key text, status_code smallint, is_regex boolean,
        group_id text, notes text, rev int, in_prod int, in_staging int, in_dev int, updated_at timestamptz)
      where r.website_id = ${website.id} and r.id = c.id`);
  } catch (error) {
    if (!isUniqueViolation(error, 'redirects_website_id_key_key')) throw error;
    throw new DomainError('CONFLICT', 'A redirect with the same path already exists', {
      details: 'is_regex: the change would give two redirects the same path; change them one by one',
    });
  }
}
