/**
 * A person limited to two websites, viewer of one and editor of the other, on every route that takes a session, with the
 * ids of a hidden website, of the viewed one and of the edited one. A new route is covered by its example.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { limitUser } from '../../src/accounts/limit-user.ts';
import { sql } from '../../src/db/drizzle.ts';
import type { TableRoute } from '../../src/http/route-table.ts';
import { type Method, startTestApp, type TestApp, type TestOwner } from '../support/app.ts';
import { type ExampleCall, exampleCall, fillWebsite, type Ids, nameOf } from '../support/example-requests.ts';

/** In every text of the hidden website, and in none of the others. */
const MARK = 'hidden-website-7e2a';

/** Lists over all visible websites, and the account. They respond without the hidden website. */
const LISTS = [
  'GET /api/account',
  'GET /api/activity',
  'GET /api/deployments',
  'GET /api/events',
  'GET /api/redirects',
  'GET /api/redirects/count',
  'GET /api/v1/account',
  'GET /api/v1/activity',
  'GET /api/v1/deployments',
  'GET /api/v1/events',
  'GET /api/v1/overview',
  'GET /api/v1/websites',
  'GET /api/websites',
];
/** They ignore unknown ids. */
const BY_IDS = ['POST /api/redirects/bulk-update', 'POST /api/v1/redirects/bulk-update'];
/** Requests that change nothing, although their method says so. */
const READS = /\/redirects\/(check|test)$|\/expectations\/run$|\/urls\/check$/;

/** Anyone may create one; what it gets is tested below. */
const ONE_TIME_URL = 'POST /api/v1/downloads';

let detour: TestApp;
let owner: TestOwner;
let person: { email: string; id: number };
let cookie: string;
let table: TableRoute[];
let hidden: Ids;
let viewed: Ids;
let edited: Ids;

