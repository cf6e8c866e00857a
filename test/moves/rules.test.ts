/** Rules of moves, against a running service. Holds src/moves/rules/move-rules.ts and rule-rows.ts. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { countsOf, storeMove } from '../support/moves.ts';
import { createSite } from '../support/site.ts';
import { storeUrls } from '../support/urls.ts';
import { until } from '../support/wait.ts';

let detour: TestDetour;
let owner: TestAccount;
let site: number;

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
  site = await createSite(owner, ['rules.example']);
});
afterAll(() => detour.stop());

const NAMES = Array.from({ length: 30 }, (_, n) => `page-${n}`);

/** A move of 30 pages from /old/ to /new/, of which the first `decided` are decided so. */
async function newMove({ decided = 0, candidates = NAMES.map((name) => `/new/${name}`) } = {}) {
  const id = await storeMove(detour.db, site, {
    rows: [...NAMES.map((name) => ({ url: `/old/${name}`, weight: 2 })), { url: '/other' }],
    candidates,
    to: 'file',
  });
  const path = `/api/v1/websites/${site}/moves/${id}`;
  const call = (method: string, rest: string, body?: unknown) => owner.keyCall(method, path + rest, body);
  const decide = async (names: string[], fields: object, revision = 0) => {
    const rows = names.map((name) => ({ url: `/old/${name}`, target: null, revision, ...fields }));
    expect((await call('PUT', '/rows', { rows })).status).toBe(200);
  };
  for (const name of NAMES.slice(0, decided)) await decide([name], { decision: 'redirect', target: `/new/${name}` });
  const counts = async () => {
    const { stored, counted } = await countsOf(detour.db, id);
    expect(stored).toEqual(counted);
    return stored.decided;
  };
  const rule = async (name: string) => {
    const { body } = await call('GET', `/rows?q=${name}&limit=1`);
    const { decision, target, rule: by } = body.rows[0];
    return { decision, target, rule: by };
  };
  return { id, call, decide, counts, rule };
}

test('rules are learnt from ten decisions on, and decide the rows that they cover', async () => {
  const few = await newMove({ decided: 9 });
  expect((await few.call('GET', '/rules')).body).toEqual({ rules: [], stored: [] });
  const { call, counts, rule, decide } = await newMove({ decided: 10 });
  const { body } = await call('GET', '/rules');
  expect(body.rules).toMatchObject([{ covers: 20, agrees: 10, examples: expect.any(Array) }]);
  const [{ pattern, target }] = body.rules;
  const applied = await call('POST', '/rules/apply', { pattern, target, as: 'rule' });
  expect(applied.body).toEqual({ updated: 20, agrees: 10, differs: 0 });
  expect(await rule('page-29')).toEqual({ decision: 'redirect', target: '/new/page-29', rule: pattern });
  expect(await counts()).toBe(30);
  expect((await call('GET', '/rules')).body).toMatchObject({ rules: [], stored: [{ pattern, target, rows: 20 }] });

  await decide(['page-29'], { decision: 'gone' }, 1);
  const removed = await call('POST', '/rules/remove', { pattern });
  expect(removed.body).toEqual({ updated: 19 });
  expect(await counts()).toBe(11);
  expect(await rule('page-29')).toMatchObject({ decision: 'gone', rule: null });
  expect((await call('POST', '/undo', { steps: 1 })).body).toMatchObject({ updated: 19, conflicts: [] });
  expect((await call('GET', '/rules')).body.stored).toMatchObject([{ pattern, rows: 19 }]);
});

test('a rule as rows leaves single redirects, and an undo takes a rule back with its rows', async () => {
  const rows = await newMove();
  const body = { pattern: '/old/(.*)', target: '/new/$1' };
  expect((await rows.call('POST', '/rules/apply', { ...body, as: 'rows' })).body).toMatchObject({ updated: 30 });
  expect(await rows.rule('page-3')).toEqual({ decision: 'redirect', target: '/new/page-3', rule: null });
  expect((await rows.call('GET', '/rules')).body.stored).toEqual([]);
  const { call, counts } = await newMove();
  await call('POST', '/rules/apply', { ...body, as: 'rule' });
  expect((await call('POST', '/undo', { steps: 1 })).body).toMatchObject({ updated: 30 });
  expect(await counts()).toBe(0);
  expect((await call('GET', '/rules')).body.stored).toEqual([]);
});

