/** Adds the unmatched paths of visitors to the known URLs, and deletes those that get no requests any more. */
import type { Db } from '../db/connection/client.ts';
import { sql, type SQL } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { URL_SOURCES } from '../vocabulary/urls.ts';
import { addToCounts, lockUrls, unlessLocked } from './lock.ts';

/** Hits by people before a path is added. */
const MIN_HITS = 2;
/** URLs of one website that only visitors added. */
const MAX_VISITOR_URLS = 10_000;
const UNUSED_DAYS = 90;
const MAX_WEBSITES = 50;
/** A request changes `last_seen_at` at most once a day. */
const SEEN_EVERY = sql`interval '1 day'`;

const VISITORS = URL_SOURCES.visitors;

/**
 * A path that may name a person: one with an @, or with a run of more than 32 letters, digits, _ and = that has a digit.
 * Truncated paths end in an ellipsis.
 */
const isPrivate = (path: SQL): SQL =>
  sql`(${path} like '%@%' or ${path} like '%…' or exists (
    select from regexp_matches(${path}, '[A-Za-z0-9_=]{33,}', 'g') as run where run[1] ~ '[0-9]'))`;

/**
 * Looks at the websites with new unmatched requests. Returns true if more wait. Safe to run in several processes at a
 * time.
 */
export async function addKnownFromVisitors(db: Db): Promise<boolean> {
  const found = await queryRows<{ websiteId: number; unmatched: number }>(db)`
    select h.website_id, sum(h.unmatched)::float8 as unmatched from website_hits h
    join websites w on w.id = h.website_id and w.deleting_since is null
    left join url_counts c on c.website_id = h.website_id
    where h.day >= (now() at time zone 'UTC')::date - 1 group by h.website_id, c.unmatched
    having sum(h.unmatched) <> coalesce(c.unmatched, 0) order by h.website_id limit ${MAX_WEBSITES}`;
  for (const { websiteId, unmatched } of found) await unlessLocked(() => addOf(db, websiteId, unmatched));
  return found.length === MAX_WEBSITES;
}

async function addOf(db: Db, websiteId: number, unmatched: number): Promise<void> {
  await db.transaction(async (tx) => {
    const { visitorUrls } = await lockUrls(tx, websiteId);
    const paths = sql`select n.path as url, max(n.last_seen_at) as seen, sum(n.hits) as hits from not_found n
      where n.website_id = ${websiteId} and n.hits >= ${MIN_HITS} and not n.noise group by n.path`;
    await tx.execute(sql`
      update urls u set last_seen_at = n.seen from (${paths}) n
      where u.website_id = ${websiteId} and u.url = n.url and u.sources = ${VISITORS}::smallint
        and n.seen > u.last_seen_at + ${SEEN_EVERY}`);
    const { rowCount } = await tx.execute(sql`
      insert into urls (website_id, url, sources, first_seen_at, last_seen_at)
      select ${websiteId}::int, n.url, ${VISITORS}::smallint, n.seen, n.seen from (${paths}) n
      where not ${isPrivate(sql`n.url`)} and not exists (
        select from urls u where u.website_id = ${websiteId} and u.url = n.url)
      order by n.hits desc, n.url limit ${Math.max(0, MAX_VISITOR_URLS - visitorUrls)}`);
    await addToCounts(tx, websiteId, { urls: rowCount ?? 0, visitorUrls: rowCount ?? 0 });
    await queryRows(tx)`update url_counts set unmatched = ${unmatched} where website_id = ${websiteId}`;
  });
}

/** Deletes URLs that only visitors added, and that had no request for 90 days. */
export async function purgeVisitorUrls(db: Db): Promise<void> {
  const websites = await queryRows<{ websiteId: number }>(db)`
    select website_id from url_counts where visitor_urls > 0 order by website_id`;
  for (const { websiteId } of websites) await unlessLocked(() => purgeOf(db, websiteId));
}

async function purgeOf(db: Db, websiteId: number): Promise<void> {
  await db.transaction(async (tx) => {
    await lockUrls(tx, websiteId);
    const { rowCount } = await tx.execute(sql`
      delete from urls where website_id = ${websiteId} and sources = ${sql.raw(String(VISITORS))}
        and last_seen_at < now() - make_interval(days => ${UNUSED_DAYS})`);
    const deleted = rowCount ?? 0;
    if (deleted > 0) await addToCounts(tx, websiteId, { urls: -deleted, visitorUrls: -deleted });
  });
}
