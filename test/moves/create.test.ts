/** Sources of moves, and the limits of a creation. Holds src/moves and src/surfaces/key-api/moves. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { addRedirect, createSite, deploy } from '../support/site.ts';
import { createMove, moveRows, readyMove } from '../support/moves.ts';

let detour: TestDetour;
let owner: TestAccount;

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

let hosts = 0;
const newHost = (): string => `create-move-${++hosts}.example`;
const call: TestAccount['keyCall'] = (method, path, body) => owner.keyCall(method, `/api/v1/websites/${path}`, body);
const push = (site: number, urls: unknown[], query = '') => call('PUT', `${site}/urls/living${query}`, { urls });
const candidates = async (site: number, id: string): Promise<string[]> =>
  (await call('GET', `${site}/moves/${id}/candidates`)).body.candidates.map(({ url }: { url: string }) => url);
const create = (site: number, body: Record<string, unknown>) => createMove(owner, site, body);
const rejected = async (site: number, body: Record<string, unknown>) => {
  const { status, body: error } = await call('POST', `${site}/moves`, { name: 'No', ...body });
  return { status, code: error.code, details: error.details };
};

/** Sends a form by key. */
async function post(site: number, parts: Record<string, string | Blob>) {
  const form = new FormData();
  for (const [name, part] of Object.entries(parts)) form.set(name, part);
  const headers = { authorization: `Bearer ${owner.key}` };
  const response = await fetch(`${detour.address}/api/v1/websites/${site}/moves`, {
    method: 'POST',
    body: form,
    headers,
  });
  const body = (await response.json()) as Record<string, Record<string, unknown>>;
  return { status: response.status, body };
}

describe('rows', () => {
  test('of the lost URLs have their weights and their whole query', async () => {
    const site = await createSite(owner, [newHost()]);
    await push(site, ['/a', '/old/page.html?b=1&a=2', '/old/b', '/c']);
    await call('POST', `${site}/urls`, { urls: [{ url: '/old/b', clicks: 5, links: 2, title: 'B' }] });
    await push(site, ['/a', '/page', '/c'], '?max_removed=100%25');
    const { move } = await create(site, {});
    expect(move).toMatchObject({
      from: 'lost',
      to: 'living',
      to_host: null,
      merged: 0,
      candidates: 3,
      left_out: 0,
      progress: { rows: 2, decided: 0, weight: 25, weight_decided: 0 },
      warnings: [],
      met: null,
      error: null,
    });
    expect(await moveRows(detour.db, move.id)).toEqual([
      { url: '/old/b', raw_url: null, raw_urls: null, title: 'B', weight: 25 },
      { url: '/old/page.html?a=2&b=1', raw_url: '/old/page.html?b=1&a=2', raw_urls: null, title: null, weight: 0 },
    ]);
  });

  test('of a filter are those with its answer', async () => {
    const site = await createSite(owner, [newHost()]);
    await push(site, ['/a', '/old/a']);
    await call('POST', `${site}/urls`, { urls: ['/old/known', '/known'] });
    await push(site, ['/a'], '?max_removed=100%25');
    const { move } = await create(site, { from: { filter: { answered: 'none', q: 'old' } } });
    expect(move.from).toBe('filter');
    expect(await moveRows(detour.db, move.id)).toMatchObject([{ url: '/old/known' }]);
    expect(await rejected(site, { from: { filter: { q: 'nowhere' } } })).toMatchObject({
      status: 422,
      code: 'EMPTY_BODY',
    });
  });

  test('of a list merge the addresses of one page, and say which were no rows', async () => {
    const [host, old] = [newHost(), newHost()];
    const site = await createSite(owner, [host], { page_parameters: ['id'] });
    await call('POST', `${site}/urls`, { urls: [{ url: '/known?id=1', links: 3, title: 'Known' }] });
    const urls = [
      '/a',
      { url: `https://${old}/a#top`, title: 'A', weight: 4 },
      `https://${host}/known?id=1&utm=2`,
      { url: '/b', weight: 7 },
      'https://other.example/x',
      'no address',
    ];
    const { move, ...unused } = await create(site, { from: { urls }, from_hosts: [old] });
    expect(move).toMatchObject({ from: 'urls', merged: 1, progress: { rows: 3, weight: 41 } });
    expect(unused).toEqual({
      ignored: 1,
      invalid: 1,
      ignored_hosts: [{ host: 'other.example', rows: 1, reason: 'other_host' }],
      invalid_examples: [{ line: 5, value: 'no address', code: 'VALIDATION_ERROR' }],
    });
    const raw = `https://${host}/known?id=1&utm=2`;
    expect(await moveRows(detour.db, move.id)).toEqual([
      { url: '/known?id=1&utm=2', raw_url: raw, raw_urls: null, title: 'Known', weight: 30 },
      { url: '/b', raw_url: null, raw_urls: null, title: null, weight: 7 },
      { url: '/a', raw_url: null, raw_urls: ['/a', `https://${old}/a#top`], title: 'A', weight: 4 },
    ]);
  });

  test('of a file have its clicks and links as weights, and fields of a form apply', async () => {
    const [host, old] = [newHost(), newHost()];
    const site = await createSite(owner, [host]);
    const csv = `url,clicks,links\nhttps://${old}/a,5,2\n/b,,1\n/b,3,\n`;
    const { status, body } = await post(site, {
      name: 'Files',
      from: new Blob([new Uint8Array(gzipSync(csv))]),
      to: new Blob(['/a-page\n/b-page\nhttps://other.example/c\n']),
      from_hosts: `${old}, ${host}`,
    });
    expect(status).toBe(202);
    expect(body.move).toMatchObject({ name: 'Files', from: 'file', to: 'file', merged: 1, candidates: 2, left_out: 1 });
    const found = (await moveRows(detour.db, String(body.move?.id))).map(({ url, weight }) => [url, weight]);
    expect(found).toEqual([
      ['/a', 25],
      ['/b', 13],
    ]);
    const lost = await post(site, { name: 'Fields', from: '{"urls": ["/x"]}', to: '{"urls": ["/y"]}' });
    expect(lost).toMatchObject({ status: 202, body: { move: { from: 'urls', to: 'file', candidates: 1 } } });
    const unknown = await post(site, { name: 'Fields', from: '{"urls": ["/x"]}', filter: 'lost' });
    expect(unknown).toMatchObject({ status: 400, body: { code: 'UNKNOWN_FIELD' } });
    const doctype = await post(site, { name: 'Files', from: new Blob(['<!DOCTYPE a><urlset/>']) });
    expect(doctype).toMatchObject({ status: 422, body: { error: expect.stringMatching(/^from: /) } });
  });
});

