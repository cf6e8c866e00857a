/**
 * Finds deployed_to_prod for the rows of an export. It follows from the revisions since which a row is targeted, and a
 * website has only as many of those as it had imports and edits. So most rows share a cached result; only a row that
 * was edited after the live version needs its own lookup.
 */
import { type Db, type Queryable, queryableOf, withClient } from '../../db/client.ts';
import { createDeployedTimes, type TargetedRow } from '../../deployments/live/deployed-at.ts';
import type { LiveEnvironmentRow } from '../../deployments/live/live.ts';
import { isoSeconds } from '../../platform/clock.ts';
import type { ExportedRow } from './rows.ts';

/** `YYYY-MM-DDThh:mm:ssZ`, or null if no production rule of the redirect is live. */
export type DeployedToProd = string | null;

const MAX_CACHED = 20_000;

/** An exported snapshot: other connections can read it while its transaction is open. */
export interface SharedSnapshot {
  db: Db;
  id: string;
}

export type DeployedTimesReader = ReturnType<typeof createDeployedToProd>;

/** Returns a reader for one website in one snapshot. `live` are the website's live versions in that snapshot. */
export function createDeployedToProd(snapshot: SharedSnapshot, websiteId: number, live: LiveEnvironmentRow[]) {
  const production = live.find((at) => at.environment === 'production' && at.liveVersion > 0);
  const cached = new Map<string, DeployedToProd>();

  async function read(rows: ExportedRow[]): Promise<DeployedToProd[]> {
    if (!production) return rows.map(() => null);
    const results = new Array<DeployedToProd>(rows.length);
    const missing = new Map<string, { row: ExportedRow; at: number[] }>();
    rows.forEach((row, at) => {
      // Fast path: the key of most rows is this group.
      const group = row.targets + targetHost(row);
      const result = cached.get(group);
      if (result !== undefined) {
        results[at] = result;
        return;
      }
      const key = keyOf(row, group, production);
      if (key === null) results[at] = null;
      else if (!missing.get(key)?.at.push(at)) missing.set(key, { row, at: [at] });
    });
    if (missing.size === 0) return results;
    const lookups = [...missing];
    const times = await inSharedSnapshot(snapshot, (db) =>
      createDeployedTimes(db)(lookups.map(([, { row }]) => targetedRow(row, websiteId))),
    );
    if (cached.size + lookups.length > MAX_CACHED) cached.clear();
    lookups.forEach(([key, { at }], index) => {
      const time = times[index]?.production;
      const result = time ? isoSeconds(time) : null;
      if (!isOwnKey(key)) cached.set(key, result);
      for (const each of at) results[each] = result;
    });
    return results;
  }

  return {
    read,
    /** True if every row that differs only in its id and in paths on the website has the same result. */
    isShared(row: ExportedRow): boolean {
      if (targetHost(row) !== '') return false;
      const key = production ? keyOf(row, row.targets, production) : null;
      return key === null || !isOwnKey(key);
    },
  };
}

const COLUMN = { production: 0, staging: 1, development: 2 } as const;

/** The cache key of a row: null if its result is null, `#id` if the result is the row's own. */
function keyOf(row: ExportedRow, group: string, live: LiveEnvironmentRow): string | null {
  const since = Number(row.targets.split(' ', 3)[COLUMN[live.rulesEnv]]);
  if (since > 0 && since <= live.rulesRev) return group;
  return Number(row.rev) > live.rulesRev ? `#${row.id}` : null;
}

const isOwnKey = (key: string): boolean => key.startsWith('#');

/** Part of the key, because a version may have omitted the rules of some hosts. */
function targetHost({ newPath }: ExportedRow): string {
  return newPath === null || newPath.startsWith('/') ? '' : ` ${newPath.split('/', 3).join('/')}`;
}

function targetedRow({ id, rev, newPath, targets }: ExportedRow, websiteId: number): TargetedRow {
  const [inProd = null, inStaging = null, inDev = null] = targets
    .split(' ')
    .map((since) => (since === '0' ? null : Number(since)));
  return { id: Number(id), websiteId, rev: Number(rev), newPath, inProd, inStaging, inDev };
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
