import { sql, type SQL } from 'drizzle-orm';
import type { Db, Queryable } from '../db/client.ts';
import { inSnapshot } from '../db/snapshot.ts';
import { createDeployedTimes, type DeployedTimes } from '../versions/deployed-at.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import { type RedirectFilter, rowCondition, websitesOf } from './filter.ts';
import { type ListedRedirect, redirectOf, type RedirectRow } from './redirect.ts';
import { type RawRedirect, rowOf } from './row.ts';

export const SORT_FIELDS = ['id', 'old_path', 'updated_at'] as const;
export interface Sort {
  field: (typeof SORT_FIELDS)[number];
  descending: boolean;
}

export const NEWEST_FIRST: Sort = { field: 'id', descending: true };

/** Rows that a stream holds at a time. */
const PAGE = 1_000;

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
  page: { sort: Sort; limit: number; cursor?: string | undefined },
): Promise<Page> {
  const after = page.cursor === undefined ? undefined : parseCursor(page.cursor, page.sort);
  const rows = await readPage(db, actor, filter, page.sort, after, page.limit + 1);
  const shown = rows.slice(0, page.limit);
  const deployed = await createDeployedTimes(db)(shown);
  const last = shown.at(-1);
  return {
    redirects: shown.map((row, index) => listed(row, deployed[index])),
    nextCursor: last && rows.length > page.limit ? cursorAt(last, page.sort) : null,
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
  sort: Sort,
): AsyncGenerator<ListedRedirect[]> {
  yield* inSnapshot(db, async function* (snapshot) {
    const deployedTimes = createDeployedTimes(snapshot);
    let after: Position | undefined;
    for (;;) {
      const rows = await readPage(snapshot, actor, filter, sort, after, PAGE);
      const deployed = await deployedTimes(rows);
      yield rows.map((row, index) => listed(row, deployed[index]));
      const last = rows.at(-1);
      if (!last || rows.length < PAGE) return;
      after = positionOf(last, sort);
    }
  });
}

interface Position {
  value: string | number;
  id: number;
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
  sort: Sort,
  after: Position | undefined,
  limit: number,
): Promise<RedirectRow[]> {
  const order = orderOf(sort);
  const { rows } = await db.execute<RawRedirect>(sql`
    select r.* from (${websitesOf(actor, filter)}) w cross join lateral (
      select r.* from redirects r where r.website_id = w.id and ${rowCondition(filter)}${beyond(sort, after)}
      order by ${order} limit ${limit}) r
    order by ${order} limit ${limit}`);
  return rows.map(rowOf);
}

function orderOf({ field, descending }: Sort): SQL {
  const direction = descending ? sql`desc` : sql`asc`;
  // An id is unique; with a second column no index would give the order by itself.
  if (field === 'id') return sql`r.id ${direction}`;
  return sql`${COLUMN[field]} ${direction}, r.id ${direction}`;
}

function beyond({ field, descending }: Sort, after: Position | undefined): SQL {
  if (!after) return sql``;
  const sign = descending ? sql`<` : sql`>`;
  if (field === 'id') return sql` and r.id ${sign} ${after.id}::bigint`;
  return sql` and (${COLUMN[field]}, r.id) ${sign} (${after.value}::${CAST[field]}, ${after.id}::bigint)`;
}

function listed(row: RedirectRow, deployed: DeployedTimes | undefined): ListedRedirect {
  if (!deployed) throw new Error('every row has its times');
  return { ...redirectOf(row), deployed };
}

function positionOf(row: RedirectRow, sort: Sort): Position {
  const value = { id: row.id, old_path: row.key, updated_at: row.updatedAt.toISOString() }[sort.field];
  return { value, id: row.id };
}

/** A cursor names its sort, so that one of another list is refused instead of giving a wrong page. */
function cursorAt(row: RedirectRow, sort: Sort): string {
  const { value, id } = positionOf(row, sort);
  return Buffer.from(JSON.stringify([sortName(sort), value, id])).toString('base64url');
}

function parseCursor(cursor: string, sort: Sort): Position {
  const parts = parseJson(Buffer.from(cursor, 'base64url').toString());
  if (
    Array.isArray(parts) &&
    parts.length === 3 &&
    parts[0] === sortName(sort) &&
    Number.isSafeInteger(parts[2])
  ) {
    const [, value, id] = parts as [string, unknown, number];
    const isWhole = sort.field === 'id' ? Number.isSafeInteger(value) : typeof value === 'string';
    const isTime = sort.field !== 'updated_at' || !Number.isNaN(Date.parse(String(value)));
    if (isWhole && isTime && !String(value).includes('\0')) return { value: value as string | number, id };
  }
  throw new DomainError('INVALID_PARAMETER', 'The cursor is not valid', {
    details: 'cursor: use next_cursor of the page before, with the same sort',
  });
}

const sortName = (sort: Sort): string => (sort.descending ? '-' : '') + sort.field;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
