/**
 * What visitors get of a redirect, where that differs from its current state: an undeployed change, a redirect that is
 * not live yet, or one that is live in an environment that it does not have.
 */
import type { Queryable } from '../../db/client.ts';
import { ENVIRONMENTS, type Environment } from '../../vocabulary/environment.ts';
import { isEdited, liveStateIn, readMissing, sinceOf, type TargetedRow } from './deployed-at.ts';
import type { LiveEnvironmentRow } from './live.ts';
import { readRevisions, type Revision } from './read-revisions.ts';

/** The served fields of a live rule. */
export type LiveRule = Pick<Revision, 'oldPath' | 'newPath' | 'statusCode' | 'isRegex' | 'activeFrom' | 'activeUntil'>;

/** null: nothing of the redirect is live there. Environments in which the current state is live are absent. */
export type LiveDifferences = Partial<Record<Environment, LiveRule | null>>;

type Row = TargetedRow & LiveRule & Pick<Revision, 'key'>;

/**
 * Creates a reader of the differences of pages of redirects; use one per snapshot. Costs two queries per page, whatever
 * the size of the website.
 */
export function createLiveDifferences(db: Queryable): (rows: Row[]) => Promise<LiveDifferences[]> {
  const live = new Map<number, LiveEnvironmentRow[]>();
  return async (rows) => {
    await readMissing(db, rows, live);
    const edited = rows.filter((row) => isEdited(row, live.get(row.websiteId)));
    const revisions = await readRevisions(db, edited, live);
    return rows.map((row) => differencesOf(row, live.get(row.websiteId) ?? [], revisions.get(row.id)));
  };
}

function differencesOf(row: Row, live: LiveEnvironmentRow[], revisions: Revision[] | undefined): LiveDifferences {
  const since = sinceOf(row);
  const differences: LiveDifferences = {};
  for (const environment of ENVIRONMENTS) {
    const isTargeted = since[environment] !== null;
    const at = live.find((each) => each.environment === environment);
    const state = at && liveStateIn(row, at, revisions);
    if (!state && isTargeted) differences[environment] = null;
    else if (state && !(isTargeted && isSameRule(state, row))) differences[environment] = state;
  }
  return differences;
}

/** Compares what deployments compare: paths in canonical form. */
function isSameRule(a: Row | Revision, b: Row): boolean {
  const isSameWindow =
    a.activeFrom?.getTime() === b.activeFrom?.getTime() && a.activeUntil?.getTime() === b.activeUntil?.getTime();
  return (
    a.key === b.key &&
    a.isRegex === b.isRegex &&
    a.newPath === b.newPath &&
    a.statusCode === b.statusCode &&
    isSameWindow
  );
}
