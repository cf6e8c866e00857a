/** Routes and limits of checks. Holds the rules of src/checks/check.ts, list-checks.ts, stop-check.ts, credentials.ts and src/checks/create/create-check.ts, base-url.ts, stage-targets.ts. Holds src/surfaces/key-api/checks. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Plan } from '../../src/vocabulary/plan.ts';
import { type Method, startTestApp, type TestApp, type TestOwner } from '../support/app.ts';
import { answer, checkProcess } from '../support/checks.ts';

let app: TestApp;
let owner: TestOwner;
let key: string;
let site: string;
let host: string;
beforeAll(async () => void (app = await startTestApp()));
afterAll(() => app.close());
beforeEach(() => open());

let sites = 0;

/** A new account with a website, whose host is verified, and its key. */
async function open(plan: Plan = 'pro'): Promise<void> {
  owner = await app.account(plan);
  ({ key } = await owner.key());
  site = await addSite();
}

async function addSite(): Promise<string> {
  host = `checked-${++sites}.example`;
  const { body } = await call('POST', '/websites', {
    name: 'Shop',
    hosts: [{ hostname: host, environment: 'production' }],
    allowed_target_hosts: ['a.example', 'b.example'],
    auto_deploy: false,
  });
  return (body['website'] as { id: string }).id;
}

async function call(method: Method, path: string, body?: unknown, by = key) {
  const response = await app.call(method, `/api/v1${path}`, { key: by, body });
  return { status: response.statusCode, text: response.body, body: response.json<Record<string, unknown>>() };
}
const checks = (path = '') => `/websites/${site}/checks${path}`;
const start = async (body: object = {}) => {
  const { status, body: answered } = await call('POST', checks(), { kind: 'targets', ...body });
  return { status, code: answered['code'], details: answered['details'], check: answered['check'] as { id: string } };
};
async function addRedirects(...targets: string[]): Promise<void> {
  const redirects = targets.map((target, n) => ({ old_path: `/${n + 1}`, new_path: target, status_code: 301 }));
  const target_environments = ['production'];
  const { status } = await call('POST', '/redirects/bulk', {
    website_id: site,
    redirects: redirects.map((redirect) => ({ ...redirect, target_environments })),
  });
  expect(status).toBe(200);
}
/** Runs all checks that are due, those of other tests too. */
async function runAll(): Promise<void> {
  const { runNext } = checkProcess(app.database.db, app.clock, ({ url }) => answer({ end: url }));
  while (await runNext());
}

test('a check is created, read, listed and stopped', async () => {
  await addRedirects('https://a.example/x', '/own', 'https://a.example/x');
  const { status, check } = await start();
  expect({ status, check }).toMatchObject({
    status: 202,
    check: {
      ...{ website_id: site, kind: 'targets', environment: 'production', status: 'queued', error: null, rate: 2 },
      ...{ base_url: `https://${host}`, progress: { total: 2, done: 0, skipped: 0 }, states: {}, newly_broken: 0 },
      created_by: { type: 'key', name: 'test' },
    },
  });
  expect((await call('GET', checks(`/${check.id}`))).body).toEqual({ check });
  const { states: _s, unconfirmed: _u, newly_broken: _n, is_first: _f, ...listed } = check as Record<string, unknown>;
  expect((await call('GET', checks())).body).toEqual({ checks: [listed], next_cursor: null });
  const stopped = await call('DELETE', checks(`/${check.id}`));
  expect(stopped.body).toMatchObject({ check: { id: check.id, status: 'stopped' } });
  expect((await call('DELETE', checks(`/${check.id}`))).body).toEqual(stopped.body);
});

