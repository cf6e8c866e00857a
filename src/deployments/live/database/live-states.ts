/** The live versions of the websites of a page of redirects, and the former states of the redirects that they may have. */
import type { Queryable } from '../../../db/connection/client.ts';
import type { Environment } from '../../../vocabulary/environment.ts';
import { type LiveEnvironmentRow, readLive } from './live.ts';
import { readRevisions, type Revision } from './read-revisions.ts';
import { targetHost } from './rules-sql.ts';

export interface TargetedRow {
  id: number;
  websiteId: number;
  rev: number;
  newPath: string | null;
  inProd: number | null;
  inStaging: number | null;
  inDev: number | null;
}

export interface LiveStates {
  /** by website id */
  live: ReadonlyMap<number, LiveEnvironmentRow[]>;
  /** by redirect id, from newest to oldest */
  revisions: ReadonlyMap<number, Revision[]>;
}

/**
 * Creates a reader of the states of pages of redirects; use one per snapshot. Costs at most two queries per page,
 * whatever the size of the website.
 */
export function createLiveStates(db: Queryable): (rows: TargetedRow[]) => Promise<LiveStates> {
  const live = new Map<number, LiveEnvironmentRow[]>();
  return async (rows) => {
    await readMissing(db, rows, live);
    const changed = rows.filter((row) => {
      const versions = live.get(row.websiteId);
      return isEdited(row, versions) || hasFormerTargets(row, versions);
    });
    return { live, revisions: await readRevisions(db, changed, live) };
  };
}

/** Adds the live versions of the websites of these rows that `live` does not have yet. */
async function readMissing(
  db: Queryable,
  rows: Pick<TargetedRow, 'websiteId'>[],
  live: Map<number, LiveEnvironmentRow[]>,
): Promise<void> {
  const missing = [...new Set(rows.map((row) => row.websiteId))].filter((id) => !live.has(id));
  if (missing.length === 0) return;
  for (const id of missing) live.set(id, []);
  for (const row of await readLive(db, missing)) if (row.liveVersion > 0) live.get(row.websiteId)?.push(row);
}

export function sinceOf(row: TargetedRow | Revision): Record<Environment, number | null> {
  return { production: row.inProd, staging: row.inStaging, development: row.inDev };
}

/** True if the current rule is newer than some live version and not what is live there. */
function isEdited(row: TargetedRow, live: LiveEnvironmentRow[] = []): boolean {
  const since = sinceOf(row);
  return live.some((at) => row.rev > at.rulesRev && !((since[at.rulesEnv] ?? Infinity) <= at.rulesRev));
}

/** True if the rule once had other environments, from which a version may have been promoted. */
function hasFormerTargets(row: TargetedRow, live: LiveEnvironmentRow[] = []): boolean {
  const isOlder = (since: number | null): boolean => since !== null && since < row.rev;
  return live.some((at) => at.promoted) && Object.values(sinceOf(row)).some(isOlder);
}

/**
 * Returns the state of a redirect that is live in an environment: the current one, a former revision, or undefined.
 * `revisions` are sorted from newest to oldest.
 */
export function liveStateIn<Row extends TargetedRow>(
  row: Row,
  at: LiveEnvironmentRow,
  revisions: Revision[] = [],
): Row | Revision | undefined {
  const isCurrent = (sinceOf(row)[at.rulesEnv] ?? Infinity) <= at.rulesRev;
  const state = isCurrent ? row : revisions.find(({ revFrom, revTo }) => revFrom <= at.rulesRev && at.rulesRev < revTo);
  if (!state || sinceOf(state)[at.rulesEnv] === null) return undefined;
  const host = targetHost(state.newPath);
  return host !== null && at.targetHosts !== null && !at.targetHosts.includes(host) ? undefined : state;
}
