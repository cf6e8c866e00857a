/** CSV files of hit analytics. The clock stands at 2030-05-15. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Method, startTestApp, type TestApp, type TestOwner } from '../../support/app.ts';
import { redirectDay, websiteDay } from '../../support/hits.ts';

let detour: TestApp;
let owner: TestOwner;
let cookie: string;
let key: string;
beforeAll(async () => {
  detour = await startTestApp();
  owner = await detour.account('business');
  cookie = await detour.cookieOf(owner.email);
  ({ key } = await owner.key({ scope: 'read' }));
});
beforeEach(() => detour.clock.set('2030-05-15T12:00:01Z'));
afterAll(() => detour.close());

const download = (query: string, credential: { key?: string } = { key }) =>
  detour.call('GET', `/api/v1/analytics/export?${query}`, credential);
const linesOf = async (query: string): Promise<string[]> => (await download(query)).body.split('\n').slice(0, -1);

async function write(method: Method, path: string, body: unknown) {
  return (await detour.call(method, path, { cookie, body })).json();
}

let sites = 0;
const newSite = async (): Promise<number> =>
  (await write('POST', '/api/websites', { name: `site ${++sites}`, hosts: [] })).website.id;
const newRedirect = async (websiteId: number, fields: object): Promise<number> =>
  (await write('POST', '/api/redirects', { website_id: websiteId, new_path: '/target', ...fields })).redirect.id;

test('the days of a website and of a redirect, newest first, days without hits included', async () => {
  const websiteId = await newSite();
  const redirectId = await newRedirect(websiteId, { old_path: '/a' });
  const { db } = detour.database;
  await websiteDay(db, { websiteId, day: '2030-05-14', hits: 12, botHits: 3, assistantHits: 2, unmatched: 4 });
  await redirectDay(db, { websiteId, redirectId, day: '2030-05-15', hits: 2, botHits: 1, assistantHits: 6 });
  const response = await download(`website_id=${websiteId}&table=days&period=2d`);
  expect(response.headers['content-type']).toBe('text/csv; charset=utf-8');
  expect(response.headers['content-disposition']).toBe(`attachment; filename="website-${websiteId}-days-2d.csv"`);
  expect(response.body).toBe(
    'date,hits,unique_visitors,bot_hits,assistant_hits,not_found\n2030-05-15,0,0,0,0,0\n2030-05-14,12,0,3,2,4\n',
  );
  expect(await linesOf(`website_id=${websiteId}&redirect_id=${redirectId}&table=days&period=1d`)).toEqual([
    'date,hits,unique_visitors,bot_hits,assistant_hits',
    '2030-05-15,2,0,1,6',
  ]);
});

test('all redirects and groups with hits, and no spreadsheet formula', async () => {
  const websiteId = await newSite();
  const { db } = detour.database;
  const expected: string[] = [];
  for (let i = 0; i < 24; i++) {
    const group = i < 12 ? '=1+1' : `group ${i}`;
    const redirectId = await newRedirect(websiteId, { old_path: `/old/${i}`, group_id: group });
    await redirectDay(db, { websiteId, redirectId, day: '2030-05-14', hits: 1_000 - i, botHits: i, assistantHits: 1 });
    expected.push(`${redirectId},/old/${i},${i < 12 ? ' =1+1' : group},${1_000 - i},${i},1`);
  }
  const redirects = await linesOf(`website_id=${websiteId}&table=redirects`);
  expect(redirects).toEqual(['redirect_id,old_path,group_id,hits,bot_hits,assistant_hits', ...expected]);
  const groups = await linesOf(`website_id=${websiteId}&table=groups`);
  expect([groups.length, ...groups.slice(0, 3)]).toEqual([
    14,
    'group_id,hits,bot_hits,assistant_hits',
    ' =1+1,11934,66,12',
    'group 12,988,12,1',
  ]);
  expect(await linesOf(`website_id=${websiteId}&table=redirects&period=1d`)).toHaveLength(1);
});

test('all countries, and unknown ones last', async () => {
  const websiteId = await newSite();
  const countries = Object.fromEntries([...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].map((letter, i) => [`X${letter}`, i + 1]));
  await websiteDay(detour.database.db, { websiteId, day: '2030-05-15', hits: 400, countries });
  const rows = await linesOf(`website_id=${websiteId}&table=countries`);
  expect([rows.length, rows[0], rows[1], rows.at(-1)]).toEqual([28, 'country,hits', 'XZ,26', ',49']);
});

test('a table that a redirect does not have, and redirects of others, are rejected before the first byte', async () => {
  const websiteId = await newSite();
  const redirectId = await newRedirect(websiteId, { old_path: '/a' });
  const stranger = await (await detour.account('pro')).key();
  const rejected: [query: string, status: number, code: string, key?: string][] = [
    [`website_id=${websiteId}`, 400, 'MISSING_PARAMETER'],
    [`website_id=${websiteId}&table=hours`, 400, 'INVALID_PARAMETER'],
    [`website_id=${websiteId}&table=groups&redirect_id=${redirectId}`, 400, 'INVALID_PARAMETER'],
    [`website_id=${await newSite()}&table=days&redirect_id=${redirectId}`, 400, 'INVALID_PARAMETER'],
    [`website_id=${websiteId}&table=days&redirect_id=999999`, 404, 'REDIRECT_NOT_FOUND'],
    [`website_id=999999&table=days`, 404, 'WEBSITE_NOT_FOUND'],
    [`website_id=${websiteId}&table=redirects`, 404, 'WEBSITE_NOT_FOUND', stranger.key],
  ];
  for (const [query, status, code, ofKey = key] of rejected) {
    const response = await download(query, { key: ofKey });
    expect([query, response.statusCode, response.json().code]).toEqual([query, status, code]);
  }
  const free = await (await detour.account('free')).key();
  expect((await download(`website_id=${websiteId}&table=days`, free)).json().code).toBe('PLAN_REQUIRED');
});
