/** The frame of all screens: shortcuts, unknown pages, and an unavailable service. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addRedirect, createSite } from '../../support/site.ts';
import { type DashboardTest, expectAccessible, startDashboard } from './browser.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

test('? lists shortcuts, g and a letter open a screen, an unknown URL shows Page not found', async () => {
  const id = await createSite(dashboard.owner, ['keys.example.com']);
  const page = await dashboard.open(`/websites/${id}/redirects`);
  await page.getByText('No redirects yet').waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('New redirect').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await page.getByRole('heading', { name: 'Tester' }).waitFor();
  await page.goto('/websites/999999/redirects');
  await page.getByText('Page not found').waitFor();
  await expectAccessible(page);
  const anonymous = await dashboard.openAnonymously('/nothing/here');
  await anonymous.getByRole('heading', { name: 'Page not found' }).waitFor();
  await expectAccessible(anonymous);
  await anonymous.getByRole('link', { name: 'Go to sign-in' }).click();
  await anonymous.getByLabel('Password', { exact: true }).waitFor();
});

test('Escape closes the menu of a narrow page', async () => {
  const page = await dashboard.open('/');
  await page.setViewportSize({ width: 390, height: 844 });
  const menu = page.getByRole('button', { name: 'Menu' });
  await menu.click();
  await expect.poll(() => menu.getAttribute('aria-expanded')).toBe('true');
  await page.keyboard.press('Escape');
  await expect.poll(() => menu.getAttribute('aria-expanded')).toBe('false');
});

test('the title is at the same height on every screen, and a filter of the list moves nothing', async () => {
  const id = await createSite(dashboard.owner, ['titles.example.com']);
  await addRedirect(dashboard.owner, id, { old_path: '/titles', new_path: '/headings' });
  const page = await dashboard.open(`/websites/${id}/import`);
  const title = page.getByRole('heading', { level: 1 });
  const height = (await title.boundingBox())?.y;
  await page.getByLabel('Main').getByRole('link', { name: 'Redirects', exact: true }).click();
  await page.getByText('/headings').waitFor();
  expect((await title.boundingBox())?.y).toBe(height);
  const toolbar = page.locator('.toolbar');
  const before = await toolbar.boundingBox();
  await page.goto(`/websites/${id}/redirects?group=sale&status_code=301&q=x`);
  await page.getByRole('button', { name: 'Clear filters' }).waitFor();
  expect(await toolbar.boundingBox()).toEqual(before);
});

test('an unavailable service shows an error, and Retry loads the screen', async () => {
  const id = await createSite(dashboard.owner, ['away.example.com']);
  const page = await dashboard.open(`/websites/${id}/tester`);
  await page.getByLabel('URL or path').waitFor();
  await page.route('**/api/redirects?**', (route) => route.abort());
  await page.getByLabel('Main').getByRole('link', { name: 'Redirects' }).click();
  await page.getByText('The service cannot be reached').waitFor();
  await page.unroute('**/api/redirects?**');
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByText('No redirects yet').waitFor();
});

test('a screen whose script cannot be loaded says so, and loads with Retry or when the network is back', async () => {
  const id = await createSite(dashboard.owner, ['offline.example.com']);
  const page = await dashboard.open(`/websites/${id}/urls`);
  await page.getByRole('heading', { name: 'URLs', exact: true }).waitFor();
  await page.context().setOffline(true);
  await page.getByRole('link', { name: 'Health' }).click();
  await page.getByText('This page could not be loaded').waitFor();
  await page.context().setOffline(false);
  await page.getByText('No problems in Production').waitFor();
  await page.route('**/assets/**', (route) => route.abort());
  await page.getByRole('link', { name: 'Live checks', exact: true }).click();
  await page.getByText('This page could not be loaded').waitFor();
  await page.unroute('**/assets/**');
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByRole('heading', { name: 'Live checks', exact: true }).waitFor();
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
