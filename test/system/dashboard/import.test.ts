/** The import screen: from a file, pasted rows or mapped columns to the result, and its undo. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSite } from '../../support/site.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';
import { DOCS_FILE } from './list.ts';
import { chooseFile, countOf, filterBy, openImport, rowsIn, tableOf } from './import-page.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

test('an import is live, is undone from its result, and later from the list of imports', async () => {
  const { id, page } = await openImport(dashboard, 'Taken back');
  await page.getByText('No imports yet.').waitFor();
  await chooseFile(page, 'from,to\n/a,/x\n/b,/x\n');
  await page.getByRole('button', { name: 'Import 2 redirects' }).click();
  await page.getByRole('button', { name: 'Undo import' }).click();
  const dialog = page.getByRole('dialog', { name: 'Undo this change?' });
  await dialog.getByText('2 redirects that the change created will be deleted.').waitFor();
  await dialog.getByRole('button', { name: 'Undo 2 redirects' }).click();
  await page.getByText('Undone: 2 deleted').waitFor();
  await page.getByText('Undone', { exact: true }).waitFor();
  expect(await countOf(dashboard, id)).toBe(0);

  await page.getByRole('button', { name: 'Import another file' }).click();
  await chooseFile(page, 'from,to\n/c,/x\nbad,/x\n');
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
  expect(await countOf(dashboard, id)).toBe(0);
});

test('a real file is checked, its invalid rows are listed, then it is imported', async () => {
  const { id, page } = await openImport(dashboard, 'Import');
  await expectAccessible(page);
  await page.getByLabel('File to import').setInputFiles(DOCS_FILE);
  await page.getByRole('button', { name: 'Import 4,700 redirects' }).waitFor();
  expect(await countOf(dashboard, id)).toBe(0);
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
  expect(await countOf(dashboard, id)).toBe(4_700);
  await page.getByRole('link', { name: 'Download 34 as CSV' }).waitFor();
  await expectAccessible(page);
});

test('from the first steps: columns are folded above the rows; the result has the text of its errors, and leads on', async () => {
  const id = await createSite(dashboard.owner, ['steps.example.com'], { auto_deploy: false });
  const page = await dashboard.open(`/websites/${id}`);
  await page.getByRole('link', { name: 'File of any tool, or paste' }).click();
  await chooseFile(page, 'from,to\n/a,/x\nbad,/y\n/blog/*,/news/*\n');
  await page.getByRole('button', { name: 'Import 1 redirect' }).waitFor();
  const columns = page.locator('summary', { hasText: 'from → From, to → To' });
  expect((await columns.boundingBox())?.y).toBeLessThan((await tableOf(page).boundingBox())?.y ?? 0);
  expect(await page.getByLabel('Field for from').isVisible()).toBe(false);
  await expectAccessible(page);
  await columns.click();
  await page.getByLabel('Field for from').waitFor();
  await page.getByRole('button', { name: 'Import 1 redirect' }).click();
  await page.getByRole('link', { name: 'Review and deploy' }).waitFor();
  await page.getByRole('region', { name: 'Invalid rows' }).getByText('bad, /y', { exact: true }).waitFor();
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Treat as wildcards' }).click();
  await page.getByRole('button', { name: 'Import 1 redirect' }).click();
  const review = page.getByRole('link', { name: 'Review and deploy' });
  expect(await review.getAttribute('href')).toMatch(/deployments\/review\?environment=production&action=deploy$/);
  expect(await countOf(dashboard, id)).toBe(2);
  await page.getByRole('link', { name: 'Back to first steps' }).click();
  await page.getByRole('heading', { name: 'First steps' }).waitFor();
});

test('Retry checks a file again after its rows have expired', async () => {
  const { page } = await openImport(dashboard, 'Kept');
  await page.route('**/rows?**', (route) => route.fulfill({ status: 404, json: GONE }), { times: 1 });
  await chooseFile(page, 'from,to\n/a,/b\n');
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
  const { id, page } = await openImport(dashboard, 'Corrected');
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

test('columns with unknown names can be mapped, and stay in place', async () => {
  const { id, page } = await openImport(dashboard, 'Mapped');
  await chooseFile(page, 'Was;Is now;Weather\n/a;/b;sunny\n/c;later;rain\n', 'own.csv');
  await page.getByText('Choose “From” for the column').waitFor();
  const place = await page.getByLabel('Field for Was').boundingBox();
  await page.getByLabel('Field for Was').selectOption('From');
  await page.getByText('The columns are recognized').waitFor();
  await page.getByLabel('Field for Is now').selectOption('To');
  await page.getByRole('button', { name: 'Import 1 redirect' }).waitFor();
  expect(await page.getByLabel('Field for Was').boundingBox()).toEqual(place);
  await page.getByLabel('Field for Weather').selectOption('Group');
  await page.getByRole('button', { name: 'Import 1 redirect' }).click();
  await page.getByRole('heading', { name: 'Import complete' }).waitFor();
  const { body } = await dashboard.owner.call('GET', `/api/redirects?website_id=${id}&sort=old_path`);
  const written: { old_path: string; new_path: string; group_id: string }[] = body.redirects;
  expect(written.map((each) => [each.old_path, each.new_path, each.group_id])).toEqual([['/a', '/b', 'sunny']]);
});

