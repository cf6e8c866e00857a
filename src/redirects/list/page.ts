/**
 * Sorts, positions and cursors of the list. A position is the sort value of a page's last redirect, and its id, which
 * breaks ties.
 */
import { sql, type SQL } from '../../db/drizzle.ts';
import { decodeCursor, encodeCursor, isCount } from '../../platform/cursor.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { RedirectRow } from '../rule/redirect.ts';
import type { HitWindow } from './activity.ts';
import type { RedirectFilter } from './filter.ts';

export const PLAIN_SORTS = ['id', 'old_path', 'updated_at'] as const;
/** Sorts by activity, which need a window. */
export const HIT_SORTS = ['last_hit_at', 'hits'] as const;
export const SORT_FIELDS = [...PLAIN_SORTS, ...HIT_SORTS] as const;

export type PlainSort = { field: (typeof PLAIN_SORTS)[number]; descending: boolean };
export type HitSort = { field: (typeof HIT_SORTS)[number]; descending: boolean; window: HitWindow };
export type Sort = PlainSort | HitSort;

export const NEWEST_FIRST: Sort = { field: 'id', descending: true };

export interface Position {
  /** null: a redirect without hits, in a sort by activity */
  value: string | number | null;
  id: number;
  /** about how many redirects precede it, in a sort by activity: the next page searches at least this deep */
  preceding?: number;
}

export interface PlacedRow {
  row: RedirectRow;
  at: Position;
}

/** At most `limit` redirects after a position, or the first ones. */
export interface PageQuery<S extends Sort> {
  actor: Actor;
  filter: RedirectFilter;
  sort: S;
  after: Position | undefined;
  limit: number;
}

export function isHitSort(sort: Sort): sort is HitSort {
  return 'window' in sort;
}

/** A sort direction in SQL: the order of a column, and the comparison that holds after a position. */
export function directionOf({ descending }: Sort): { order: SQL; isAfter: SQL } {
  return descending ? { order: sql`desc`, isAfter: sql`<` } : { order: sql`asc`, isAfter: sql`>` };
}

export function encodePosition({ value, id, preceding }: Position, sort: Sort): string {
  return encodeCursor(nameOf(sort), preceding === undefined ? [value, id] : [value, id, preceding]);
}

/** Throws INVALID_PARAMETER if the cursor is malformed or belongs to another sort. */
export function decodePosition(cursor: string, sort: Sort): Position {
  return decodeCursor(
    cursor,
    nameOf(sort),
    ([value, id, preceding = 0, ...rest]) =>
      Number.isSafeInteger(id) && isValueOf(sort, value) && isCount(preceding) && rest.length === 0
        ? { value, id: Number(id), preceding }
        : undefined,
    'use next_cursor of the previous page with the same sort',
  );
}

function isValueOf(sort: Sort, value: unknown): value is Position['value'] {
  if (isHitSort(sort)) return value === null || Number.isSafeInteger(value);
  if (sort.field === 'id') return Number.isSafeInteger(value);
  if (typeof value !== 'string' || value.includes('\0')) return false;
  return sort.field !== 'updated_at' || isEncodedTime(value);
}

/** True for a time as cursors have it. PostgreSQL rejects other times that Date accepts, such as the year 0. */
function isEncodedTime(value: string): boolean {
  const time = Date.parse(value);
  return (
    /^\d{4}-/.test(value) && !value.startsWith('0000') && !Number.isNaN(time) && new Date(time).toISOString() === value
  );
}

/** Includes the environment and the days, because they change the order. */
function nameOf(sort: Sort): string {
  const name = (sort.descending ? '-' : '') + sort.field;
  if (!isHitSort(sort)) return name;
  const { environment, days } = sort.window;
  return sort.field === 'hits' ? `${name} ${environment} ${days}` : `${name} ${environment}`;
}
