/** The import screen: verdicts of all rows before anything changes, progress and result. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addRedirect, createSite } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';

const REAL_FILE = join(import.meta.dirname, '..', '..', 'fixtures', 'windows-driver-docs.csv');

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

let sites = 0;

async function open(name: string): Promise<{ id: number; page: Page }> {
  const id = await createSite(dashboard.owner, [`import${++sites}.example.com`], { name });
  return { id, page: await dashboard.open(`/websites/${id}/import`) };
}

const choose = (page: Page, text: string, name = 'redirects.csv'): Promise<void> =>
  page.getByLabel('CSV file').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

const countOf = async (id: number): Promise<number> =>
  (await dashboard.owner.call('GET', `/api/redirects/count?website_id=${id}`)).body.count;

const tableOf = (page: Page) => page.getByRole('table', { name: 'Result of each row' });

/** The texts of the visible rows, without the header. */
async function rowsIn(page: Page): Promise<string[]> {
  const texts = await tableOf(page).getByRole('row').allInnerTexts();
  return texts.slice(1).map((text) => text.split(/\s+/).filter(Boolean).join(' '));
}

const filterBy = (page: Page, name: RegExp): Promise<void> =>
  page.getByRole('group', { name: 'Rows to show' }).getByRole('button', { name }).click();

test('an import is live, is undone from its result, and later from the list of imports', async () => {
  const { id, page } = await open('Taken back');
  await page.getByText('No imports yet.').waitFor();
  await choose(page, 'from,to\n/a,/x\n/b,/x\n');
  await page.getByRole('button', { name: 'Import 2 redirects' }).click();
  await page.getByRole('button', { name: 'Undo import' }).click();
  const dialog = page.getByRole('dialog', { name: 'Undo this change?' });
  await dialog.getByText('2 redirects that the change created will be deleted.').waitFor();
  await dialog.getByRole('button', { name: 'Undo 2 redirects' }).click();
  await page.getByText('Undone: 2 deleted').waitFor();
  await page.getByText('Undone', { exact: true }).waitFor();
  expect(await countOf(id)).toBe(0);

  await page.getByRole('button', { name: 'Import another file' }).click();
  await choose(page, 'from,to\n/c,/x\nbad,/x\n');
  await page.getByRole('button', { name: 'Import 1 redirect' }).click();
  await page.getByText(/Live in [\d.]+ s/).waitFor();
  await page.goto(`/websites/${id}/import`);
  const latest = page.locator('.recent-imports > li').first();
  await latest.getByRole('link', { name: 'redirects.csv' }).waitFor();
  await latest.getByText('1 created').waitFor();
  const [badRows] = await Promise.all([
    page.waitForEvent('download'),
    latest.getByRole('link', { name: '1 invalid row' }).click(),
  ]);
  expect(readFileSync(await badRows.path(), 'utf8')).toMatch(/INVALID_OLD_PATH.*bad,\/x/);
  await expectAccessible(page);
  await expectFits(page, 360);
  await latest.focus();
  await page.keyboard.press('u');
  await dialog.getByRole('button', { name: 'Undo 1 redirect' }).click();
  await page.getByText('Undone: 1 deleted').waitFor();
  await latest.getByText('Undone', { exact: true }).waitFor();
  expect(await latest.getByRole('button').count()).toBe(0);
  expect(await countOf(id)).toBe(0);
});

