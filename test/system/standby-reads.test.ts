/** Reads from a real standby: DATABASE_READ_URL and max_staleness. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/connection/client.ts';
import { migrate } from '../../src/db/migrate.ts';
import { readDatabaseId } from '../../src/db/settings.ts';
import { createStandby } from '../../src/db/standby.ts';
import { startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { scrape } from '../support/metrics.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { addRedirect, createSite, settled } from '../support/site.ts';
import { until } from '../support/wait.ts';

let primary: OwnPostgres;
let standby: OwnPostgres;
let detour: TestDetour;
let owner: TestAccount;
let site: number;
let redirect: number;
let check: string;
let move: string;

beforeAll(async () => {
  primary = await startOwnPostgres();
  const url = primary.urlOf('postgres');
  const db = openDatabase(url);
  await migrate(db);
  standby = await primary.replica();
  const database = { db, url, close: () => db.$client.end() };
  detour = await startTestDetour({ DATABASE_READ_URL: standby.urlOf('postgres') }, { database });
  owner = await detour.account();
  site = await createSite(owner, ['shop.example']);
  redirect = await addRedirect(owner, site, { old_path: '/first', new_path: '/x', group_id: 'first' });
  await settled(owner, site);
  await addPages();
  await until(async () => (await get(list(60))).text.includes('/first') && (await answered('standby')) > 0);
});
afterAll(async () => {
  await detour.stop();
  await standby.stop();
  await primary.stop();
});

/** A list of URLs, a check that has ended, and a move with a row. */
async function addPages(): Promise<void> {
  const api = `/api/v1/websites/${site}`;
  const create = async (method: string, path: string, body?: object) => {
    const response = await owner.keyCall(method, `${api}${path}`, body);
    expect([path, response.status]).toEqual([path, expect.toBeOneOf([200, 201, 202])]);
    return response.body;
  };
  await create('PUT', '/urls/living?list=main', { urls: [{ url: '/page' }] });
  check = (await create('POST', '/checks', { kind: 'targets' })).check.id;
  await create('DELETE', `/checks/${check}`);
  move = (await create('POST', '/moves', { name: 'Relaunch', from: { urls: ['/page'] }, to: { urls: ['/z'] } })).move
    .id;
  await until(async () => (await owner.keyCall('GET', `${api}/moves/${move}`)).body.move.state === 'ready');
}

const get = (path: string, account = owner) =>
  (path.startsWith('/api/v1') || path.startsWith('/v1') ? account.keyCall : account.call)('GET', path);
const list = (maxStaleness: number): string => `/api/redirects?website_id=${site}&max_staleness=${maxStaleness}`;
const exported = (version: number): string =>
  `/api/v1/redirects/bulk/export?website_id=${site}&format=csv&version=${version}`;
/** How many reads with max_staleness this server has answered. */
const answered = async (server: 'standby' | 'primary'): Promise<number> =>
  (await scrape(detour.address)).value('detour_stale_reads_total', `server="${server}"`) ?? 0;

/** Each route that takes max_staleness. */
const routes = (): string[] => [
  `/api/redirects?website_id=${site}`,
  `/api/redirects?website_id=${site}&limit=10&sort=-hits`,
  `/api/v1/redirects?website_id=${site}`,
  `/api/redirects/count?website_id=${site}`,
  `/api/websites/${site}/groups?`,
  `/api/activity?website_id=${site}`,
  `/api/changes?website_id=${site}`,
  `/api/deployments?website_id=${site}`,
  `/api/websites/${site}/not-found?`,
  `/api/websites/${site}/not-found?format=csv`,
  `/api/websites/${site}/health?`,
  `/api/v1/websites/${site}/health?environment=staging`,
  `/api/v1/websites/${site}/urls?`,
  `/api/v1/websites/${site}/urls/export?format=csv`,
  `/api/v1/websites/${site}/checks?`,
  `/api/v1/websites/${site}/checks/${check}/results?`,
  `/api/v1/websites/${site}/checks/history?url=https%3A%2F%2Fshop.example%2Fx`,
  `/api/v1/websites/${site}/moves?`,
  `/api/v1/websites/${site}/moves/${move}/rows?`,
  `/api/v1/analytics?website_id=${site}`,
  `/api/v1/analytics/overview?website_id=${site}&period=2d`,
  `/v1/analytics/redirects/${redirect}?period=2d`,
  `/api/v1/analytics/groups?website_id=${site}`,
  `/api/v1/analytics/export?website_id=${site}&table=redirects`,
  `/api/v1/redirects/bulk/export?website_id=${site}`,
  `/api/v1/redirects/bulk/export?website_id=${site}&format=nginx`,
  exported(1),
];

