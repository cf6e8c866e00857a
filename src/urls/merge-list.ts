/** Merges staged rows into a list. Every statement is over the set; unchanged rows are not written. */
import type { PoolClient } from 'pg';
import { type Queryable, queryableOf } from '../db/connection/client.ts';
import { startCopyIn } from '../db/copy/copy-in.ts';
import { copyChunks, inlineSql } from '../db/copy/copy-rows.ts';
import { sql, type SQL } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { URL_SOURCES } from '../vocabulary/urls.ts';
import { removedColumn } from './lock.ts';
import { RAW_URL, type Stage } from './stage.ts';

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

/** Counts of rows to write. A statement without rows does not run, so a list that did not change costs one join. */
export interface ToWrite {
  created: number;
  /** of the URLs that exist */
  updated: number;
  /** of the URLs that exist, those that the list gets */
  joining: number;
  /** URLs that only visitors had added, and that are in a file now */
  adopted: number;
}

/** The place of the rows of a stage. Without a list they become `known`. */
export interface MergeTarget {
  websiteId: number;
  list?: TargetList;
  source: keyof typeof URL_SOURCES;
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

/**
 * Counts what a merge changes: in the list, and in `urls` (`toWrite`). A URL that the list or the environment has lost
 * before is revived.
 */
export async function countMerge(tx: Queryable, target: MergeTarget, { table }: Pick<Stage, 'table'>) {
  const { websiteId, list } = target;
  const { joins, isChanged } = conditions(target);
  const isLiving = sql`s.flags & 1 = 1`;
  // Hashed once, whatever the statistics say: a join of changes that are not analyzed yet would be a nested loop.
  const wasRemoved = list
    ? sql`(u.${removedColumn(list.environment)} is not null
        or u.id in (select distinct url_id from url_list_changes where list_id = ${list.id} and added = 0))`
    : sql`false`;
  const [counts] = await queryRows<Omit<MergeCounts, 'removed' | 'added'> & ToWrite & { living: number }>(tx)`
    select count(*) filter (where ${isLiving})::int as living,
      count(*) filter (where not ${isLiving})::int as not_living,
      count(*) filter (where ${isLiving} and u.id is not null and not ${joins})::int as unchanged,
      count(*) filter (where ${joins} and ${wasRemoved})::int as revived,
      count(*) filter (where u.id is null)::int as created,
      count(*) filter (where u.id is not null and ${isChanged})::int as updated,
      count(*) filter (where ${joins})::int as joining,
      count(*) filter (where u.sources = ${URL_SOURCES.visitors}::smallint)::int as adopted
    from ${sql.identifier(table)} s left join urls u on u.website_id = ${websiteId} and u.url = s.url`;
  if (!counts) throw new Error('an aggregate has no row');
  const { living, notLiving, unchanged, revived, ...toWrite } = counts;
  return { living, notLiving, unchanged, revived, added: living - unchanged - revived, toWrite };
}

const VALUES = ['title', 'description', 'headline', 'clicks', 'links'].map((column) => sql.identifier(column));

/** Conditions on a staged row `s` and its URL `u`, which may be null. A value that the file lacks stays. */
function conditions({ list, source }: MergeTarget): { joins: SQL; isChanged: SQL } {
  const joins = list ? sql`(s.flags & 1 = 1 and not ${list.id} = any(u.lists))` : sql`false`;
  const isRevived = list ? sql`(s.flags & 1 = 1 and u.${removedColumn(list.environment)} is not null)` : sql`false`;
  const differs = VALUES.map((column) => sql`(s.${column} is not null and s.${column} is distinct from u.${column})`);
  return {
    joins,
    isChanged: sql`(${joins} or ${isRevived} or u.sources & ${URL_SOURCES[source]}::smallint = 0
      or ${sql.join(differs, sql` or `)})`,
  };
}

/** The columns of a new URL, and their values of a staged row without one. Sorted, so that the indexes grow at their ends. */
function createdRows({ websiteId, list, source }: MergeTarget, table: string): { columns: string; rows: SQL } {
  const lists = list ? sql`case when s.flags & 1 = 1 then array[${list.id}::int] else '{}' end` : sql`'{}'::int[]`;
  return {
    columns: 'website_id, url, raw_url, title, description, headline, clicks, links, lists, sources',
    rows: sql`
      select ${websiteId}::int, s.url, ${RAW_URL}, s.title, s.description, s.headline,
        s.clicks, s.links, ${lists}, ${URL_SOURCES[source]}::smallint
      from (
        -- Without the offset, raw URLs are made before the sort, which then carries them.
        select * from ${sql.identifier(table)} s
        where not exists (select from urls u where u.website_id = ${websiteId} and u.url = s.url)
        order by url offset 0) s`,
  };
}

/**
 * Creates the URLs of a first push by COPY: `reader` sorts the rows while `client`, in the transaction, stores them. A
 * million takes a quarter less than by an insert. Both connections see the committed stage, which has no duplicates.
 */
export async function copyUrls(
  client: PoolClient,
  reader: PoolClient,
  target: MergeTarget,
  stage: Pick<Stage, 'table'>,
) {
  const { columns, rows } = createdRows(target, stage.table);
  await reader.query('begin');
  await useListMemory(queryableOf(reader));
  const copy = startCopyIn(client, `urls (${columns})`);
  for await (const bytes of copyChunks(reader, inlineSql(rows))) await copy.send(bytes);
  await copy.end();
  await reader.query('commit');
}

/** Memory for a statement over the largest list. */
export const useListMemory = (tx: Queryable): Promise<unknown> => tx.execute(sql`set local work_mem = '128MB'`);

/** Creates and changes the URLs of the stage. With a list, its living rows are put into it, with what a later restore needs. */
export async function writeUrls(
  tx: Queryable,
  target: MergeTarget,
  { table }: Pick<Stage, 'table'>,
  { created, updated, joining }: ToWrite,
): Promise<void> {
  // The first state of a list has none before it, so nothing of it is recorded.
  const recorded = target.list && target.list.version > 0 ? target.list : undefined;
  if (created > 0) {
    const { columns, rows } = createdRows(target, table);
    const inserted = sql`insert into urls (${sql.raw(columns)}) ${rows}`;
    await tx.execute(
      recorded ? recording(recorded, sql`${inserted} returning id, lists`, sql`cardinality(lists) > 0`, 1) : inserted,
    );
  }
  if (updated > 0) await updateUrls(tx, target, table, joining > 0 ? recorded : undefined);
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

/** The newest values stand. `recorded`: the list whose changes are recorded. */
async function updateUrls(tx: Queryable, target: MergeTarget, table: string, recorded: TargetList | undefined) {
  const { websiteId, list, source } = target;
  const { joins, isChanged } = conditions(target);
  const isPair = sql`u.website_id = ${websiteId} and u.url = s.url`;
  const stage = sql.identifier(table);
  if (recorded) {
    // The URLs that were just created are in the list already.
    await tx.execute(sql`
      insert into url_list_changes (list_id, version, url_id, website_id, added)
      select ${recorded.id}::int, ${recorded.version + 1}::int, u.id, ${websiteId}::int, 1
      from ${stage} s join urls u on ${isPair} where ${joins}`);
  }
  const removed = list && removedColumn(list.environment);
  const revives = removed ? sql`, ${removed} = case when s.flags & 1 = 1 then null else u.${removed} end` : sql``;
  const values = VALUES.map((column) => sql`${column} = coalesce(s.${column}, u.${column})`);
  await tx.execute(sql`
    update urls u set ${sql.join(values, sql`, `)}, sources = u.sources | ${URL_SOURCES[source]}::smallint,
      last_seen_at = now(),
      lists = case when ${joins} then array_append(u.lists, ${list?.id ?? 0}::int) else u.lists end ${revives}
    from ${stage} s where ${isPair} and ${isChanged}`);
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