test('columns with unknown names get the fields of their contents', async () => {
  const { id, page } = await openImport(dashboard, 'Guessed');
  await chooseFile(page, 'Vorher;Jetzt;Code\n/a;/b;302\n/c;/d;301\n', 'own.csv');
  await page.getByText('The columns are recognized by their contents: check them').waitFor();
  expect(await page.getByLabel('Field for Jetzt').inputValue()).toBe('new_path');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Import 2 redirects' }).click();
  await page.getByRole('heading', { name: 'Import complete' }).waitFor();
  const { body } = await dashboard.owner.call('GET', `/api/redirects?website_id=${id}&sort=old_path`);
  expect(body.redirects).toMatchObject([{ old_path: '/a', new_path: '/b', status_code: 302 }, { old_path: '/c' }]);
});

test('Edit corrects the pattern, group, environments and times of a row', async () => {
  const { id, page } = await openImport(dashboard, 'Edited');
  const file =
    'old_path,new_path,is_regex,group_id,target_environments,active_from\n^/a/(.*)$,/b/$1,maybe,sale,prod,soon\n';
  await chooseFile(page, file);
  const dialog = page.getByRole('dialog', { name: 'Edit line 2' });
  const corrections = [
    ['Pattern', 'true', 'Pattern is "maybe"'],
    ['Active from', '2030-01-31T12:00:00Z', 'Active from is "soon"'],
    ['Environments', 'staging', '"prod" is not an environment'],
  ] as const;
  for (const [label, value, reason] of corrections) {
    await page.getByRole('cell', { name: reason }).getByRole('button', { name: 'Edit line 2' }).click();
    await dialog.getByLabel(label, { exact: true }).fill(value);
    if (label === 'Environments') await dialog.getByLabel('Group', { exact: true }).fill('summer');
    if (label === 'Environments') await dialog.getByText('New group').waitFor();
    await page.keyboard.press('Enter');
  }
  await page.getByRole('button', { name: 'Import 1 redirect' }).click();
  await page.getByRole('heading', { name: 'Import complete' }).waitFor();
  const { body } = await dashboard.owner.call('GET', `/api/redirects?website_id=${id}`);
  expect(body.redirects[0]).toMatchObject({
    ...{ old_path: '^/a/(.*)$', new_path: '/b/$1', is_regex: true, group_id: 'summer' },
    ...{ target_environments: 'staging', active_from: '2030-01-31T12:00:00Z' },
  });
});

test('rows that are pasted on the list open here, and other texts do not', async () => {
  const id = await createSite(dashboard.owner, [], { name: 'Pasted on the list' });
  const page = await dashboard.open(`/websites/${id}/redirects`);
  await page.getByText('No redirects yet').waitFor();
  const paste = (text: string) =>
    page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', ${JSON.stringify(text)});
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
    })()`);
  await paste('/only-a-path');
  await paste('/old/a,/new/a\r\n/old/b,/new/b');
  await page.getByRole('button', { name: 'Import 2 redirects' }).waitFor();
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(`/websites/${id}/import`);
  await page.goto(`/websites/${id}/import`);
  await page.getByText('Drop a file here').waitFor();
});

test('a file with the host of another website is taken there with one click', async () => {
  const shop = await createSite(dashboard.owner, ['host-of-shop.example.com'], { name: 'host-of-shop' });
  const { page } = await openImport(dashboard, 'host-of-blog');
  await chooseFile(page, 'old_path,new_path\nhttps://host-of-shop.example.com/a,/b\n/c,/d\n');
  await page.getByRole('button', { name: 'Import the file into host-of-shop' }).click();
  await page.waitForURL(`**/websites/${shop}/import`);
  await page.getByRole('button', { name: 'Import 2 redirects' }).waitFor();
  await expectAccessible(page);
});

test('other files say what to do, and pasted rows ask before they are lost', async () => {
  const { page } = await openImport(dashboard, 'Other files');
  await chooseFile(page, 'PK\u0003\u0004workbook', 'book.xlsx');
  await page.getByText('This is a spreadsheet file').waitFor();
  expect(await page.getByRole('heading', { name: 'Options' }).count()).toBe(0);
  await page.evaluate(`document.dispatchEvent(new DragEvent('drop', { cancelable: true, dataTransfer: (() => {
    const data = new DataTransfer();
    data.items.add(new File(['from,to\\n/dropped,/x'], 'dropped.csv'));
    return data;
  })() }))`);
  await page.getByRole('button', { name: 'Import 1 redirect' }).waitFor();
  await page.getByRole('button', { name: 'Choose another file' }).click();
  await page.evaluate(`document.dispatchEvent(new ClipboardEvent('paste', { clipboardData: (() => {
    const data = new DataTransfer();
    data.setData('text/plain', '/old/a\\t/x');
    return data;
  })() }))`);
  await page.getByRole('button', { name: 'Choose another file' }).click();
  await page.getByRole('button', { name: 'Keep editing' }).click();
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Import 1 redirect' }).click();
  await page.getByText('The service cannot be reached').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Import 1 redirect' }).click();
  await page.getByRole('button', { name: 'Import another file' }).click();
  await page.getByRole('link', { name: 'Pasted rows, first ∕old∕a' }).waitFor();
});

test('a file that the plan does not allow is an error that names the limit and leads to the plan', async () => {
  const account = await dashboard.detour.account('free');
  const id = await createSite(account, ['small-plan.example.com']);
  const page = await dashboard.openAs(account, `/websites/${id}/import`);
  const rows = Array.from({ length: 1_001 }, (_, at) => `/old${at},/new`);
  await chooseFile(page, ['old_path,new_path', ...rows].join('\n'));
  const alert = page.getByRole('alert').filter({ hasText: '1,000 redirects' });
  await alert.waitFor();
  await expectAccessible(page);
  await alert.getByRole('link', { name: 'View plan' }).click();
  await page.getByRole('heading', { name: 'free plan' }).waitFor();
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
