import type { Environment } from '../../vocabulary/environment.ts';
import { DomainError } from '../../vocabulary/error.ts';

/** Where the next page begins, and of which moment it is: the revision and the largest id of the redirects then. */
export interface DiffPosition {
  rev: number;
  maxId: number;
  /** the last ids shown of what is added, changed, removed */
  after: number[];
  counts: number[];
}

/** The list that a cursor belongs to: it ends with the live version that it compares with. */
interface DiffList {
  websiteId: number;
  environment: Environment;
  version: number;
}

const nameOf = ({ websiteId, environment, version }: DiffList): string =>
  `${websiteId} ${environment} ${version}`;

export function cursorAt({ rev, maxId, after, counts }: DiffPosition, list: DiffList): string {
  return Buffer.from(JSON.stringify([nameOf(list), rev, maxId, ...after, ...counts])).toString('base64url');
}

/**
 * The position that a cursor names. INVALID_PARAMETER where it is none of this list. Where nothing was ever deployed, no past of the
 * redirects need be kept, so that the list ends with their next change.
 */
export function positionOf(cursor: string, list: DiffList, headRev: number): DiffPosition {
  const [name, ...numbers] = partsOf(cursor);
  const [rev = -1, maxId = -1] = numbers;
  const isCurrent = name === nameOf(list) && rev <= headRev && (list.version > 0 || rev === headRev);
  if (
    isCurrent &&
    numbers.length === 8 &&
    numbers.every((value) => Number.isSafeInteger(value) && value >= 0)
  ) {
    return { rev, maxId, after: numbers.slice(2, 5), counts: numbers.slice(5) };
  }
  throw new DomainError('INVALID_PARAMETER', 'The cursor is not valid', {
    details:
      'cursor: use next_cursor of the page before; where a deployment has changed what is live since, begin again without one',
  });
}

/** What a cursor of a list that cannot change says: which list, and numbers (NaN for what is none); a name of undefined where it is no cursor. */
export function partsOf(cursor: string): [name: unknown, ...numbers: number[]] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (!Array.isArray(parts)) return [undefined];
    const [name, ...numbers]: unknown[] = parts;
    return [name, ...numbers.map((value) => (typeof value === 'number' ? value : NaN))];
  } catch {
    return [undefined];
  }
}
