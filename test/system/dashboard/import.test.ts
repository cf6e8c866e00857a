/** The import screen: every row's verdict before anything changes, how far it has come, and what came of it. */
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

const tableOf = (page: Page) => page.getByRole('table', { name: 'What becomes of each row' });

/** The rows in view as they read, without the head. */
async function rowsIn(page: Page): Promise<string[]> {
  const texts = await tableOf(page).getByRole('row').allInnerTexts();
  return texts.slice(1).map((text) => text.split(/\s+/).filter(Boolean).join(' '));
}

const press = (page: Page, name: RegExp): Promise<void> =>
  page.getByRole('group', { name: 'Rows to show' }).getByRole('button', { name }).click();

test('the real file is checked, its bad rows told, then imported as said', async () => {
  const { id, page } = await open('Import');
  await expectAccessible(page);
  await page.getByLabel('CSV file').setInputFiles(REAL_FILE);
  await page.getByRole('button', { name: 'Import 4,700 redirects' }).waitFor();
  expect(await countOf(id)).toBe(0);
  await press(page, /34 bad rows/);
  const report = page.getByRole('link', { name: 'Download these 34 rows' });
  const [download] = await Promise.all([page.waitForEvent('download'), report.click()]);
  const lines = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\r\n');
  expect([lines.length, lines[0]]).toEqual([35, expect.stringMatching(/^line,verdict,reason,old_path,/)]);
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Import 4,700 redirects' }).click();
  await page.getByRole('heading', { name: 'Imported' }).waitFor();
  expect(await countOf(id)).toBe(4_700);
  await page.getByRole('link', { name: 'All 34 as CSV' }).waitFor();
  await expectAccessible(page);
});

describe('every row says what becomes of it', () => {
  const FILE = [
    'Redirect from,Redirect to,Code',
    '/fresh,/a,302',
    '/same,/kept,301',
    '/other,/new-target,308',
    'no-slash,/x,301',
    '/twice,/first,301',
    '/twice,/second,301',
  ].join('\n');

  test('where what is there stays, and where the file decides', async () => {
    const { id, page } = await open('Verdicts');
    await addRedirect(dashboard.owner, id, { old_path: '/same', new_path: '/kept' });
    await addRedirect(dashboard.owner, id, { old_path: '/other', new_path: '/old-target' });
    await choose(page, FILE);
    await tableOf(page).getByText('no-slash', { exact: true }).waitFor();
    expect(await rowsIn(page)).toEqual([
      '2 New /fresh /a 302',
      '3 Unchanged /same /kept 301 the same',
      '4 Stays /other /new-target 308 /old-target',
      '5 Bad row no-slash old_path is "no-slash"; begin it with / or import with add_slash=true',
      '6 New /twice /first 301',
      '7 Repeated /twice /second 301 line 6 decides about this path',
    ]);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Change what is there, too' }).click();
    await page.getByRole('button', { name: 'Import 3 redirects' }).waitFor();
    await page.getByText('line 7 decides about this path').waitFor();
    expect((await rowsIn(page)).slice(1, 3)).toEqual([
      '3 Unchanged /same /kept 301 the same',
      '4 Changes /other /new-target 301 308 /old-target',
    ]);
    await press(page, /will be changed/);
    await page.getByRole('heading', { name: 'What will be changed' }).waitFor();
    await until(async () => (await rowsIn(page)).length === 1);
    expect(await page.getByRole('link', { name: '/old-target' }).getAttribute('href')).toMatch(
      new RegExp(`^/websites/${id}/redirects\\?open=\\d+$`),
    );
    await expectAccessible(page);
    expect(await countOf(id)).toBe(2);
  });

  test('bad rows that one press makes good', async () => {
    const { page } = await open('Slashes');
    await choose(page, 'from,to\na,/x\nb,/x\n');
    await page.getByText('Nothing can be imported as it is').waitFor();
    expect(await page.getByRole('button', { name: /^Import / }).count()).toBe(0);
    await page.getByRole('button', { name: 'Put a / before sources without one' }).click();
    await page.getByRole('button', { name: 'Import 2 redirects' }).waitFor();
    await page.getByText('Every row is good.').waitFor();
  });

  test('a file without rows, and one that is there already', async () => {
    const { id, page } = await open('Nothing to do');
    await choose(page, 'from,to\n');
    await page.getByRole('heading', { name: 'No rows in this file' }).waitFor();
    await expectAccessible(page);
    await addRedirect(dashboard.owner, id, { old_path: '/same', new_path: '/kept' });
    await page.getByRole('button', { name: 'Another file' }).first().click();
    await choose(page, 'from,to\n/same,/kept\n');
    await page.getByText('Nothing would change: all of it is there, just like this.').waitFor();
    expect(await page.getByRole('button', { name: /^Import / }).count()).toBe(0);
  });
});

