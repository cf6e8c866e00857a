/**
 * Decisions about rows of a move, against a running service. Holds the rules of src/moves/rows (list-rows.ts,
 * row-filter.ts) and src/moves/decide (write-decisions.ts, decide-rows.ts, check-decision.ts, undo-steps.ts).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { countsOf, storeMove, type StoredMove } from '../support/moves.ts';
import { createSite } from '../support/site.ts';

let detour: TestDetour;
let owner: TestAccount;
let site: number;

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
  site = await createSite(owner, ['decide.example'], { allowed_target_hosts: ['shop.example'] });
});
afterAll(() => detour.stop());

interface Row {
  url: string;
  decision: string | null;
  target: string | null;
  revision: number;
  [field: string]: unknown;
}

/** A move with calls by key and by session, which are two persons. */
async function newMove(stored: StoredMove) {
  const id = await storeMove(detour.db, site, stored);
  const path = `/api/v1/websites/${site}/moves/${id}`;
  const byKey = (method: string, rest: string, body?: unknown) => owner.keyCall(method, path + rest, body);
  const bySession = (method: string, rest: string, body?: unknown) =>
    owner.call(method, path + rest, body, { 'sec-fetch-site': 'same-origin' });
  const rows = async (query = ''): Promise<Row[]> => (await byKey('GET', `/rows?limit=1000${query}`)).body.rows;
  const isExact = async () => {
    const { stored: kept, counted } = await countsOf(detour.db, id);
    expect(kept).toEqual(counted);
    return kept;
  };
  return { id, byKey, bySession, rows, isExact };
}

const urls = (rows: Row[]): string[] => rows.map(({ url }) => url);
const two = { rows: [{ url: '/a', weight: 5 }, { url: '/b' }] };

describe('the list', () => {
  test('has every field of a row, pages by weight or URL, and filters', async () => {
    const { byKey, rows } = await newMove({
      rows: [
        { url: '/a', title: 'Old shoes', weight: 3, suggested: 'redirect', confidence: 2, targets: ['/new/a', '/x'] },
        { url: '/b', weight: 9, suggested: 'gone', confidence: 0 },
        { url: '/c', weight: 3 },
        { url: '/d', weight: 3, suggested: 'keep', confidence: 2 },
      ],
      candidates: [{ url: '/new/a', title: 'Shoes' }, '/x'],
    });
    const [row] = await rows('&q=SHOES');
    const reasons = ['the same name'];
    expect(row).toEqual({
      ...{ url: '/a', raw_url: '/a', title: 'Old shoes', weight: 3, decision: null, target: null, status_code: null },
      ...{ suggested: 'redirect', confidence: 'sure', reasons: [], rule: null, decided_by: null, decided_at: null },
      suggestions: [
        { target: '/new/a', title: 'Shoes', score: 0.9, reasons },
        { target: '/x', title: null, score: 0.8, reasons },
      ],
      ...{ revision: 0, pending: false },
    });
    for (const [sort, order] of [
      ['-weight', ['/b', '/a', '/c', '/d']],
      ['weight', ['/d', '/c', '/a', '/b']],
      ['url', ['/a', '/b', '/c', '/d']],
      ['-url', ['/d', '/c', '/b', '/a']],
    ] as const) {
      const seen: string[] = [];
      let cursor = '';
      do {
        const { body } = await byKey('GET', `/rows?limit=1&sort=${sort}${cursor}`);
        seen.push(...urls(body.rows));
        cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
      } while (cursor !== '');
      expect(seen).toEqual(order);
    }
    await byKey('PUT', '/rows', { rows: [{ url: '/c', decision: 'redirect', target: '/x', revision: 0 }] });
    expect(urls(await rows('&decision=none'))).toEqual(['/b', '/a', '/d']);
    expect(urls(await rows('&decision=redirect&target=/x'))).toEqual(['/c']);
    expect(urls(await rows('&confidence=sure'))).toEqual(['/a', '/d']);
    expect(urls(await rows('&confidence=none'))).toEqual(['/c']);
    expect(urls(await rows('&suggested=gone'))).toEqual(['/b']);
    const { body } = await byKey('GET', '/rows?limit=1');
    expect((await byKey('GET', `/rows?limit=1&q=a&cursor=${body.next_cursor}`)).body.code).toBe('INVALID_PARAMETER');
  });

  test('is that of a move of the website', async () => {
    const { id } = await newMove(two);
    const other = await createSite(owner, ['decide-other.example']);
    const { status, body } = await owner.keyCall('GET', `/api/v1/websites/${other}/moves/${id}/rows`);
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'MOVE_NOT_FOUND' });
    const stranger = await detour.account();
    const foreign = await stranger.keyCall('PUT', `/api/v1/websites/${site}/moves/${id}/rows`, {
      rows: [{ url: '/a', decision: 'keep', revision: 0 }],
    });
    expect(foreign.body.code).toBe('WEBSITE_NOT_FOUND');
  });
});

