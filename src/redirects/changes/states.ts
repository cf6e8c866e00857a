/**
 * States of a redirect around a change. The former state is the revision that ends at the revision of the change. The
 * state after it is the revision that ends next, or the current redirect. A revision without `created_at` stands for
 * the time between a deletion and a return: the redirect did not exist.
 */
import { type SQL, sql } from '../../db/drizzle.ts';
import { type RawRedirect, type RedirectRow, rowOf } from '../rule/redirect.ts';

/** The states of a redirect before and after a change, as JSON; null if it did not exist. */
export interface RawStates {
  before: RawRedirect | null;
  after: RawRedirect | null;
}

/** The states; `rev` of a former state is that of its rule, unless the change left the rule as it was. */
export interface States {
  before: RedirectRow | null;
  after: RedirectRow | null;
}

export function toStates({ before, after }: RawStates): States {
  return { before: before && rowOf(before), after: after && rowOf(after) };
}

const former = (alias: string): SQL =>
  sql.raw(`to_jsonb(${alias}) || jsonb_build_object('id', ${alias}.redirect_id, 'rev', ${alias}.rev_from)`);

/** SQL columns of RawStates, from the rows that `joinStates` adds. */
export const STATES = sql`case when b.created_at is not null then ${former('b')} end as before,
    case when a.rev_to is null then to_jsonb(r) when a.created_at is not null then ${former('a')} end as after`;

/**
 * SQL query: the first row of `table` from the key on, in the order of an index of the website and these columns. Only
 * that index has this order. With equal conditions and outdated statistics, the planner may choose an index that shares
 * no more than the website, and read all its rows for each lookup. The subquery hides the website from statistics that
 * do not know it: the planner expects as many rows as the average website has, instead of none.
 */
function firstFrom(table: string, websiteId: number, columns: string, operator: string, key: SQL): SQL {
  const order = operator.startsWith('<') ? columns.replaceAll(/\w+/g, '$& desc') : columns;
  return sql`(select *, ctid as place from ${sql.raw(table)} x where x.website_id = (select ${websiteId}::int)
    and (${sql.raw(columns)}) ${sql.raw(operator)} (${key}) order by ${sql.raw(order)} limit 1)`;
}

/** SQL query: the state of the redirect `id` that ended at `revision`, or none. */
const stateEnding = (websiteId: number, id: SQL, revision: SQL): SQL =>
  sql`(select * from ${firstFrom('redirect_revisions', websiteId, 'rev_to, redirect_id', '>=', sql`${revision}, ${id}`)} s
    where s.rev_to = ${revision} and s.redirect_id = ${id})`;

/** SQL query: the state of the redirect `id` that ended next after `revision`, or none. */
export const stateAfter = (websiteId: number, id: SQL, revision: SQL): SQL =>
  sql`(select * from ${firstFrom('redirect_revisions', websiteId, 'redirect_id, rev_to', '>', sql`${id}, ${revision}`)} s
    where s.redirect_id = ${id})`;

/** SQL query: the last former state of the redirect `id`, or none. */
export const lastState = (websiteId: number, id: SQL): SQL =>
  sql`(select * from ${firstFrom('redirect_revisions', websiteId, 'redirect_id, rev_to', '<=', sql`${id}, 2147483647`)} s
    where s.redirect_id = ${id})`;

/** SQL query: the redirect with this value of `id` or `key`, or none. */
export const redirectWith = (column: 'id' | 'key', websiteId: number, value: SQL): SQL =>
  sql`(select * from ${firstFrom('redirects', websiteId, column, '>=', value)} s
    where s.${sql.raw(column)} = ${value})`;

/**
 * SQL joins: the former state `b` and the next one, `a` or the current redirect `r`, of each row of `t`, which has `id`
 * and `revision`. Costs a few index lookups for each, whatever the statistics say.
 */
export function joinStates(websiteId: number): SQL {
  const [id, revision] = [sql`t.id`, sql`t.revision`];
  return sql`
    left join lateral ${stateEnding(websiteId, id, revision)} b on true
    left join lateral ${stateAfter(websiteId, id, revision)} a on true
    left join lateral ${redirectWith('id', websiteId, id)} r on true`;
}
