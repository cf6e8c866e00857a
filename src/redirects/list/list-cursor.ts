/** Where a page ends: the value that the list is sorted by, and the id that tells equal ones apart. */
import { DomainError } from '../../vocabulary/error.ts';
import type { HitWindow } from './activity.ts';
import type { RedirectRow } from '../rule/redirect.ts';

export const PLAIN_SORTS = ['id', 'old_path', 'updated_at'] as const;
/** By what visitors did; they need a window. */
export const HIT_SORTS = ['last_hit_at', 'hits'] as const;
export const SORT_FIELDS = [...PLAIN_SORTS, ...HIT_SORTS] as const;

export type PlainSort = { field: (typeof PLAIN_SORTS)[number]; descending: boolean };
export type HitSort = { field: (typeof HIT_SORTS)[number]; descending: boolean; window: HitWindow };
export type Sort = PlainSort | HitSort;

export interface Position {
  /** null: a redirect that nobody followed, in a list sorted by that */
  value: string | number | null;
  id: number;
  /** about how many come before it, in a list that is sorted by what visitors did: how deep the next page is looked for */
  before?: number;
}

export interface PlacedRow {
  row: RedirectRow;
  at: Position;
}

export function isHitSort(sort: Sort): sort is HitSort {
  return 'window' in sort;
}

/** A cursor names its sort, so that one of another list is refused instead of giving a wrong page. */
export function cursorAt({ value, id, before }: Position, sort: Sort): string {
  const parts = [nameOf(sort), value, id, ...(before === undefined ? [] : [before])];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** INVALID_PARAMETER for what is no cursor of this sort. */
export function parseCursor(cursor: string, sort: Sort): Position {
  const parts = parseJson(Buffer.from(cursor, 'base64url').toString());
  if (Array.isArray(parts) && (parts.length === 3 || parts.length === 4) && parts[0] === nameOf(sort)) {
    const [, value, id, before = 0] = parts as unknown[];
    if (isInteger(id) && isValueOf(sort, value) && isInteger(before) && before >= 0)
      return { value, id, before };
  }
  throw new DomainError('INVALID_PARAMETER', 'The cursor is not valid', {
    details: 'cursor: use next_cursor of the page before, with the same sort',
  });
}

function isValueOf(sort: Sort, value: unknown): value is Position['value'] {
  if (isHitSort(sort)) return value === null || isInteger(value);
  if (sort.field === 'id') return isInteger(value);
  if (typeof value !== 'string' || value.includes('\0')) return false;
  return sort.field !== 'updated_at' || isWrittenTime(value);
}

/** A time as our cursors have it: what else Date understands (`2020`, a year 0), PostgreSQL may not. */
function isWrittenTime(value: string): boolean {
  const time = Date.parse(value);
  return (
    /^\d{4}-/.test(value) &&
    !value.startsWith('0000') &&
    !Number.isNaN(time) &&
    new Date(time).toISOString() === value
  );
}

/** Hits of another period or environment are another list. */
function nameOf(sort: Sort): string {
  const name = (sort.descending ? '-' : '') + sort.field;
  if (!isHitSort(sort)) return name;
  const { environment, days } = sort.window;
  return sort.field === 'hits' ? `${name} ${environment} ${days}` : `${name} ${environment}`;
}

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
