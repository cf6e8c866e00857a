/** The export dialog: data, server configurations, and what they cannot express. */
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';
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

/** Opens the dialog, and chooses the labels of its options. */
async function openExport(page: Page, choices: Record<string, string> = {}): Promise<Locator> {
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Export redirects' });
  // Its code is loaded by the press.
  await dialog.waitFor();
  for (const [label, option] of Object.entries(choices)) {
    await dialog.getByLabel(label, { exact: true }).selectOption(option);
  }
  return dialog;
}

const optionsOf = (dialog: Locator, label: string): Promise<string[]> =>
  dialog.getByLabel(label, { exact: true }).locator('option').allInnerTexts();

test('an export has all redirects, or those that match the filters', async () => {
  const { page } = await openList(dashboard, LISTED);
  const save = async (dialog: Locator): Promise<string[]> => {
    const { text } = await download(page, () => dialog.getByRole('link', { name: 'Export', exact: true }).click());
    await dialog.waitFor({ state: 'detached' });
    return text.trim().split('\n');
  };
  const all = await openExport(page);
  expect(await all.getByLabel('Environment', { exact: true }).count()).toBe(0);
  await expectAccessible(page);
  expect((await save(all)).length).toBe(4);
  await page.goto(`${page.url()}?q=kept&is_regex=false`);
  const [, ...rows] = await save(await openExport(page));
  expect(rows.filter((line) => line.includes('kept'))).toHaveLength(2);
  expect(rows).toHaveLength(2);
  expect(await save(await openExport(page, { Format: 'NDJSON' }))).toHaveLength(2);
});

test('the formats are those that the chosen redirects can have', async () => {
  const { page } = await openList(dashboard, LISTED);
  await page.goto(`${page.url()}?q=kept`);
  const dialog = await openExport(page);
  expect(await optionsOf(dialog, 'Format')).toEqual(['CSV', 'JSON', 'NDJSON']);
  await dialog.getByLabel('Redirects', { exact: true }).selectOption('Live in an environment');
  expect(await optionsOf(dialog, 'Format')).toHaveLength(9);
  await dialog.getByLabel('Format', { exact: true }).selectOption('Caddyfile');
  await dialog.getByLabel('Redirects', { exact: true }).selectOption('Current redirects that match the filters');
  expect(await dialog.getByLabel('Format', { exact: true }).inputValue()).toBe('csv');
  await expectFits(page, 360);
});

test('an environment is exported as it is live, as data or as a server configuration', async () => {
  const { page, id } = await openList(dashboard, [...LISTED, { old_path: '/staged', target_environments: 'staging' }]);
  await settled(dashboard.owner, id);
  const live = { Redirects: 'Live in an environment', Environment: 'Staging' };
  const asData = await openExport(page, live);
  const json = await download(page, () => asData.getByRole('link', { name: 'Export', exact: true }).click());
  const dialog = await openExport(page, { ...live, Format: 'nginx map' });
  const { name, text } = await download(page, () =>
    dialog.getByRole('button', { name: 'Export', exact: true }).click(),
  );
  expect(name).toBe('redirects.conf');
  await page.getByText('redirects.conf saved').waitFor();
  for (const each of [json.text, text])
    expect([each.includes('/staged'), each.includes('/kept')]).toEqual([true, false]);
});

test('redirects that a server cannot express are listed, and the rest can be exported', async () => {
  const { page, id } = await openList(dashboard, [
    { old_path: '/fine', new_path: '/x' },
    { old_path: '/withheld', new_path: null, status_code: 451 },
  ]);
  await settled(dashboard.owner, id);
  const dialog = await openExport(page, { Format: 'Netlify _redirects' });
  // The default of a server, as in the API: it must not serve drafts by mistake.
  expect(await dialog.getByLabel('Redirects', { exact: true }).inputValue()).toBe('live');
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
  await addRedirect(free, site, { old_path: '/free', new_path: '/paid' });
  const page = await dashboard.openAs(free, `/websites/${site}/redirects`);
  const dialog = await openExport(page);
  await dialog.getByText('Exports require the Pro plan. This account is on the Free plan.').waitFor();
  expect(await dialog.getByRole('link', { name: 'Export' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  // The plan has no hits either.
  await page.getByText('/paid').waitFor();
  expect(await page.getByLabel('Usage').count()).toBe(0);
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
