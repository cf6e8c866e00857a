/** GET /api/redirects of certain ids, of one target, of what was created, starts or ends before a moment. The clock stands at 2030-05-15. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Method, startTestApp, type TestApp } from '../../support/app.ts';

let detour: TestApp;
let cookie: string;
let stranger: string;
let site: number;
const ids: number[] = [];
beforeAll(async () => {
  detour = await startTestApp();
  cookie = await detour.cookieOf((await detour.account('free')).email);
  stranger = await detour.cookieOf((await detour.account('free')).email);
  site = (await ask('POST', '/api/websites', { name: 'site', hosts: [] })).body.website.id;
  for (let i = 0; i < 5; i++) {
    const body = { website_id: site, old_path: `/r${i}`, new_path: '/x' };
    ids.push((await ask('POST', '/api/redirects', body)).body.redirect.id);
  }
  await detour.database.db.$client.query(
    `update redirects set created_at = timestamptz '2030-05-01T00:00:00Z' + (id - $1) * interval '1 day' where website_id = $2`,
    [ids[0], site],
  );
});
beforeEach(() => detour.clock.advance(60_000));
afterAll(() => detour.close());

async function ask(method: Method, url: string, body?: unknown, as = cookie) {
  const answer = await detour.call(method, url, { cookie: as, ...(body !== undefined && { body }) });
  return { status: answer.statusCode, body: answer.json() };
}

/** Which of the five, by their place in `ids`. */
async function listed(query: string, as = cookie): Promise<number[]> {
  const { status, body } = await ask('GET', `/api/redirects?${query}`, undefined, as);
  expect(status).toBe(200);
  return body.redirects.map(({ id }: { id: number }) => ids.indexOf(id));
}

test('ids names those that are wanted, in the order of the list; unknown ones and those of others are omitted', async () => {
  const wanted = `${ids[1]},${ids[3]},${ids[3]},999999999`;
  expect(await listed(`ids=${wanted}`)).toEqual([3, 1]);
  expect(await listed(`ids=${wanted}&sort=id&website_id=${site}`)).toEqual([1, 3]);
  expect(await listed(`ids=${wanted}&sort=id&limit=1`)).toEqual([1]);
  expect(await listed(`ids=${wanted}&q=r3`)).toEqual([3]);
  expect(await listed(`ids=${wanted}`, stranger)).toEqual([]);
});

test('100 ids may be named, and what is no list of ids is 400', async () => {
  const hundred = Array.from({ length: 100 }, (_, i) => (ids[0] ?? 0) + i).join();
  expect(await listed(`ids=${hundred}`)).toHaveLength(5);
  for (const wrong of [`${hundred},7`, '', ',', '1,', '0', '-1', '1.5', 'all', '1, 2', '99999999999999999']) {
    const { status, body } = await ask('GET', `/api/redirects?ids=${encodeURIComponent(wrong)}`);
    expect([wrong, status, body.code]).toEqual([wrong, 400, 'INVALID_PARAMETER']);
  }
});

test('created_before is a day or a time, itself not included; it counts and deletes the same', async () => {
  expect(await listed('created_before=2030-05-03&sort=id')).toEqual([0, 1]);
  expect(await listed('created_before=2030-05-03T00:00:01Z&sort=id')).toEqual([0, 1, 2]);
  expect(await listed('created_before=2030-05-01')).toEqual([]);
  const count = await ask('GET', `/api/redirects/count?website_id=${site}&created_before=2030-05-03`);
  expect(count.body).toEqual({ count: 2 });
  expect((await ask('GET', '/api/redirects?created_before=soon')).status).toBe(400);
  const filter = { website_id: site, created_before: '2030-05-03' };
  expect((await ask('DELETE', '/api/redirects/bulk-delete', { filter })).body.deleted).toBe(2);
  expect(await listed('sort=id')).toEqual([2, 3, 4]);
});

test('new_path is the exact target, and schedule_before what starts or ends from now on', async () => {
  const [a, b, c] = ids.slice(2);
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  await ask('PUT', `/api/redirects/${a}`, { new_path: '/x/y', active_from: at(-1), active_until: at(48) });
  await ask('PUT', `/api/redirects/${b}`, { active_from: at(24) });
  await ask('PUT', `/api/redirects/${c}`, { active_until: at(-24) });
  expect(await listed('new_path=/x&sort=id')).toEqual([3, 4]);
  expect(await listed(`schedule_before=${at(72)}&sort=id`)).toEqual([2, 3]);
  expect(await listed(`schedule_before=${at(36)}&sort=id`)).toEqual([3]);
  expect(await listed(`schedule_before=${at(-12)}`)).toEqual([]);
  const filter = { website_id: site, new_path: '/x', schedule_before: at(72) };
  expect((await ask('DELETE', '/api/redirects/bulk-delete', { filter })).body.deleted).toBe(1);
  for (const wrong of ['new_path=', 'new_path_contains=', 'schedule_before=soon'])
    expect((await ask('GET', `/api/redirects?${wrong}`)).status).toBe(400);
});

test('a repeated parameter selects any of its values, and not_ none of them, also a redirect without one', async () => {
  const other = (await ask('POST', '/api/websites', { name: 'several', hosts: [] })).body.website.id;
  const add = (old_path: string, fields: object) =>
    ask('POST', '/api/redirects', { website_id: other, old_path, new_path: `/to${old_path}`, ...fields });
  await add('/a', { group_id: 'news' });
  await add('/b', { group_id: 'sale', status_code: 302, target_environments: 'staging' });
  await add('/c', {});
  await add('/d', { group_id: 'news', status_code: 410, new_path: null });
  const paths = async (query: string) => {
    const { status, body } = await ask('GET', `/api/redirects?website_id=${other}&sort=id&${query}`);
    return status === 200 ? body.redirects.map((each: { old_path: string }) => each.old_path).join(' ') : body.details;
  };
  expect(await paths('status_code=302&status_code=410')).toBe('/b /d');
  expect(await paths('group=sale&group=')).toBe('/b /c');
  expect(await paths('not_group=news')).toBe('/b /c');
  expect(await paths('not_group=news&not_group=')).toBe('/b');
  expect(await paths('not_status_code=301&not_status_code=302')).toBe('/d');
  expect(await paths('not_new_path_contains=/A&not_new_path_contains=to/b')).toBe('/c /d');
  expect(await paths('not_environment=staging&old_path_contains=/')).toBe('/a /c /d');
  expect(await paths('not_target_state=ok&not_old_path_contains=a')).toBe('/b /c /d');
  expect(await paths('updated_since=2026-01-01&created_since=2026-01-01')).toBe('/a /b /c /d');
  expect(await paths('updated_since=2099-01-01')).toBe('');
  expect(await paths('status_code=301&status_code=200')).toMatch(/^status_code\[1\]: must be 301 or 302/);
  expect(await paths(Array(51).fill('group=a').join('&'))).toBe('group: must have at most 50 entries');
  const filter = { website_id: other, status_code: [301, 302], not_group: 'sale' };
  const preview = await ask('DELETE', '/api/redirects/bulk-delete', { filter, dry_run: true });
  expect(preview.body).toMatchObject({ deleted: 2 });
  const wrong = { filter: { ...filter, status_code: [301, '302'] } };
  expect((await ask('DELETE', '/api/redirects/bulk-delete', wrong)).body.details).toMatch(/^filter\.status_code/);
});
