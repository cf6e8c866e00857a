/**
 * A key limited to one website, on every route that takes a key, with the ids of another website of its account. A new
 * route is covered by its example: the ids in it are replaced by those of the other website.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TableRoute } from '../../src/http/route-table.ts';
import { createApiKey } from '../../src/accounts/api-key.ts';
import { type Method, startTestApp, type TestApp, type TestOwner } from '../support/app.ts';
import { exampleCall, fillWebsite, type Ids, nameOf } from '../support/example-requests.ts';

/** In every text of the other website, and in none of the key's own. */
const MARK = 'other-website-5c1d';

/** Lists over all websites of the key, and the account. They respond without the other website. */
const LISTS = [
  'GET /api/v1/account',
  'GET /api/v1/activity',
  'GET /api/v1/deployments',
  'GET /api/v1/events',
  'GET /api/v1/overview',
  'GET /api/v1/websites',
  'POST /api/v1/redirects/bulk-update',
];

/** Anyone may create one; what it gets is tested below. */
const ONE_TIME_URL = 'POST /api/v1/downloads';

let detour: TestApp;
let owner: TestOwner;
let fullKey: string;
let limitedKey: string;
let table: TableRoute[];
let own: Ids;
let other: Ids;

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- responses of any shape
type AnyBody = any;

beforeAll(async () => {
  detour = await startTestApp();
  owner = await detour.account();
  ({ key: fullKey } = await owner.key());
  own = await fillWebsite(detour, fullKey, 'own');
  other = await fillWebsite(detour, fullKey, MARK);
  const { db } = detour.database;
  const input = { name: 'limited', websiteIds: [Number(own['website_id'])] };
  ({ key: limitedKey } = await createApiKey(db, owner.actor, input, detour.clock.now()));
  table = detour.app.routeTable.filter(({ url }) => /^\/(api\/v1|api\/webhooks|v1)(\/|$)/.test(url));
});
beforeEach(() => detour.clock.advance(60_000));
afterAll(() => detour.close());

async function write(method: Method, path: string, body: object): Promise<AnyBody> {
  const answer = await detour.call(method, `/api/v1${path}`, { key: fullKey, body });
  if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.body}`);
  return answer.json();
}

async function send(route: TableRoute, key: string, ids: Ids, withWebsite = true) {
  const { url, body, payload } = exampleCall(route, ids, withWebsite);
  const form = payload && { payload: payload.text, headers: { 'content-type': payload.type } };
  const answer = await detour.call(route.method as Method, url, { key, ...(body && { body }), ...form });
  const isJson = String(answer.headers['content-type']).startsWith('application/json');
  const { code } = isJson ? answer.json<AnyBody>() : {};
  return { status: answer.statusCode, code, text: answer.body };
}

const isAccountWide = ({ method, url, config }: TableRoute): boolean =>
  /\/(webhooks|notices)/.test(url) || config.keys === false || `${method} ${url}` === 'POST /api/v1/websites';

test('another website does not exist for the key: 404, and 403 for what concerns the whole account', async () => {
  const picked = table.filter((route) => !LISTS.includes(nameOf(route)) && nameOf(route) !== ONE_TIME_URL);
  const answers = [];
  for (const route of picked) answers.push([nameOf(route), (await send(route, limitedKey, other)).status]);
  expect(answers).toEqual(picked.map((route) => [nameOf(route), isAccountWide(route) ? 403 : 404]));
});

test('a one-time URL for another website is 404', async () => {
  const path = `/api/v1/websites/${other['website_id']}/urls/export`;
  const created = await detour.call('POST', '/api/v1/downloads', { key: limitedKey, body: { path } });
  const { download } = created.json<{ download: { url: string } }>();
  const used = await detour.call('GET', download.url);
  expect([used.statusCode, used.json<AnyBody>().code]).toEqual([404, 'WEBSITE_NOT_FOUND']);
});

test('a list has only the websites of the key', async () => {
  const picked = table.filter((route) => LISTS.includes(nameOf(route)));
  expect(picked.map(nameOf).toSorted()).toEqual(LISTS);
  for (const route of picked) {
    const { status, text } = await send(route, limitedKey, other, false);
    expect([nameOf(route), status, text.includes(MARK)]).toEqual([nameOf(route), 200, false]);
    // The same request shows the other website to a key of the whole account.
    const whole = await send(route, fullKey, other, false);
    expect([nameOf(route), whole.text === text]).toEqual([nameOf(route), false]);
  }
  const usage = async (key: string) =>
    (await detour.call('GET', '/api/v1/account', { key })).json<AnyBody>().account.usage;
  expect(await usage(limitedKey)).toMatchObject({ websites: 1, redirects: 1 });
  expect(await usage(fullKey)).toMatchObject({ websites: 2, redirects: 2 });
});

test('the key has its own website, and a key of the account has the other one', async () => {
  // Deletions come last.
  const picked = table.filter((route) => !isAccountWide(route)).toSorted((a, b) => rank(a) - rank(b));
  for (const [key, ids] of [
    [limitedKey, own],
    [fullKey, other],
  ] as const) {
    for (const route of picked) {
      const { code } = await send(route, key, ids);
      expect([
        nameOf(route),
        code === undefined || !/^(?!VERSION)\w+_NOT_FOUND$|SCOPE$/.test(code) ? '' : code,
      ]).toEqual([nameOf(route), '']);
    }
  }
});

const rank = ({ method, url }: TableRoute): number =>
  (url.includes('delete') ? 1 : 0) + (method === 'DELETE' ? 2 : 0) + (/websites\/:id$/.test(url) ? 1 : 0);

test('a key whose websites are all deleted reaches nothing', async () => {
  const answer = await detour.call('GET', '/api/v1/websites', { key: limitedKey });
  expect(answer.json()).toEqual({ websites: [] });
  const events = await detour.call('GET', '/api/v1/events', { key: limitedKey });
  expect(events.json()).toEqual({ events: [], next_cursor: null });
  const cookie = await detour.cookieOf(owner.email);
  const { api_keys: keys } = (await detour.call('GET', '/api/keys', { cookie })).json<AnyBody>();
  const limits = Object.fromEntries(keys.map((one: AnyBody) => [one.name, one.website_ids]));
  expect(limits).toEqual({ limited: [], test: null });
});

test('a key names websites of its account, at least one', async () => {
  const cookie = await detour.cookieOf(owner.email);
  const create = (website_ids: unknown) =>
    detour.call('POST', '/api/keys', { cookie, body: { name: 'by cookie', website_ids } });
  const foreign = await detour.account();
  const { key } = await foreign.key();
  const site = await detour.call('POST', '/api/v1/websites', { key, body: { name: 'foreign' } });
  const foreignId = Number(site.json<AnyBody>().website.id);
  for (const wrong of [[], [foreignId], [2 ** 40], [Number(own['website_id'])]]) {
    const { statusCode, body } = await create(wrong);
    expect([wrong, statusCode, JSON.parse(body).issues]).toEqual([
      wrong,
      422,
      [{ path: 'website_ids', code: 'VALIDATION_ERROR', message: expect.any(String) }],
    ]);
  }
  const mine = await write('POST', '/websites', { name: 'mine' });
  const id = Number(mine.website.id);
  expect((await create([id, id])).json<AnyBody>().api_key).toMatchObject({
    website_ids: [id],
    created_by: { id: String(owner.userId), email: owner.email },
  });
  expect((await create(null)).json<AnyBody>().api_key.website_ids).toBeNull();
});
