import { decodeCursor, encodeCursor, isCount } from '../../platform/cursor.ts';
import type { Environment } from '../../vocabulary/environment.ts';

/** The start of the next page, and the moment of the list: revision and largest id of the redirects. */
export interface DiffPosition {
  rev: number;
  maxId: number;
  /** the last ids on the page: added, changed, removed */
  after: number[];
  /** entries of the whole list: added, changed, removed */
  counts: number[];
}

/** The list of a cursor. A new live version ends it. */
export interface DiffList {
  websiteId: number;
  environment: Environment;
  version: number;
}

const KINDS = 3;
const REMEDY =
  'use next_cursor of the previous page; if a deployment has changed the live rules since, start again without a cursor';

const nameOf = ({ websiteId, environment, version }: DiffList): string => `${websiteId} ${environment} ${version}`;

export function encodeDiffCursor({ rev, maxId, after, counts }: DiffPosition, list: DiffList): string {
  return encodeCursor(nameOf(list), [rev, maxId, ...after, ...counts]);
}

/**
 * Decodes a cursor of this list. Throws INVALID_PARAMETER for any other. Before the first deployment former revisions
 * are not retained, so each change of the redirects ends the list.
 */
export function decodeDiffCursor(cursor: string, list: DiffList, headRev: number): DiffPosition {
  return decodeCursor(
    cursor,
    nameOf(list),
    (values) => {
      if (values.length !== 2 + 2 * KINDS || !values.every(isCount)) return undefined;
      const [rev = 0, maxId = 0, ...lists] = values;
      if (rev > headRev || (list.version === 0 && rev !== headRev)) return undefined;
      return { rev, maxId, after: lists.slice(0, KINDS), counts: lists.slice(KINDS) };
    },
    REMEDY,
  );
}