beforeAll(async () => {
  detour = await startTestApp();
  owner = await detour.account();
  const { key } = await owner.key();
  hidden = await fillWebsite(detour, key, MARK);
  viewed = await fillWebsite(detour, key, 'viewed');
  edited = await fillWebsite(detour, key, 'edited');
  person = await owner.user('viewer');
  const websiteRoles = { [viewed['websites'] ?? '']: 'viewer', [edited['websites'] ?? '']: 'editor' } as const;
  await limitUser(detour.database.db, owner.actor, { id: person.id, websiteRoles }, detour.clock.now());
  cookie = await detour.cookieOf(person.email);
  table = detour.app.routeTable.filter(({ url, config }) => /^\/(api|v1)\//.test(url) && !config.public);
});
beforeEach(() => detour.clock.advance(60_000));
afterAll(() => detour.close());

const isOneself = ({ url }: TableRoute): boolean => url.startsWith('/api/auth/');
const isOfAccount = (route: TableRoute): boolean =>
  route.config.role === 'owner' || /^POST \/api\/(v1\/)?websites$/.test(nameOf(route));
const namesWebsite = (route: TableRoute): boolean =>
  !isOneself(route) && !isOfAccount(route) && ![...LISTS, ...BY_IDS, ONE_TIME_URL].includes(nameOf(route));

/** The example, with or without `dry_run`. */
function callOf(route: TableRoute, ids: Ids, { dryRun }: { dryRun: boolean }): ExampleCall {
  const { url, body, ...rest } = exampleCall(route, ids);
  const fields = body && 'dry_run' in body ? { ...body, dry_run: dryRun } : body;
  return { url: url.replace(/dry_run=\w+/, `dry_run=${dryRun}`), ...(fields && { body: fields }), ...rest };
}

async function send(route: TableRoute, { url, body, payload }: ExampleCall) {
  const answer = await detour.app.inject({
    method: route.method as Method,
    url,
    headers: {
      cookie,
      'x-detour-dashboard': '1',
      ...(body && { 'content-type': 'application/json' }),
      ...(payload && { 'content-type': payload.type }),
    },
    ...(body && { payload: JSON.stringify(body) }),
    ...(payload && { payload: payload.text }),
  });
  const isJson = String(answer.headers['content-type']).startsWith('application/json');
  const { code = '' } = isJson ? answer.json<{ code?: string }>() : {};
  return { status: answer.statusCode, code, text: answer.body };
}

/** Everything that a write of a website could change. */
async function fingerprint(ids: Ids): Promise<string> {
  const { rows } = await detour.database.db.execute(sql`
    select (select row_to_json(w)::text from websites w where id = ${ids['websites']}) as website,
      (select string_agg(r::text, '' order by id) from redirects r where website_id = ${ids['websites']}) as redirects,
      (select string_agg(e::text, '' order by key) from expectations e where website_id = ${ids['websites']}) as expectations,
      (select count(*) from deployments where website_id = ${ids['websites']}) as deployments,
      (select count(*) from events where website_id = ${ids['websites']} and event <> 'bulk_export.completed') as events,
      (select string_agg(e::text, '' order by environment) from website_environments e where website_id = ${ids['websites']}) as environments`);
  return JSON.stringify(rows);
}

const isNotFound = (code: string): boolean => /^(?!VERSION)\w+_NOT_FOUND$/.test(code);
/** The website is visible, and what is asked of it does not exist. */
const hasNone = (code: string, text: string): boolean =>
  code === 'VERSION_NOT_FOUND' ||
  text.includes('The rows of this import are not stored') ||
  text.includes('nothing is live in production');

test('what belongs to the whole account is 403, and a person can end their own sessions and change their password', async () => {
  const picked = table.filter(isOfAccount);
  expect(picked.length).toBeGreaterThan(25);
  for (const route of picked) {
    const { status, code } = await send(route, callOf(route, edited, { dryRun: true }));
    expect([nameOf(route), status, code]).toEqual([nameOf(route), 403, 'INSUFFICIENT_ROLE']);
  }
  const own = await detour.call('GET', '/api/auth/sessions', { cookie });
  expect(own.statusCode).toBe(200);
});

test('a one-time URL for a hidden website is 404', async () => {
  const path = `/api/v1/websites/${hidden['websites']}/urls/export`;
  const headers = { 'x-detour-dashboard': '1' };
  const created = await detour.call('POST', '/api/v1/downloads', { cookie, headers, body: { path } });
  const { download } = created.json<{ download: { url: string } }>();
  const used = await detour.call('GET', download.url);
  expect([used.statusCode, used.json<{ code: string }>().code]).toEqual([404, 'WEBSITE_NOT_FOUND']);
});

test('a hidden website does not exist: 404, and nothing of it changes', async () => {
  const before = await fingerprint(hidden);
  const strays = [];
  for (const route of table.filter(namesWebsite)) {
    for (const dryRun of [true, false]) {
      const { status, code, text } = await send(route, callOf(route, hidden, { dryRun }));
      if (status !== 404 || !isNotFound(code) || hasNone(code, text) || text.includes(MARK))
        strays.push([nameOf(route), status, text]);
    }
  }
  expect(strays).toEqual([]);
  expect(await fingerprint(hidden)).toBe(before);
});

test('a viewed website can be read and checked; each write is 403 and applies nothing', async () => {
  const before = await fingerprint(viewed);
  const strays = [];
  for (const route of table.filter((one) => namesWebsite(one) || BY_IDS.includes(nameOf(one)))) {
    for (const dryRun of [true, false]) {
      const sent = callOf(route, viewed, { dryRun });
      const canDry = JSON.stringify(sent).includes('dry_run');
      const isRead = route.method === 'GET' || READS.test(route.url) || (dryRun && canDry);
      const { status, code, text } = await send(route, sent);
      const isFine = isRead ? status < 300 || hasNone(code, text) : code === 'INSUFFICIENT_ROLE';
      if (!isFine || text.includes(MARK)) strays.push([nameOf(route), dryRun, status, text]);
    }
  }
  expect(strays).toEqual([]);
  expect(await fingerprint(viewed)).toBe(before);
});

test('a list has only visible websites', async () => {
  for (const route of table.filter((one) => LISTS.includes(nameOf(one)))) {
    const { status, text } = await send(route, exampleCall(route, hidden, false));
    expect([nameOf(route), status, text.includes(MARK)]).toEqual([nameOf(route), 200, false]);
  }
  const { usage } = (await detour.call('GET', '/api/account', { cookie })).json<{ account: { usage: object } }>()
    .account;
  expect(usage).toEqual({ users: 1, api_keys: 0, websites: 2, redirects: 2, urls: 2 });
});

test('ids of hidden redirects are ignored; with one of a viewed website among them, 403 and nothing is applied', async () => {
  const before = await Promise.all([hidden, viewed, edited].map(fingerprint));
  const ids = (...websites: Ids[]): number[] => websites.map((each) => Number(each['redirects']));
  const update = (redirectIds: number[], more = {}) =>
    detour.call('POST', '/api/redirects/bulk-update', {
      cookie,
      body: { redirectIds, updates: { notes: 'new' }, ...more },
    });
  const mixed = await update(ids(hidden, viewed, edited));
  expect([mixed.statusCode, mixed.json().code]).toEqual([403, 'INSUFFICIENT_ROLE']);
  expect((await update(ids(hidden, viewed, edited), { dry_run: true })).json()).toMatchObject({ updated: 2 });
  expect(await Promise.all([hidden, viewed, edited].map(fingerprint))).toEqual(before);
  expect((await update(ids(hidden, edited))).json()).toMatchObject({ updated: 1 });
  expect((await update(ids(hidden))).json()).toMatchObject({ updated: 0 });
});

test('a filter without a website covers only websites where the person may write', async () => {
  const before = await Promise.all([hidden, viewed].map(fingerprint));
  const body = { filter: { q: '/' }, updates: { notes: 'by filter' } };
  const dry = await detour.call('POST', '/api/redirects/bulk-update', { cookie, body: { ...body, dry_run: true } });
  expect(dry.json()).toMatchObject({ updated: 1 });
  const done = await detour.call('POST', '/api/redirects/bulk-update', { cookie, body });
  expect(done.json()).toMatchObject({ updated: 1 });
  const none = { filter: { website_id: Number(viewed['websites']), q: 'no such path' }, updates: { notes: 'x' } };
  const named = await detour.call('POST', '/api/redirects/bulk-update', { cookie, body: none });
  expect(named.json().code).toBe('INSUFFICIENT_ROLE');
  expect(await Promise.all([hidden, viewed].map(fingerprint))).toEqual(before);
});

test('an edited website can be changed, by every route', async () => {
  // Deletions come last.
  const rank = ({ method, url }: TableRoute): number =>
    (url.includes('delete') ? 1 : 0) + (method === 'DELETE' ? 2 : 0) + (/websites\/:id$/.test(url) ? 1 : 0);
  const picked = table.filter((one) => namesWebsite(one) || BY_IDS.includes(nameOf(one)));
  for (const route of picked.toSorted((a, b) => rank(a) - rank(b))) {
    const { status, code, text } = await send(route, callOf(route, edited, { dryRun: false }));
    // The route of the other surface has deleted it before.
    const isGone = route.method === 'DELETE';
    const isFine = status !== 403 && (!isNotFound(code) || isGone || hasNone(code, text));
    expect([nameOf(route), isFine ? '' : text]).toEqual([nameOf(route), '']);
  }
});
