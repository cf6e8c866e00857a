/**
 * Websites and redirects by API key: the operations of surface C with string ids, arrays and whole redirects. Holds the
 * rules of src/surfaces/key-api/plugin.ts.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Method, startTestApp, type TestApp, type TestOwner } from '../../support/app.ts';

let detour: TestApp;
let owner: TestOwner;
let keyId: string;
let writeKey: string;
let readKey: string;
let websiteId: string;
beforeAll(async () => {
  detour = await startTestApp();
  owner = await detour.account();
  ({ key: writeKey, id: keyId } = await owner.key());
  ({ key: readKey } = await owner.key({ scope: 'read' }));
});
afterAll(() => detour.close());

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- responses of any shape
type AnyBody = any;

async function call(method: Method, path: string, body?: object, key = writeKey) {
  const answer = await detour.call(method, `/api/v1${path}`, { key, ...(body && { body }) });
  return { status: answer.statusCode, body: answer.json<AnyBody>() };
}

async function create(fields: object): Promise<AnyBody> {
  const { status, body } = await call('POST', '/redirects', { website_id: websiteId, new_path: '/to', ...fields });
  expect([status, body.code]).toEqual([201, undefined]);
  return body.redirect;
}

beforeEach(async () => {
  const { body } = await call('POST', '/websites', { name: 'Shop', auto_deploy: false });
  websiteId = body.website.id;
});

test('a key creates, changes and deletes a website, and the audit log names the key', async () => {
  const created = await call('POST', '/websites', { name: 'By key' });
  expect([created.status, created.body.website.id]).toEqual([201, expect.stringMatching(/^\d+$/)]);
  const path = `/websites/${created.body.website.id}`;
  expect((await call('PUT', path, { query: 'drop' })).body.website).toMatchObject({ name: 'By key', query: 'drop' });
  expect((await call('GET', path)).body.website).toMatchObject({ name: 'By key', query: 'drop' });
  expect(await call('DELETE', path)).toMatchObject({ status: 200, body: { message: expect.any(String) } });
  expect((await call('GET', path)).body.code).toBe('WEBSITE_NOT_FOUND');
  const { rows } = await detour.database.db.$client.query(
    `select action, actor_type, actor_id from audit where target like 'By key%' order by id`,
  );
  expect(rows.map(Object.values)).toEqual(
    ['website.created', 'website.updated', 'website.deleted'].map((action) => [action, 'key', keyId]),
  );
});

test('a redirect is whole in the response to each write, with the fields of the export and its times', async () => {
  const created = await create({ old_path: '/a', target_environments: ['staging', 'production'], notes: 'n' });
  const whole = {
    id: expect.stringMatching(/^\d+$/),
    website_id: websiteId,
    old_path: '/a',
    new_path: '/to',
    status_code: 301,
    is_regex: false,
    group_id: null,
    notes: 'n',
    target_environments: ['production', 'staging'],
    created_at: expect.any(String),
    updated_at: expect.any(String),
    deployed_to_prod: null,
    deployed_to_staging: null,
    deployed_to_dev: null,
    target_state: null,
    target_checked_at: null,
    active_from: null,
    active_until: null,
  };
  expect(created).toEqual(whole);
  const path = `/redirects/${created.id}`;
  expect((await call('PUT', path, { status_code: 302 })).body.redirect).toEqual({ ...whole, status_code: 302 });
  expect((await call('GET', path)).body.redirect).toEqual({ ...whole, status_code: 302 });
  expect((await call('DELETE', path)).status).toBe(200);
  const [event] = (await call('GET', `/events?website_id=${websiteId}`)).body.events;
  expect(event).toMatchObject({ event: 'redirect.deleted', website_id: websiteId, actor: { type: 'key', id: keyId } });
  const restored = await call('POST', '/redirects/restore', { website_id: websiteId, event_id: event.id });
  expect(restored.body.redirect).toMatchObject({ id: created.id, status_code: 302 });
});

test('a stale change gets the current redirect with string ids and arrays', async () => {
  const { id, updated_at: if_updated_at } = await create({ old_path: '/a' });
  const first = await call('PUT', `/redirects/${id}`, { new_path: '/first', if_updated_at });
  const second = await call('PUT', `/redirects/${id}`, { new_path: '/second', if_updated_at });
  expect([first.status, second.status, second.body.code]).toEqual([200, 409, 'CHANGED_SINCE']);
  expect(second.body).toMatchObject({ changed_by: { type: 'key', id: keyId }, redirect: first.body.redirect });
});

test('the website must be named in a creation and in a list', async () => {
  const fields = { old_path: '/a', new_path: '/b' };
  const answers = [await call('POST', '/redirects', fields), await call('GET', '/redirects')];
  expect(answers.map(({ status, body }) => [status, body.code])).toEqual(Array(2).fill([400, 'MISSING_PARAMETER']));
});

test('a list is always paged, and takes the filters and sorts of surface C', async () => {
  for (const name of ['a', 'b', 'c']) await create({ old_path: `/${name}`, ...(name === 'b' && { group_id: 'g' }) });
  const list = async (query: string): Promise<[string[], string | null]> => {
    const { body } = await call('GET', `/redirects?website_id=${websiteId}${query}`);
    return [body.redirects.map((one: AnyBody) => one.old_path), body.next_cursor];
  };
  expect(await list('')).toEqual([['/c', '/b', '/a'], null]);
  expect(await list('&group=g')).toEqual([['/b'], null]);
  const [first, cursor] = await list('&sort=old_path&limit=2');
  expect(first).toEqual(['/a', '/b']);
  expect(await list(`&sort=old_path&limit=2&cursor=${cursor}`)).toEqual([['/c'], null]);
  const wrong = await call('GET', `/redirects?website_id=${websiteId}&limit=1001`);
  expect([wrong.status, wrong.body.code]).toEqual([400, 'INVALID_PARAMETER']);
});

test('bulk calls select by ids, of one website if it is named, or by a website and a filter', async () => {
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c', 'd']) ids.push((await create({ old_path: `/${name}` })).id);
  const updates = { target_environments: ['development'], group_id: 'g' };
  const update = (selection: object) => call('POST', '/redirects/bulk-update', { ...selection, updates });
  expect((await update({ redirect_ids: [ids[0], 'none', '999999'] })).body).toEqual({
    updated_count: 1,
    message: '1 redirect updated',
    change_id: expect.stringMatching(/^chg_/),
    change_ids: [expect.stringMatching(/^chg_/)],
  });
  const { body } = await call('POST', '/websites', { name: 'Other', auto_deploy: false });
  const other = body.website.id;
  expect((await update({ website_id: other, redirect_ids: ids })).body.updated_count).toBe(0);
  expect((await update({ website_id: websiteId, filter: { q: '/b' } })).body.updated_count).toBe(1);
  const remove = (selection: object) => call('POST', '/redirects/bulk-delete', selection);
  expect((await remove({ website_id: websiteId, filter: { group: 'g' } })).body).toEqual({
    deleted_count: 2,
    message: '2 redirects deleted',
    change_id: expect.stringMatching(/^chg_/),
    change_ids: [expect.stringMatching(/^chg_/)],
  });
  expect((await remove({ website_id: websiteId, filter: {} })).body.deleted_count).toBe(2);
  const refused = [
    await remove({ filter: { group: 'g' } }),
    await remove({ website_id: websiteId }),
    await remove({ redirect_ids: [] }),
    await remove({ redirectIds: [1] }),
    await remove({ redirect_ids: ids, filter: {}, website_id: websiteId }),
  ];
  expect(refused.map(({ status, body: { code } }) => [status, code])).toEqual([
    [400, 'MISSING_PARAMETER'],
    [400, 'MISSING_PARAMETER'],
    [400, 'INVALID_PARAMETER'],
    [400, 'UNKNOWN_FIELD'],
    [400, 'INVALID_PARAMETER'],
  ]);
});

test('a read key tests, checks and plans, but changes nothing', async () => {
  const { id } = await create({ old_path: '/a' });
  const website = `/websites/${websiteId}`;
  const flatten = { environment: 'production' };
  const allowed: [Method, string, object?][] = [
    ['POST', '/redirects/test', { website_id: websiteId, url: '/a' }],
    ['POST', '/redirects/check', { website_id: websiteId, old_path: '/x', new_path: '/y' }],
    ['POST', `${website}/health/flatten`, { ...flatten, dry_run: true }],
    ['GET', `${website}/health`],
    ['GET', `${website}/not-found`],
    ['GET', '/account'],
    ['GET', `/redirects/count?website_id=${websiteId}`],
  ];
  for (const [method, path, body] of allowed) {
    expect([path, (await call(method, path, body, readKey)).status]).toEqual([path, 200]);
  }
  const denied: [Method, string, object?][] = [
    ['POST', '/websites', { name: 'x' }],
    ['PUT', website, { name: 'x' }],
    ['DELETE', website],
    ['POST', '/redirects', { website_id: websiteId, old_path: '/b', new_path: '/c' }],
    ['PUT', `/redirects/${id}`, { status_code: 302 }],
    ['DELETE', `/redirects/${id}`],
    ['POST', '/redirects/bulk-update', { redirect_ids: [id], updates: { notes: 'x' } }],
    ['POST', '/redirects/bulk-delete', { redirect_ids: [id] }],
    ['POST', `${website}/health/flatten`, flatten],
    ['POST', `${website}/not-found/ignore`, { paths: ['/x'] }],
  ];
  for (const [method, path, body] of denied) {
    const answer = await call(method, path, body, readKey);
    expect([path, answer.status, answer.body.code]).toEqual([path, 403, 'INSUFFICIENT_SCOPE']);
  }
  expect((await call('GET', `/redirects/${id}`)).body.redirect).toMatchObject({ status_code: 301, notes: null });
});

test('ids are strings in health findings and in the account', async () => {
  const [first, second] = [await create({ old_path: '/a', new_path: '/b' }), await create({ old_path: '/b' })];
  const { body } = await call('GET', `/websites/${websiteId}/health`);
  expect(body.chains).toEqual([
    { redirect_id: first.id, old_path: '/a', hops: 2, via: ['/b'], final_path: '/to', final_status: 301 },
  ]);
  const plan = await call('POST', `/websites/${websiteId}/health/flatten`, {
    environment: 'production',
    dry_run: true,
  });
  expect(plan.body.changes).toEqual([{ redirect_id: first.id, old_path: '/a', before: '/b', after: '/to' }]);
  expect(second.id).not.toBe(first.id);
  expect((await call('GET', '/account')).body.account).toMatchObject({ id: String(owner.actor.accountId) });
});
