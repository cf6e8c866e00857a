import type { ErrorCode, Issue } from '../../vocabulary/error.ts';

/** A target. Undefined: not specified; null: explicitly none. */
export type Target = string | null | undefined;

/** Why a cell or row is invalid; `path` is our field, or `row`. */
export function issue(path: string, code: ErrorCode, message: string): Issue {
  return { path, code, message };
}

export function unsupported(message: string, path = 'row'): Issue {
  return issue(path, 'CONDITION_NOT_SUPPORTED', message);
}

export function valueByWord<Value>(lists: readonly [value: Value, words: string][]): Map<string, Value> {
  return new Map(lists.flatMap(([value, words]) => words.split(/\s+/).map((word) => [word, value] as const)));
}

const BOOLEANS = valueByWord([
  [true, 'true 1 yes y t'],
  [false, 'false 0 no n f'],
]);

/** Reads true, 1, yes, y, t and their opposites in any case; undefined if the cell is empty. */
export function readBoolean(cell: string, field: string, header: string): boolean | undefined | Issue {
  if (cell === '') return undefined;
  const value = BOOLEANS.get(cell.toLowerCase());
  return value ?? issue(field, 'INVALID_BOOLEAN', `${header} is ${show(cell)}; write true or false`);
}

const STATUS_NAMES = new Map([
  ['MOVED_PERMANENT', 301],
  ['MOVED_PERMANENTLY', 301],
  ['FOUND', 302],
  ['SEE_OTHER', 303],
  ['TEMPORARY_REDIRECT', 307],
  ['PERMANENT_REDIRECT', 308],
  ['GONE', 410],
  ['UNAVAILABLE_FOR_LEGAL_REASONS', 451],
]);

/**
 * Reads any whole number, also one that no redirect may have, or the name of a status such as `moved permanently`.
 * Rejects `301.0` and `0301`.
 */
export function readStatusCode(cell: string): number | undefined | Issue {
  if (cell === '') return undefined;
  if (/^[1-9][0-9]{0,8}$/.test(cell)) return Number(cell);
  const message = `status_code is ${show(cell)}; write a number such as 301`;
  return (
    STATUS_NAMES.get(cell.toUpperCase().replaceAll(' ', '_')) ?? issue('status_code', 'INVALID_STATUS_CODE', message)
  );
}

/** True for a cell that is meant as a status, valid or not: then its column holds statuses. */
export function looksLikeStatus(cell: string): boolean {
  return /^[0-9]/.test(cell) || STATUS_NAMES.has(cell.toUpperCase());
}

const STATES = valueByWord([
  [true, 'active enabled'],
  [false, 'inactive disabled'],
]);

export function readState(cell: string, header: string): boolean | undefined | Issue {
  if (cell === '') return undefined;
  const state = STATES.get(cell.toLowerCase());
  return state ?? unsupported(`${header} is ${show(cell)}; write active or disabled`);
}

export function isStateWord(cell: string): boolean {
  return STATES.has(cell.toLowerCase());
}

export function readWebsiteId(cell: string): number | undefined | Issue {
  if (cell === '') return undefined;
  const id = Number(cell);
  if (/^[1-9][0-9]*$/.test(cell) && Number.isSafeInteger(id)) return id;
  const message = `website_id is ${show(cell)}; write the id as a whole number`;
  return issue('website_id', 'VALIDATION_ERROR', message);
}

const MAX_SHOWN_CHARACTERS = 60;

/** A cell for a message: quoted, control characters escaped, truncated. */
export function show(cell: string): string {
  const isLong = cell.length > MAX_SHOWN_CHARACTERS;
  return JSON.stringify(isLong ? `${cell.slice(0, MAX_SHOWN_CHARACTERS)}…` : cell);
}
