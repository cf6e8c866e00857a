import type { Page, Route } from 'playwright-core';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { storeTargetState } from '../../support/target-states.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';
import { redirectPage } from './list.ts';

let dashboard: DashboardTest;
let site: number;
let chain: number;
beforeAll(async () => {
  dashboard = await startDashboard();
  site = await createSite(dashboard.owner, ['ill.example.com'], { case_sensitive: false });
  const add = (old_path: string, new_path: string, more: object = {}) =>
    addRedirect(dashboard.owner, site, { old_path, new_path, ...more });
  await add('/2020/sale', '/2021/sale');
  await add('/2021/sale', '/offers');
  chain = await add('/2019/sale', '/2020/sale');
  await add('/first', '/second');
  await add('/second', '/third', { status_code: 302 });
  await add('/old/(.*)', '/new/$1', { is_regex: true });
  await add('/old/x?', '/x', { is_regex: true });
  await add('/Home', '/start');
  await add('/home/', '/begin');
  const redirects = [
    { old_path: '/loop-a', new_path: '/loop-b' },
    { old_path: '/loop-b', new_path: '/loop-a' },
    { old_path: '/deeper/(.*)', new_path: '/deeper/in/$1', is_regex: true },
  ];
  const body = { website_id: String(site), redirects };
  expect((await dashboard.owner.keyCall('POST', '/api/v1/redirects/bulk', body)).status).toBe(200);
  await settled(dashboard.owner, site);
});
afterAll(() => dashboard.stop());

const openHealth = (query = ''): Promise<Page> => dashboard.open(`/websites/${site}/health${query}`);

const target = async (id: number): Promise<string> =>
  (await dashboard.owner.call('GET', `/api/redirects/${id}`)).body.redirect.new_path;

test('each type of finding has a tab with its count and URL, and links to its redirects', async () => {
  const page = await openHealth();
  const loops = page.getByRole('link', { name: 'Loops 2' });
  await loops.waitFor();
  await page.getByText('Each step matches again and makes the address longer').waitFor();
  await page.getByRole('link', { name: '/loop-b' }).click();
  await redirectPage(page).waitFor();
  expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('/loop-b');
  await page.goBack();
  await loops.waitFor();
  const requested: string[] = [];
  page.on('request', (request) => requested.push(new URL(request.url()).pathname));
  await page.getByRole('link', { name: 'Shadowed 1' }).click();
  await page.getByRole('link', { name: '/old/x?' }).waitFor();
  await page.getByRole('link', { name: '/old/(.*)' }).waitFor();
  await page.getByTitle('/new/$1').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Duplicates 1' }).click();
  await page.getByRole('link', { name: '/Home', exact: true }).waitFor();
  await page.getByTitle('/start').waitFor();
  // The report contains the redirects; no further requests.
  expect(requested.filter((path) => path.startsWith('/api/redirects'))).toEqual([]);
  expect(new URL(page.url()).search).toBe('?show=duplicates');
  await expectFits(page, 360);
  await expectAccessible(page);
  await page.getByRole('link', { name: '/home/', exact: true }).click();
  await redirectPage(page).waitFor();
  expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('/home/');
});

test('flattening previews its result and the remaining chains, then applies it', async () => {
  const page = await openHealth('?show=chains');
  await page.route('**/api/redirects/test', async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    const state = { state: 'dead', reason: null, checked_at: '2026-11-02T03:04:05Z' };
    body.results[0].final_target = state;
    return route.fulfill({ response, json: body });
  });
  await page.getByText('3 hops').waitFor();
  await page.getByRole('listitem').filter({ hasText: '3 hops' }).getByText('0 hits').waitFor();
  const way = page.getByRole('listitem').filter({ hasText: '3 hops' }).getByRole('list', { name: 'Hops' });
  expect(await way.getByRole('listitem').allInnerTexts()).toEqual(['/2020/sale', '/2021/sale']);
  await expectAccessible(page);
  await page.getByRole('checkbox', { name: 'Select /2019/sale' }).check();
  await page.getByRole('button', { name: 'Flatten 1 chain' }).click();
  await page.getByText('1 redirect will point directly to the end of its chain').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('checkbox', { name: 'Select /2019/sale' }).uncheck();
  await page.keyboard.press('f');
  await page.getByText('2 redirects will point directly to the end of their chains').waitFor();
  await page.getByText('1 of them ends at a broken target, such as').waitFor();
  await page.getByText('a later redirect of the chain is temporary').waitFor();
  const change = page.getByLabel('Changes', { exact: true }).getByRole('listitem').filter({ hasText: '/2019/sale' });
  expect(await change.locator('del').textContent()).toBe('/2020/sale');
  await change.getByText('/offers').waitFor();
  expect(await target(chain)).toBe('/2020/sale');
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.getByRole('button', { name: 'Flatten 2 redirects' }).click();
  await page.getByText('2 redirects flattened').waitFor();
  expect(await target(chain)).toBe('/offers');
  await until(async () => (await dashboard.detour.visit('ill.example.com', '/2019/sale')).location === '/offers');
  await page.getByRole('link', { name: 'Chains 1' }).waitFor();
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Undone: 2 restored').waitFor();
  expect(await target(chain)).toBe('/2020/sale');
});

