/**
 * The rule that visitors get if it differs from the current state of a redirect: before a change is deployed, before the
 * redirect is live, or in an environment that the redirect does not have.
 */
import { ENVIRONMENTS, type Environment } from '../../../vocabulary/environment.ts';
import type { LiveEnvironmentRow } from './live.ts';
import { type LiveStates, liveStateIn, sinceOf, type TargetedRow } from './live-states.ts';
import type { Revision } from './read-revisions.ts';

/** The served fields of a live rule. */
export type LiveRule = Pick<Revision, 'oldPath' | 'newPath' | 'statusCode' | 'isRegex' | 'activeFrom' | 'activeUntil'>;

/** null: nothing of the redirect is live there. Environments in which the current state is live are absent. */
export type LiveDifferences = Partial<Record<Environment, LiveRule | null>>;

type Row = TargetedRow & LiveRule & Pick<Revision, 'key'>;

/** Returns the differences of each redirect of a page. */
export function liveDifferences(rows: Row[], { live, revisions }: LiveStates): LiveDifferences[] {
  return rows.map((row) => differencesOf(row, live.get(row.websiteId) ?? [], revisions.get(row.id)));
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
