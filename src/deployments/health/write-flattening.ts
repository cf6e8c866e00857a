import { sql } from '../../db/drizzle.ts';
import type { Db, Tx } from '../../db/client.ts';
import { planChange, type PlannedChange } from '../../redirects/change.ts';
import type { RedirectRow } from '../../redirects/redirect.ts';
import { MAX_IDS } from '../../redirects/select.ts';
import { updatedEvent } from '../../redirects/updated-event.ts';
import { queueAutomaticDeployments } from '../../versions/queue.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { publishEvents } from '../../webhooks/outbox.ts';
import { requireWebsite, type Website } from '../../websites/website.ts';
import { type LockedWebsite, lockWebsite, writeTransaction } from '../../websites/write-website.ts';
import { createPace } from './pace.ts';
import { type Flattening, rowsOf } from './plan-flattening.ts';
import type { WorkingRules } from './working-rules.ts';

/** Writes what was planned; false, and nothing is changed, where the website is no longer what it was planned from. */
export async function writeFlattening(db: Db, actor: Actor, plan: Flattening): Promise<boolean> {
  if (plan.ids.length === 0)
    return isUnchanged(await requireWebsite(db, actor, plan.rules.website.id), plan.rules);
  return writeTransaction(db, actor, async (tx) => {
    const website = await lockWebsite(tx, actor, plan.rules.website.id);
    const before = { ...(await requireWebsite(tx, actor, website.id)), headRev: website.rev - 1 };
    if (!isUnchanged(before, plan.rules)) return false;
    const asOne = plan.ids.length > MAX_IDS;
    const touched = new Set<Environment>();
    const pace = createPace();
    for await (const rows of rowsOf(tx, website.id, plan.ids)) {
      const changes: { before: RedirectRow; plan: PlannedChange }[] = [];
      for (const row of rows) {
        if (pace.isDue()) await pace.rest();
        changes.push({ before: row, plan: changeOf(plan, row, website) });
      }
      await store(
        tx,
        website.id,
        changes.map((change) => change.plan.row),
      );
      for (const change of changes) for (const environment of change.plan.touched) touched.add(environment);
      if (!asOne) {
        const events = changes.map((change) => updatedEvent(change.before, change.plan));
        await publishEvents(tx, actor, website.now, events);
      }
    }
    if (asOne) await publishOne(tx, actor, website, plan);
    await queueAutomaticDeployments(tx, actor, website, [...touched]);
    return true;
  });
}

/** Are the redirects, and how they are matched, still those that the rules were made from? */
export function isUnchanged(now: Website, { website, at }: WorkingRules): boolean {
  const matching = ({ caseSensitive, trailingSlash, query, allowedTargetHosts, hosts }: Website): string =>
    JSON.stringify([caseSensitive, trailingSlash, query, allowedTargetHosts, hosts]);
  return now.headRev === at.rulesRev && matching(now) === matching(website);
}

function changeOf(plan: Flattening, row: RedirectRow, website: LockedWebsite): PlannedChange {
  const flat = plan.decide(row);
  if (!flat || 'reason' in flat) throw new Error(`redirect ${row.id} changed under its website's lock`);
  return planChange(row, { newPath: flat.newPath }, website);
}

async function store(tx: Tx, websiteId: number, rows: RedirectRow[]): Promise<void> {
  const values = rows.map(({ id, newPath, rev, inProd, inStaging, inDev, updatedAt }) => ({
    id,
    new_path: newPath,
    rev,
    in_prod: inProd,
    in_staging: inStaging,
    in_dev: inDev,
    updated_at: updatedAt,
  }));
  await tx.execute(sql`
    update redirects r set new_path = c.new_path, rev = c.rev, in_prod = c.in_prod, in_staging = c.in_staging,
      in_dev = c.in_dev, updated_at = c.updated_at
    from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) as c(id bigint, new_path text, rev int, in_prod int,
      in_staging int, in_dev int, updated_at timestamptz)
    where r.website_id = ${websiteId} and r.id = c.id`);
}

/** As for other bulk calls; which targets they were given is different for each, so `updates` names none. */
async function publishOne(tx: Tx, actor: Actor, { id, now }: LockedWebsite, plan: Flattening): Promise<void> {
  const filter = { website_id: String(id), environment: plan.rules.environment };
  await publishEvents(tx, actor, now, [
    {
      event: 'redirect.updated',
      websiteId: id,
      data: { redirect: null, previous: null, bulk: { filter, updates: {}, count: plan.ids.length } },
    },
  ]);
}