test('a rule that would answer a row that stays, or lead to no page, is refused and changes nothing', async () => {
  const { call, decide, counts } = await newMove({ candidates: ['/new/page-1'] });
  const apply = (pattern: string, target: string) => call('POST', '/rules/apply', { pattern, target, as: 'rule' });
  expect(await apply('/old/(.*)', '/new/$1')).toMatchObject({
    status: 422,
    body: { details: expect.stringContaining('no candidate (29)') },
  });
  await decide(['page-1'], { decision: 'keep' });
  expect(await apply('/old/(page-1)', '/new/$1')).toMatchObject({
    status: 422,
    body: { details: expect.stringContaining('keep or skip (1): /old/page-1') },
  });
  expect(await apply('/(new/page-1)', '/$1/')).toMatchObject({
    status: 422,
    body: { details: expect.stringContaining('living pages') },
  });
  expect(await apply('/absent/(.*)', '/new/$1')).toMatchObject({ status: 422 });
  expect(await apply('/old/(', '/new/$1')).toMatchObject({ status: 422, body: { code: 'INVALID_REGEX' } });
  expect(await call('POST', '/rules/remove', { pattern: '/old/(.*)' })).toMatchObject({ status: 422 });
  expect(await counts()).toBe(1);
});

test('before a relaunch the rows may still live: then the file of the new pages counts', async () => {
  for (const [to, status] of [
    ['file', 200],
    ['living', 422],
  ] as const) {
    const own = await createSite(owner, [`rules-${to}.example`]);
    await storeUrls(detour.db, own, [{ url: '/old/a', state: 'living' }]);
    const id = await storeMove(detour.db, own, { rows: [{ url: '/old/a' }], candidates: ['/new/a'], to });
    const rule = { pattern: '/old/(.*)', target: '/new/$1', as: 'rule' };
    const applied = await owner.keyCall('POST', `/api/v1/websites/${own}/moves/${id}/rules/apply`, rule);
    expect([to, applied.status]).toEqual([to, status]);
  }
});

test('a row that is decided between the check of a rule and its decisions stays, and is counted', async () => {
  const { id, call, counts, rule } = await newMove();
  const client = await detour.db.$client.connect();
  const ofMove = `where move_id = '${id}' and url = '/old/page-3'`;
  await client.query('begin');
  await client.query(`select from moves where id = '${id}' for update`);
  const applying = call('POST', '/rules/apply', { pattern: '/old/(.*)', target: '/new/$1', as: 'rule' });
  await until(async () => {
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    return (await detour.db.$client.query(waiting)).rowCount === 1;
  });
  await client.query(`update move_rows set decision = 'gone', revision = revision + 1 ${ofMove}`);
  await client.query(`update moves set decided = decided + 1, weight_decided = weight_decided + 2 where id = '${id}'`);
  await client.query('commit');
  client.release();
  expect((await applying).body).toEqual({ updated: 29, agrees: 0, differs: 1 });
  expect(await rule('page-3')).toEqual({ decision: 'gone', target: null, rule: null });
  expect(await counts()).toBe(30);
});

test('an undo of a removal and of the rule itself leaves neither', async () => {
  const { call, counts } = await newMove();
  const pattern = '/old/(.*)';
  await call('POST', '/rules/apply', { pattern, target: '/new/$1', as: 'rule' });
  await call('POST', '/rules/remove', { pattern });
  expect(await counts()).toBe(0);
  expect((await call('POST', '/undo', { steps: 2 })).body).toMatchObject({ steps: 2, updated: 30, conflict_count: 0 });
  expect((await call('GET', '/rules')).body.stored).toEqual([]);
  expect(await counts()).toBe(0);
});