test('chains that cannot be flattened say so, and why, without a button', async () => {
  const id = await createSite(dashboard.owner, []);
  await addRedirect(dashboard.owner, id, { old_path: '/first', new_path: '/second' });
  await addRedirect(dashboard.owner, id, { old_path: '/second', new_path: '/third', status_code: 302 });
  const page = await dashboard.open(`/websites/${id}/health?show=chains`);
  const note = page.getByRole('region', { name: 'Flatten chains' });
  await note.getByText('No chain can be flattened safely.').waitFor();
  await note.getByText('a later redirect of the chain is temporary').waitFor();
  expect(await page.getByRole('button', { name: 'Flatten chains' }).count()).toBe(0);
  await expectAccessible(page);
  await expectFits(page, 360);
});

test('a loop is mended in a form over the list, and its row disappears', async () => {
  const id = await createSite(dashboard.owner, []);
  const redirects = ['a', 'b', 'c', 'd'].map((name) => ({
    old_path: `/${name}`,
    new_path: `/${'badc'['abcd'.indexOf(name)]}`,
  }));
  const body = { website_id: String(id), redirects };
  expect((await dashboard.owner.keyCall('POST', '/api/v1/redirects/bulk', body)).status).toBe(200);
  const page = await dashboard.open(`/websites/${id}/health`);
  await page.getByRole('link', { name: 'Loops 2' }).waitFor();
  await page.getByRole('button', { name: 'Change the redirect of /b' }).click();
  const form = page.getByRole('dialog', { name: 'Redirect' });
  expect(await form.getByLabel('From', { exact: true }).inputValue()).toBe('/b');
  await form.getByLabel('To', { exact: true }).fill('/end');
  await page.keyboard.press('Control+Enter');
  await form.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Loops 1' }).waitFor();
  expect(await page.getByRole('link', { name: '/a', exact: true }).count()).toBe(0);
  await expectAccessible(page);
  await expectFits(page, 360);
  // The next loop has the focus.
  await page.keyboard.press('Enter');
  expect(await form.getByLabel('From', { exact: true }).inputValue()).toBe('/c');
});

/** Answers as the service does while it computes suggestions. */
async function answerPending(route: Route): Promise<void> {
  const response = await route.fetch();
  const body = await response.json();
  const targets = body.targets.map((each: object) => ({ ...each, suggestions: [] }));
  await route.fulfill({ response, json: { ...body, targets, pending: true } });
}

test('a broken target has its reason and other pages, one of which replaces it until Undo', async () => {
  const options = { allowed_target_hosts: ['partner.example.org'] };
  const broken = await createSite(dashboard.owner, ['dead.example.com'], options);
  const add = (old_path: string, new_path: string) => addRedirect(dashboard.owner, broken, { old_path, new_path });
  const elsewhere = await add('/partner', 'https://partner.example.org/gone');
  const id = await add('/old-chairs', '/garden/chair');
  const urls = ['/garden/chairs', '/garden/tables', '/about'];
  expect((await dashboard.owner.keyCall('PUT', `/api/v1/websites/${broken}/urls/living`, { urls })).status).toBe(200);
  const page = await dashboard.open(`/websites/${broken}/health`);
  await page.getByText('No live check has looked for broken targets yet').waitFor();
  await storeTargetState(dashboard.detour.db, broken, id, { state: 'dead', reason: 'http_404' });
  await storeTargetState(dashboard.detour.db, broken, elsewhere, { state: 'error', reason: 'dns' });
  await page.route('**/health/targets?**', answerPending, { times: 1 });
  await page.reload();
  await page.getByRole('link', { name: 'Broken targets 2' }).waitFor();
  await page.getByText('Suggestions are being computed').waitFor();
  const row = (path: string) => page.getByRole('listitem').filter({ has: page.getByRole('link', { name: path }) });
  await row('/partner').getByText('The host name does not exist or does not resolve').waitFor();
  await row('/old-chairs').getByText('The page does not exist (404)').waitFor();
  const use = row('/old-chairs').getByRole('button', { name: 'Use /garden/chairs' });
  await use.waitFor();
  await row('/partner').getByRole('button', { name: 'Change target… /partner' }).waitFor();
  expect(await row('/partner').getByRole('button').allTextContents()).toEqual([
    'Change target… /partner',
    'Check again https://partner.example.org/gone',
  ]);
  await page.route('**/checks', (route) => route.fulfill({ status: 202, json: { check: { id: 'chk_1' } } }));
  const asked = page.waitForRequest('**/checks');
  await row('/partner').getByRole('button', { name: 'Check again' }).click();
  expect((await asked).postDataJSON()).toEqual({
    kind: 'targets',
    environment: 'production',
    filter: { new_path: 'https://partner.example.org/gone' },
  });
  expect(await page.getByRole('link', { name: 'Open the check' }).getAttribute('href')).toMatch(/\/checks\/chk_1$/);
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.route(`**/api/redirects/${id}`, (route) => route.abort());
  await use.click();
  await row('/old-chairs').getByText('The service cannot be reached').waitFor();
  await page.unroute(`**/api/redirects/${id}`);
  await use.click();
  await page.getByRole('link', { name: 'Broken targets 1' }).waitFor();
  expect([await target(id), await row('/old-chairs').count()]).toEqual(['/garden/chairs', 0]);
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await row('/old-chairs').waitFor();
  expect(await target(id)).toBe('/garden/chair');
  await row('/old-chairs').getByRole('link').click();
  await redirectPage(page).waitFor();
  expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('/old-chairs');
});

