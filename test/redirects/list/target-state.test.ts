/** The state of a redirect's target in lists, single reads and filters, and its retention. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { purgeChecks } from '../../../src/checks/stop-check.ts';
import { type Method, startTestApp, type TestApp, type TestOwner } from '../../support/app.ts';

const STATES = ['ok', 'dead', 'error', 'moved', 'soft_404', 'blocked', 'loop'];
const CHECKED_AT = '2026-01-02T03:04:05Z';

let app: TestApp;
let owner: TestOwner;
let key: string;
let site: string;
/** `/1` to `/8`, the last one unchecked */
let ids: string[];
beforeAll(async () => void (app = await startTestApp()));
afterAll(() => app.close());
beforeEach(async () => {
  owner = await app.account('pro');
  ({ key } = await owner.key());
  const { body } = await call('POST', '/websites', { name: 'Shop', auto_deploy: false });
  site = (body['website'] as { id: string }).id;
  await call('POST', '/redirects/bulk', {
    website_id: site,
    redirects: [...STATES, 'none'].map((state, n) => ({
      ...{ old_path: `/${n + 1}`, new_path: `/to-${state}`, status_code: 301, target_environments: ['production'] },
    })),
  });
  ids = (await list('sort=id')).map(({ id }) => String(id));
  for (const [n, state] of STATES.entries()) await store(ids[n] ?? '', `/to-${state}`, state);
});

async function call(method: Method, path: string, body?: unknown, by = key) {
  const response = await app.call(method, `/api/v1${path}`, { key: by, body });
  return { status: response.statusCode, text: response.body, body: response.json<Record<string, unknown>>() };
}

async function list(query: string, by = key) {
  const { body } = await call('GET', `/redirects?website_id=${site}&${query}`, undefined, by);
  return body['redirects'] as Record<string, unknown>[];
}

const paths = async (query: string) => (await list(query)).map(({ old_path: path }) => path);

const store = (id: string, target: string, state: string) =>
  app.database.db.execute(sql`
    insert into target_states (website_id, redirect_id, target, state, checked_at)
    values (${site}::int, ${id}::bigint, ${target}, ${state}, ${CHECKED_AT})`);

test('both surfaces show the state and its time, in lists and single reads', async () => {
  const expected = { target_state: 'dead', target_checked_at: CHECKED_AT };
  expect((await list('sort=id'))[1]).toMatchObject(expected);
  expect((await list('sort=id'))[7]).toMatchObject({ target_state: null, target_checked_at: null });
  expect((await call('GET', `/redirects/${ids[1]}`)).body['redirect']).toMatchObject(expected);
  const cookie = await app.cookieOf(owner.email);
  const ofDashboard = await app.call('GET', `/api/redirects/${ids[1]}`, { cookie });
  expect(ofDashboard.json()).toMatchObject({ redirect: expected });
  const all = await app.call('GET', `/api/redirects?website_id=${site}&target_state=dead`, { cookie });
  expect(all.json()).toMatchObject({ redirects: [{ old_path: '/2', ...expected }] });
});

test('filters select a state, broken or unchecked targets, in each order and in counts', async () => {
  const found = { dead: ['/2'], broken: ['/2', '/3', '/5', '/7'], unchecked: ['/8'], blocked: ['/6'] };
  for (const [state, expected] of Object.entries(found)) {
    for (const sort of ['id', 'old_path', 'updated_at', 'hits', 'last_hit_at']) {
      expect((await paths(`target_state=${state}&sort=${sort}`)).toSorted(), `${state} by ${sort}`).toEqual(expected);
    }
    const { body } = await call('GET', `/redirects/count?website_id=${site}&target_state=${state}`);
    expect(body['count'], state).toBe(expected.length);
  }
  expect(await paths('target_state=broken&q=to-loop')).toEqual(['/7']);
});

test('pages of broken targets follow one another, in both directions', async () => {
  for (const sort of ['id', '-id']) {
    const seen: unknown[] = [];
    let cursor: unknown = '';
    while (typeof cursor === 'string') {
      const query = `website_id=${site}&target_state=broken&sort=${sort}&limit=1${cursor && `&cursor=${cursor}`}`;
      const { body } = await call('GET', `/redirects?${query}`);
      seen.push(...(body['redirects'] as { old_path: string }[]).map(({ old_path: path }) => path));
      cursor = body['next_cursor'];
    }
    const ascending = ['/2', '/3', '/5', '/7'];
    expect(seen).toEqual(sort === 'id' ? ascending : ascending.toReversed());
  }
});

test('a changed target is unchecked, and the one before has its state again', async () => {
  const change = await call('PUT', `/redirects/${ids[1]}`, { new_path: '/elsewhere' });
  expect(change.body['redirect']).toMatchObject({ target_state: null, target_checked_at: null });
  expect(await paths('target_state=dead')).toEqual([]);
  expect(await paths('target_state=unchecked&sort=id')).toEqual(['/2', '/8']);
  const back = await call('PUT', `/redirects/${ids[1]}`, { new_path: '/to-dead' });
  expect(back.body['redirect']).toMatchObject({ target_state: 'dead' });
});

test('an unknown state is refused with the field and the choices', async () => {
  const { status, text } = await call('GET', `/redirects?website_id=${site}&target_state=fine`);
  expect(status).toBe(400);
  expect(text).toMatch(/target_state.*soft_404.*unchecked/);
});

test('a bulk call with the filter changes exactly those that it selects', async () => {
  const { status, body } = await call('POST', '/redirects/bulk-update', {
    website_id: site,
    filter: { target_state: 'broken' },
    updates: { notes: 'broken' },
  });
  expect({ status, updated: body['updated_count'] }).toEqual({ status: 200, updated: 4 });
  expect(await paths('notes=broken&sort=id')).toEqual(['/2', '/3', '/5', '/7']);
});

test('another account sees nothing', async () => {
  const stranger = await (await app.account('pro')).key();
  const theirs = await call('GET', '/redirects?target_state=broken', undefined, stranger.key);
  const named = await call('GET', `/redirects?website_id=${site}&target_state=broken`, undefined, stranger.key);
  expect([theirs.body['redirects'] ?? [], named.text.includes('/to-')]).toEqual([[], false]);
});

test('the retention deletes states of deleted redirects only', async () => {
  await call('DELETE', `/redirects/${ids[1]}`);
  await purgeChecks(app.database.db, app.clock.now());
  const { rows } = await app.database.db.execute(sql`
    select state from target_states where website_id = ${site}::int order by redirect_id`);
  expect(rows.map(({ state }) => state)).toEqual(STATES.filter((state) => state !== 'dead'));
});
