/**
 * deployed_to_prod for the rows of an export. What it is follows from the revisions since which a row is targeted, and of those a website
 * has as many as it had imports and edits: nearly every row is answered by what was found for another. Only a row that was edited
 * after the live version is looked up by itself.
 */
import { queryableOf } from '../../db/client.ts';
import { type Db, type Queryable, withClient } from '../../db/client.ts';
import { isoSeconds } from '../../platform/clock.ts';
import { createDeployedTimes, type TargetedRow } from '../../deployments/live/deployed-at.ts';
import type { LiveEnvironmentRow } from '../../deployments/live/live.ts';
import type { ExportedRow } from './rows.ts';

/** `YYYY-MM-DDThh:mm:ssZ`, or null where no production rule of the redirect is live. */
export type DeployedToProd = string | null;

const REMEMBERED = 20_000;

/** The moment of a snapshot, as other connections can join it while its transaction lasts. */
export interface SharedSnapshot {
  db: Db;
  id: string;
}

export interface DeployedTimesReader {
  read(rows: ExportedRow[]): Promise<DeployedToProd[]>;
  /** whether every row that differs from this one in nothing but id and paths on the website has the same answer */
  isShared(row: ExportedRow): boolean;
}

/** A reader for one website in one snapshot. `live` are the website's live pointers in that snapshot. */
export function createDeployedToProd(
  shared: SharedSnapshot,
  websiteId: number,
  live: LiveEnvironmentRow[],
): DeployedTimesReader {
  const production = live.find((at) => at.environment === 'production' && at.liveVersion > 0);
  const known = new Map<string, DeployedToProd>();

  async function read(rows: ExportedRow[]): Promise<DeployedToProd[]> {
    if (!production) return rows.map(() => null);
    const answers = new Array<DeployedToProd>(rows.length);
    const missing = new Map<string, { row: ExportedRow; at: number[] }>();
    rows.forEach((row, at) => {
      // Most rows are answered here, by their targets alone.
      const group = row.targets + targetHost(row);
      const answer = known.get(group);
      if (answer !== undefined) {
        answers[at] = answer;
        return;
      }
      const key = keyOf(row, group, production);
      if (key === null) answers[at] = null;
      else remember(missing, key, row, at);
    });
    if (missing.size === 0) return answers;
    const asked = [...missing];
    const times = await inShared(shared, (db) =>
      createDeployedTimes(db)(asked.map(([, { row }]) => targetedRow(row, websiteId))),
    );
    if (known.size + asked.length > REMEMBERED) known.clear();
    asked.forEach(([key, { at }], nth) => {
      const time = times[nth]?.production;
      const answer = time ? isoSeconds(time) : null;
      if (!key.startsWith('#')) known.set(key, answer);
      for (const each of at) answers[each] = answer;
    });
    return answers;
  }

  return {
    read,
    isShared(row) {
      if (targetHost(row) !== '') return false;
      return !production || keyOf(row, row.targets, production)?.startsWith('#') !== true;
    },
  };
}

const COLUMN = { production: 0, staging: 1, development: 2 } as const;

/** What rows with the same answer have in common; null where the answer is none; `#id` where only the row itself can tell. */
function keyOf(row: ExportedRow, group: string, at: LiveEnvironmentRow): string | null {
  const since = Number(row.targets.split(' ', 3)[COLUMN[at.rulesEnv]]);
  if (since > 0 && since <= at.rulesRev) return group;
  return Number(row.rev) > at.rulesRev ? `#${row.id}` : null;
}

/** A version may have left out the rules of some hosts, so what leads to another host is a case of its own. */
function targetHost({ newPath }: ExportedRow): string {
  return newPath === null || newPath.startsWith('/') ? '' : ` ${newPath.split('/', 3).join('/')}`;
}

function remember(
  missing: Map<string, { row: ExportedRow; at: number[] }>,
  key: string,
  row: ExportedRow,
  at: number,
): void {
  const found = missing.get(key);
  if (found) found.at.push(at);
  else missing.set(key, { row, at: [at] });
}

function targetedRow(row: ExportedRow, websiteId: number): TargetedRow {
  const [inProd = null, inStaging = null, inDev = null] = row.targets
    .split(' ')
    .map((since) => (since === '0' ? null : Number(since)));
  const { newPath } = row;
  return { ...{ newPath }, id: Number(row.id), websiteId, rev: Number(row.rev), inProd, inStaging, inDev };
}

/** Reads in the snapshot on a second connection: the export's own is busy with COPY. Short, so it may be one of everybody's. */
async function inShared<T>({ db, id }: SharedSnapshot, read: (db: Queryable) => Promise<T>): Promise<T> {
  if (!/^[0-9A-F-]+$/i.test(id)) throw new Error('that is no name of a snapshot');
  return withClient(db, async (client) => {
    await client.query(`begin isolation level repeatable read read only`);
    await client.query(`set transaction snapshot '${id}'`);
    // As in db/snapshot.ts: the same query builder as the pool's, only `$client` is narrower.
    const result = await read(queryableOf(client));
    await client.query('commit');
    return result;
  });
}
