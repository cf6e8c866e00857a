import { sql, type SQL } from 'drizzle-orm';
import { type Db, type Queryable, inSnapshot } from '../../db/client.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { HitWindow } from './activity.ts';
import { type RedirectFilter, rowCondition, websitesOf } from './filter.ts';
import { allByHits, readHitPage } from './list-by-hits.ts';
import {
  cursorAt,
  isHitSort,
  parseCursor,
  type PlacedRow,
  type PlainSort,
  type Position,
  type Sort,
} from './list-cursor.ts';
import { createRedirectLister, type ListedRedirect } from './find.ts';
import { type RedirectRow, type RawRedirect, rowOf } from '../rule/redirect.ts';

export const NEWEST_FIRST: Sort = { field: 'id', descending: true };

/** Rows that a stream holds at a time. */
const PAGE = 1_000;

export interface ListOptions {
  sort: Sort;
  /** given: each redirect tells how often it was followed in the window, and when last */
  window?: HitWindow | undefined;
}

export interface Page {
  redirects: ListedRedirect[];
  /** where the next page begins; null at the end */
  nextCursor: string | null;
}

/** One page. INVALID_PARAMETER for a cursor that is not one of this sort. */
export async function listRedirects(
  db: Queryable,
  actor: Actor,
  filter: RedirectFilter,
  page: ListOptions & { limit: number; cursor?: string | undefined },
): Promise<Page> {
  const { sort } = page;
  const after = page.cursor === undefined ? undefined : parseCursor(page.cursor, sort);
  const limit = page.limit + 1;
  const rows = isHitSort(sort)
    ? await readHitPage(db, { actor, filter, sort, after, limit })
    : await readPage(db, actor, filter, sort, after, limit);
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  return {
    redirects: await createRedirectLister(db, page.window)(shown.map(({ row }) => row)),
    nextCursor: last && rows.length > page.limit ? cursorAt(last.at, sort) : null,
  };
}

/**
 * Every match, a page at a time, from one snapshot: memory holds one page however many there are. The connection is kept until
 * the reader is done, so the surface bounds how long that may take.
 */
export async function* streamRedirects(
  db: Db,
  actor: Actor,
  filter: RedirectFilter,
  { sort, window }: ListOptions,
): AsyncGenerator<ListedRedirect[]> {
  yield* inSnapshot(db, async function* (snapshot) {
    const toListed = createRedirectLister(snapshot, window);
    const pages = isHitSort(sort)
      ? cursorPages(snapshot, allByHits(actor, filter, sort))
      : keysetPages(snapshot, actor, filter, sort);
    for await (const rows of pages) yield await toListed(rows);
  });
}

async function* keysetPages(
  snapshot: Queryable,
  actor: Actor,
  filter: RedirectFilter,
  sort: PlainSort,
): AsyncGenerator<RedirectRow[]> {
  let after: Position | undefined;
  for (;;) {
    const rows = await readPage(snapshot, actor, filter, sort, after, PAGE);
    yield rows.map(({ row }) => row);
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last.at;
  }
}

/** For an order that is dear to make: it is made once, and read piece by piece. */
async function* cursorPages(snapshot: Queryable, query: SQL): AsyncGenerator<RedirectRow[]> {
  await snapshot.execute(sql`declare listed no scroll cursor for ${query}`);
  for (;;) {
    const { rows } = await snapshot.execute<RawRedirect>(sql`fetch ${sql.raw(String(PAGE))} from listed`);
    yield rows.map(rowOf);
    if (rows.length < PAGE) return;
  }
}

const COLUMN = { id: sql`r.id`, old_path: sql`r.key`, updated_at: sql`r.updated_at` } as const;
const CAST = { id: sql`bigint`, old_path: sql`text collate "C"`, updated_at: sql`timestamptz` } as const;

/**
 * A page over several websites is the best of a page of each, so that every one is read along its own index: ordering all rows of an
 * account would sort a million for each page.
 */
async function readPage(
  db: Queryable,
  actor: Actor,
  filter: RedirectFilter,
  sort: PlainSort,
  after: Position | undefined,
  limit: number,
): Promise<PlacedRow[]> {
  const order = orderOf(sort);
  const { rows } = await db.execute<RawRedirect>(sql`
    select r.* from (${websitesOf(actor, filter)}) w cross join lateral (
      select r.* from redirects r where r.website_id = w.id and ${rowCondition(filter)}${beyond(sort, after)}
      order by ${order} limit ${limit}) r
    order by ${order} limit ${limit}`);
  return rows.map(rowOf).map((row) => ({ row, at: positionOf(row, sort) }));
}

function orderOf({ field, descending }: PlainSort): SQL {
  const direction = descending ? sql`desc` : sql`asc`;
  // An id is unique; with a second column no index would give the order by itself.
  if (field === 'id') return sql`r.id ${direction}`;
  return sql`${COLUMN[field]} ${direction}, r.id ${direction}`;
}

function beyond({ field, descending }: PlainSort, after: Position | undefined): SQL {
  if (!after) return sql``;
  const sign = descending ? sql`<` : sql`>`;
  if (field === 'id') return sql` and r.id ${sign} ${after.id}::bigint`;
  return sql` and (${COLUMN[field]}, r.id) ${sign} (${after.value}::${CAST[field]}, ${after.id}::bigint)`;
}

function positionOf(row: RedirectRow, sort: PlainSort): Position {
  const value = { id: row.id, old_path: row.key, updated_at: row.updatedAt.toISOString() }[sort.field];
  return { value, id: row.id };
}
