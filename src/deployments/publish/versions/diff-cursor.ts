import { decodeCursor, encodeCursor, isCount } from '../../../platform/cursor.ts';
import type { Environment } from '../../../vocabulary/environment.ts';

/** The start of the next page, and the moment of the draft. */
export interface DiffPosition {
  /** revision of the draft and largest id of its redirects; 0 if the list does not compare the draft */
  rev: number;
  maxId: number;
  /** the last ids on the page: added, changed, removed */
  after: number[];
  /** entries of the whole list: added, changed, removed; of the removed: live only by a promotion, not targeted */
  counts: number[];
}

/** The list of a cursor. If it compares the live version, a new one ends it. */
export interface DiffList {
  websiteId: number;
  environment: Environment;
  /** of `to`; default: environment */
  toEnvironment?: Environment;
  asPublished?: boolean;
  from: number | 'draft';
  to: number | 'draft';
  /** of both: a cursor of versions that the database has lost must not continue on others */
  histories: readonly string[];
  q: string;
  kind?: string | undefined;
}

const KINDS = 3;
/** Revision, largest id, an id of each kind, and the counts: of each kind, and two of the removed. */
const VALUES = 2 + KINDS + KINDS + 2;
const REMEDY =
  'use next_cursor of the previous page; if a deployment has changed the live rules since, start again without a cursor';

function nameOf({
  websiteId,
  environment,
  toEnvironment = environment,
  asPublished = false,
  kind,
  ...list
}: DiffList): string {
  const between = toEnvironment === environment ? environment : `${environment}-${toEnvironment}`;
  const kinds = kind === undefined ? '' : ` ${kind}`;
  return `${websiteId} ${between}${asPublished ? '!' : ''}${kinds} ${list.from} ${list.to} ${list.histories.join()} ${list.q}`;
}

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
      if (values.length !== VALUES || !values.every(isCount)) return undefined;
      const [rev = 0, maxId = 0, ...lists] = values;
      const isDraft = list.from === 'draft' || list.to === 'draft';
      const isDeployed = Number(list.from) > 0 || Number(list.to) > 0;
      if (rev > headRev || (isDraft && !isDeployed && rev !== headRev)) return undefined;
      return { rev, maxId, after: lists.slice(0, KINDS), counts: lists.slice(KINDS) };
    },
    REMEDY,
  );
}
