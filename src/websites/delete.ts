import { eq, sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { redirects, websiteHosts, websites } from '../db/schema.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import { changedNow } from './store.ts';
import { lockWebsite, writeTransaction } from './write-website.ts';

/**
 * Deletes a website: its hosts stop at once (and are free for others), its rows go in the background (purge.ts).
 * CONFLICT where it has redirects and `force` is not given.
 */
export async function deleteWebsite(db: Db, actor: Actor, id: number, force: boolean): Promise<void> {
  await writeTransaction(db, actor, async (tx) => {
    await lockWebsite(tx, actor, id);
    const [first] = await tx
      .select({ id: redirects.id })
      .from(redirects)
      .where(eq(redirects.websiteId, id))
      .limit(1);
    if (first && !force) {
      throw new DomainError('CONFLICT', 'The website has redirects', {
        details:
          'Delete its redirects first, or say ?force=true to delete them with it; that cannot be taken back',
      });
    }
    await tx.delete(websiteHosts).where(eq(websiteHosts.websiteId, id));
    await tx
      .update(websites)
      .set({ deletingSince: sql`clock_timestamp()`, changedAt: changedNow })
      .where(eq(websites.id, id));
  });
}

/** Rows of one delete: short enough that nobody waits for its locks or its WAL. */
const BATCH = 5_000;

/** Deleted websites are kept this long, so that every process has seen the deletion before the row goes. */
const GRACE = sql`interval '1 minute'`;

const LARGE_TABLES = [
  'redirects',
  'redirect_revisions',
  'versions',
  'deployments',
  'redirect_days',
  'redirect_groups',
  'redirect_hits',
  'website_hits',
  'redirect_activity',
  'not_found',
  'not_found_other',
] as const;

/**
 * One step of removing what deleted websites left: at most one batch. True while there is more to do, so that the caller
 * comes back at once; safe on several processes at a time.
 */
export async function purgeDeletedWebsites(db: Db): Promise<boolean> {
  const { rows } = await db.execute<{ id: number; over: boolean }>(
    sql`select id, deleting_since < now() - ${GRACE} as over from websites where deleting_since is not null order by id limit 10`,
  );
  for (const { id, over } of rows) {
    for (const table of LARGE_TABLES) {
      const name = sql.identifier(table);
      const { rowCount } = await db.execute(
        // The website once more: a row of another partition may have the same ctid.
        sql`delete from ${name} where website_id = ${id}
          and ctid = any(array(select ctid from ${name} where website_id = ${id} limit ${BATCH}))`,
      );
      if (rowCount) return true;
    }
    if (over) await db.execute(sql`delete from websites where id = ${id} and deleting_since is not null`);
  }
  return false;
}