test('a real file is checked, its invalid rows are listed, then it is imported', async () => {
  const { id, page } = await open('Import');
  await expectAccessible(page);
  await page.getByLabel('CSV file').setInputFiles(REAL_FILE);
  await page.getByRole('button', { name: 'Import 4,700 redirects' }).waitFor();
  expect(await countOf(id)).toBe(0);
  await filterBy(page, /34 invalid rows/);
  const report = page.getByRole('link', { name: 'Download these 34 rows' });
  const [download] = await Promise.all([page.waitForEvent('download'), report.click()]);
  const lines = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\r\n');
  expect([lines.length, lines[0]]).toEqual([35, 'line,column,code,message,old_path,new_path,status_code']);
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Import 4,700 redirects' }).click();
  await page.getByRole('heading', { name: 'Import complete' }).waitFor();
  expect(await countOf(id)).toBe(4_700);
  await page.getByRole('link', { name: 'Download 34 as CSV' }).waitFor();
  await expectAccessible(page);
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
    const { id, page } = await open('Verdicts');
    await addRedirect(dashboard.owner, id, { old_path: '/same', new_path: '/kept' });
    await addRedirect(dashboard.owner, id, { old_path: '/other', new_path: '/old-target' });
    await choose(page, FILE);
    await tableOf(page).getByText('no-slash', { exact: true }).waitFor();
    expect(await rowsIn(page)).toEqual([
      '2 New /fresh /a 302',
      '3 Unchanged /same /kept 301 Same',
      '4 Skipped /other /new-target 308 /old-target',
      '5 Invalid no-slash Edit The source does not start with /.',
      '6 New /twice /first 301',
      '7 Repeated /twice /second 301 Line 6 is used for this path',
    ]);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Also update existing redirects' }).click();
    await page.getByRole('button', { name: 'Import 3 redirects' }).waitFor();
    await page.getByText('Line 7 is used for this path').waitFor();
    expect((await rowsIn(page)).slice(1, 3)).toEqual([
      '3 Unchanged /same /kept 301 Same',
      '4 Update /other /new-target 301 308 /old-target',
    ]);
    await filterBy(page, /to update/);
    await page.getByRole('heading', { name: 'Redirects to update' }).waitFor();
    await until(async () => (await rowsIn(page)).length === 1);
    expect(await page.getByRole('link', { name: '/old-target' }).getAttribute('href')).toMatch(
      new RegExp(`^/websites/${id}/redirects\\?open=\\d+$`),
    );
    await expectAccessible(page);
    expect(await countOf(id)).toBe(2);
  });

  test('one click fixes missing slashes, and does not apply to the file of a server chosen next', async () => {
    const { page } = await open('Slashes');
    await choose(page, 'from,to\na,/x\nb,/x\n');
    await page.getByText('No row can be imported').waitFor();
    expect(await page.getByRole('button', { name: /^Import / }).count()).toBe(0);
    await page.getByRole('button', { name: 'Add a leading / to sources without one' }).click();
    await page.getByRole('button', { name: 'Import 2 redirects' }).waitFor();
    await page.getByText('All rows are valid.').waitFor();
    await page.getByRole('button', { name: 'Choose another file' }).click();
    await choose(page, 'Redirect 301 /old /new\n', '.htaccess');
    await page.getByRole('button', { name: 'Import 1 redirect' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Columns' }).count()).toBe(0);
  });

  test('a file without rows, and one without changes', async () => {
    const { id, page } = await open('Nothing to do');
    await choose(page, 'from,to\n');
    await page.getByRole('heading', { name: 'No rows in this file' }).waitFor();
    await expectAccessible(page);
    await addRedirect(dashboard.owner, id, { old_path: '/same', new_path: '/kept' });
    await page.getByRole('button', { name: 'Choose another file' }).first().click();
    await choose(page, 'from,to\n/same,/kept\n');
    await page.getByText('Nothing would change: the redirects exist with the same values.').waitFor();
    expect(await page.getByRole('button', { name: /^Import / }).count()).toBe(0);
  });
});

test('100,000 rows can be scrolled, few are rendered, and progress is shown', async () => {
  const { id, page } = await open('Large');
  const lines = Array.from({ length: 100_000 }, (_, at) => (at === 70_000 ? 'bad,/x' : `/page-${at},/x`));
  const progress: string[] = [];
  await page.exposeFunction('report', (text: string) => progress.push(text));
  await page.evaluate(`new MutationObserver(() => {
    const bar = document.querySelector('[role=progressbar]');
    if (bar) report(bar.getAttribute('aria-label') + ' ' + bar.getAttribute('aria-valuenow'));
  }).observe(document.body, { subtree: true, childList: true, attributes: true })`);
  await choose(page, ['from,to', ...lines].join('\n'), 'large.csv');
  await page.getByRole('button', { name: 'Import 99,999 redirects' }).waitFor();
  expect(progress).toContainEqual(expect.stringMatching(/^Uploading file \d+$/));
  expect(progress).toContainEqual(expect.stringMatching(/^(Checking rows|Comparing with existing redirects) /));
  await tableOf(page).getByText('/page-0', { exact: true }).waitFor();
  const scroller = page.getByRole('region', { name: 'Rows of the file' });
  await scroller.evaluate((element) => (element.scrollTop = element.scrollHeight));
  await page.getByText('/page-99999', { exact: true }).waitFor();
  expect(await page.locator('.file-body > .file-row').count()).toBeLessThan(60);
  await scroller.evaluate((element) => (element.scrollTop = element.scrollHeight / 2));
  await page.getByText('/page-50000', { exact: true }).waitFor();
  await filterBy(page, /1 invalid row/);
  await page.getByText('70,002').waitFor();
  expect(await countOf(id)).toBe(0);
});

test('Retry checks a file again after its rows have expired', async () => {
  const { page } = await open('Kept');
  await page.route('**/rows?**', (route) => route.fulfill({ status: 404, json: GONE }), { times: 1 });
  await choose(page, 'from,to\n/a,/b\n');
  await page.getByText('The rows of this import are not stored').waitFor();
  await page.getByRole('button', { name: 'Retry' }).click();
  await tableOf(page).getByText('/a', { exact: true }).waitFor();
  expect((await rowsIn(page))[0]).toBe('2 New /a /b 301');
});

const GONE = {
  error: 'The rows of this import are not stored',
  details: 'check the file again',
  code: 'IMPORT_NOT_FOUND',
};

