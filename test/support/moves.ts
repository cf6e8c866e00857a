/** Creates moves, stores them as a creation and the matching leave them, and reads what is stored. */
import { expect } from 'vitest';
import type { Db } from '../../src/db/connection/client.ts';
import { newId } from '../../src/platform/ids.ts';
import type { TestAccount } from './detour.ts';
import { until } from './wait.ts';

/** Creates a move. Returns the response. */
export async function createMove(owner: TestAccount, site: number, body: Record<string, unknown>) {
  const created = await owner.keyCall('POST', `/api/v1/websites/${site}/moves`, { name: 'Relaunch', ...body });
  expect(created).toMatchObject({ status: 202, body: { move: { state: 'matching', progress: { matched: 0 } } } });
  return created.body;
}

/** Waits until all suggestions of a move are there. Returns it. */
export const readyMove = (owner: TestAccount, site: number, id: string) =>
  until(async () => {
    const { move } = (await owner.keyCall('GET', `/api/v1/websites/${site}/moves/${id}`)).body;
    return move.state === 'ready' && move;
  });

interface StoredRow {
  url: string;
  raw_url: string | null;
  raw_urls: string[] | null;
  title: string | null;
  weight: number;
}

/** The rows of a move, heaviest first. */
export async function moveRows<Row = StoredRow>(
  db: Pick<Db, '$client'>,
  id: string,
  columns = 'url, raw_url, raw_urls, title, weight',
): Promise<Row[]> {
  const text = `select ${columns} from move_rows r
    left join (select url as of_url, found from move_suggestions where move_id = $1) s on of_url = url
    where move_id = $1 order by weight desc, url`;
  return (await db.$client.query(text, [id])).rows as Row[];
}

export interface StoredMoveRow {
  url: string;
  title?: string;
  weight?: number;
  suggested?: 'redirect' | 'gone' | 'keep';
  /** index in CONFIDENCES */
  confidence?: number;
  /** of the suggestions, best first */
  targets?: string[];
  /** of the suggestions; default: from 0.9 down by 0.1 */
  scores?: number[];
}

export interface StoredMove {
  rows: StoredMoveRow[];
  /** targets, with titles if they have some */
  candidates?: (string | { url: string; title: string })[];
  to?: 'living' | 'file';
  toHost?: string;
}

/** Stores a ready move without decisions. Returns its id. */
export async function storeMove(
  db: Pick<Db, '$client'>,
  websiteId: number,
  { rows, candidates = [], to = 'living', toHost }: StoredMove,
): Promise<string> {
  const id = newId('mov_');
  const weight = rows.reduce((sum, row) => sum + (row.weight ?? 0), 0);
  await db.$client.query(
    `insert into moves (id, website_id, name, state, source, to_host, rows, merged, candidates, left_out, matched, weight,
       actor_type, actor_id, actor_name)
     values ($1, $2, 'test', 'ready', $3, $4, $5, 0, $6, 0, $5, $7, 'system', '', 'system')`,
    [
      id,
      websiteId,
      JSON.stringify({ from: { kind: 'lost' }, to: { kind: to } }),
      toHost ?? null,
      rows.length,
      candidates.length,
      weight,
    ],
  );
  const stored = rows.map(({ targets = [], scores = [], ...row }) => ({
    ...row,
    found: {
      reasons: [],
      suggestions: targets.map((target, at) => ({
        target,
        score: scores[at] ?? 0.9 - at / 10,
        reasons: ['the same name'],
      })),
    },
  }));
  await db.$client.query(
    `insert into move_rows (move_id, url, website_id, title, weight, generation, suggested, confidence)
     select $1, url, $2, title, coalesce(weight, 0), 1, suggested, confidence
     from jsonb_to_recordset($3) as r(url text, title text, weight bigint, suggested text, confidence smallint)`,
    [id, websiteId, JSON.stringify(stored)],
  );
  await db.$client.query(
    `insert into move_suggestions (move_id, url, website_id, found)
     select $1, url, $2, found from jsonb_to_recordset($3) as r(url text, found jsonb)`,
    [id, websiteId, JSON.stringify(stored)],
  );
  await db.$client.query(
    `insert into move_candidates (move_id, url, website_id, title)
     select $1, url, $2, title from jsonb_to_recordset($3) as c(url text, title text)`,
    [id, websiteId, JSON.stringify(candidates.map((each) => (typeof each === 'string' ? { url: each } : each)))],
  );
  return id;
}

/** Counts of a move, stored and counted over its rows; both must be equal. */
export async function countsOf(db: Pick<Db, '$client'>, id: string) {
  const { rows } = await db.$client.query(
    `select m.decided, m.weight_decided,
       (select count(*)::int from move_rows r where r.move_id = m.id and decision is not null) as counted,
       (select coalesce(sum(weight), 0)::bigint from move_rows r where r.move_id = m.id and decision is not null) as weighed
     from moves m where id = $1`,
    [id],
  );
  const { decided, weight_decided: weight, counted, weighed } = rows[0];
  return { stored: { decided, weight }, counted: { decided: counted, weight: weighed } };
}