describe('named rows', () => {
  test('get decisions, and lose them again', async () => {
    const { byKey, rows, isExact } = await newMove(two);
    const decided = await byKey('PUT', '/rows', {
      rows: [
        { url: '/a', decision: 'redirect', target: 'https://decide.example/new?x=1', status_code: 302, revision: 0 },
        { url: '/b', decision: 'gone', status_code: 451, revision: 0 },
      ],
    });
    expect(decided).toMatchObject({ status: 200, body: { updated: 2, conflicts: [], conflict_count: 0 } });
    const by = { decided_by: { type: 'key', name: expect.any(String) }, decided_at: expect.any(String), revision: 1 };
    expect(await rows()).toMatchObject([
      // The website's own host, so a path.
      { url: '/a', decision: 'redirect', target: '/new?x=1', status_code: 302, ...by },
      { url: '/b', decision: 'gone', target: null, status_code: 451, ...by },
    ]);
    expect(await isExact()).toEqual({ decided: 2, weight: 5 });
    await byKey('PUT', '/rows', { rows: [{ url: '/a', decision: null, revision: 1 }] });
    const nothing = { decision: null, target: null, status_code: null, decided_by: null, decided_at: null };
    expect((await rows())[0]).toMatchObject({ url: '/a', ...nothing, revision: 2 });
    expect(await isExact()).toEqual({ decided: 1, weight: 0 });
  });

  test('are checked as redirects are, and one wrong row stops all', async () => {
    const { byKey, isExact } = await newMove(two);
    const row = (fields: object) => ({ url: '/b', decision: 'redirect', target: '/x', revision: 0, ...fields });
    const wrong: [object, string, string][] = [
      [{ target: null }, 'target', 'TARGET_REQUIRED'],
      [{ target: 'https://elsewhere.example/' }, 'target', 'TARGET_HOST_NOT_ALLOWED'],
      [{ target: '/b' }, 'target', 'REDIRECT_LOOP'],
      [{ target: 'x' }, 'target', 'INVALID_NEW_PATH'],
      [{ status_code: 410 }, 'status_code', 'INVALID_STATUS_CODE'],
      [{ decision: 'gone' }, 'target', 'TARGET_NOT_ALLOWED'],
      [{ decision: 'gone', target: null, status_code: 301 }, 'status_code', 'INVALID_STATUS_CODE'],
      [{ decision: 'keep' }, 'target', 'TARGET_NOT_ALLOWED'],
      [{ decision: 'skip', target: null, status_code: 301 }, 'status_code', 'INVALID_STATUS_CODE'],
      [{ url: '/a' }, 'url', 'VALIDATION_ERROR'],
    ];
    for (const [fields, field, code] of wrong) {
      const rows = [{ url: '/a', decision: 'keep', revision: 0 }, row(fields)];
      const { status, body } = await byKey('PUT', '/rows', { rows });
      expect([fields, status, body.issues]).toMatchObject([fields, 422, [{ path: `rows[1].${field}`, code }]]);
    }
    const fine = { url: '/a', decision: 'redirect', target: 'https://shop.example/a', revision: 0 };
    const { revision: _revision, ...without } = fine;
    const missing = await byKey('PUT', '/rows', { rows: [without] });
    expect(missing).toMatchObject({ status: 400, body: { code: 'MISSING_PARAMETER' } });
    expect(await isExact()).toEqual({ decided: 0, weight: 0 });
    expect((await byKey('PUT', '/rows', { rows: [fine] })).body.updated).toBe(1);
  });

  test('that were changed since are conflicts with the row as it is', async () => {
    const { byKey, bySession, rows, isExact } = await newMove(two);
    await bySession('PUT', '/rows', { rows: [{ url: '/a', decision: 'keep', revision: 0 }] });
    const { body } = await byKey('PUT', '/rows', {
      rows: [
        { url: '/a', decision: 'gone', revision: 0 },
        { url: '/b', decision: 'gone', revision: 0 },
        { url: '/unknown', decision: 'gone', revision: 0 },
      ],
    });
    const row = { url: '/a', decision: 'keep', revision: 1, decided_by: { type: 'user', name: owner.email } };
    expect(body).toMatchObject({
      updated: 1,
      conflicts: [
        { url: '/a', code: 'ROW_CHANGED', row },
        { url: '/unknown', code: 'ROW_CHANGED', row: null },
      ],
      conflict_count: 2,
    });
    expect((await rows()).map(({ decision }) => decision)).toEqual(['keep', 'gone']);
    expect(await isExact()).toEqual({ decided: 2, weight: 5 });
  });
});

