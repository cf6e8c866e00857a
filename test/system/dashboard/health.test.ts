import type { Page, Route } from 'playwright-core';
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
  await page.getByText('3 hops').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('f');
  await page.getByText('2 redirects will point directly to the end of their chains').waitFor();
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
  await page.getByText('no target that a live check found broken').waitFor();
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
  expect(await row('/partner').getByRole('button').count()).toBe(0);
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

test('without broken targets, the tab leads to the checks', async () => {
  const page = await openHealth('?show=broken_targets');
  await page.getByText('No broken targets').waitFor();
  await page.getByRole('link', { name: 'Go to live checks' }).click();
  await page.getByRole('heading', { name: 'Live checks', exact: true }).waitFor();
});

test('an environment without problems says so', async () => {
  const page = await openHealth();
  await page.getByLabel('Environment').selectOption('staging');
  await page.getByText('No problems in Staging').waitFor();
  expect(new URL(page.url()).search).toBe('?environment=staging');
});

test('viewers see the report without Flatten chains', async () => {
  const viewer = { email: 'health-viewer@example.com', role: 'viewer', password: 'a long password' };
  expect((await dashboard.owner.call('POST', '/api/users', viewer)).status).toBe(201);
  const page = await dashboard.openAnonymously(`/websites/${site}/health?show=chains&do=flatten`);
  await page.getByLabel('Email').fill(viewer.email);
  await page.getByLabel('Password').fill(viewer.password);
  await page.keyboard.press('Enter');
  await page.getByText('Read only').waitFor();
  await page.getByRole('link', { name: /^Loops/ }).waitFor();
  expect(await page.getByRole('button', { name: 'Flatten chains' }).count()).toBe(0);
  expect(await page.getByRole('dialog').count()).toBe(0);
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
