/** POST /api/v1/websites/{id}/urls/check and the accepted losses, against a running service. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { storeUrls } from '../../support/urls.ts';

let detour: TestDetour;
let owner: TestAccount;
let site: number;

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
  site = await createSite(owner, ['check.example']);
  await storeUrls(detour.db, site, [
    { url: '/new', state: 'living' },
    { url: '/hidden', state: 'living' },
    { url: '/old', state: 'removed' },
    { url: '/lost', state: 'removed', clicks: 5 },
    { url: '/lost-more', state: 'removed', links: 2 },
    { url: '/known', state: 'known' },
  ]);
  await addRedirect(owner, site, { old_path: '/old', new_path: '/new' });
  await addRedirect(owner, site, { old_path: '/hidden', new_path: '/nowhere' });
  await settled(owner, site);
});
afterAll(() => detour.stop());

const check = (query = '', body: object = {}) =>
  owner.keyCall('POST', `/api/v1/websites/${site}/urls/check${query}`, body);

async function send(query: string, body: string | Buffer, type: string) {
  const response = await fetch(`${detour.address}/api/v1/websites/${site}/urls/check${query}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${owner.key}`, 'Content-Type': type },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
  return { status: response.status, text: await response.text() };
}

test('counts every URL once, and lists the worst first', async () => {
  const { status, body } = await check();
  expect(status).toBe(200);
  const counts = {
    urls: 6,
    living: 1,
    shadowed: 1,
    redirected: 1,
    gone: 0,
    lost: 2,
    none: 1,
    dangling: 1,
    accepted: 0,
  };
  expect(body.check).toEqual({ ...counts, loses_at: null, duration_ms: expect.any(Number) });
  expect(body.lost).toEqual([
    { url: '/lost-more', weight: 20, reason: 'unanswered', suggestions: [] },
    { url: '/lost', weight: 5, reason: 'unanswered', suggestions: [] },
  ]);
  expect(body.shadowed).toEqual([{ url: '/hidden', weight: 0, redirect_id: expect.any(String), kind: 'literal' }]);
  expect(body.dangling).toMatchObject([{ old_path: '/hidden', new_path: '/nowhere' }]);
});

test('pages one list, and streams all as CSV or NDJSON', async () => {
  const first = await check('?section=lost&limit=1');
  expect(first.body.lost).toMatchObject([{ url: '/lost-more' }]);
  expect(first.body).not.toHaveProperty('dangling');
  const second = await check(`?section=lost&limit=1&cursor=${first.body.next_cursor}`);
  expect(second.body).toMatchObject({ lost: [{ url: '/lost' }], next_cursor: null });
  expect((await check(`?section=dangling&cursor=${first.body.next_cursor}`)).status).toBe(400);
  expect((await check(`?section=lost&cursor=${first.body.next_cursor}`, { against: 'draft' })).status).toBe(400);
  const csv = (await send('?format=csv', '{}', 'application/json')).text.split('\n');
  expect(csv[0]).toBe('section,url,weight,reason,kind,redirect_id,old_path,new_path,suggestions');
  expect(csv.slice(1, 3)).toEqual(['lost,/lost-more,20,unanswered,,,,,', 'lost,/lost,5,unanswered,,,,,']);
  const rows = (await send('?format=ndjson&section=shadowed', '', 'application/json')).text.trim().split('\n');
  expect(rows.map((row) => JSON.parse(row))).toMatchObject([{ section: 'shadowed', url: '/hidden' }]);
});

test('a list in the body replaces the living pages for the call', async () => {
  const list = '/new\nhttps://check.example/fresh\nhttps://other.example/x\n';
  for (const body of [list, gzipSync(list)]) {
    const { status, text } = await send('?living=body&suggest=5', body, 'text/plain');
    expect(status).toBe(200);
    const result = JSON.parse(text);
    // /hidden is removed in this list, and its rule answers it.
    expect(result.check).toMatchObject({ urls: 7, living: 2, shadowed: 0, redirected: 2, lost: 2 });
    expect(result.body).toMatchObject({ rows: 3, ignored: 1, invalid: 0, ignored_hosts: [{ host: 'other.example' }] });
  }
  expect((await send('?living=body', 'https://other.example/x', 'text/plain')).status).toBe(422);
  expect((await send('?living=body', '', 'text/plain')).status).toBe(422);
  expect((await check()).body.check).toMatchObject({ urls: 6, living: 1 });
});

test('lost URLs get suggestions: of the stored pages, or of those in the body with their titles', async () => {
  const moved = String(await createSite(owner, ['moved.example']));
  const path = `/api/v1/websites/${moved}/urls`;
  const old = { url: '/guide/set-up-webhooks', title: 'Set up signed webhooks' };
  const other = { url: '/pricing', title: 'Prices' };
  expect((await owner.keyCall('PUT', `${path}/living`, [old, other])).status).toBe(200);
  const build = [{ url: '/docs/start-9', title: 'Set up signed webhooks' }, other];
  const inBody = await owner.keyCall('POST', `${path}/check?living=body&suggest=5`, build);
  expect(inBody.body.lost).toMatchObject([
    { url: '/guide/set-up-webhooks', suggested: 'redirect', suggestions: [{ target: '/docs/start-9' }] },
  ]);
  const none = await owner.keyCall('POST', `${path}/check?living=body`, build);
  expect(none.body.lost).toEqual([{ url: '/guide/set-up-webhooks', weight: 0, reason: 'unanswered', suggestions: [] }]);

  const renamed = [{ url: '/guide/webhooks/set-up-webhooks' }, other];
  expect((await owner.keyCall('PUT', `${path}/living`, renamed)).status).toBe(200);
  const { body } = await owner.keyCall('POST', `${path}/check`, { suggest: 5 });
  expect(body.lost).toMatchObject([
    {
      ...{ url: '/guide/set-up-webhooks', suggested: 'redirect', confidence: expect.stringMatching(/sure|likely/) },
      suggestions: [
        { target: '/guide/webhooks/set-up-webhooks', reasons: expect.arrayContaining([expect.any(String)]) },
      ],
    },
  ]);
});

test('a list in the body replaces one list, and the others stay living', async () => {
  const other = String(await createSite(owner, ['two-lists.example']));
  const path = `/api/v1/websites/${other}/urls`;
  for (const [list, urls] of [
    ['docs', ['/docs/a', '/docs/b']],
    ['blog', ['/blog']],
  ] as const)
    expect((await owner.keyCall('PUT', `${path}/living?list=${list}`, urls)).status).toBe(200);
  const lostOf = async (query: string) =>
    (await owner.keyCall('POST', `${path}/check?living=body${query}`, ['/docs/a'])).body.lost as { url: string }[];
  expect((await lostOf('&list=docs')).map(({ url }) => url)).toEqual(['/docs/b']);
  expect((await lostOf('')).map(({ url }) => url)).toEqual(['/blog', '/docs/b']);
});

test('checks the draft, another environment, a time and a host', async () => {
  await owner.call('PUT', `/api/websites/${site}`, { auto_deploy: false });
  const until = '2030-01-01T00:00:00Z';
  const rule = { old_path: '/lost', new_path: '/new', active_until: until };
  await addRedirect(owner, site, rule);
  expect((await check('', { against: 'draft' })).body.check).toMatchObject({ lost: 1, redirected: 2, loses_at: until });
  expect((await check('', { against: 'draft', at: until })).body.check).toMatchObject({ lost: 2, loses_at: null });
  expect((await check('', { against: 'live', host: 'check.example' })).body.check).toMatchObject({ lost: 2 });
  // Staging has no lists, so it has the states of production.
  expect((await check('', { environment: 'staging' })).body.check).toMatchObject({ living: 2, lost: 3, none: 1 });
});

test('names what is wrong', async () => {
  for (const [query, body, field] of [
    ['', { host: 'other.example' }, 'host'],
    ['', { suggest: 101 }, 'suggest'],
    ['', { unknown: 1 }, 'unknown'],
    ['?environment=staging', {}, 'environment'],
    ['?cursor=x', {}, 'cursor'],
    ['?format=csv&limit=1', {}, 'limit'],
  ] as const) {
    const { status, text } = await check(query, body);
    expect([400, 422]).toContain(status);
    expect(text).toContain(field);
  }
  expect((await send('', '/not-json', 'text/plain')).status).toBe(400);
  expect((await check('', { against: 99 })).status).toBe(404);
  const other = await detour.account();
  expect((await other.keyCall('POST', `/api/v1/websites/${site}/urls/check`, {})).status).toBe(404);
});

test('accepted losses are counted apart; a write names each problem', async () => {
  const path = `/api/v1/websites/${site}/urls/accepted`;
  const put = (accepted: object[]) => owner.keyCall('PUT', path, { accepted });
  const accepted = [{ glob: '/lost-*', reason: 'closed', until: null }];
  expect((await put(accepted)).status).toBe(200);
  expect((await owner.keyCall('GET', path)).body).toEqual({ accepted });
  expect((await check()).body.check).toMatchObject({ lost: 1, accepted: 1 });
  const { status, text } = await put([{ glob: 'lost' }, { glob: '/a', reason: 'x'.repeat(501) }]);
  expect(status).toBe(422);
  expect(text).toContain('accepted[0].glob');
  expect(text).toContain('accepted[1].reason');
  expect((await put(Array.from({ length: 1_001 }, () => ({ glob: '/a' })))).status).toBe(422);
  expect((await owner.keyCall('GET', path)).body).toEqual({ accepted });
  const { body } = await owner.call('GET', '/api/audit?action=website.updated');
  expect(body.entries[0].details).toEqual({ before: { accepted_losses: [] }, after: { accepted_losses: ['/lost-*'] } });
  expect((await put([])).body).toEqual({ accepted: [] });
});
