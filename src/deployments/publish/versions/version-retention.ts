import type { Db } from '../../../db/connection/client.ts';
import { sql } from '../../../db/drizzle.ts';

/** Versions of an environment that are retained at any age, the live one included. */
export const RETAINED_VERSIONS = 100;
/** Days for which every version is retained. */
export const RETAINED_DAYS = 90;

/**
 * SQL condition: version `v` of environment `we` can be published again. A version that is retained now always was, so
 * pruning never removes what a later call needs.
 */
export const isRetained = sql.raw(
  `(v.version > we.live_version - ${RETAINED_VERSIONS} or v.deployed_at > clock_timestamp() - interval '${RETAINED_DAYS} days')`,
);

/** Rows of one delete. Its locks and its WAL stay short. */
const BATCH = 5_000;
/** Websites that one step checks. */
const PAGE = 100;

type PrunableWebsite = {
  id: number;
  /** no version needs a redirect revision that ended here or before; null if none can be deleted */
  until: number | null;
};

/**
 * Deletes at most one batch of the redirect revisions that neither a retained version nor a retained change needs. Continues
 * after the website `after`. Returns the `after` of the next step, or 0 at the end. Several processes may run it at a time.
 *
 * The rows of `versions` stay: deployed_to_* is derived from them, and they are as small as their deployments.
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
 * Needed are the retained versions of every environment, the queued ones, and the former states of every change. Skips a website with a running
 * deployment, because the revision that it reads is not stored. A deployment that starts later reads a retained version
 * or a newer revision, so the result stays valid.
 */
async function readPage(db: Db, after: number): Promise<PrunableWebsite[]> {
  const { rows } = await db.execute<PrunableWebsite>(sql`
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
          where we.website_id = page.id),
        (select min(c.revision) - 1 from changes c where c.website_id = page.id)) as rev
      from page
      where not exists (select 1 from website_environments we where we.website_id = page.id and we.running is not null))
    select page.id, (select needed.rev from needed where needed.id = page.id and exists (
      select 1 from redirect_revisions r where r.website_id = page.id and r.rev_to <= needed.rev)) as until
    from page order by page.id`);
  return rows;
}
