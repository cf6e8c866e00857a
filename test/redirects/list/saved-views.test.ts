/** Saved views of a website: everyone who reaches it reads them, editors write them. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../../src/db/drizzle.ts';
import { type Method, startTestApp, type TestApp } from '../../support/app.ts';

let detour: TestApp;
let owner: string;
let viewer: string;
let stranger: string;
let site: number;
beforeAll(async () => {
  detour = await startTestApp();
  const account = await detour.account();
  owner = await detour.cookieOf(account.email);
  viewer = await detour.cookieOf((await account.user('viewer')).email);
  stranger = await detour.cookieOf((await detour.account()).email);
  site = (await ask('POST', '/api/websites', { name: 'site', hosts: [] })).body.website.id;
});
beforeEach(() => detour.clock.advance(60_000));
afterAll(() => detour.close());

async function ask(method: Method, url: string, body?: unknown, as = owner) {
  const answer = await detour.call(method, url, { cookie: as, ...(body !== undefined && { body }) });
  return { status: answer.statusCode, body: answer.json() };
}

const views = (id = '') => `/api/websites/${site}/views${id && `/${id}`}`;
const names = async (as = owner): Promise<string[]> =>
  (await ask('GET', views(), undefined, as)).body.views.map(({ name }: { name: string }) => name);
const create = async (name: string, query = 'q=a') => (await ask('POST', views(), { name, query })).body.view.id;

test('a view is created, read by a viewer, renamed, replaced and deleted', async () => {
  const made = await ask('POST', views(), { name: ' Migration 2027 ', query: 'status_code=302&group=news' });
  expect([made.status, made.body.view]).toMatchObject([
    201,
    { name: 'Migration 2027', query: 'status_code=302&group=news', created_by: { type: 'user' } },
  ]);
  const { id } = made.body.view;
  await create('all of A', 'sort=old_path');
  expect(await names(viewer)).toEqual(['all of A', 'Migration 2027']);
  expect((await ask('PUT', views(id), { name: 'Move', query: 'status_code=302&group=news' })).body.view).toMatchObject({
    name: 'Move',
    query: 'status_code=302&group=news',
  });
  expect((await ask('PUT', views(id), { name: 'Move', query: '' })).body.view).toMatchObject({
    name: 'Move',
    query: '',
  });
  expect((await ask('DELETE', views(id))).status).toBe(200);
  expect((await ask('DELETE', views(id))).body.code).toBe('VIEW_NOT_FOUND');
  expect(await names()).toEqual(['all of A']);
});

test('viewers write none, and another account or website has none of them', async () => {
  const id = await create('own');
  const calls = [
    ['POST', views(), { name: 'x', query: '' }],
    ['PUT', views(id), { name: 'x', query: '' }],
    ['DELETE', views(id), undefined],
  ] as const;
  for (const [method, url, body] of calls) {
    expect([method, (await ask(method, url, body, viewer)).body.code]).toEqual([method, 'INSUFFICIENT_ROLE']);
    expect([method, (await ask(method, url, body, stranger)).body.code]).toEqual([method, 'WEBSITE_NOT_FOUND']);
  }
  expect((await ask('GET', views(), undefined, stranger)).status).toBe(404);
  const other = (await ask('POST', '/api/websites', { name: 'other', hosts: [] })).body.website.id;
  const moved = await ask('PUT', `/api/websites/${other}/views/${id}`, { name: 'x', query: '' });
  expect([moved.status, moved.body.code]).toEqual([404, 'VIEW_NOT_FOUND']);
  expect(await names()).toContain('own');
});

test('bad input names the field, and a name exists once', async () => {
  const id = await create('taken');
  expect((await ask('POST', views(), { name: 'taken', query: '' })).status).toBe(409);
  const second = await create('second');
  expect((await ask('PUT', views(second), { name: 'taken', query: '' })).body).toMatchObject({ code: 'CONFLICT' });
  expect((await ask('POST', views(), { name: 'Taken', query: '' })).body).toMatchObject({ code: 'CONFLICT' });
  expect((await ask('PUT', views(second), { name: 'Second', query: '' })).status).toBe(200);
  for (const [body, field] of [
    [{ name: ' ', query: '' }, 'name'],
    [{ name: 'x'.repeat(201), query: '' }, 'name'],
    [{ name: 'x', query: 'q=a&color=red' }, 'query'],
    [{ name: 'x', query: `q=${'a'.repeat(4_096)}` }, 'query'],
    [{ name: 'x', query: 'q=\u0000' }, 'query'],
    [{ name: 'x' }, 'query'],
  ] as const) {
    const { status, body: problem } = await ask('POST', views(), body);
    expect([JSON.stringify(body).slice(0, 60), Math.floor(status / 100)]).toEqual([expect.any(String), 4]);
    expect(problem.details).toContain(field);
  }
  expect((await ask('PUT', views(id), {})).status).toBeGreaterThanOrEqual(400);
});

test('a website has at most 100, also if two are created at once', async () => {
  await detour.database.db.execute(sql`
    insert into saved_views (id, website_id, name, query, actor_type, actor_id, actor_name)
    select 'vw_' || n, ${site}, 'n' || n, '', 'system', '', 'system'
    from generate_series(1, 99 - (select count(*) from saved_views where website_id = ${site})) n`);
  const both = await Promise.all(['a', 'b'].map((name) => ask('POST', views(), { name: `last ${name}`, query: '' })));
  expect(both.map(({ body }) => body.code ?? 'created').toSorted()).toEqual(['TOO_MANY_ITEMS', 'created']);
  expect(await names()).toHaveLength(100);
});
