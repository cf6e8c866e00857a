/** Leaving a screen: unsaved changes ask first, and Back takes back one step. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DashboardTest, expectAccessible, startDashboard } from './browser.ts';
import { openList, rowOf, redirectPage } from './list.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

const keep = (page: Page) => page.getByRole('button', { name: 'Keep editing' });
const discard = (page: Page) => page.getByRole('button', { name: 'Discard', exact: true });

test('a changed panel, row or settings asks first: on Escape, Back, links, other rows and closing the tab', async () => {
  const { page, id } = await openList(dashboard, [
    { old_path: '/one', new_path: '/1' },
    { old_path: '/two', new_path: '/2' },
  ]);
  await rowOf(page, '/two').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('o');
  const panel = redirectPage(page);
  await panel.getByLabel('Notes').fill('half a note');
  await page.keyboard.press('Escape');
  await keep(page).waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await keep(page).waitFor({ state: 'detached' });
  await page.goBack();
  await page.keyboard.press('Enter');
  await keep(page).waitFor({ state: 'detached' });
  expect(await panel.getByLabel('Notes').inputValue()).toBe('half a note');
  expect(page.url()).toMatch(/\/redirects\/\d+$/);
  const asked = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  await (await asked).dismiss();
  await panel.getByRole('button', { name: 'Cancel' }).click();
  await discard(page).click();
  await panel.waitFor({ state: 'detached' });

  await rowOf(page, '/one').dblclick();
  await page.getByRole('gridcell').getByLabel('To').fill('/changed');
  await rowOf(page, '/two').dblclick();
  await keep(page).click();
  expect(await page.getByRole('gridcell').getByLabel('To').inputValue()).toBe('/changed');
  await page.getByRole('link', { name: 'Settings' }).click();
  await discard(page).click();
  await page.getByLabel('Name').fill('Another name');
  await page.goBack();
  await keep(page).click();
  expect([await page.getByLabel('Name').inputValue(), new URL(page.url()).pathname]).toEqual([
    'Another name',
    `/websites/${id}/settings`,
  ]);
  await page.goBack();
  await discard(page).click();
  await rowOf(page, '/one').waitFor();
});

test('Back closes a panel and takes back filters; closing a panel leaves no entry behind', async () => {
  const { page, id } = await openList(dashboard, [
    { old_path: '/one', new_path: '/1' },
    { old_path: '/two', new_path: '/2', status_code: 302 },
  ]);
  await page.getByLabel('Status').selectOption('302');
  await rowOf(page, '/one').waitFor({ state: 'detached' });
  await page.getByRole('grid').focus();
  await page.keyboard.press('o');
  const panel = redirectPage(page);
  await panel.waitFor();
  await page.goBack();
  await panel.waitFor({ state: 'detached' });
  await page.goForward();
  await panel.waitFor();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  expect(page.url()).toBe(`${dashboard.detour.address}/websites/${id}/redirects?status_code=302`);
  await page.goBack();
  await rowOf(page, '/one').waitFor();
  expect(await page.getByLabel('Status').inputValue()).toBe('');
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