test('results are paged by weight, with their redirects, and filtered by state', async () => {
  await addRedirects('https://a.example/x', '/own', 'https://b.example/y');
  const { check } = await start({ base_url: `http://${host}:8080` });
  await runAll();
  const page = await call('GET', checks(`/${check.id}/results?limit=2`));
  const [first, second] = page.body['results'] as Record<string, unknown>[];
  expect(first).toMatchObject({
    ...{ url: `http://${host}:8080/own`, weight: 0, state: 'ok', confirmed: true, status: 200 },
    ...{ redirect_count: 1, redirects: [{ id: expect.any(String), old_path: '/2', new_path: '/own' }] },
  });
  expect(second?.['url']).toBe('https://a.example/x');
  const next = await call('GET', checks(`/${check.id}/results?limit=2&cursor=${String(page.body['next_cursor'])}`));
  expect(next.body).toMatchObject({ results: [{ url: 'https://b.example/y' }], next_cursor: null });
  expect((await call('GET', checks(`/${check.id}/results?state=dead`))).body).toMatchObject({ results: [] });
});

test('the history of a URL has what each check found, newest first, and nothing of other URLs or websites', async () => {
  await addRedirects('https://a.example/x?y=ä&z', 'https://a.example/x');
  const ids: string[] = [];
  for (const kind of ['dead', 'ok', null]) {
    app.clock.advance(60_000);
    ids.unshift((await start()).check.id);
    if (kind === null) break;
    await runAll();
    await app.database.db.execute(sql`update check_targets set state = ${kind} where check_id = ${ids[0]}`);
  }
  const { body } = await call('GET', checks(`/${ids[1]}/results`));
  const { url } = (body['results'] as { url: string }[]).find((each) => each.url.includes('?')) ?? { url: '' };
  const history = (path: string, by = key) => call('GET', checks(`/history${path}`), undefined, by);
  const of = `?url=${encodeURIComponent(url)}`;
  const first = await history(`${of}&limit=1`);
  expect(first.body['history']).toEqual([
    {
      ...{ check_id: ids[1], kind: 'targets', environment: 'production', state: 'ok', reason: null },
      ...{ status: 200, end_url: url, confirmed: true, checked_at: expect.any(String) },
    },
  ]);
  const next = await history(`${of}&limit=1&cursor=${String(first.body['next_cursor'])}`);
  expect(next.body).toMatchObject({ history: [{ check_id: ids[2], state: 'dead' }], next_cursor: null });
  const { key: readKey } = await owner.key({ scope: 'read' });
  expect((await history(of, readKey)).body['history']).toHaveLength(2);
  expect((await history('?url=https://a.example/')).body).toEqual({ history: [], next_cursor: null });
  expect((await history('')).status).toBe(400);
  const otherUrl = `/history?url=https://a.example/x&cursor=${String(first.body['next_cursor'])}`;
  expect((await call('GET', checks(otherUrl))).body['code']).toBe('INVALID_PARAMETER');
  const { key: other } = await (await app.account('pro')).key();
  expect((await history(of, other)).body['code']).toBe('WEBSITE_NOT_FOUND');
  site = await addSite();
  expect((await history(of)).body['history']).toEqual([]);
});

test('a target on an own host is asked at base_url, as its path is', async () => {
  await addRedirects(`https://${host}/page?a=1`, '/page?a=1', 'https://a.example/page');
  const { check } = await start({ base_url: `http://${host}:8080` });
  const { results } = (await call('GET', checks(`/${check.id}/results`))).body as {
    results: Record<string, unknown>[];
  };
  expect(results.map(({ url, redirect_count: count }) => [url, count])).toEqual([
    [`http://${host}:8080/page?a=1`, 2],
    ['https://a.example/page', 1],
  ]);
  await runAll();
  const { body } = await call('GET', `/redirects?website_id=${site}&target_state=ok&limit=10`);
  expect(body['redirects']).toHaveLength(3);
});

test('a deleted website stops its check', async () => {
  await addRedirects('https://a.example/x');
  await start();
  expect((await call('DELETE', `/websites/${site}?force=true`)).status).toBe(200);
  site = await addSite();
  await addRedirects('https://a.example/x');
  expect((await start()).status).toBe(202);
});

test('an account runs one check at a time, over all its websites', async () => {
  await addRedirects('https://a.example/x');
  const { check } = await start();
  const first = site;
  site = await addSite();
  await addRedirects('https://a.example/x');
  expect(await start()).toMatchObject({ status: 409, code: 'CHECK_RUNNING' });
  await call('DELETE', `/websites/${first}/checks/${check.id}`);
  expect((await start()).status).toBe(202);
});

