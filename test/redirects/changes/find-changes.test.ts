/**
 * The filters of the changes of a website, against a list that the test writes down. Holds the rules of
 * src/redirects/changes/change-items.ts, revisions.ts and states.ts.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Method, startTestApp, type TestApp, type TestOwner } from '../../support/app.ts';

let detour: TestApp;
let owner: TestOwner;
let [ownerCookie, editorCookie, editorEmail, key] = ['', '', '', ''];
let site: number;

beforeAll(async () => {
  detour = await startTestApp();
  owner = await detour.account('enterprise');
  ownerCookie = await detour.cookieOf(owner.email);
  ({ email: editorEmail } = await owner.user('editor'));
  editorCookie = await detour.cookieOf(editorEmail);
  ({ key } = await owner.key());
  site = (await call('POST', '/api/websites', { name: 'Shop', auto_deploy: false })).website.id;
  await writeChanges();
});
beforeEach(() => detour.clock.advance(60_000));
afterAll(() => detour.close());

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- responses of any shape
type AnyBody = any;

async function call(method: Method, path: string, body?: object, cookie = ownerCookie): Promise<AnyBody> {
  const response = await detour.call(method, path, { cookie, ...(body && { body }) });
  if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.body}`);
  return response.json();
}

/** Each change once, by the label that the tests use. */
const ids = new Map<string, string>();

async function writeChanges(): Promise<void> {
  const write = async (label: string, method: Method, path: string, body?: object, cookie?: string) => {
    const response = await call(method, path, body, cookie);
    ids.set(label, response.change_id);
    return response;
  };
  const create = (label: string, old_path: string, more: object = {}) =>
    write(label, 'POST', '/api/redirects', { website_id: site, old_path, new_path: '/to', ...more });
  const sale = (await create('create /sale', '/sale')).redirect.id;
  await create('create /café', '/café');
  const moved = (await create('create /old', '/old')).redirect.id;
  await write('move /old', 'PUT', `/api/redirects/${moved}`, { old_path: '/new' }, editorCookie);
  await write('edit /new', 'PUT', `/api/redirects/${moved}`, { notes: 'moved' });
  await create('create pattern', '^/p/(.*)$', { is_regex: true });
  const bulk = { redirectIds: [sale, moved], updates: { group_id: 'summer', status_code: 302 } };
  await write('bulk', 'POST', '/api/redirects/bulk-update', bulk, editorCookie);
  await write('delete /sale', 'DELETE', `/api/redirects/${sale}`);
  const redirects = ['/sale', '/x', '/y'].map((old_path) => ({ old_path, new_path: '/to' }));
  const body = { website_id: String(site), redirects };
  const imported = await detour.call('POST', '/api/v1/redirects/bulk', { key, body });
  ids.set('import', imported.json<AnyBody>().change_id);
  await write('undo bulk', 'POST', `/api/changes/${ids.get('bulk')}/undo`, {}, editorCookie);
}

const NEWEST_FIRST = [
  'undo bulk',
  'import',
  'delete /sale',
  'bulk',
  'create pattern',
  'edit /new',
  'move /old',
  'create /old',
  'create /café',
  'create /sale',
];

const labelOf = ({ id }: { id: string }): string => [...ids].find(([, each]) => each === id)?.[0] ?? id;

/** The labels of a filtered list: read whole, and read in pages of one; both must be equal. */
async function listed(filter: Record<string, string>): Promise<string[]> {
  const query = new URLSearchParams({ website_id: String(site), ...filter }).toString();
  const whole = await call('GET', `/api/changes?${query}`);
  expect(whole.next_cursor).toBeNull();
  const paged: AnyBody[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: AnyBody = await call('GET', `/api/changes?${query}&limit=1${cursor && `&cursor=${cursor}`}`);
    paged.push(...page.changes);
    cursor = page.next_cursor;
  }
  expect(paged).toEqual(whole.changes);
  return whole.changes.map(labelOf);
}

test('without a filter, lists every change once, newest first', async () => {
  expect(await listed({})).toEqual(NEWEST_FIRST);
});

test('filters by kind, by the email of a user and by the name of a key, alone and together', async () => {
  expect(await listed({ kind: 'update' })).toEqual(['edit /new', 'move /old']);
  expect(await listed({ kind: 'sync' })).toEqual([]);
  expect(await listed({ actor: editorEmail })).toEqual(['undo bulk', 'bulk', 'move /old']);
  expect(await listed({ actor: editorEmail, kind: 'bulk_update' })).toEqual(['bulk']);
  const [imported] = (await call('GET', `/api/changes?website_id=${site}&kind=import`)).changes;
  expect(await listed({ actor: imported.actor.name })).toEqual(['import']);
  expect(await listed({ actor: 'Editor' })).toEqual([]);
});

