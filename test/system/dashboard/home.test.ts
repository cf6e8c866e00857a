/** Home of a website and of the account, the sections, and the environment of the frame. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { missingPath, websiteDay } from '../../support/hits.ts';
import { addRedirect, createSite, settled } from '../../support/site.ts';
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
  await needs.getByText(/^Visitors do not find 1 path in Production, most often \/lost/).waitFor();
  const releases = page.getByLabel('Main').getByRole('link', { name: /^Releases/ });
  expect(await releases.textContent()).toBe('Releases1');
  await expectAccessible(page, { schemes: ['light', 'dark'] });
  await expectFits(page, 390);
  await page.setViewportSize({ width: 1280, height: 800 });

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
  await page.getByText('Nothing needs your attention.').waitFor();
  await steps.getByRole('link', { name: 'Enter one' }).waitFor();
  await expectAccessible(page, { schemes: ['light', 'dark'] });
  await expectFits(page, 390);
  await addRedirect(dashboard.owner, site, { old_path: '/old', new_path: '/new' });
  await settled(dashboard.owner, site);
  await page.reload();
  const answers = steps.getByRole('list', { name: 'Live responses' });
  expect(await answers.getByRole('listitem').textContent()).toBe('/old301/new');
  await steps.getByRole('button', { name: 'Skip' }).click();
  await page.reload();
  await page.getByRole('heading', { name: 'The last 7 days' }).waitFor();
  expect(await steps.count()).toBe(0);
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
