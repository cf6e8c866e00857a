/**
 * States of a redirect around a change. The former state is the revision that ends at the revision of the change. The
 * state after it is the revision that ends next, or the current redirect. A revision without `created_at` stands for
 * the time between a deletion and a return: the redirect did not exist.
 */
import type { Queryable } from '../../db/connection/client.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { type RawRedirect, type RedirectRow, rowOf } from '../rule/redirect.ts';

/** A state as JSON: a row of `redirects`, or of `redirect_revisions` with other names of `id` and `rev`. */
type RawState = RawRedirect & { redirect_id?: number; rev_from?: number };

/** The states of a redirect before and after a change; null if it did not exist. */
export interface RawStates {
  before: RawState | null;
  after: RawState | null;
}

/** The states; `rev` of a former state is that of its rule, unless the change left the rule as it was. */
export interface States {
  before: RedirectRow | null;
  after: RedirectRow | null;
}

export function toStates({ before, after }: RawStates): States {
  return { before: before && stateOf(before), after: after && stateOf(after) };
}

const stateOf = (raw: RawState): RedirectRow =>
  rowOf({ ...raw, id: raw.redirect_id ?? raw.id, rev: raw.rev_from ?? raw.rev });

/** SQL columns of RawStates, from the rows that `joinStates` adds. */
export const STATES = sql`case when b.created_at is not null then row_to_json(b) end as before,
    case when a.rev_to is null then row_to_json(r) when a.created_at is not null then row_to_json(a) end as after`;

/**
 * Runs statements with the lookups below, on one connection. With the statistics of an emptied table, the planner would
 * rather sort all rows of the website, for each lookup, than read an index in its order.
 */
export async function withoutSorts<T>(connection: Queryable, work: () => Promise<T>): Promise<T> {
  await connection.execute(sql`set enable_sort = off`);
  try {
    return await work();
  } finally {
    // It fails in a transaction that has failed, whose rollback resets it.
    await connection.execute(sql`reset enable_sort`).catch(() => {});
  }
}

/**
 * SQL query: the first row of `table` in the range, in the order of an index of the website and these columns, or none.
 * Only that index has this order. With equal conditions and outdated statistics, the planner may choose an index that
 * shares no more than the website, and read all its rows for each lookup. The subquery hides the website from statistics
 * that do not know it: the planner expects as many rows as the average website has, instead of none. Without the far end
 * of the range, a lookup would read all deleted rows that follow.
 */
const firstOf = (table: string, websiteId: number, order: string, range: SQL): SQL =>
  sql`(select *, ctid as place from ${sql.raw(table)} x where x.website_id = (select ${websiteId}::int) and ${range}
    order by ${sql.raw(order)} limit 1)`;

/** SQL query: the state of the redirect `id` that ended at `revision`, or none. */
function stateEnding(websiteId: number, id: SQL, revision: SQL): SQL {
  const [columns, key] = [sql`(x.rev_to, x.redirect_id)`, sql`(${revision}, ${id})`];
  const range = sql`${columns} >= ${key} and ${columns} <= ${key}`;
  return firstOf('redirect_revisions', websiteId, 'x.rev_to, x.redirect_id', range);
}

/** SQL query: the state of the redirect `id` that ended next after `revision`, or none. */
export function stateAfter(websiteId: number, id: SQL, revision: SQL): SQL {
  const range = sql`(x.redirect_id, x.rev_to) > (${id}, ${revision}) and x.redirect_id <= ${id}`;
  return firstOf('redirect_revisions', websiteId, 'x.redirect_id, x.rev_to', range);
}

/** SQL query: the last former state of the redirect `id`, or none. */
export function lastState(websiteId: number, id: SQL): SQL {
  const range = sql`x.redirect_id >= ${id} and x.redirect_id <= ${id}`;
  return firstOf('redirect_revisions', websiteId, 'x.redirect_id desc, x.rev_to desc', range);
}

/** SQL query: the redirect with this value of `id` or `key`, or none. */
export function redirectWith(name: 'id' | 'key', websiteId: number, value: SQL): SQL {
  const column = sql.raw(`x.${name}`);
  return firstOf('redirects', websiteId, `x.${name}`, sql`${column} >= ${value} and ${column} <= ${value}`);
}

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
