import { recordAudit } from '../accounts/audit.ts';
import type { Db } from '../db/connection/client.ts';
import { eq, sql } from '../db/drizzle.ts';
import { redirects } from '../db/schema/redirects.ts';
import { websiteHosts, websites } from '../db/schema/websites.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import { listedHosts, websiteTarget } from './audit-change.ts';
import { changedNow } from './store.ts';
import { requireWebsite } from './website.ts';
import { lockWebsite, writeTransaction } from './write-website.ts';

/**
 * Deletes a website. Its hosts stop and become free immediately; purgeDeletedWebsites deletes its rows. Throws CONFLICT
 * if it has redirects and `force` is false.
 */
export async function deleteWebsite(db: Db, actor: Actor, id: number, force: boolean): Promise<void> {
  await writeTransaction(db, actor, async (tx) => {
    await lockWebsite(tx, actor, id);
    const website = await requireWebsite(tx, actor, id);
    const [first] = await tx.select({ id: redirects.id }).from(redirects).where(eq(redirects.websiteId, id)).limit(1);
    if (first && !force) {
      throw new DomainError('CONFLICT', 'The website has redirects', {
        details: 'Delete its redirects first, or add ?force=true to delete them too; this cannot be undone',
      });
    }
    await tx.delete(websiteHosts).where(eq(websiteHosts.websiteId, id));
    await tx
      .update(websites)
      .set({ deletingSince: sql`clock_timestamp()`, changedAt: changedNow })
      .where(eq(websites.id, id));
    await tx.execute(sql`
      update checks set status = 'stopped', next_at = null, lease = null, ended_at = now()
      where website_id = ${id} and status in ('queued', 'running')`);
    const { hosts, ...more } = listedHosts(website.hosts);
    const details = { hosts: hosts.map(({ hostname }) => hostname), ...more };
    await recordAudit(tx, actor, { action: 'website.deleted', target: websiteTarget(website), details });
  });
}

/** Rows per delete, so that its locks and WAL are small. */
const BATCH_SIZE = 5_000;

/** Time for every process to see the deletion before the row is deleted. */
const GRACE_PERIOD = sql`interval '1 minute'`;

/** Tables without a foreign key to websites. */
const PARTS = [
  'redirects',
  'redirect_revisions',
  'changes',
  'versions',
  'version_bounds',
  'version_hosts',
  'deployments',
  'deployment_failures',
  'expectations',
  'redirect_days',
  'redirect_groups',
  'saved_views',
  'redirect_hits',
  'website_hits',
  'website_hours',
  'redirect_activity',
  'not_found',
  'not_found_other',
  'named_hits',
  'hit_reports',
  'not_found_hours',
  'lost_url_watches',
  'feed_agents',
  'user_websites',
  'urls',
  'url_lists',
  'url_list_versions',
  'url_list_changes',
  'url_uploads',
  'url_upload_parts',
  'url_upload_rows',
  'url_accepted_losses',
  'url_hits',
  'log_bodies',
  'log_days',
  'url_counts',
  'move_step_rows',
  'move_steps',
  'move_rules',
  'move_suggestions',
  'move_candidates',
  'move_rows',
  'moves',
  'check_rules',
  'check_targets',
  'checks',
  'check_credentials',
  'check_starts',
  'target_states',
] as const;

/**
 * Deletes at most one batch of rows of deleted websites. Returns true if there may be more; call it again then. Safe to
 * run in several processes at a time.
 */
export async function purgeDeletedWebsites(db: Db): Promise<boolean> {
  const { rows } = await db.execute<{ id: number; is_over: boolean }>(
    sql`select id, deleting_since < now() - ${GRACE_PERIOD} as is_over from websites where deleting_since is not null order by id limit 10`,
  );
  for (const { id, is_over: isOver } of rows) {
    for (const table of PARTS) {
      const name = sql.identifier(table);
      const { rowCount } = await db.execute(
        // Repeats the condition on the website, because a row of another partition may have the same ctid.
        sql`delete from ${name} where website_id = ${id}
          and ctid = any(array(select ctid from ${name} where website_id = ${id} limit ${BATCH_SIZE}))`,
      );
      if (rowCount) return true;
    }
    if (await deleteImports(db, id)) return true;
    if (isOver && !(await deleteRow(db, id))) return true;
  }
  return false;
}

/** Deletes the row of a purged website. Returns false if there are rows to purge again. */
async function deleteRow(db: Db, id: number): Promise<boolean> {
  return db.transaction(async (tx) => {
    // Waits for a first push of URLs that began before the deletion: no other row of it is visible yet.
    const lock = await tx.execute(sql`insert into url_counts (website_id) values (${id}) on conflict do nothing`);
    if (!lock.rowCount) return false;
    await tx.execute(sql`delete from url_counts where website_id = ${id}`);
    await tx.execute(sql`delete from websites where id = ${id} and deleting_since is not null`);
    return true;
  });
}

/**
 * Deletes a batch of the website's imports and their errors; returns true if there may be more. A running import still
 * writes errors, so it is deleted when it ends or, if the website is gone by then, after its retention.
 */
async function deleteImports(db: Db, websiteId: number): Promise<boolean> {
  const ended = sql`select id from imports where website_id = ${websiteId} and status <> 'running'`;
  const errors = await db.execute(sql`delete from import_errors where ctid = any(array(
    select ctid from import_errors where import_id in (${ended}) limit ${BATCH_SIZE}))`);
  if (errors.rowCount) return true;
  const { rowCount } = await db.execute(sql`delete from imports where id in (${ended} limit ${BATCH_SIZE})`);
  return Boolean(rowCount);
}