test('over the targets of the day nothing is started, and the next day begins with zero', async () => {
  await addRedirects('https://a.example/x', 'https://a.example/y');
  const { check } = await start();
  await runAll();
  await app.database.db.execute(sql`update checks set total = 99999 where id = ${check.id}`);
  expect(await start()).toMatchObject({ status: 403, code: 'PLAN_LIMIT_EXCEEDED' });
  expect((await start({ filter: { q: '/x' } })).status).toBe(202);
  await runAll();
  expect(await start({ filter: { q: '/x' } })).toMatchObject({ code: 'PLAN_LIMIT_EXCEEDED' });
  app.clock.advance(86_400_000);
  expect((await start()).status).toBe(202);
});

test('targets that are no URL are skipped and counted; without any other nothing is started', async () => {
  const add = (body: object) => call('POST', '/redirects', { website_id: site, ...body });
  await add({ old_path: '/p/(.*)', new_path: '/q/$1', is_regex: true });
  expect(await start()).toMatchObject({ status: 422, details: expect.stringContaining('1 are skipped') });
  await add({ old_path: '/gone', status_code: 410 });
  await add({ old_path: '/old.*', new_path: '/fixed', is_regex: true });
  expect((await start()).check).toMatchObject({ progress: { total: 1, skipped: 1 } });
});

test('living URLs are asked at the host, by their weight', async () => {
  expect(await start({ kind: 'urls' })).toMatchObject({ status: 422, code: 'VALIDATION_ERROR' });
  await call('PUT', `/websites/${site}/urls/living`, { urls: ['/a', '/b.png', { url: '/c', links: 2 }] });
  const { check } = await start({ kind: 'urls', filter: { type: 'page' } });
  expect(check).toMatchObject({ progress: { total: 2 } });
  await runAll();
  const { body } = await call('GET', checks(`/${check.id}/results`));
  expect(body['results']).toMatchObject([
    { url: `https://${host}/c`, weight: 20, redirects: [] },
    { url: `https://${host}/a`, weight: 0 },
  ]);
});

test('redirects that are not live are no sources', async () => {
  await addRedirects('https://a.example/x');
  const { check } = await start({ kind: 'sources' });
  expect(check).toMatchObject({ progress: { total: 1, done: 1 } });
  await runAll();
  expect((await call('GET', checks(`/${check.id}`))).body).toMatchObject({
    check: { status: 'completed', states: { skipped: 1 } },
  });
});

