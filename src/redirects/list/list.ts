import { type Db, inSnapshot, type Queryable } from '../../db/connection/client.ts';
import { sql, type SQL } from '../../db/drizzle.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { type RawRedirect, type RedirectRow, rowOf } from '../rule/redirect.ts';
import { assertFilterInPlan, type RedirectFilter, rowCondition, websitesInScope } from './filter.ts';
import { selectedStates } from './target-state.ts';
import { createRedirectLister, type ListedRedirect, type ListExtras } from './find.ts';
import { listByHitsQuery, readHitPage } from './list-by-hits.ts';
import {
  decodePosition,
  directionOf,
  encodePosition,
  isHitSort,
  type PageQuery,
  type PlainSort,
  type Position,
  type Sort,
} from './page.ts';

/** Rows in memory while a list is streamed. Their JSON takes about 2 ms of the thread that answers visitors. */
const BATCH_SIZE = 200;

export interface ListOptions extends ListExtras {
  sort: Sort;
}

export interface Page {
  redirects: ListedRedirect[];
  /** the cursor of the next page; null on the last one */
  nextCursor: string | null;
}

/**
 * Returns one page. Throws INVALID_PARAMETER for a cursor of another sort, and PLAN_REQUIRED (see assertFilterInPlan).
 */
export async function listRedirects(
  db: Queryable,
  actor: Actor,
  filter: RedirectFilter,
  page: ListOptions & { limit: number; cursor?: string | undefined },
): Promise<Page> {
  assertFilterInPlan(actor, filter);
  const { sort } = page;
  const after = page.cursor === undefined ? undefined : decodePosition(page.cursor, sort);
  // One more than the page has, to know whether there is a next page.
  const query = { actor, filter, after, limit: page.limit + 1 };
  const rows = isHitSort(sort) ? await readHitPage(db, { ...query, sort }) : await readPage(db, { ...query, sort });
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  return {
    redirects: await createRedirectLister(db, page)(shown.map(({ row }) => row)),
    nextCursor: last && rows.length > page.limit ? encodePosition(last.at, sort) : null,
  };
}

/**
 * Yields every match from one snapshot, in batches, so memory does not grow with the list. Holds a connection until the
 * reader is done; the surface limits how long. Throws PLAN_REQUIRED before the first batch.
 */
export async function* streamRedirects(db: Db, actor: Actor, filter: RedirectFilter, { sort, ...extras }: ListOptions) {
  assertFilterInPlan(actor, filter);
  yield* inSnapshot(db, async function* (snapshot) {
    const toListed = createRedirectLister(snapshot, extras);
    const batches = isHitSort(sort)
      ? fetchAll(snapshot, listByHitsQuery(actor, filter, sort))
      : readPages(snapshot, { actor, filter, sort });
    for await (const rows of batches) yield await toListed(rows);
  });
}

async function* readPages(snapshot: Queryable, query: Pick<PageQuery<PlainSort>, 'actor' | 'filter' | 'sort'>) {
  let after: Position | undefined;
  for (;;) {
    const rows = await readPage(snapshot, { ...query, after, limit: BATCH_SIZE });
    yield rows.map(({ row }) => row);
    const last = rows.at(-1);
    if (!last || rows.length < BATCH_SIZE) return;
    after = last.at;
  }
}

/** Executes an expensive query once and reads its result through a database cursor. */
async function* fetchAll(snapshot: Queryable, query: SQL): AsyncGenerator<RedirectRow[]> {
  await snapshot.execute(sql`declare listed no scroll cursor for ${query}`);
  for (;;) {
    const { rows } = await snapshot.execute<RawRedirect>(sql`fetch ${sql.raw(String(BATCH_SIZE))} from listed`);
    yield rows.map(rowOf);
    if (rows.length < BATCH_SIZE) return;
  }
}

const COLUMN = { id: sql`r.id`, old_path: sql`r.key`, updated_at: sql`r.updated_at` } as const;
const CAST = { id: sql`bigint`, old_path: sql`text collate "C"`, updated_at: sql`timestamptz` } as const;

/**
 * Reads a page of each website along its own index, then merges them: ordering all rows of an account would sort up to
 * a million for each page.
 */
async function readPage(db: Queryable, query: PageQuery<PlainSort>) {
  const { actor, filter, sort, after, limit } = query;
  const order = orderOf(sort);
  const states = filter.targetState && selectedStates(filter.targetState);
  if (sort.field === 'id' && states) return readPageOfStates(db, query, states);
  const { rows } = await db.execute<RawRedirect>(sql`
    select r.* from (${websitesInScope(actor, filter)}) w cross join lateral (
      select r.* from redirects r where r.website_id = w.id and ${rowCondition(filter)}${beyond(sort, after)}
      order by ${order} limit ${limit}) r
    order by ${order} limit ${limit}`);
  return rows.map(rowOf).map((row) => ({ row, at: positionOf(row, sort) }));
}

/** Reads a page along the index of states: few of a million redirects may be in one. `offset 0` looks each up singly. */
async function readPageOfStates(
  db: Queryable,
  { actor, filter: { targetState: _, ...filter }, sort, after, limit }: PageQuery<PlainSort>,
  states: readonly string[],
) {
  const { order, isAfter } = directionOf(sort);
  const next = after ? sql` and s.redirect_id ${isAfter} ${after.id}::bigint` : sql``;
  const { rows } = await db.execute<RawRedirect>(sql`
    select r.* from (${websitesInScope(actor, filter)}) w cross join unnest(${sql.param(states)}::text[]) t(state)
    cross join lateral (
      select r.* from (
        select s.redirect_id, s.target from target_states s where s.website_id = w.id and s.state = t.state${next}
        order by s.redirect_id ${order} offset 0) s
      cross join lateral (
        select r.* from redirects r where r.website_id = w.id and r.id = s.redirect_id and r.new_path = s.target
          and ${rowCondition(filter)} offset 0) r
      order by s.redirect_id ${order} limit ${limit}) r
    order by r.id ${order} limit ${limit}`);
  return rows.map(rowOf).map((row) => ({ row, at: positionOf(row, sort) }));
}

function orderOf(sort: PlainSort): SQL {
  const { order } = directionOf(sort);
  // An id is unique; with a second column no index would have the order.
  if (sort.field === 'id') return sql`r.id ${order}`;
  return sql`${COLUMN[sort.field]} ${order}, r.id ${order}`;
}

function beyond(sort: PlainSort, after: Position | undefined): SQL {
  if (!after) return sql``;
  const { isAfter } = directionOf(sort);
  if (sort.field === 'id') return sql` and r.id ${isAfter} ${after.id}::bigint`;
  const value = sql`${after.value}::${CAST[sort.field]}`;
  return sql` and (${COLUMN[sort.field]}, r.id) ${isAfter} (${value}, ${after.id}::bigint)`;
}

function positionOf(row: RedirectRow, { field }: PlainSort): Position {
  const value = { id: row.id, old_path: row.key, updated_at: row.updatedAt.toISOString() }[field];
  return { value, id: row.id };
}