describe('candidates', () => {
  test('of another website are absolute, on an allowed host that the caller reaches', async () => {
    const [host, next] = [newHost(), newHost()];
    const target = await createSite(owner, [next]);
    const site = await createSite(owner, [host]);
    await push(target, ['/new/a', { url: '/b', title: 'B' }]);
    const from = { urls: ['/a'] };
    const stranger = await createSite(await detour.account(), [newHost()]);
    for (const to of [{ to_host: 'unknown.example' }, { website_id: String(stranger) }])
      expect(await rejected(site, { from, to })).toMatchObject({ status: 404, code: 'WEBSITE_NOT_FOUND' });
    const notAllowed = { status: 422, code: 'TARGET_HOST_NOT_ALLOWED' };
    expect(await rejected(site, { from, to_host: next })).toMatchObject(notAllowed);
    await call('PUT', `${site}`, { allowed_target_hosts: [next] });
    for (const to of [{ to: { to_host: next } }, { to_host: next }, { to: { website_id: String(target) } }]) {
      const { move } = await create(site, { from, ...to });
      expect(move).toMatchObject({ to: 'website', to_host: next, candidates: 2 });
      expect(await candidates(site, move.id)).toEqual([`https://${next}/b`, `https://${next}/new/a`]);
    }
  });

  test('of a list are paths on own hosts and addresses on allowed ones; others are left out', async () => {
    const [host, allowed] = [newHost(), newHost()];
    const site = await createSite(owner, [host], { allowed_target_hosts: [allowed] });
    const urls = [
      `http://${host}/own`,
      '/own',
      `http://${allowed}/there?b=1&a`,
      'https://other.example/',
      '//x/y',
      'no address',
      { url: '/gone', status: 404 },
    ];
    const { move } = await create(site, { from: { urls: ['/a'] }, to: { urls } });
    expect(move).toMatchObject({ to: 'file', candidates: 2, left_out: 4 });
    expect(await candidates(site, move.id)).toEqual(['/own', `https://${allowed}/there?a&b=1`]);
    expect((await call('GET', `${site}/moves/${move.id}/candidates?q=THERE`)).body.candidates).toHaveLength(1);
  });

  test('of a website without a list are the targets of its live rules, and nothing is suggested as gone', async () => {
    const site = await createSite(owner, [newHost()]);
    await addRedirect(owner, site, { old_path: '/x', new_path: '/page' });
    await deploy(owner, site);
    const { move } = await create(site, { from: { urls: ['/old/nothing-alike'] } });
    expect(await candidates(site, move.id)).toEqual(['/page']);
    await readyMove(owner, site, move.id);
    expect(await moveRows(detour.db, move.id, 'suggested')).toEqual([{ suggested: null }]);
    await push(site, ['/page', '/other']);
    const { body } = await call('POST', `${site}/moves/${move.id}/refresh`);
    expect(body.move).toMatchObject({ state: 'matching', candidates: 2, progress: { matched: 0 } });
    await readyMove(owner, site, move.id);
    expect(await moveRows(detour.db, move.id, 'suggested')).toEqual([{ suggested: 'gone' }]);
  });
});

