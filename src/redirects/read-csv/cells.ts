import type { ErrorCode } from '../../vocabulary/error.ts';

/** Why a row is refused; `column` is our field, or `row`. */
export interface Problem {
  column: string;
  code: ErrorCode;
  message: string;
}

export function problem(column: string, code: ErrorCode, message: string): Problem {
  return { column, code, message };
}

export function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'code' in value;
}

const BOOLEANS = new Map([
  ...['true', '1', 'yes', 'y', 't'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'n', 'f'].map((word) => [word, false] as const),
]);

/** true, 1, yes, y, t and their opposites in any case; undefined where the cell is empty. */
export function readBoolean(cell: string, column: string, header: string): boolean | undefined | Problem {
  if (cell === '') return undefined;
  const value = BOOLEANS.get(cell.toLowerCase());
  if (value !== undefined) return value;
  return problem(column, 'INVALID_BOOLEAN', `${header} is ${show(cell)}; write true or false`);
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
 * A whole number as people write a status, or one of its names; never `301.0` or `0301`. Which numbers a redirect may
 * have is for the caller.
 */
export function readStatusCode(cell: string): number | undefined | Problem {
  if (cell === '') return undefined;
  if (/^[1-9][0-9]{0,8}$/.test(cell)) return Number(cell);
  const named = STATUS_NAMES.get(cell.toUpperCase());
  if (named !== undefined) return named;
  return problem(
    'status_code',
    'INVALID_STATUS_CODE',
    `status_code is ${show(cell)}; write a number such as 301`,
  );
}

/** True for what is meant as a status, well written or not: then a column holds statuses. */
export function looksLikeStatus(cell: string): boolean {
  return /^[0-9]/.test(cell) || STATUS_NAMES.has(cell.toUpperCase());
}

const STATES = new Map([
  ['active', true],
  ['enabled', true],
  ['inactive', false],
  ['disabled', false],
]);

/** Whether a rule is on, by the word that a tool has for it; undefined where the cell is empty. */
export function readState(cell: string, header: string): boolean | undefined | Problem {
  if (cell === '') return undefined;
  const state = STATES.get(cell.toLowerCase());
  if (state !== undefined) return state;
  return problem('row', 'CONDITION_NOT_SUPPORTED', `${header} is ${show(cell)}; write active or disabled`);
}

export function isStateWord(cell: string): boolean {
  return STATES.has(cell.toLowerCase());
}

/** The id of a website; undefined where the cell is empty. */
export function readWebsiteId(cell: string): number | undefined | Problem {
  if (cell === '') return undefined;
  const id = Number(cell);
  if (/^[1-9][0-9]*$/.test(cell) && Number.isSafeInteger(id)) return id;
  return problem(
    'website_id',
    'VALIDATION_ERROR',
    `website_id is ${show(cell)}; write the id as a whole number`,
  );
}

const SHOWN_CHARACTERS = 60;

/** A cell for a message: quoted, its control characters visible, its end cut off. */
export function show(cell: string): string {
  return JSON.stringify(cell.length > SHOWN_CHARACTERS ? `${cell.slice(0, SHOWN_CHARACTERS)}…` : cell);
}
