/** Matching by several processes, and what ends it. Holds src/moves/match and src/moves/delete-move.ts. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { abandonClaim, claimMove } from '../../src/moves/match/claim-move.ts';
import { purgeMove, purgeMoves } from '../../src/moves/delete-move.ts';
import { matchMove } from '../../src/moves/match/match-move.ts';
import { createIndexCache } from '../../src/urls/suggest/index-cache.ts';
import { startTestApp, type TestApp, type TestOwner } from '../support/app.ts';
import { moveRows } from '../support/moves.ts';

let app: TestApp;
let key: string;

beforeAll(async () => {
  app = await startTestApp();
  ({ key } = await (await app.account()).key());
});
afterAll(() => app.close());
beforeEach(async () => void (await query('delete from moves')));

const db = () => app.database.db;
const query = async (text: string, values: unknown[] = []) => (await db().$client.query(text, values)).rows;
const call = async (method: 'GET' | 'POST' | 'DELETE' | 'PUT', path: string, body?: unknown, by = key) =>
  (await app.call(method, `/api/v1/websites${path}`, { key: by, body })).json();

let sites = 0;

/** A website whose pages below /shop moved to /store, and a move of its old ones. No process matches it. */
async function newMove(by = key, pages = 30): Promise<{ site: string; id: string; path: string }> {
  const site = await newSite(by);
  const name = (index: number): string => `${['apple', 'pear', 'plum'][index % 3]}-${index}`;
  const [old, living] = ['shop', 'store'].map((folder) =>
    Array.from({ length: pages }, (_, index) => ({ url: `/${folder}/${name(index)}`, weight: index })),
  );
  await call('PUT', `/${site}/urls/living`, { urls: living?.map(({ url }) => url) }, by);
  const { move } = await call('POST', `/${site}/moves`, { name: 'Shop', from: { urls: old } }, by);
  return { site, id: move.id, path: `/${site}/moves/${move.id}` };
}

async function newSite(by: string): Promise<string> {
  const hosts = [{ hostname: `match-${++sites}.example`, environment: 'production' }];
  return (await call('POST', '', { name: 'Shop', hosts }, by)).website.id;
}

const process = () => ({ db: db(), streams: db(), indexes: createIndexCache() });
const stateOf = async (id: string) =>
  (await query('select state, matched, learnt_from, error from moves where id = $1', [id]))[0];
const unmatched = async (id: string) =>
  (await query('select from move_rows where move_id = $1 and generation = 0', [id])).length;

async function claim() {
  const claimed = await claimMove(db());
  if (!claimed) throw new Error('there is nothing to match');
  return claimed;
}

