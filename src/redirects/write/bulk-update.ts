import { sql } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { isUniqueViolation } from '../../db/errors.ts';
import { queueAutomaticDeployments } from '../../deployments/publish/queue.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { DomainError, type Issue, validationError } from '../../vocabulary/error.ts';
import { publishEvents } from '../../events/outbox.ts';
import { type LockedWebsite, lockWebsite, writeTransaction } from '../../websites/write-website.ts';
import { type PlannedChange, planChange, type RedirectChange } from '../rule/change.ts';
import { refuseTooManyPatterns } from '../rule/pattern-limit.ts';
import { countSelected, MAX_IDS, type Selection, selectBatches, websitesOf } from './selection.ts';
import { updatedEvent } from './update.ts';

/** Broken rules that one refusal lists. */
const SHOWN_ISSUES = 20;

/**
 * Changes every selected redirect in one transaction, batch by batch, and answers how many were selected. One event for each
 * that changed; over 10,000 matches of a filter one event says what was done (`bulk`). A redirect that the change would break
 * refuses the whole call.
 */
export async function bulkUpdateRedirects(
  db: Db,
  actor: Actor,
  input: { selection: Selection; change: RedirectChange; bulk: Record<string, unknown> },
): Promise<number> {
  const { selection, change } = input;
  return writeTransaction(db, actor, async (tx) => {
    let updated = 0;
    const asOne = 'filter' in selection && (await countSelected(tx, actor, selection)) > MAX_IDS;
    for (const websiteId of await websitesOf(tx, actor, selection)) {
      const website = await lockWebsite(tx, actor, websiteId);
      const touched = new Set<Environment>();
      let count = 0;
      for await (const batch of selectBatches(tx, actor, websiteId, selection)) {
        const plans = batch.map((row) => ({ before: row, plan: planChange(row, change, website) }));
        await applyPlans(
          tx,
          website,
          plans.map(({ plan }) => plan),
        );
        const changes = plans.filter(({ plan }) => plan.changed.length > 0);
        for (const { plan } of changes) for (const environment of plan.touched) touched.add(environment);
        if (!asOne) {
          await publishEvents(
            tx,
            actor,
            website.now,
            changes.map(({ before, plan }) => updatedEvent(before, plan)),
          );
        }
        count += batch.length;
      }
      if (asOne) {
        await publishEvents(tx, actor, website.now, [
          {
            event: 'redirect.updated',
            websiteId,
            data: { redirect: null, previous: null, bulk: { ...input.bulk, count } },
          },
        ]);
      }
      await queueAutomaticDeployments(tx, actor, website, [...touched]);
      updated += count;
    }
    return updated;
  });
}

async function applyPlans(tx: Tx, website: LockedWebsite, plans: PlannedChange[]): Promise<void> {
  refuseBroken(plans);
  const changed = plans.filter((plan) => plan.changed.length > 0);
  if (changed.length === 0) return;
  const patterns = changed.flatMap((plan) => (plan.newPattern ? [plan.newPattern] : []));
  if (patterns.length > 0) await refuseTooManyPatterns(tx, website.id, patterns);
  const rows = changed.map(({ row }) => ({
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
      details:
        'is_regex: with the change, two of the redirects would stand for the same path; change them one by one',
    });
  }
}

function refuseBroken(plans: PlannedChange[]): void {
  const issues: Issue[] = plans.flatMap((plan) =>
    plan.issues.map((issue) => ({ ...issue, message: `redirect ${plan.row.id}: ${issue.message}` })),
  );
  if (issues.length > 0) throw validationError(issues.slice(0, SHOWN_ISSUES));
}
