/** Home of a website and of the account, the sections, and the environment of the frame. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { missingPath, websiteDay } from '../../support/hits.ts';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { storeTargetState } from '../../support/target-states.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

test('Home names what waits, leads to it, and is calm once it is done', async () => {
  const site = await createSite(dashboard.owner, ['needs.example.com'], { name: 'Needs', auto_deploy: false });
  await addRedirect(dashboard.owner, site, { old_path: '/a', new_path: '/b' });
  const { db } = dashboard.detour;
  await websiteDay(db, { websiteId: site, day: new Date().toISOString().slice(0, 10), hits: 0, unmatched: 40 });
  await missingPath(db, { websiteId: site, path: '/lost', hits: 40 });
  const page = await dashboard.open('/');
  await page.goto(`/websites/${site}`);
  const needs = page.getByRole('region', { name: 'Needs attention' });
  await needs.getByText('1 change waits for Production').waitFor();
  expect(await needs.getByRole('heading').allTextContents()).toEqual(['Waits for you 2']);
  await needs.getByText(/^Visitors do not find 1 path in Production, most often \/lost/).waitFor();
  const releases = page.getByLabel('Main').getByRole('link', { name: /^Releases/ });
  expect(await releases.textContent()).toBe('Releases1');
  const tabs = page.getByRole('navigation', { name: 'Traffic, screens' }).getByRole('link');
  await page.goto(`/websites/${site}/analytics`);
  await tabs.filter({ hasText: 'Not found1' }).waitFor();
  expect(await tabs.allTextContents()).toEqual(['Analytics', 'Not found1', 'Logs']);
  await page.goto(`/websites/${site}`);
  await releases.waitFor();
  await expectAccessible(page, { schemes: ['light', 'dark'] });
  await expectFits(page, 390);
  await page.setViewportSize({ width: 1280, height: 800 });

  await needs.locator('[data-row]').filter({ hasText: '/lost' }).focus();
  await page.keyboard.press('l');
  await needs.getByText('1 line is hidden until tomorrow.').waitFor();
  // The numbers count what is shown.
  const traffic = page.getByLabel('Main').getByRole('link', { name: /^Traffic/ });
  expect(await traffic.textContent()).toBe('Traffic');
  await page.reload();
  await releases.filter({ hasText: 'Releases1' }).waitFor();
  expect(await traffic.textContent()).toBe('Traffic');
  await needs.getByRole('button', { name: 'Show' }).click();
  await needs.getByText(/^Visitors do not find/).waitFor();
  await needs.getByRole('link', { name: /^Review: 1 change waits/ }).click();
  await page.getByText('Redirects for visitors: 1 added.').waitFor();
  await page.getByText('No loops.').waitFor();
  await page.getByRole('button', { name: 'Deploy 1 change' }).click();
  await page.getByRole('heading', { name: /^Live, / }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('h');
  await needs.getByText(/^Visitors do not find/).waitFor();
  await needs.getByText('1 change waits for Production').waitFor({ state: 'detached' });
});

test('the first steps show what is done, what redirects answer, and can be skipped', async () => {
  const site = await createSite(dashboard.owner, ['start.example.com'], { name: 'Start' });
  const page = await dashboard.open(`/websites/${site}`);
  const steps = page.getByRole('region', { name: 'First steps' });
  await steps.getByText('start.example.com', { exact: true }).waitFor();
  await steps.getByRole('link', { name: 'Enter one' }).waitFor();
  expect(await page.getByText('Nothing needs your attention.').count()).toBe(0);
  await expectAccessible(page, { schemes: ['light', 'dark'] });
  await expectFits(page, 390);
  await addRedirect(dashboard.owner, site, { old_path: '/old', new_path: '/new' });
  await settled(dashboard.owner, site);
  await page.reload();
  const answers = steps.getByRole('list', { name: 'Live responses' });
  expect(await answers.getByRole('listitem').textContent()).toBe('/old301/new');
  await steps.getByText('See them answer (done)').waitFor();
  await steps.getByRole('button', { name: 'Skip' }).click();
  await page.reload();
  await page.getByRole('heading', { name: 'The last 7 days' }).waitFor();
  expect(await steps.count()).toBe(0);
});

test('a production host that is not in DNS has a line before the first steps, which leads to its setup', async () => {
  const hosts = ['www.nowhere-shop.net', 'demo.localhost', 'trial.test'];
  const site = await createSite(dashboard.owner, hosts, { name: 'Nowhere' });
  const page = await dashboard.open('/websites');
  await page.route(/\/hosts\?limit=100$/, async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    const states = body.hosts.map((each: object) => ({
      ...each,
      dns: { state: 'nowhere', addresses: [], problem: 'No address' },
    }));
    return route.fulfill({ response, json: { ...body, hosts: states } });
  });
  await page.goto(`/websites/${site}`);
  const needs = page.getByRole('region', { name: 'Needs attention' });
  await needs.getByText('A host is not in DNS, so that visitors cannot reach it: www.nowhere-shop.net').waitFor();
  await page.getByLabel('Main').locator('.nav-link').filter({ hasText: 'Settings1' }).waitFor();
  const steps = page.getByRole('region', { name: 'First steps' });
  const [above, below] = [await needs.boundingBox(), await steps.boundingBox()];
  expect(above!.y).toBeLessThan(below!.y);
  await expectAccessible(page);
  await needs.getByRole('link', { name: /^Set up: / }).click();
  await page.waitForURL(`**/websites/${site}/settings?host=www.nowhere-shop.net`);
  await page.getByRole('dialog').getByText('www.nowhere-shop.net').first().waitFor();
});

test('a new website opens its first steps', async () => {
  const page = await dashboard.open('/websites?new=website');
  await page.getByLabel('Name').fill('Brand new');
  await page.getByLabel('Hosts', { exact: true }).fill('brand-new.localhost');
  await page.keyboard.press('Enter');
  const steps = page.getByRole('region', { name: 'First steps' });
  await steps.getByText('brand-new.localhost', { exact: true }).first().waitFor();
  await steps.getByText('brand-new.localhost works on this machine without a DNS record.').waitFor();
  expect(await steps.getByText('By DNS, at the host').count()).toBe(0);
  expect(await page.getByText('Nothing needs your attention.').count()).toBe(0);
});

test('N on Home opens a new redirect', async () => {
  const id = await createSite(dashboard.owner, []);
  const page = await dashboard.open(`/websites/${id}`);
  await page.getByRole('button', { name: 'New redirect' }).waitFor();
  await page.keyboard.press('n');
  await page.getByRole('dialog', { name: 'New redirect' }).waitFor();
});

test('All websites has a row for each, and account pages have no website', async () => {
  const page = await dashboard.open('/websites');
  const row = page.getByRole('list', { name: 'Websites' }).getByRole('listitem').filter({ hasText: 'Needs' });
  await row.getByText('1 thing to do').waitFor();
  await row.getByText('1 redirect', { exact: true }).waitFor();
  await row.getByText('created /a').waitFor();
  await expectFits(page, 390);
  await expectAccessible(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  const sections = page.getByLabel('Main').locator('.nav-link');
  expect(await sections.allTextContents()).toEqual(['All websites', 'Account']);
  await row.getByRole('link', { name: 'Needs' }).click();
  await page.getByRole('heading', { name: 'Needs', exact: true }).waitFor();
  // The numbers follow.
  await sections.filter({ hasText: 'Traffic1' }).waitFor();
  expect(await sections.allTextContents()).toEqual([
    'Home',
    'Redirects',
    'Releases',
    'Traffic1',
    'Checks',
    'Activity',
    'Settings',
  ]);
});

test('needs have headings by urgency; those of more than 3 websites are one row, which opens to them', async () => {
  const account = await dashboard.detour.account();
  const sites: number[] = [];
  for (const name of ['Books', 'Games', 'Music', 'News', 'Shop']) {
    const host = `urgent-${name.toLowerCase()}.example.com`;
    sites.push(await createSite(account, [host], { name, auto_deploy: false }));
    await addRedirect(account, sites.at(-1) ?? 0, { old_path: '/a', new_path: '/b' });
  }
  const [site = 0] = sites;
  const body = { old_path: '/broken', new_path: '/gone', target_environments: 'staging' };
  const id = await addRedirect(account, site, body);
  await storeTargetState(dashboard.detour.db, site, id, { state: 'dead' });
  const page = await dashboard.openAs(account, '/websites');
  const needs = page.getByRole('region', { name: 'Needs attention' });
  await needs.getByText('5 changes wait for Production').waitFor();
  const headings = await needs.getByRole('heading').allTextContents();
  expect(headings).toEqual(['Broken now 1', expect.stringMatching(/^Waits for you \d$/)]);
  await needs.getByText('5 websites').waitFor();
  await needs.getByRole('button', { name: 'Show: 5 changes wait for Production' }).focus();
  await page.keyboard.press('Enter');
  const inside = needs.getByRole('list', { name: '5 changes wait for Production' });
  expect(await inside.getByRole('listitem').count()).toBe(5);
  await inside.getByText('Games').waitFor();
  await expectAccessible(page, { schemes: ['light', 'dark'] });
  await expectFits(page, 360);
  await needs.getByRole('link', { name: /^View: 1 redirect leads to a broken target in Staging/ }).click();
  await page.waitForURL(`**/websites/${site}/health?show=broken_targets&environment=staging`);
  await page.getByText('/broken', { exact: true }).first().waitFor();
});

test('items that the service does not list are counted', async () => {
  const page = await dashboard.open('/account');
  await page.route('**/api/v1/overview*', async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    await route.fulfill({ response, json: { ...body, item_count: body.items.length + 1_204 } });
  });
  await page.goto('/websites');
  await page.getByText('and 1,204 more. Open a website to see its own.').waitFor();
});

test('the environment of the frame goes along, and an old address of the activity leads to the new one', async () => {
  const site = await createSite(dashboard.owner, ['frame.example.com'], { name: 'Frame' });
  const page = await dashboard.open(`/websites/${site}/analytics`);
  await page.getByLabel('Environment', { exact: true }).selectOption('staging');
  await page.getByRole('link', { name: 'Not found', exact: true }).click();
  await page.waitForURL('**/not-found?environment=staging');
  await page.getByLabel('Main').getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  await page.getByLabel('Main').getByRole('link', { name: 'Releases' }).click();
  await page.waitForURL('**/deployments?environment=staging');
  await page.goto(`/activity?website=${site}&path=%2Fa`);
  await page.waitForURL(`**/websites/${site}/activity?path=%2Fa`);
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