describe('all rows of a filter', () => {
  const suggested: StoredMove['rows'] = [
    { url: '/sure', weight: 7, suggested: 'redirect', confidence: 2, targets: ['/new/sure', '/other'] },
    { url: '/likely', weight: 6, suggested: 'redirect', confidence: 1, targets: ['/new/likely'] },
    { url: '/guess', weight: 5, suggested: 'redirect', confidence: 0, targets: ['/new/guess'] },
    { url: '/keep', weight: 4, suggested: 'keep', confidence: 2 },
    { url: '/gone', weight: 3, suggested: 'gone', confidence: 0, targets: ['/far'] },
    { url: '/unknown', weight: 2, targets: ['/far'] },
    { url: '/decided', weight: 1, suggested: 'redirect', confidence: 2, targets: ['/new/decided'] },
  ];
  const accept = (more: object = {}) => ({ filter: {}, decision: 'accept_suggestion', ...more });

  test('take their suggestions, from `likely` on', async () => {
    const { byKey, rows, isExact } = await newMove({ rows: suggested });
    await byKey('PUT', '/rows', { rows: [{ url: '/decided', decision: 'skip', revision: 0 }] });
    const dry = await byKey('PUT', '/rows', accept({ dry_run: true }));
    const examples = [
      { url: '/sure', decision: 'redirect', target: '/new/sure' },
      { url: '/likely', decision: 'redirect', target: '/new/likely' },
      { url: '/keep', decision: 'keep', target: null },
    ];
    expect(dry.body).toEqual({ updated: 3, conflicts: [], conflict_count: 0, examples });
    expect(await isExact()).toEqual({ decided: 1, weight: 1 });
    expect((await byKey('PUT', '/rows', accept({ status_code: 308 }))).body.updated).toBe(3);
    expect(await rows('&decision=redirect')).toMatchObject(
      examples.slice(0, 2).map((row) => ({ ...row, status_code: 308 })),
    );
    expect(await isExact()).toEqual({ decided: 4, weight: 18 });
    expect((await byKey('PUT', '/rows', accept({ min_confidence: 'guess' }))).body.updated).toBe(2);
    expect(await rows('&decision=gone')).toMatchObject([{ url: '/gone', target: null, status_code: null }]);
    expect((await byKey('PUT', '/rows', accept({ filter: { decision: 'skip' } }))).body.updated).toBe(1);
    expect(urls(await rows('&decision=none'))).toEqual(['/unknown']);
    expect(await isExact()).toEqual({ decided: 6, weight: 26 });
  });

  test('get one decision, and lose it', async () => {
    const { byKey, rows, isExact } = await newMove({ rows: suggested });
    const body = { filter: { q: 'e' }, decision: 'redirect', target: '/x' };
    expect((await byKey('PUT', '/rows', { ...body, dry_run: true })).body.updated).toBe(6);
    expect((await byKey('PUT', '/rows', body)).body.updated).toBe(6);
    expect((await byKey('PUT', '/rows', body)).body.updated).toBe(0);
    expect(await isExact()).toEqual({ decided: 6, weight: 26 });
    expect((await byKey('PUT', '/rows', { filter: { target: '/x' }, decision: null })).body.updated).toBe(6);
    expect(await rows('&decision=redirect')).toEqual([]);
    const loop = await byKey('PUT', '/rows', { ...body, target: '/guess' });
    expect(loop).toMatchObject({ status: 422, body: { issues: [{ path: 'target' }] } });
    expect(await isExact()).toEqual({ decided: 0, weight: 0 });
  });

  test('are not mixed with other forms of a call', async () => {
    const { byKey } = await newMove({ rows: suggested });
    const statusOf = async (body: object) => (await byKey('PUT', '/rows', body)).status;
    expect(await statusOf({ filter: {} })).toBe(400);
    expect(await statusOf({ decision: 'keep' })).toBe(400);
    expect(await statusOf({ filter: {}, decision: 'keep', min_confidence: 'sure' })).toBe(400);
    expect(await statusOf(accept({ target: '/x' }))).toBe(400);
    expect(await statusOf(accept({ status_code: 410 }))).toBe(422);
    expect(await statusOf({ filter: {}, rows: [{ url: '/sure', decision: 'keep', revision: 0 }] })).toBe(400);
    expect(await statusOf({ filter: {}, decision: 'redirect' })).toBe(422);
    expect(await statusOf({ rows: [] })).toBe(422);
  });

  test('are not led to a host that is no longer allowed', async () => {
    const row = { url: '/a', suggested: 'redirect', confidence: 2, targets: ['https://closed.example/a'] } as const;
    const { byKey, isExact } = await newMove({ rows: [{ ...row, targets: [...row.targets] }], to: 'file' });
    const { status, body } = await byKey('PUT', '/rows', accept());
    expect({ status, issues: body.issues }).toMatchObject({
      status: 422,
      issues: [{ code: 'TARGET_HOST_NOT_ALLOWED' }],
    });
    expect(await isExact()).toEqual({ decided: 0, weight: 0 });
  });
});