/** A website with redirects whose targets are dead: three to `/gone`, and one each to two more, of which one has a near page. */
async function siteWithBroken(host: string) {
  const broken = await createSite(dashboard.owner, [host]);
  const add = async (old_path: string, new_path: string): Promise<number> => {
    const id = await addRedirect(dashboard.owner, broken, { old_path, new_path });
    await storeTargetState(dashboard.detour.db, broken, id, { state: 'dead', reason: 'http_404' });
    return id;
  };
  const gone = [await add('/a', '/gone'), await add('/b', '/gone')];
  await dashboard.detour.db.execute(sql`
    insert into redirect_hits (website_id, redirect_id, environment, day, hits, bot_hits, micros, countries, visitors)
    select ${broken}, id, 'production', current_date, 2, 0, 0, '{}', '' from unnest(${sql.param(gone)}::bigint[]) id`);
  const chair = await add('/chair', '/garden/chair');
  const lamp = await add('/lamp', '/xyzzy');
  gone.push(await add('/c', '/gone'));
  const urls = ['/garden/chairs', '/garden/tables', '/about'];
  expect((await dashboard.owner.keyCall('PUT', `/api/v1/websites/${broken}/urls/living`, { urls })).status).toBe(200);
  await settled(dashboard.owner, broken);
  const page = await dashboard.open(`/websites/${broken}/health`);
  await page.getByRole('link', { name: 'Broken targets 5' }).waitFor();
  const targets = (ids: number[]) => Promise.all(ids.map(target));
  return { page, gone, chair, lamp, targets, undo: page.getByRole('status').getByRole('button', { name: 'Undo' }) };
}

test('redirects with one broken target are a group, which gets another target at once', async () => {
  const { page, gone, targets, undo } = await siteWithBroken('group.example.com');
  const list = page.getByRole('list', { name: 'Broken targets' });
  const group = list.getByRole('listitem').filter({ hasText: '3 redirects lead to' });
  await group.getByTitle('/gone').waitFor();
  await group.getByText('4 hits in 30 days').waitFor();
  expect(await list.getByRole('link').allTextContents()).toEqual(['/a', '/b', '/c', '/chair', '/lamp']);
  await group.getByRole('button', { name: 'Change target of all…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change the target of 3 redirects' });
  await dialog.getByLabel('To', { exact: true }).fill('https://elsewhere.example.org/');
  await dialog.getByRole('button', { name: 'Change 3 redirects' }).click();
  await dialog.getByText('3 redirects cannot change.').waitFor();
  await expectAccessible(page);
  await expectFits(page, 360);
  await dialog.getByLabel('To', { exact: true }).fill('/about');
  await page.keyboard.press('Enter');
  await page.getByText('3 redirects updated').waitFor();
  await page.getByRole('link', { name: 'Broken targets 2' }).waitFor();
  expect([await targets(gone), await group.count()]).toEqual([['/about', '/about', '/about'], 0]);
  await undo.click();
  await page.getByText('Undone: 3 restored').waitFor();
  await group.waitFor();
  expect(await targets(gone)).toEqual(['/gone', '/gone', '/gone']);
});

