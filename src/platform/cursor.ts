import { DomainError } from '../vocabulary/error.ts';

export type CursorValue = string | number | boolean | null;

/**
 * Encodes the position of a page's last item. `list` names the list with its filters and sort, so that a cursor of
 * another list is rejected.
 */
export function encodeCursor(list: string, position: readonly CursorValue[]): string {
  return Buffer.from(JSON.stringify([list, ...position])).toString('base64url');
}

/**
 * Decodes a cursor of `list`. `parse` receives the untrusted position and returns undefined if it does not fit. Throws
 * INVALID_PARAMETER with `remedy` if the cursor is malformed or belongs to another list.
 */
export function decodeCursor<Position>(
  cursor: string,
  list: string,
  parse: (position: unknown[]) => Position | undefined,
  remedy?: string,
): Position {
  const [name, ...values] = parseArray(Buffer.from(cursor, 'base64url').toString());
  const position = name === list ? parse(values) : undefined;
  if (position === undefined) throw invalidCursor(remedy);
  return position;
}

export function invalidCursor(remedy = 'use next_cursor of the previous page with the same parameters'): DomainError {
  return new DomainError('INVALID_PARAMETER', 'The cursor is not valid', { details: `cursor: ${remedy}` });
}

/** True for a non-negative integer, such as an id, a count or a revision in a cursor. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function parseArray(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
