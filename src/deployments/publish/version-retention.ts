import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';

/** Versions of an environment that can be gone back to whatever their age, the live one included. */
export const KEPT_VERSIONS = 100;
/** And whatever their number. */
export const KEPT_DAYS = 90;

/**
 * True for a row `v` of versions whose rules can be read again, beside `we`, the row of its environment. What is kept at one moment
 * was kept at every moment before: a step of the retention takes nothing that a later call may ask for.
 */
export const isRetained = sql.raw(
  `(v.version > we.live_version - ${KEPT_VERSIONS} or v.deployed_at > clock_timestamp() - interval '${KEPT_DAYS} days')`,
);

/** Rows of one delete: short enough that nobody waits for its locks or its WAL. */
const BATCH = 5_000;
/** Websites that one step looks at. */
const PAGE = 100;

interface Row extends Record<string, unknown> {
  id: number;
  /** every revision that ended at this one or before is needed by nothing; null where there is none */
  until: number | null;
}

/**
 * One step of forgetting what redirects were before the oldest version that can still be published: at most one batch. Goes on behind
 * the website `after`, and answers where the next step goes on, or 0 at the end. Safe on several processes at a time.
 *
 * The versions themselves are kept: they are what deployed_to_* is derived from, and as small as their deployments.
 */
export async function pruneRevisions(db: Db, after: number): Promise<number> {
  const rows = await readPage(db, after);
  for (const { id, until } of rows) {
    if (until === null) continue;
    const { rowCount } = await db.execute(sql`
      delete from redirect_revisions where ctid = any(array(
        select ctid from redirect_revisions where website_id = ${id} and rev_to <= ${until} limit ${BATCH}))`);
    return rowCount === BATCH ? id - 1 : id;
  }
  return rows.at(-1)?.id ?? 0;
}

/**
 * Needed are the kept versions of every environment, and those that wait to be published. A website with a deployment under way is left
 * for the next time: which revision that one reads is written nowhere. One that begins after this was read publishes a kept version or
 * a revision that is newer than all that ended, so that the answer stays right however late it is acted on.
 */
async function readPage(db: Db, after: number): Promise<Row[]> {
  const { rows } = await db.execute<Row>(sql`
    with page as (
      select id, head_rev from websites where id > ${after} and deleting_since is null order by id limit ${PAGE}),
    needed as (
      select page.id, least(
        coalesce((select min(v.rules_rev) from website_environments we
          join versions v on v.website_id = we.website_id and v.environment = we.environment
          where we.website_id = page.id and ${isRetained}), page.head_rev),
        (select min(v.rules_rev) from website_environments we
          join deployments d on d.id = we.queued or d.id = any(we.queued_after)
          join versions v on v.website_id = d.website_id and v.environment = d.source_environment
            and v.version = d.source_version
          where we.website_id = page.id)) as rev
      from page
      where not exists (select 1 from website_environments we where we.website_id = page.id and we.running is not null))
    select page.id, (select needed.rev from needed where needed.id = page.id and exists (
      select 1 from redirect_revisions r where r.website_id = page.id and r.rev_to <= needed.rev)) as until
    from page order by page.id`);
  return rows;
}
