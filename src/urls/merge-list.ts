/** Merges staged rows into a list. Every statement is over the set; unchanged rows are not written. */
import type { Queryable } from '../db/connection/client.ts';
import { sql, type SQL } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { URL_SOURCES } from '../vocabulary/urls.ts';
import { removedColumn } from './lock.ts';
import type { Stage } from './stage.ts';

export interface TargetList {
  id: number;
  websiteId: number;
  environment: Environment;
  name: string;
  /** before the merge */
  version: number;
  total: number;
}

export interface MergeCounts {
  added: number;
  revived: number;
  unchanged: number;
  removed: number;
  notLiving: number;
}

/** The rows of `urls` that a merge wrote. */
export interface Written {
  created: number;
  /** URLs that only visitors had added, and that are in a file now */
  adopted: number;
  updated: number;
}

/**
 * Unites the rows of the same URL: the first one stays, living if one of them is, with the sums of clicks and backlinks.
 * Returns the number of rows taken away, with the first ten URLs and the parameters that were cut.
 */
export async function uniteDuplicates(tx: Queryable, { table, hasDuplicates }: Pick<Stage, 'table' | 'hasDuplicates'>) {
  const none = { merged: 0, mergedExamples: [] as string[], mergedParameters: [] as string[] };
  if (!hasDuplicates) return none;
  const stage = sql.identifier(table);
  const [row] = await queryRows<{ merged: number; mergedExamples: string[] | null; mergedParameters: string[] | null }>(
    tx,
  )`
    with groups as materialized (
      select url, min(n) as first, count(*)::int - 1 as more, bit_or(flags) as flags, sum(clicks) as clicks,
        case when bit_or(flags) & 2 > 0 then sum(links) else max(links) end as links,
        coalesce(string_agg(cut, '&'), '') as cut
      from ${stage} group by url having count(*) > 1),
    united as (
      update ${stage} s set flags = g.flags, clicks = g.clicks, links = g.links
      from groups g where s.url = g.url and s.n = g.first),
    dropped as (
      delete from ${stage} s using groups g where s.url = g.url and s.n > g.first)
    select coalesce(sum(more), 0)::int as merged,
      (select array_agg(url order by first) from (select url, first from groups order by first limit 10) e)
        as merged_examples,
      (select array_agg(distinct name order by name) from (
        select name from groups, regexp_split_to_table(cut, '&') as name where name <> '' limit 1000) p)
        as merged_parameters
    from groups`;
  const { merged = 0, mergedExamples, mergedParameters } = row ?? none;
  return { merged, mergedExamples: mergedExamples ?? [], mergedParameters: mergedParameters ?? [] };
}

/** Counts the changes of a merge. A URL that the list or the environment has lost before is revived. */
export async function countMerge(tx: Queryable, list: TargetList, { table }: Pick<Stage, 'table'>) {
  const stage = sql.identifier(table);
  const isInList = sql`${list.id} = any(u.lists)`;
  // Hashed once, whatever the statistics say: a join of changes that are not analyzed yet would be a nested loop.
  const leftBefore = sql`u.id in (select distinct url_id from url_list_changes where list_id = ${list.id} and added = 0)`;
  const wasRemoved = sql`(u.${removedColumn(list.environment)} is not null or ${leftBefore})`;
  const [counts] = await queryRows<Omit<MergeCounts, 'removed'> & { living: number }>(tx)`
    select count(*) filter (where s.flags & 1 = 1)::int as living,
      count(*) filter (where s.flags & 1 = 0)::int as not_living,
      count(*) filter (where s.flags & 1 = 1 and ${isInList})::int as unchanged,
      count(*) filter (where s.flags & 1 = 1 and not ${isInList} and ${wasRemoved})::int as revived
    from ${stage} s left join urls u on u.website_id = ${list.websiteId} and u.url = s.url`;
  const { living = 0, notLiving = 0, unchanged = 0, revived = 0 } = counts ?? {};
  return { living, notLiving, unchanged, revived, added: living - unchanged - revived };
}

/** Creates and changes the URLs of the stage. `list`: living rows are put into it, with what a later restore needs. */
export async function writeUrls(
  tx: Queryable,
  { websiteId, visitorUrls }: { websiteId: number; visitorUrls: number },
  { table }: Pick<Stage, 'table'>,
  { list, source, rows }: { list?: TargetList; source: keyof typeof URL_SOURCES; rows: number },
): Promise<Written> {
  const stage = sql.identifier(table);
  const bit = URL_SOURCES[source];
  const adopted = visitorUrls > 0 ? await countAdopted(tx, websiteId, table) : 0;
  const lists = list ? sql`case when s.flags & 1 = 1 then array[${list.id}::int] else '{}' end` : sql`'{}'::int[]`;
  const inserted = sql`
    insert into urls (website_id, url, raw_url, title, description, headline, clicks, links, lists, sources)
    select ${websiteId}::int, s.url, s.raw_url, s.title, s.description, s.headline, s.clicks, s.links, ${lists}, ${bit}::smallint
    from ${stage} s where not exists (select from urls u where u.website_id = ${websiteId} and u.url = s.url)
    order by s.url`;
  // The first state of a list has none before it, so nothing of it is recorded.
  const { rowCount: created } = await tx.execute(
    list && list.version > 0
      ? recording(list, sql`${inserted} returning id, lists`, sql`cardinality(lists) > 0`, 1)
      : inserted,
  );
  if ((created ?? 0) >= rows) return { created: created ?? 0, adopted: 0, updated: 0 };
  const updated = await updateUrls(tx, websiteId, table, list, bit);
  return { created: created ?? 0, adopted, updated };
}

