/** Rows of a file to import: the verdict of each before anything changes, also of 100,000. */
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addRedirect } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, expectAccessible, startDashboard } from './browser.ts';
import { chooseFile, countOf, filterBy, openImport, rowsIn, tableOf } from './import-page.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

const topOf = async (part: Locator): Promise<number> => (await part.boundingBox())?.y ?? NaN;

test('rules that share a line are a row each, and as many are imported', async () => {
  const { id, page } = await openImport(dashboard, 'One line');
  await chooseFile(page, 'server { rewrite ^/q1$ /a permanent; rewrite ^/q2$ /b permanent; }', 'nginx.conf');
  await tableOf(page).getByText('/q2', { exact: true }).waitFor();
  expect(await rowsIn(page)).toEqual(['1 New /q1 /a 301', '1 New /q2 /b 301']);
  await page.getByRole('button', { name: 'Import 2 redirects' }).click();
  await page.getByRole('heading', { name: 'Import complete' }).waitFor();
  expect(await countOf(dashboard, id)).toBe(2);
});

describe('the verdict of each row', () => {
  const FILE = [
    'Redirect from,Redirect to,Code',
    '/fresh,/a,302',
    '/same,/kept,301',
    '/other,/new-target,308',
    'no-slash,/x,301',
    '/twice,/first,301',
    '/twice,/second,301',
  ].join('\n');

  test('skips or updates existing redirects', async () => {
    const { id, page } = await openImport(dashboard, 'Verdicts');
    await addRedirect(dashboard.owner, id, { old_path: '/same', new_path: '/kept' });
    await addRedirect(dashboard.owner, id, { old_path: '/other', new_path: '/old-target' });
    await chooseFile(page, FILE);
    await tableOf(page).getByText('no-slash', { exact: true }).waitFor();
    expect(await rowsIn(page)).toEqual([
      '5 Invalid no-slash Edit The source does not start with /.',
      '7 Repeated /twice /second 301 Line 6 is used for this path',
      '4 Skipped /other /new-target 308 /old-target',
      '2 New /fresh /a 302',
      '6 New /twice /first 301',
      '3 Unchanged /same /kept 301 Same',
    ]);
    const counts = page.getByRole('group', { name: 'Rows to show' }).getByRole('button');
    expect((await counts.allInnerTexts()).map((text) => text.split(/\s+/).join(' '))).toEqual([
      ...['6 rows', '1 invalid row', '1 repeated', '1 skipped', '2 new', '1 unchanged'],
    ]);
    expect(await topOf(page.getByLabel('Existing paths', { exact: true }))).toBeLessThan(await topOf(tableOf(page)));
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Also update existing redirects' }).click();
    await page.getByRole('button', { name: 'Import 3 redirects' }).waitFor();
    await page.getByText('Line 7 is used for this path').waitFor();
    expect((await rowsIn(page))[2]).toBe('4 Update /other /new-target 301 308 /old-target');
    await filterBy(page, /to update/);
    await page.getByRole('heading', { name: 'Redirects to update' }).waitFor();
    await until(async () => (await rowsIn(page)).length === 1);
    expect(await page.getByRole('link', { name: '/old-target' }).getAttribute('href')).toMatch(
      new RegExp(`^/websites/${id}/redirects/\\d+$`),
    );
    await expectAccessible(page);
    expect(await countOf(dashboard, id)).toBe(2);
  });

  test('one click fixes missing slashes, and does not apply to the file of a server chosen next', async () => {
    const { page } = await openImport(dashboard, 'Slashes');
    await chooseFile(page, 'from,to\na,/x\nb,/x\n');
    await page.getByText('No row can be imported').waitFor();
    expect(await page.getByRole('button', { name: /^Import / }).count()).toBe(0);
    await page.getByRole('button', { name: 'Add a leading / to sources without one' }).click();
    await page.getByRole('button', { name: 'Import 2 redirects' }).waitFor();
    await page.getByText('All rows are valid.').waitFor();
    await page.getByRole('button', { name: 'Choose another file' }).click();
    await chooseFile(page, 'Redirect 301 /old /new\nRedirect 301 /only\n', '.htaccess');
    await page.getByRole('button', { name: 'Import 1 redirect' }).waitFor();
    await tableOf(page).getByText('Redirect 301 /only').waitFor();
    expect((await rowsIn(page))[0]).toBe('2 Invalid Redirect 301 /only The target is missing; write it after the path');
    expect(await page.getByRole('heading', { name: 'Columns' }).count()).toBe(0);
    expect(await page.getByRole('checkbox', { name: /leading/ }).count()).toBe(0);
  });

  test('a file without rows, and one without changes', async () => {
    const { id, page } = await openImport(dashboard, 'Nothing to do');
    await chooseFile(page, 'from,to\n');
    await page.getByRole('heading', { name: 'No rows in this file' }).waitFor();
    await expectAccessible(page);
    await addRedirect(dashboard.owner, id, { old_path: '/same', new_path: '/kept' });
    await page.getByRole('button', { name: 'Choose another file' }).first().click();
    await chooseFile(page, 'from,to\n/same,/kept\n');
    await page.getByText('Nothing would change: the redirects exist with the same values.').waitFor();
    expect(await page.getByRole('button', { name: /^Import / }).count()).toBe(0);
  });
});

