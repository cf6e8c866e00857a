/** Exports: CSV, server configurations, and what they cannot express. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSite, settled } from '../../support/site.ts';
import { type DashboardTest, expectAccessible, startDashboard } from './browser.ts';
import { openList } from './list.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

const LISTED = [
  { old_path: '/kept', new_path: '/x' },
  { old_path: '/also', new_path: '/kept/x' },
  { old_path: '/other', new_path: '/x' },
];

async function download(page: Page, click: () => Promise<void>): Promise<{ name: string; text: string }> {
  const started = page.waitForEvent('download');
  await click();
  const file = await started;
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
}

test('an export has all redirects, or those that match the filters', async () => {
  const { page } = await openList(dashboard, LISTED);
  const save = async (name: string): Promise<string[]> => {
    await page.getByRole('button', { name: 'Export' }).click();
    const { text } = await download(page, () => page.getByRole('link', { name, exact: true }).click());
    return text.trim().split('\n');
  };
  expect((await save('CSV')).length).toBe(4);
  await page.goto(`${page.url()}?q=kept&is_regex=false`);
  const [, ...rows] = await save('CSV of the matching redirects');
  expect(rows.filter((line) => line.includes('kept'))).toHaveLength(2);
  expect(rows).toHaveLength(2);
});

test('a server configuration has the redirects of the chosen environment', async () => {
  const { page, id } = await openList(dashboard, [...LISTED, { old_path: '/staged', target_environments: 'staging' }]);
  await settled(dashboard.owner, id);
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('button', { name: 'nginx map' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Environment', { exact: true }).selectOption('staging');
  const { name, text } = await download(page, () =>
    dialog.getByRole('button', { name: 'Export', exact: true }).click(),
  );
  expect(name).toBe('redirects.conf');
  await page.getByText('redirects.conf saved').waitFor();
  expect([text.includes('/staged'), text.includes('/kept')]).toEqual([true, false]);
});

test('redirects that a server cannot express are listed, and the rest can be exported', async () => {
  const { page } = await openList(dashboard, [
    { old_path: '/fine', new_path: '/x' },
    { old_path: '/withheld', new_path: null, status_code: 451 },
  ]);
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('button', { name: 'Netlify _redirects' }).click();
  const dialog = page.getByRole('dialog', { name: 'Export server configuration' });
  await dialog.getByLabel('Redirects', { exact: true }).selectOption('draft');
  await dialog.getByRole('button', { name: 'Export', exact: true }).click();
  await dialog.getByText('1 redirect cannot be expressed in Netlify.').waitFor();
  expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringMatching(/^\/withheld\s+Netlify has no redirect with status 451/),
  ]);
  await expectAccessible(page);
  const { text } = await download(page, () => dialog.getByRole('button', { name: 'Export the rest' }).click());
  expect(text).toMatch(/^\/fine /m);
  expect(text).toMatch(/^# omitted: redirect \d+ \/withheld/m);
  await dialog.waitFor({ state: 'detached' });
});

test('a plan without exports names the plan that includes them', async () => {
  const free = await dashboard.detour.account('free');
  const site = await createSite(free, ['free.example.com']);
  const page = await dashboard.openAs(free, `/websites/${site}/redirects`);
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByText('Exports require the Pro plan. This account is on the Free plan.').waitFor();
  expect(await page.getByRole('link', { name: 'CSV' }).count()).toBe(0);
  // The plan has no hits either.
  expect(await page.getByLabel('Usage').count()).toBe(0);
  await page.getByText('No redirects yet').waitFor();
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