describe('what is rejected', () => {
  test.each([
    ['https://evil.example'],
    ['http://127.0.0.1'],
    ['http://169.254.169.254/'],
    ['http://[::1]:3000'],
    ['https://sub.HOST'],
    ['https://HOST@evil.example'],
    ['https://evil.example#HOST'],
    ['https://evil.example\\@HOST'],
    ['https://user:password@HOST'],
    ['https://HOST/path'],
    ['https://HOST?query'],
    ['ftp://HOST'],
    ['//HOST'],
    ['HOST'],
    [''],
  ])('a base_url that is no origin of a verified host: %s', async (text) => {
    await addRedirects('/own');
    const rejected = await start({ base_url: text.replace('HOST', host) });
    expect(rejected).toMatchObject({ status: 422, code: 'VALIDATION_ERROR' });
    expect(rejected.details).toContain('base_url');
  });

  test('a base_url of a host that is not verified, or redirects as a whole', async () => {
    await addRedirects('/own');
    const { db } = app.database;
    for (const set of [
      sql`verified = false`,
      sql`verified = true, redirect_url = 'https://a.example', redirect_status_code = 301, redirect_keep_path = true`,
    ]) {
      await db.execute(sql`update website_hosts set ${set} where hostname = ${host}`);
      expect(await start({ base_url: `https://${host}` })).toMatchObject({ status: 422 });
    }
    expect(await start({ kind: 'sources' })).toMatchObject({ status: 400, code: 'MISSING_PARAMETER' });
  });

  test.each([
    [{ kind: 'pages' }, 422, 'kind'],
    [{ rate: 11 }, 422, 'rate'],
    [{ rate: 0 }, 422, 'rate'],
    [{ kind: 'urls', filter: { status_code: 301 } }, 400, 'filter.status_code'],
    [{ filter: { list: 'main' } }, 400, 'filter.list'],
    [{ filter: { website_id: '1' } }, 400, 'website_id'],
    [{ filter: { q: 'nowhere' } }, 422, 'filter'],
  ])('%j', async (body, status, field) => {
    await addRedirects('/own');
    const rejected = await start(body);
    expect(rejected.status).toBe(status);
    expect(rejected.details).toContain(field);
  });

  test('a read key, an unknown check, and those of others', async () => {
    await addRedirects('/own');
    const { key: readKey } = await owner.key({ scope: 'read' });
    expect((await call('POST', checks(), { kind: 'targets' }, readKey)).body['code']).toBe('INSUFFICIENT_SCOPE');
    const { check } = await start();
    expect((await call('GET', checks('/chk_unknown'))).body['code']).toBe('CHECK_NOT_FOUND');
    const { key: other } = await (await app.account('pro')).key();
    for (const path of ['', `/${check.id}`, `/${check.id}/results`])
      expect((await call('GET', checks(path), undefined, other)).body['code']).toBe('WEBSITE_NOT_FOUND');
    expect((await call('DELETE', checks(`/${check.id}`), undefined, other)).body['code']).toBe('WEBSITE_NOT_FOUND');
    expect((await call('GET', checks(`/${check.id}`), undefined, readKey)).status).toBe(200);
  });
});

describe('credentials', () => {
  const put = (body: object) => call('PUT', checks('/credentials'), body);

  const count = async () =>
    (await app.database.db.execute(sql`select 1 from check_credentials where website_id = ${Number(site)}`)).rowCount;

  test('are for a verified host of the website, never shown, and removed by null', async () => {
    const stored = await put({ hostname: host, username: 'me', password: 'top-secret' });
    expect(stored.status).toBe(200);
    await addRedirects('/own');
    const { check } = await start();
    const seen = await Promise.all(
      ['', `/${check.id}`, `/${check.id}/results`].map((path) => call('GET', checks(path))),
    );
    const { rows: audit } = await app.database.db.execute(
      sql`select details from audit where account_id = ${owner.actor.accountId}`,
    );
    expect(JSON.stringify([stored.text, seen.map(({ text }) => text), audit])).not.toContain('top-secret');
    expect(JSON.stringify(audit)).toContain(`{"check_credentials":"${host}"}`);
    expect(await count()).toBe(1);
    expect((await put({ hostname: null })).status).toBe(200);
    expect(await count()).toBe(0);
  });

  test.each([['username'], ['password']])('need a %s', async (field) => {
    const { [field]: _, ...body } = { hostname: host, username: 'me', password: 'x' } as Record<string, string>;
    expect(await put(body)).toMatchObject({ status: 400, body: { code: 'MISSING_PARAMETER' } });
    expect(await count()).toBe(0);
  });

  test.each([
    ['a list without it', () => call('PUT', `/websites/${site}`, { hosts: [] })],
    ['its removal', () => call('DELETE', `/websites/${site}/hosts`, { hosts: [host] })],
  ])('end with their host: %s', async (_, remove) => {
    await put({ hostname: host, username: 'me', password: 'top-secret' });
    expect((await remove()).status).toBe(200);
    expect(await count()).toBe(0);
  });

  test.each([
    [{ hostname: 'evil.example', username: 'me' }, 'hostname'],
    [{ hostname: '127.0.0.1', username: 'me' }, 'hostname'],
    [{ hostname: 'HOST', username: 'a:b' }, 'username'],
    [{ hostname: 'HOST', username: 'a\n' }, 'username'],
  ])('%j are rejected', async (body, field) => {
    const rejected = await put({ ...body, hostname: body.hostname.replace('HOST', host), password: 'x' });
    expect(rejected.status).toBe(422);
    expect(rejected.body['details']).toContain(field);
  });
});