/** The URLs of the stage that only visitors had added. */
async function countAdopted(tx: Queryable, websiteId: number, table: string): Promise<number> {
  const [adopted] = await queryRows<{ count: number }>(tx)`
    select count(*)::int as count from ${sql.identifier(table)} s
      join urls u on u.website_id = ${websiteId} and u.url = s.url
    where u.sources = ${URL_SOURCES.visitors}::smallint`;
  return adopted?.count ?? 0;
}

/** A statement whose rows `id` that meet the condition are recorded as changes of the list's next version. */
function recording(list: TargetList, statement: SQL, condition: SQL, added: 0 | 1): SQL {
  return sql`
    with written as (${statement}), recorded as (
      insert into url_list_changes (list_id, version, url_id, website_id, added)
      select ${list.id}::int, ${list.version + 1}::int, id, ${list.websiteId}::int, ${added}::smallint
      from written where ${condition})
    select id from written`;
}

/** The newest values stand; a value that the file lacks stays. */
async function updateUrls(
  tx: Queryable,
  websiteId: number,
  table: string,
  list: TargetList | undefined,
  bit: number,
): Promise<number> {
  const stage = sql.identifier(table);
  const joins = list ? sql`s.flags & 1 = 1 and not ${list.id} = any(u.lists)` : sql`false`;
  const removed = list && removedColumn(list.environment);
  const revives = removed ? sql`, ${removed} = case when s.flags & 1 = 1 then null else u.${removed} end` : sql``;
  const isRevived = removed ? sql`s.flags & 1 = 1 and u.${removed} is not null` : sql`false`;
  const value = (column: string): SQL =>
    sql`${sql.identifier(column)} = coalesce(s.${sql.identifier(column)}, u.${sql.identifier(column)})`;
  const values = sql.join(['title', 'description', 'headline', 'clicks', 'links'].map(value), sql`, `);
  if (list && list.version > 0) {
    await tx.execute(sql`
      insert into url_list_changes (list_id, version, url_id, website_id, added)
      select ${list.id}::int, ${list.version + 1}::int, u.id, ${websiteId}::int, 1
      from ${stage} s join urls u on u.website_id = ${websiteId} and u.url = s.url where ${joins}
      on conflict do nothing`);
  }
  const { rowCount } = await tx.execute(sql`
    update urls u set ${values}, sources = u.sources | ${bit}::smallint, last_seen_at = now(),
      lists = case when ${joins} then array_append(u.lists, ${list?.id ?? 0}::int) else u.lists end ${revives}
    from ${stage} s where u.website_id = ${websiteId} and s.url = u.url and (${joins} or ${isRevived}
      or u.sources & ${bit}::smallint = 0 or (s.title is not null and s.title is distinct from u.title)
      or (s.description is not null and s.description is distinct from u.description)
      or (s.headline is not null and s.headline is distinct from u.headline)
      or (s.clicks is not null and s.clicks is distinct from u.clicks)
      or (s.links is not null and s.links is distinct from u.links))`);
  return rowCount ?? 0;
}

/** Takes the URLs out of the list that are not living in the stage. Returns their number. */
export async function removeFromList(
  tx: Queryable,
  list: TargetList,
  { table }: Pick<Stage, 'table'>,
): Promise<number> {
  const isGone = sql`not exists (
    select from ${sql.identifier(table)} s where s.url = u.url and s.flags & 1 = 1)`;
  return takeOut(tx, list, isGone);
}

/** Takes the URLs `u` of the list that meet the condition out of it. */
export async function takeOut(tx: Queryable, list: TargetList, condition: SQL): Promise<number> {
  const removed = removedColumn(list.environment);
  const statement = sql`
    update urls u set lists = array_remove(u.lists, ${list.id}::int), last_seen_at = now(),
      ${removed} = case when u.lists && array(select l.id from url_lists l where l.website_id = ${list.websiteId}
        and l.environment = ${list.environment} and l.id <> ${list.id}) then null else now() end
    where u.website_id = ${list.websiteId} and ${list.id} = any(u.lists) and ${condition} returning u.id`;
  const { rowCount } = await tx.execute(recording(list, statement, sql`true`, 0));
  return rowCount ?? 0;
}