describe('a creation', () => {
  test('that is rejected stores nothing, and names the field', async () => {
    const site = await createSite(owner, [newHost()]);
    const from = { urls: ['/a'] };
    expect(await rejected(site, { from: { urls: [] } })).toMatchObject({ status: 422, code: 'EMPTY_BODY' });
    expect(await rejected(site, { from: { urls: ['https://other.example/'] } })).toMatchObject({
      status: 422,
      code: 'NO_OWN_URL',
      details: expect.stringMatching(/^from: .*from_hosts/),
    });
    for (const body of [{ from_hosts: ['::'] }, { from, from_hosts: ['::'] }])
      expect(await rejected(site, body)).toMatchObject({ status: 422, details: expect.stringContaining('from_hosts') });
    const invalid = { status: 400, code: 'INVALID_PARAMETER' };
    expect(await rejected(site, { from: { urls: ['/a'], filter: {} } })).toMatchObject(invalid);
    expect(await rejected(site, { from, to: { urls: ['/b'], to_host: 'x.example' } })).toMatchObject(invalid);
    for (const body of [{ from: { file: 'x' } }, { from, urls: ['/a'] }, { 'from.urls': ['/a'] }])
      expect(await rejected(site, body)).toMatchObject({ status: 400, code: 'UNKNOWN_FIELD' });
    expect(await rejected(site, { from: 'lost' })).toMatchObject(invalid);
    expect(await rejected(site, { name: undefined, from })).toMatchObject({ status: 400, code: 'MISSING_PARAMETER' });
    expect((await post(site, { name: 'x', from: new Blob(['']) })).body).toMatchObject({ code: 'EMPTY_BODY' });
    expect((await post(site, { name: 'x', other: new Blob(['/a']) })).body).toMatchObject({ code: 'UNKNOWN_FIELD' });
    const many = Array.from({ length: 200_001 }, (_, index) => `/p/${index}`);
    const tooMany = await rejected(site, { from: { urls: many } });
    expect(tooMany).toMatchObject({ status: 413, code: 'TOO_MANY_URLS', details: expect.stringMatching(/^from: /) });
    expect((await call('GET', `${site}/moves`)).body.moves).toEqual([]);
    const left = `select from move_rows where website_id = ${site} union all
      select from move_candidates where website_id = ${site}`;
    expect((await detour.db.$client.query(left)).rows).toEqual([]);
  });

  test('needs a role that may write, and a website that the caller reaches', async () => {
    const site = await createSite(owner, [newHost()]);
    const stranger = await detour.account();
    expect((await stranger.keyCall('POST', `/api/v1/websites/${site}/moves`, { name: 'x' })).status).toBe(404);
    const { move } = await create(site, { from: { urls: ['/a'] } });
    expect((await stranger.keyCall('GET', `/api/v1/websites/${site}/moves/${move.id}`)).status).toBe(404);
    const other = await createSite(owner, [newHost()]);
    expect(await call('GET', `${other}/moves/${move.id}`)).toMatchObject({
      status: 404,
      body: { code: 'MOVE_NOT_FOUND' },
    });
  });

  test('is the last one when 20 moves are open, also at the same time', async () => {
    const site = await createSite(owner, [newHost()]);
    const body = { name: 'Many', from: { urls: ['/a'] } };
    const answers = await Promise.all(Array.from({ length: 22 }, () => call('POST', `${site}/moves`, body)));
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([count(202), count(409)]).toEqual([20, 2]);
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('TOO_MANY_MOVES');
    const first = (await call('GET', `${site}/moves?limit=15`)).body;
    const second = (await call('GET', `${site}/moves?limit=15&cursor=${first.next_cursor}`)).body;
    expect([first.moves.length, second.moves.length, second.next_cursor]).toEqual([15, 5, null]);
    await detour.db.$client.query(`update moves set applied_at = now() where id = $1`, [first.moves[0].id]);
    expect((await call('POST', `${site}/moves`, body)).status).toBe(202);
  });
});