test('pasted rows are corrected in place, their hosts allowed with one click, and imported into staging with a group', async () => {
  const { id, page } = await open('Corrected');
  await page.getByRole('button', { name: 'Paste rows' }).click();
  const rows = ['/a', '/x'].join('\t') + '\n/b\tx\n/c\t\n/d\thttps://one.example/x\n/e\thttps://two.example/x\n';
  await page.getByLabel('Rows', { exact: true }).fill(rows);
  await page.getByRole('button', { name: 'Check rows' }).click();
  await page
    .getByText('2 rows redirect to 2 hosts that the website does not allow: one.example, two.example')
    .waitFor();
  await page.getByRole('button', { name: 'Allow both and check again' }).click();
  await page.getByRole('button', { name: 'Import 3 redirects' }).waitFor();
  await page.getByRole('button', { name: 'Edit line 2' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Edit line 2' });
  expect(await dialog.getByLabel('To', { exact: true }).inputValue()).toBe('x');
  await expectAccessible(page);
  await dialog.getByLabel('To', { exact: true }).fill('/y');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Import 4 redirects' }).waitFor();
  await page.getByRole('button', { name: 'Edit line 3' }).click();
  await page.getByRole('dialog').getByLabel('To', { exact: true }).fill('/z');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Import 5 redirects' }).waitFor();
  await page.getByLabel('Environments', { exact: true }).selectOption('Staging');
  const checkedAgain = page.waitForResponse((response) => response.url().includes('group_id=pasted'));
  await page.getByLabel('Group', { exact: true }).fill('pasted');
  await checkedAgain;
  await page.locator('.import-check[aria-busy=false]').waitFor();
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page
    .getByRole('link', { name: /^Redirects/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'Keep editing' }).click();
  await page.getByRole('button', { name: 'Import 5 redirects' }).click();
  await page.getByRole('heading', { name: 'Import complete' }).waitFor();
  const { body } = await dashboard.owner.call('GET', `/api/redirects?website_id=${id}&sort=old_path`);
  const written: { new_path: string; group_id: string; target_environments: string }[] = body.redirects;
  expect(written.map((each) => [each.new_path, each.group_id, each.target_environments])).toEqual(
    ['/x', '/y', '/z', 'https://one.example/x', 'https://two.example/x'].map((to) => [to, 'pasted', 'staging']),
  );
});

test('columns with unknown names can be mapped', async () => {
  const { id, page } = await open('Mapped');
  await choose(page, 'Was;Is now;Weather\n/a;/b;sunny\n/c;/d;rain\n', 'own.csv');
  await page.getByText('Choose “From” for the column').waitFor();
  await page.getByLabel('Field for Was').selectOption('From');
  await page.getByLabel('Field for Is now').selectOption('To');
  await page.getByLabel('Field for Weather').selectOption('Group');
  await page.getByRole('button', { name: 'Import 2 redirects' }).click();
  await page.getByRole('heading', { name: 'Import complete' }).waitFor();
  const { body } = await dashboard.owner.call('GET', `/api/redirects?website_id=${id}&sort=old_path`);
  const written: { old_path: string; new_path: string; group_id: string }[] = body.redirects;
  expect(written.map((each) => [each.old_path, each.new_path, each.group_id])).toEqual([
    ['/a', '/b', 'sunny'],
    ['/c', '/d', 'rain'],
  ]);
});

test('viewers see the verdicts but cannot import', async () => {
  const { page } = await open('Viewed');
  await page.route('**/api/auth/session', async (route) => {
    const response = await route.fetch();
    const text = (await response.text()).replaceAll('"owner"', '"viewer"');
    await route.fulfill({ response, body: text });
  });
  await page.reload();
  await choose(page, 'from,to\n/a,/b\n');
  await page.getByText('Importing requires the editor role').waitFor();
  await tableOf(page).getByText('/a', { exact: true }).waitFor();
  expect(await rowsIn(page)).toEqual(['2 New /a /b 301']);
  expect(await page.getByRole('button', { name: /^Import / }).count()).toBe(0);
});

test('a file that the plan does not allow is an error that names the limit and leads to the plan', async () => {
  const account = await dashboard.detour.account('free');
  const id = await createSite(account, ['small-plan.example.com']);
  const page = await dashboard.openAnonymously('/sign-in');
  const [name = '', value = ''] = account.cookie.split('=');
  await page.context().addCookies([{ name, value, url: dashboard.detour.address }]);
  await page.goto(`/websites/${id}/import`);
  const rows = Array.from({ length: 1_001 }, (_, at) => `/old${at},/new`);
  await choose(page, ['old_path,new_path', ...rows].join('\n'));
  const alert = page.getByRole('alert').filter({ hasText: '1,000 redirects' });
  await alert.waitFor();
  await expectAccessible(page);
  await alert.getByRole('link', { name: 'View plan' }).click();
  await page.getByRole('heading', { name: 'free plan' }).waitFor();
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
