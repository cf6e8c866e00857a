/** SQL queries for the revisions of a website that changed certain redirects. */
import { type SQL, sql } from '../../db/drizzle.ts';
import { ruleKey } from '../../resolver/rule.ts';

/**
 * The last revisions below `before` that changed the redirect `id`: each ends a former state. The first state, or the
 * current redirect if no former state has ended a rule, began when the redirect was created. `limit` null: all of them.
 */
export function revisionsOf(
  websiteId: number | SQL,
  id: SQL,
  { before, limit }: { before: number | null; limit: number | null },
): SQL {
  const states = sql`redirect_revisions v where v.website_id = ${websiteId}::int and v.redirect_id = ${id}`;
  const isBefore = (revision: SQL): SQL => sql`(${before}::int is null or ${revision} < ${before}::int)`;
  return sql`
    (select v.rev_to as revision from ${states} and ${isBefore(sql`v.rev_to`)} order by v.rev_to desc limit ${limit}::int)
    union
    (select first.revision from (
      select coalesce((select v.rev_from from ${states} and v.rev_from < v.rev_to order by v.rev_to limit 1),
        (select r.rev from redirects r where r.website_id = ${websiteId}::int and r.id = ${id})) as revision) first
      where ${isBefore(sql`first.revision`)})`;
}

/**
 * The last revisions below `before` that changed a redirect which has the path, or had it. Uses indexes only, whatever
 * the size of the changes.
 */
export function revisionsOfPath(
  websiteId: number | SQL,
  oldPath: string,
  page: { before: number | null; limit: number | null },
): SQL {
  // A path and a pattern may have the same text.
  const keys = sql`${sql.param([...new Set([oldPath, ruleKey(oldPath, false)])])}::text[]`;
  const website = sql`website_id = ${websiteId}::int`;
  return sql`
    select p.revision from (
      select id from redirects where ${website} and key = any(${keys})
      union
      select redirect_id from redirect_revisions
        where ${website} and hashtextextended(key, 0) = any(select hashtextextended(k, 0) from unnest(${keys}) k)
          and key = any(${keys})) ids
    cross join lateral (${revisionsOf(websiteId, sql`ids.id`, page)}) p`;
}