test('each route of reports, lists and exports is answered by the standby, as by the primary', async () => {
  await until(async () => (await get(list(60))).text === (await get(list(60).split('&')[0] ?? '')).text);
  for (const route of routes()) {
    const before = await answered('standby');
    const fromStandby = await get(`${route}&max_staleness=60`);
    expect([route, fromStandby.status, await answered('standby')]).toEqual([route, 200, before + 1]);
    const withoutIds = (text: string): string => text.replace(/exp_\w+|"exported_at":"[^"]*"/g, '');
    expect(withoutIds(fromStandby.text)).toBe(withoutIds((await get(route)).text));
  }
});

test('a standby that lags answers only requests that allow it, and never for a version that it lacks', async () => {
  await standby.query('select pg_wal_replay_pause()');
  await addRedirect(owner, site, { old_path: '/late', new_path: '/first' });
  await settled(owner, site);
  const urls = `/api/v1/websites/${site}/urls`;
  expect((await owner.keyCall('PUT', `${urls}/living?list=late`, { urls: ['/late'] })).status).toBe(200);
  const hasLate = async (path: string): Promise<boolean> => (await get(path)).text.includes('/late');
  for (const path of [urls, `${urls}/export`, `/api/websites/${site}/health`])
    expect([path, await hasLate(`${path}?max_staleness=3600`), await hasLate(path)]).toEqual([path, false, true]);
  expect([
    await hasLate(list(3_600)),
    await hasLate(list(0)),
    await hasLate(`/api/redirects?website_id=${site}`),
  ]).toEqual([false, true, true]);
  expect(await hasLate(`${exported(1)}&max_staleness=3600`)).toBe(false);
  expect(await hasLate(`${exported(2)}&max_staleness=3600`)).toBe(true);
  const draft = `/api/v1/redirects/bulk/export?website_id=${site}&format=csv`;
  expect([await hasLate(`${draft}&max_staleness=3600`), await hasLate(draft)]).toEqual([false, true]);
  await until(() => hasLate(list(2)));
  const { value } = await scrape(detour.address);
  expect(value('detour_standby_staleness_seconds')).toBeGreaterThan(2);
  await standby.query('select pg_wal_replay_resume()');
  await until(() => hasLate(list(3_600)));
});

test('a standby gives an account nothing of another', async () => {
  const stranger = await detour.account();
  await until(async () => (await get(`/api/websites/${site}/groups?max_staleness=60`)).status === 200);
  for (const route of routes()) {
    const { status, text } = await get(`${route}&max_staleness=86400`, stranger);
    expect([route, status]).toEqual([route, 404]);
    expect(text).not.toContain('/first');
  }
});

test.each(['-1', '86401', 'fresh', ''])('max_staleness=%j is an error that names it', async (value) => {
  const { status, body } = await get(`/api/redirects?website_id=${site}&max_staleness=${value}`);
  expect([status, body]).toEqual([
    400,
    expect.objectContaining({ details: expect.stringMatching(/max_staleness.*must be an integer from 0 to 86400/) }),
  ]);
});

test('a server that is no standby, or one of another database, is not used', async () => {
  const other = await startOwnPostgres();
  const db = openDatabase(other.urlOf('postgres'));
  await migrate(db);
  const ofOther = await other.replica();
  const own = openDatabase(primary.urlOf('postgres'));
  for (const [url, problem] of [
    [primary.urlOf('postgres'), undefined],
    [ofOther.urlOf('postgres'), 'DATABASE_READ_URL leads to another database'],
  ] as const) {
    const pool = openDatabase(url);
    const measured = createStandby(own, pool);
    await readDatabaseId(db);
    await until(async () => (await ofOther.query("select from settings where name = 'database_id'")).length === 1);
    await measured.mark();
    const error = await measured.observe().catch(String);
    expect(error).toEqual(problem && expect.stringContaining(problem));
    expect(measured.stalenessMs()).toBe(Infinity);
    await pool.$client.end();
  }
  await own.$client.end();
  await db.$client.end();
  await ofOther.stop();
  await other.stop();
});

test('without the standby, the primary answers', async () => {
  await standby.kill();
  for (const route of routes())
    expect([route, (await get(`${route}&max_staleness=86400`)).status]).toEqual([route, 200]);
  await until(async () => (await scrape(detour.address)).value('detour_standby_staleness_seconds') === undefined);
  standby = await primary.replica();
});