test('of 100,000 rows any is to be seen, few are drawn, and the progress tells how far it is', async () => {
  const { id, page } = await open('Large');
  const lines = Array.from({ length: 100_000 }, (_, at) => (at === 70_000 ? 'bad,/x' : `/page-${at},/x`));
  const told: string[] = [];
  await page.exposeFunction('tell', (text: string) => told.push(text));
  await page.evaluate(`new MutationObserver(() => {
    const bar = document.querySelector('[role=progressbar]');
    if (bar) tell(bar.getAttribute('aria-label') + ' ' + bar.getAttribute('aria-valuenow'));
  }).observe(document.body, { subtree: true, childList: true, attributes: true })`);
  await choose(page, ['from,to', ...lines].join('\n'), 'large.csv');
  await page.getByRole('button', { name: 'Import 99,999 redirects' }).waitFor();
  expect(told).toContainEqual(expect.stringMatching(/^Sending the file \d+$/));
  expect(told).toContainEqual(expect.stringMatching(/^(Checking every row|Comparing with what is there) /));
  await tableOf(page).getByText('/page-0', { exact: true }).waitFor();
  const scroller = page.getByRole('region', { name: 'Rows of the file' });
  await scroller.evaluate((element) => (element.scrollTop = element.scrollHeight));
  await page.getByText('/page-99999', { exact: true }).waitFor();
  expect(await page.locator('.file-body > .file-row').count()).toBeLessThan(60);
  await scroller.evaluate((element) => (element.scrollTop = element.scrollHeight / 2));
  await page.getByText('/page-50000', { exact: true }).waitFor();
  await press(page, /1 bad row/);
  await page.getByText('70,002').waitFor();
  expect(await countOf(id)).toBe(0);
});

test('rows that are no longer kept are checked again by one press', async () => {
  const { page } = await open('Kept');
  await page.route('**/rows?**', (route) => route.fulfill({ status: 404, json: GONE }), { times: 1 });
  await choose(page, 'from,to\n/a,/b\n');
  await page.getByText('The rows of this import are not stored').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await tableOf(page).getByText('/a', { exact: true }).waitFor();
  expect((await rowsIn(page))[0]).toBe('2 New /a /b 301');
});

const GONE = {
  error: 'The rows of this import are not stored',
  details: 'check the file again',
  code: 'IMPORT_NOT_FOUND',
};

test('columns by names of their own are mapped by hand', async () => {
  const { id, page } = await open('Mapped');
  await choose(page, 'Was;Is now;Weather\n/a;/b;sunny\n/c;/d;rain\n', 'own.csv');
  await page.getByText('Choose “From” for the column').waitFor();
  await page.getByLabel('Was becomes').selectOption('From');
  await page.getByLabel('Is now becomes').selectOption('To');
  await page.getByLabel('Weather becomes').selectOption('Group');
  await page.getByRole('button', { name: 'Import 2 redirects' }).click();
  await page.getByRole('heading', { name: 'Imported' }).waitFor();
  const { body } = await dashboard.owner.call('GET', `/api/redirects?website_id=${id}&sort=old_path`);
  const written: { old_path: string; new_path: string; group_id: string }[] = body.redirects;
  expect(written.map((each) => [each.old_path, each.new_path, each.group_id])).toEqual([
    ['/a', '/b', 'sunny'],
    ['/c', '/d', 'rain'],
  ]);
});

test('a viewer sees the verdicts and no way to import', async () => {
  const { page } = await open('Viewed');
  await page.route('**/api/auth/session', async (route) => {
    const response = await route.fetch();
    const text = (await response.text()).replaceAll('"owner"', '"viewer"');
    await route.fulfill({ response, body: text });
  });
  await page.reload();
  await choose(page, 'from,to\n/a,/b\n');
  await page.getByText('importing them takes an editor').waitFor();
  await tableOf(page).getByText('/a', { exact: true }).waitFor();
  expect(await rowsIn(page)).toEqual(['2 New /a /b 301']);
  expect(await page.getByRole('button', { name: /^Import / }).count()).toBe(0);
});

test('no page broke the policy, or asked another host', () => {
  expect(dashboard.complaints).toEqual([]);
});