describe('an undo', () => {
  test('takes back own calls, newest first, and leaves what others decided since', async () => {
    const { byKey, bySession, rows, isExact } = await newMove(two);
    const decide = (revision: number, decision: string) => ({ rows: [{ url: '/a', decision, revision }] });
    await byKey('PUT', '/rows', { filter: {}, decision: 'keep' });
    await byKey('PUT', '/rows', decide(1, 'gone'));
    await bySession('PUT', '/rows', decide(2, 'skip'));
    const undone = await byKey('POST', '/undo', { steps: 2 });
    const conflict = { url: '/a', code: 'ROW_CHANGED', row: { decision: 'skip', revision: 3 } };
    expect(undone.body).toMatchObject({ steps: 2, updated: 1, conflicts: [conflict], conflict_count: 1 });
    expect((await rows()).map(({ decision, revision }) => [decision, revision])).toEqual([
      ['skip', 3],
      [null, 2],
    ]);
    expect(await isExact()).toEqual({ decided: 1, weight: 5 });
    // The row returns to what the other person had found.
    expect((await bySession('POST', '/undo', {})).body).toMatchObject({ steps: 1, updated: 1, conflict_count: 0 });
    expect((await rows())[0]).toMatchObject({ decision: 'gone', decided_by: { type: 'key' }, revision: 4 });
    expect((await byKey('POST', '/undo', {})).body).toMatchObject({ steps: 0, updated: 0 });
    expect(await isExact()).toEqual({ decided: 1, weight: 5 });
  });

  test('takes back several calls about one row at once', async () => {
    const { byKey, rows, isExact } = await newMove(two);
    for (const [revision, decision] of ['keep', 'gone', null, 'skip'].entries())
      await byKey('PUT', '/rows', { rows: [{ url: '/a', decision, revision }] });
    expect((await byKey('POST', '/undo', { steps: 3 })).body).toMatchObject({ steps: 3, updated: 1 });
    expect((await rows())[0]).toMatchObject({ decision: 'keep', revision: 5 });
    expect(await isExact()).toEqual({ decided: 1, weight: 5 });
  });

  test('knows the last 100 calls', async () => {
    const { id, byKey } = await newMove(two);
    for (let revision = 0; revision < 102; revision++)
      await byKey('PUT', '/rows', { rows: [{ url: '/a', decision: revision % 2 ? 'keep' : 'gone', revision }] });
    const { rows } = await detour.db.$client.query('select count(*) from move_step_rows where move_id = $1', [id]);
    expect(rows).toEqual([{ count: 100 }]);
    expect((await byKey('POST', '/undo', { steps: 101 })).status).toBe(422);
    expect((await byKey('POST', '/undo', { steps: 100 })).body).toMatchObject({ steps: 100, updated: 1 });
  });
});