test('a path finds the changes of every redirect that has it or had it: bulk, deleted, moved, created again', async () => {
  expect(await listed({ old_path: '/sale' })).toEqual(['import', 'delete /sale', 'bulk', 'create /sale']);
  const moved = ['undo bulk', 'bulk', 'edit /new', 'move /old', 'create /old'];
  expect(await listed({ old_path: '/new' })).toEqual(moved);
  expect(await listed({ old_path: '/old' })).toEqual(moved);
  expect(await listed({ old_path: '/old', actor: editorEmail })).toEqual(['undo bulk', 'bulk', 'move /old']);
  expect(await listed({ old_path: '/old', kind: 'create' })).toEqual(['create /old']);
  expect(await listed({ old_path: '/caf%c3%a9' })).toEqual(['create /café']);
  expect(await listed({ old_path: '^/p/(.*)$' })).toEqual(['create pattern']);
  expect(await listed({ old_path: '/sal' })).toEqual([]);
});

test('a change of a single redirect has its states before and after, as the change itself shows them', async () => {
  const { changes } = await call('GET', `/api/changes?website_id=${site}`);
  const single = changes.filter((change: AnyBody) => change.old_path !== null);
  expect(single.map(labelOf)).toContain('move /old');
  for (const change of single) {
    const { items } = await call('GET', `/api/changes/${change.id}`);
    expect([change.before, change.after]).toEqual([items[0].before, items[0].after]);
  }
  const [moved] = changes.filter((change: AnyBody) => labelOf(change) === 'move /old');
  expect([moved.before.old_path, moved.after.old_path]).toEqual(['/old', '/new']);
  expect(changes.filter((change: AnyBody) => labelOf(change) === 'delete /sale')).toMatchObject([
    { before: { old_path: '/sale' }, after: null },
  ]);
  const others = changes.filter((change: AnyBody) => change.old_path === null);
  expect(others.map((change: AnyBody) => change.before ?? change.after)).toEqual(others.map(() => null));
});

test('a change says which fields it updated, and who undid it', async () => {
  const { changes } = await call('GET', `/api/changes?website_id=${site}`);
  const fields = Object.fromEntries(changes.map((change: AnyBody) => [labelOf(change), change.fields]));
  expect(fields['bulk'].toSorted()).toEqual(['group_id', 'status_code']);
  expect(fields).toMatchObject({ 'edit /new': ['notes'], 'move /old': ['old_path'], import: null, 'undo bulk': null });
  const undone = changes.filter((change: AnyBody) => change.undone !== null);
  const actor = { type: 'user', name: editorEmail };
  expect(undone.map(labelOf)).toEqual(['bulk']);
  expect(undone[0]).toMatchObject({ undone_by: ids.get('undo bulk'), undone: { actor } });
  expect(changes[0].undid).toEqual({
    kind: 'bulk_update',
    counts: undone[0].counts,
    fields: undone[0].fields,
    file_name: null,
  });
  expect(undone[0].undone.created_at).toBe(changes[0].created_at);
});

test('an undo names the deployments that it queued, and a dry run queues none', async () => {
  const { website } = await call('POST', '/api/websites', { name: 'Live' });
  const redirect = { website_id: website.id, old_path: '/a', new_path: '/b', target_environments: 'production' };
  const { change_id: id } = await call('POST', '/api/redirects', redirect);
  const dry = await call('POST', `/api/changes/${id}/undo`, { dry_run: true });
  const { deployments } = await call('POST', `/api/changes/${id}/undo`);
  expect([dry.deployments, deployments]).toEqual([[], [expect.stringMatching(/^dep_/)]]);
  const { deployment } = await call('GET', `/api/deployments/${deployments[0]}`);
  expect([deployment.environment, deployment.website_id]).toEqual(['production', website.id]);
});

test('keys filter as sessions do; other accounts find nothing', async () => {
  const path = `/api/v1/changes?website_id=${site}&old_path=/sale&kind=import`;
  const response = await detour.call('GET', path, { key });
  expect(response.json<AnyBody>().changes.map(labelOf)).toEqual(['import']);
  const stranger = await detour.account('enterprise');
  const cookie = await detour.cookieOf(stranger.email);
  expect((await detour.call('GET', `/api/changes?website_id=${site}&old_path=/sale`, { cookie })).statusCode).toBe(404);
  const theirs = await call('POST', '/api/websites', { name: 'Theirs', auto_deploy: false }, cookie);
  await call('POST', '/api/redirects', { website_id: theirs.website.id, old_path: '/sale', new_path: '/to' }, cookie);
  expect(await listed({ old_path: '/sale' })).toHaveLength(4);
  const { changes } = await call(
    'GET',
    `/api/changes?website_id=${theirs.website.id}&old_path=/sale`,
    undefined,
    cookie,
  );
  expect(changes).toHaveLength(1);
});

test('rejects an unknown kind, control characters, and the cursor of another filter', async () => {
  const first = await call('GET', `/api/changes?website_id=${site}&limit=1&actor=${editorEmail}`);
  for (const query of ['kind=eaten', 'actor=%00', 'old_path=%0a', `cursor=${first.next_cursor}`, 'path=/sale']) {
    const response = await detour.call('GET', `/api/changes?website_id=${site}&${query}`, { cookie: ownerCookie });
    expect([query, response.statusCode]).toEqual([query, 400]);
  }
});