test('100,000 rows can be scrolled, few are rendered, and progress is shown', async () => {
  const { id, page } = await openImport(dashboard, 'Large');
  const lines = Array.from({ length: 100_000 }, (_, at) => (at === 70_000 ? 'bad,/x' : `/page-${at},/x`));
  const progress: string[] = [];
  await page.exposeFunction('report', (text: string) => progress.push(text));
  await page.evaluate(`new MutationObserver(() => {
    const bar = document.querySelector('[role=progressbar]');
    if (bar) report(bar.getAttribute('aria-label') + ' ' + bar.getAttribute('aria-valuenow'));
  }).observe(document.body, { subtree: true, childList: true, attributes: true })`);
  await chooseFile(page, ['from,to', ...lines].join('\n'), 'large.csv');
  await page.getByRole('button', { name: 'Import 99,999 redirects' }).waitFor();
  expect(progress).toContainEqual(expect.stringMatching(/^Uploading file \d+$/));
  expect(progress).toContainEqual(expect.stringMatching(/^(Checking rows|Comparing with existing redirects) /));
  await tableOf(page).getByText('/page-0', { exact: true }).waitFor();
  expect((await rowsIn(page))[0]).toMatch(/^70,002 Invalid bad/);
  const scroller = page.getByRole('region', { name: 'Rows of the file' });
  await scroller.evaluate((element) => (element.scrollTop = element.scrollHeight));
  await page.getByText('/page-99999', { exact: true }).waitFor();
  expect(await page.locator('.rows > .file-row').count()).toBeLessThan(60);
  await scroller.evaluate((element) => (element.scrollTop = element.scrollHeight / 2));
  await page.getByText('/page-50000', { exact: true }).waitFor();
  await filterBy(page, /1 invalid row/);
  await page.getByText('70,002').waitFor();
  expect(await countOf(dashboard, id)).toBe(0);
});

test('viewers see the verdicts but cannot import', async () => {
  const { page } = await openImport(dashboard, 'Viewed');
  await page.route('**/api/auth/session', async (route) => {
    const response = await route.fetch();
    const text = (await response.text()).replaceAll('"owner"', '"viewer"');
    await route.fulfill({ response, body: text });
  });
  await page.reload();
  await chooseFile(page, 'from,to\n/a,/b\n');
  await page.getByText('Importing requires the editor role').waitFor();
  await tableOf(page).getByText('/a', { exact: true }).waitFor();
  expect(await rowsIn(page)).toEqual(['2 New /a /b 301']);
  expect(await page.getByRole('button', { name: /^Import / }).count()).toBe(0);
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