test('one process at a time has a move; another one goes on when the lease has expired', async () => {
  const { id } = await newMove();
  const lost = await claim();
  expect(lost.moveId).toBe(id);
  expect(await claimMove(db())).toBeUndefined();
  await query(`update moves set lease_until = now() - interval '1 second'`);
  const next = await claim();
  await matchMove(process(), lost);
  expect(await unmatched(id)).toBe(30);
  await matchMove(process(), next);
  expect(await stateOf(id)).toEqual({ state: 'ready', matched: 30, learnt_from: 0, error: null });
  expect(await moveRows(db(), id, `suggested, found->'suggestions'->0->>'target' as target`)).toEqual(
    Array.from({ length: 30 }, () => ({ suggested: 'redirect', target: expect.stringMatching(/^\/store\//) })),
  );
  expect(await claimMove(db())).toBeUndefined();
});

test('a process goes on with the rows that a killed one has not matched', async () => {
  const { id } = await newMove();
  await query(`update move_rows set generation = 1, suggested = 'keep' where move_id = $1 and weight >= 20`, [id]);
  await query(`update moves set matched = 10, lease = 'killed', lease_until = now() - interval '1 second'`);
  await matchMove(process(), await claim());
  expect(await stateOf(id)).toMatchObject({ state: 'ready', matched: 30 });
  const suggested = await moveRows<{ suggested: string }>(db(), id, 'suggested');
  expect(suggested.map((row) => row.suggested)).toEqual([
    ...Array.from({ length: 10 }, () => 'keep'),
    ...Array.from({ length: 20 }, () => 'redirect'),
  ]);
});

/** Runs a matching. The statement is executed when the index is there, before the first row is written. */
async function whileMatching(statement: string): Promise<void> {
  const { indexes, ...deps } = process();
  const get: typeof indexes.get = async (wanted, waitMs) => {
    const index = await indexes.get(wanted, waitMs);
    await query(statement);
    return index;
  };
  await matchMove({ ...deps, indexes: { get } }, await claim());
}

test('a deleted move is not matched any more, and its rows go', async () => {
  const { id, path } = await newMove();
  await whileMatching('delete from moves');
  expect(await unmatched(id)).toBe(30);
  expect(await call('GET', path)).toMatchObject({ code: 'MOVE_NOT_FOUND' });
  await purgeMove(db(), id);
  expect(await moveRows(db(), id)).toEqual([]);
});

test('a process that stops leaves a move to the others at once', async () => {
  const { id } = await newMove();
  const first = await claim();
  await abandonClaim(db(), first);
  const next = await claim();
  await matchMove(process(), first);
  expect(await unmatched(id)).toBe(30);
  await abandonClaim(db(), first);
  await matchMove(process(), next);
  expect(await unmatched(id)).toBe(0);
});

test('a refresh ends the matching of earlier candidates, and keeps decisions', async () => {
  const { site, id, path } = await newMove();
  await whileMatching('update moves set generation = generation + 1, lease = null');
  expect(await unmatched(id)).toBe(30);
  await query(`update move_rows set decision = 'gone', revision = 1 where move_id = $1 and weight = 3`, [id]);
  await call('PUT', `/${site}/urls/living?max_removed=100%25`, { urls: ['/store/apple-3', '/new'] });
  const { move } = await call('POST', `${path}/refresh`);
  expect(move).toMatchObject({ state: 'matching', candidates: 2, progress: { matched: 0 } });
  await matchMove(process(), await claim());
  expect(await stateOf(id)).toMatchObject({ state: 'ready', matched: 30 });
  expect((await call('GET', `${path}/candidates?q=store`)).candidates).toEqual([
    { url: '/store/apple-3', title: null },
  ]);
  const [decided] = await query(`select decision, revision from move_rows where move_id = $1 and weight = 3`, [id]);
  expect(decided).toEqual({ decision: 'gone', revision: 1 });
});

test('from ten decisions on, undecided rows get what these show', async () => {
  const { id } = await newMove();
  await matchMove(process(), await claim());
  // Nothing but the decisions connects the folders.
  await query(`update move_rows set url = replace(url, '/shop/', '/x/') where move_id = $1`, [id]);
  await query(`update move_rows set suggested = null, confidence = null where move_id = $1`, [id]);
  await query(
    `update move_rows set decision = 'redirect', target = replace(url, '/x/', '/store/') where move_id = $1 and weight < 12`,
    [id],
  );
  await query('update moves set decided = 9');
  expect(await claimMove(db())).toBeUndefined();
  await query('update moves set decided = 12');
  await matchMove(process(), await claim());
  expect(await stateOf(id)).toEqual({ state: 'ready', matched: 30, learnt_from: 12, error: null });
  const reasons = `found->'suggestions'->0->'reasons'->>0`;
  const learnt = await query(
    `select decision, ${reasons} as reason, count(*)::int from move_rows join move_suggestions using (move_id, url) where move_id = $1
    and suggested = 'redirect' group by 1, 2`,
    [id],
  );
  expect(learnt).toEqual([{ decision: null, reason: 'a rule learnt from decisions', count: 18 }]);
  await query('update moves set decided = 23');
  expect(await claimMove(db())).toBeUndefined();
});

test('a failure is stored, and a refresh starts again', async () => {
  const { id, path } = await newMove();
  const indexes = { get: () => Promise.reject(new Error('no index')) };
  await expect(matchMove({ ...process(), indexes }, await claim())).rejects.toThrow('no index');
  expect(await stateOf(id)).toMatchObject({ state: 'failed', error: expect.stringContaining('refresh the move') });
  expect(await claimMove(db())).toBeUndefined();
  await call('POST', `${path}/refresh`);
  await matchMove(process(), await claim());
  expect(await stateOf(id)).toMatchObject({ state: 'ready', error: null });
});

test('the moves of an account do not delay those of another one', async () => {
  const many = [await newMove(), await newMove()];
  const other: TestOwner = await app.account();
  const first = await claim();
  await query(`update moves set lease = null, lease_until = now() where id = $1`, [first.moveId]);
  const { id } = await newMove((await other.key()).key);
  expect(many.map((move) => move.id)).toContain(first.moveId);
  expect((await claim()).moveId).toBe(id);
});

test('the rows of a deletion that was interrupted are purged, and those of other moves stay', async () => {
  const [left, kept] = [await newMove(), await newMove()];
  const ofNoWebsite = await newMove();
  await query('delete from moves where id = $1', [left.id]);
  await query('update moves set website_id = 2147483647 where id = $1', [ofNoWebsite.id]);
  await purgeMoves(db());
  const ids = await query(`select distinct move_id from move_rows union select move_id from move_candidates`);
  expect(ids).toEqual([{ move_id: kept.id }]);
  expect(await query('select id from moves')).toEqual([{ id: kept.id }]);
});
