/**
 * Finds deployed_to_prod for the rows of an export. It follows from the revisions since which a row is targeted, and a
 * website has only as many of those as it had imports and edits. So most rows share a cached result; only a row that
 * was edited after the live version needs its own lookup.
 */
import { type Db, type Queryable, queryableOf, withClient } from '../../db/connection/client.ts';
import { createDeployedTimes } from '../../deployments/live/database/deployed-at.ts';
import type { TargetedRow } from '../../deployments/live/database/live-states.ts';
import type { LiveEnvironmentRow } from '../../deployments/live/database/live.ts';
import { targetHost } from '../../deployments/live/database/rules-sql.ts';
import { isoSeconds } from '../../platform/clock.ts';
import type { DeployedToProd, ExportedRow } from '../../formats/write/lossless-format.ts';

const MAX_CACHED = 20_000;

/** An exported snapshot: other connections can read it while its transaction is open. */
type SharedSnapshot = { db: Db; id: string };

export type DeployedTimesReader = ReturnType<typeof createDeployedToProd>;

/** How the times of the rows of one export are found. */
export interface DeployedLookup {
  /** The cache key of a row: null if its result is null. `group` has the targets and the host of the target. */
  keyOf: (row: ExportedRow, group: string) => string | null;
  /** true for the key of a single redirect */
  isOwnKey: (key: string) => boolean;
  read: (db: Queryable, rows: ExportedRow[]) => Promise<(Date | null)[]>;
}

/** Returns a reader for one website in one snapshot. */
export function createDeployedToProd(snapshot: SharedSnapshot, lookup: DeployedLookup) {
  const cached = new Map<string, DeployedToProd>();

  async function read(rows: ExportedRow[]): Promise<DeployedToProd[]> {
    const results = new Array<DeployedToProd>(rows.length);
    const missing = new Map<string, { row: ExportedRow; at: number[] }>();
    rows.forEach((row, at) => {
      // Fast path: the key of most rows is this group.
      const group = row.targets + hostGroup(row);
      const result = cached.get(group);
      if (result !== undefined) {
        results[at] = result;
        return;
      }
      const key = lookup.keyOf(row, group);
      if (key === null) results[at] = null;
      else if (!missing.get(key)?.at.push(at)) missing.set(key, { row, at: [at] });
    });
    if (missing.size === 0) return results;
    const lookups = [...missing];
    const missingRows = lookups.map(([, { row }]) => row);
    const times = await inSharedSnapshot(snapshot, (db) => lookup.read(db, missingRows));
    if (cached.size + lookups.length > MAX_CACHED) cached.clear();
    lookups.forEach(([key, { at }], index) => {
      const time = times[index];
      const result = time ? isoSeconds(time) : null;
      if (!lookup.isOwnKey(key)) cached.set(key, result);
      for (const each of at) results[each] = result;
    });
    return results;
  }

  return {
    read,
    /** True if every row that differs only in its id and in paths on the website has the same result. */
    isShared(row: ExportedRow): boolean {
      if (hostGroup(row) !== '') return false;
      const key = lookup.keyOf(row, row.targets);
      return key === null || !lookup.isOwnKey(key);
    },
  };
}

const COLUMN = { production: 0, staging: 1, development: 2 } as const;

/** Finds the times of current redirects. `live` are the website's live versions in the snapshot. */
export function draftLookup(websiteId: number, live: LiveEnvironmentRow[]): DeployedLookup {
  const production = live.find((at) => at.environment === 'production' && at.liveVersion > 0);
  return {
    keyOf(row, group) {
      if (!production) return null;
      const since = targetsOf(row)[COLUMN[production.rulesEnv]] ?? 0;
      if (since > 0 && since <= production.rulesRev) return group;
      return Number(row.rev) > production.rulesRev ? `#${row.id}` : null;
    },
    isOwnKey: (key) => key.startsWith('#'),
    async read(db, rows) {
      const times = await createDeployedTimes(db)(rows.map((row) => targetedRow(row, websiteId)));
      return times.map(({ production: time }) => time);
    },
  };
}

/** Part of the key, because a version may have omitted the rules of some hosts. */
function hostGroup({ newPath }: ExportedRow): string {
  return newPath === null || newPath.startsWith('/') ? '' : ` ${newPath.split('/', 3).join('/')}`;
}

/** The host of an absolute target; null for another target. */
export const hostOf = ({ newPath }: ExportedRow): string | null => targetHost(newPath);

/** The revisions since which the row is targeted at production, staging and development; null if it is not. */
export function targetsOf({ targets }: ExportedRow): (number | null)[] {
  return targets.split(' ').map((since) => (since === '0' ? null : Number(since)));
}

function targetedRow(row: ExportedRow, websiteId: number): TargetedRow {
  const [inProd = null, inStaging = null, inDev = null] = targetsOf(row);
  return { id: Number(row.id), websiteId, rev: Number(row.rev), newPath: row.newPath, inProd, inStaging, inDev };
}

/** Reads in the snapshot on a second connection for a short time, because COPY occupies the export's own. */
async function inSharedSnapshot<T>({ db, id }: SharedSnapshot, read: (db: Queryable) => Promise<T>) {
  if (!/^[0-9A-F-]+$/i.test(id)) throw new Error('not the id of a snapshot');
  return withClient(db, async (client) => {
    await client.query(`begin isolation level repeatable read read only`);
    await client.query(`set transaction snapshot '${id}'`);
    const result = await read(queryableOf(client));
    await client.query('commit');
    return result;
  });
}