test('selected redirects get their suggestions, or are deleted, until Undo', async () => {
  const { page, gone, chair, lamp, targets, undo } = await siteWithBroken('selected.example.com');
  const bar = page.getByRole('region', { name: 'Selected redirects' });
  await page.getByLabel('Select /b').check();
  await page.getByLabel('Select /chair').click({ modifiers: ['Shift'] });
  await bar.getByText('3 selected').waitFor();
  await page.keyboard.press('Escape');
  await bar.waitFor({ state: 'detached' });

  // From /c to /lamp; only the chair has a near page.
  await page.getByRole('link', { name: '/c', exact: true }).focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await bar.getByText('3 selected').waitFor();
  await page.keyboard.press(' ');
  await bar.getByText('2 selected').waitFor();
  await bar.getByRole('button', { name: 'Select all 5 listed' }).click();
  await bar.getByText('5 selected').waitFor();
  await expectAccessible(page);
  await expectFits(page, 390);
  await page.setViewportSize({ width: 1280, height: 800 });
  await bar.getByRole('button', { name: 'Use 1 suggestion' }).click();
  await page.getByText('1 redirect updated').waitFor();
  expect(await targets([...gone, chair, lamp])).toEqual(['/gone', '/gone', '/gone', '/garden/chairs', '/xyzzy']);
  await undo.click();
  await page.getByText('Undone: 1 restored').waitFor();
  await page.getByLabel('Select /chair').waitFor();

  await page.getByLabel('Select the 3 redirects to /gone').check();
  await page.getByLabel('Select /lamp').check();
  await page.keyboard.press('t');
  const dialog = page.getByRole('dialog', { name: 'Change the target of 4 redirects' });
  await dialog.getByText('1 redirect leads to').waitFor();
  await dialog.getByLabel('To', { exact: true }).fill('/about');
  await page.keyboard.press('Enter');
  await page.getByText('4 redirects updated').waitFor();
  await undo.last().click();
  await page.getByText('Undone: 4 restored').waitFor();
  await page.getByLabel('Select the 3 redirects to /gone').check();
  await page.keyboard.press('Delete');
  await page.getByText('3 redirects deleted').waitFor();
  await page.getByRole('link', { name: 'Broken targets 2' }).waitFor();
  await undo.last().click();
  await page.getByText('Undone: 3 restored').last().waitFor();
  await page.getByRole('link', { name: 'Broken targets 5' }).waitFor();
});

test('without broken targets, the tab leads to the checks', async () => {
  const page = await openHealth('?show=broken_targets');
  await page.getByRole('heading', { name: 'Not checked yet' }).waitFor();
  await page.getByRole('link', { name: 'Broken targets not checked yet' }).waitFor();
  await page.getByRole('link', { name: 'Go to live checks' }).click();
  await page.getByRole('heading', { name: 'Live checks', exact: true }).waitFor();
});

test('an environment without problems says so', async () => {
  const page = await openHealth();
  await page.getByLabel('Environment').selectOption('staging');
  await page.getByText('No problems in Staging').waitFor();
  await page.getByText('No live check has looked for broken targets yet').waitFor();
  expect(new URL(page.url()).search).toBe('?environment=staging');
});

test('redirects whose schedule has ended are beside the unused ones', async () => {
  const ended = await createSite(dashboard.owner, ['ended.example.com']);
  const until = '2020-01-01T00:00:00Z';
  await addRedirect(dashboard.owner, ended, { old_path: '/sale', new_path: '/offers', active_until: until });
  const page = await dashboard.open(`/websites/${ended}/health?show=unused`);
  await page.getByRole('link', { name: '1 ended schedule' }).click();
  await page.getByRole('gridcell').getByText('/sale', { exact: true }).first().waitFor();
});

test('viewers see the report and broken targets without actions', async () => {
  const viewer = { email: 'health-viewer@example.com', role: 'viewer', password: 'a long password' };
  expect((await dashboard.owner.call('POST', '/api/users', viewer)).status).toBe(201);
  const page = await dashboard.openAnonymously(`/websites/${site}/health?show=chains&do=flatten`);
  await page.getByLabel('Email').fill(viewer.email);
  await page.getByLabel('Password', { exact: true }).fill(viewer.password);
  await page.keyboard.press('Enter');
  await page.getByText('Read only').waitFor();
  await page.getByRole('link', { name: /^Loops/ }).waitFor();
  expect(await page.getByRole('button', { name: 'Flatten chains' }).count()).toBe(0);
  expect(await page.getByRole('dialog').count()).toBe(0);
  await storeTargetState(dashboard.detour.db, site, chain, { state: 'dead', reason: 'http_404' });
  await page.goto(`/websites/${site}/health?show=broken_targets`);
  const broken = page.getByRole('list', { name: 'Broken targets' });
  await broken.getByRole('link', { name: '/2019/sale' }).waitFor();
  expect(await broken.getByRole('checkbox').or(broken.getByRole('button')).count()).toBe(0);
});

test('a failed load shows an error, and Retry loads the report', async () => {
  const page = await dashboard.open(`/websites/${site}/urls`);
  await page.route('**/health?**', (route) => route.abort());
  await page.getByRole('link', { name: 'Health' }).click();
  await page.getByText('The service cannot be reached').waitFor();
  await page.unroute('**/health?**');
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByRole('link', { name: /^Loops/ }).waitFor();
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
