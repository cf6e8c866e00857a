/** Jobs on many redirects: find, scroll, edit together, import, clean up, and what visitors did not find. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { missingPath, redirectDay, websiteDay } from '../../support/hits.ts';
import { addRedirect, createSite } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, expectFits, startDashboard } from '../../system/dashboard/browser.ts';
import { openImport } from '../../system/dashboard/import-page.ts';
import { createDocs, rowOf, redirectPage } from '../../system/dashboard/list.ts';
import { job } from './hands.ts';

let dashboard: DashboardTest;
/** a website with 4,700 redirects */
let docs: number;
beforeAll(async () => {
  dashboard = await startDashboard();
  docs = await createDocs(dashboard);
  await dashboard.detour.db.$client.query(`update redirects set created_at = now() - interval '300 days'`);
});
afterAll(() => dashboard.stop());

const openDocs = async (query = ''): Promise<Page> => {
  const page = await dashboard.open(`/websites/${docs}/redirects${query}`);
  await page.getByRole('row').nth(1).waitFor();
  return page;
};
const count = async (filter: string): Promise<number> =>
  (await dashboard.owner.call('GET', `/api/redirects/count?website_id=${docs}&${filter}`)).body.count;

job('find a rule among many', async (handsOn) => {
  const page = await openDocs();
  const hands = handsOn(page);
  const { body } = await dashboard.owner.call('GET', `/api/redirects?website_id=${docs}&q=whea-management-operations`);
  const [{ old_path: path }] = body.redirects;
  await hands.press(page.getByLabel('Search paths'), '/');
  await hands.typeAtOnce(page.getByLabel('Search paths'), 'operations whea-management');
  await page.getByText('End of list: 1 redirect', { exact: true }).waitFor();
  await hands.use(() => page.getByRole('button', { name: path, exact: true }).click(), ['ArrowDown', 'o']);
  const panel = redirectPage(page);
  expect(await panel.getByLabel('From', { exact: true }).inputValue()).toBe(path);
  await hands.press(panel.getByRole('button', { name: 'Close' }), 'Escape');
  await panel.waitFor({ state: 'detached' });

  const box = page.getByRole('combobox', { name: 'Find anything' });
  await hands.press(page.getByRole('button', { name: 'Find anything' }).first(), 'Control+k');
  await hands.typeAtOnce(box, `https://docs.example.com${path}`);
  const found = page.getByRole('option', { name: /Live in production. Exact path/ });
  await found.waitFor();
  await hands.press(found, 'Enter');
  await panel.waitFor();
});

job('read and scroll the list', async (handsOn) => {
  const page = await openDocs('?sort=old_path');
  const hands = handsOn(page);
  const last = (await dashboard.owner.call('GET', `/api/redirects?website_id=${docs}&sort=-old_path&limit=1`)).body
    .redirects[0].old_path;
  const scroller = page.locator('.grid-scroll');
  const scrollDown = (): Promise<boolean> =>
    until(async () => {
      await scroller.hover();
      await page.mouse.wheel(0, 100_000);
      return (await page.getByText('End of list: 4,700 redirects').isVisible()) && rowOf(page, last).isVisible();
    }, 60_000);
  await hands.use(scrollDown, ['ArrowDown', 'End']);
  await rowOf(page, last).waitFor();
  await hands.use(() => scroller.evaluate((element) => element.scrollTo(0, 0)), ['Home']);
  await page.locator('[aria-rowindex="2"]').waitFor();
});

job('bulk edit across pages', async (handsOn, by) => {
  const page = await openDocs('?q=debugger');
  const hands = handsOn(page);
  const matching = await count('q=debugger');
  expect(matching).toBeGreaterThan(500);
  const total = matching.toLocaleString('en');
  await hands.use(() => page.getByRole('checkbox', { name: 'Select loaded rows' }).click(), ['ArrowDown', 'Control+a']);
  await hands.press(page.getByRole('button', { name: `Select all ${total}` }));
  await page.getByText(`${total} selected`).waitFor();
  await hands.press(page.getByRole('button', { name: 'Edit', exact: true }));
  await hands.check(page.getByLabel('Change group'));
  await hands.write(page.getByLabel('New group'), `group ${by}`);
  await hands.press(page.getByRole('button', { name: `Update ${total} redirects` }));
  await until(async () => (await count(`group=group%20${by}`)) === matching);
  await hands.press(page.getByRole('status').getByRole('button', { name: 'Undo' }));
  await until(async () => (await count(`group=group%20${by}`)) === 0);
});

job('import with errors, mapping', async (handsOn, by) => {
  const { id, page } = await openImport(dashboard, `Imported ${by}`);
  const hands = handsOn(page);
  const file = { name: 'own.csv', mimeType: 'text/csv', buffer: Buffer.from('Was;Is now\n/a;/b\n/c;x\n') };
  const chooser = page.waitForEvent('filechooser');
  await hands.press(page.getByRole('button', { name: 'Choose file' }));
  await (await chooser).setFiles(file);
  await hands.choose(page.getByLabel('Field for Was'), 'From');
  await hands.choose(page.getByLabel('Field for Is now'), 'To');
  await page.locator('.import-check[aria-busy=false]').waitFor();
  await hands.press(page.getByRole('button', { name: 'Edit line 3' }));
  const dialog = page.getByRole('dialog', { name: 'Edit line 3' });
  await hands.write(dialog.getByLabel('To', { exact: true }), '/x');
  await hands.press(dialog.getByRole('button', { name: 'Check again' }), 'Enter');
  await hands.press(page.getByRole('button', { name: 'Import 2 redirects' }));
  await page.getByRole('heading', { name: 'Import complete' }).waitFor();
  const { body } = await dashboard.owner.call('GET', `/api/redirects?website_id=${id}&sort=old_path`);
  expect(body.redirects).toMatchObject([
    { old_path: '/a', new_path: '/b' },
    { old_path: '/c', new_path: '/x' },
  ]);
  await hands.press(page.getByRole('button', { name: 'Undo import' }));
  await hands.press(page.getByRole('dialog').getByRole('button', { name: 'Undo 2 redirects' }));
  await until(
    async () => (await dashboard.owner.call('GET', `/api/redirects/count?website_id=${id}`)).body.count === 0,
  );
});

job('clean up unused', async (handsOn) => {
  const page = await openDocs('?q=whea');
  const hands = handsOn(page);
  const before = await count('q=whea');
  await hands.choose(page.getByLabel('Usage'), 'Unused for 180 days');
  await page.waitForURL(/not_followed=180/);
  await page.getByText(/End of list/).waitFor();
  await hands.use(
    () => page.getByRole('checkbox', { name: 'Select loaded rows' }).click(),
    ['Control+a'],
    page.getByRole('grid'),
  );
  await hands.press(page.getByRole('button', { name: 'Delete', exact: true }));
  const confirm = page.getByRole('button', { name: /^Delete \d+ redirects$/ });
  if (before > 20) await hands.press(confirm);
  await until(async () => (await count('q=whea')) === 0);
  await hands.press(page.getByRole('status').getByRole('button', { name: 'Undo' }));
  await until(async () => (await count('q=whea')) === before);
});

job('404 inbox', async (handsOn, by) => {
  const host = `inbox-${by}.example.com`;
  const site = await createSite(dashboard.owner, [host]);
  await missingPath(dashboard.detour.db, { websiteId: site, path: '/missing', hits: 30 });
  await missingPath(dashboard.detour.db, { websiteId: site, path: '/noise', hits: 20 });
  const page = await dashboard.open(`/websites/${site}/not-found`);
  const hands = handsOn(page);
  const row = (path: string) => page.getByRole('listitem').filter({ has: page.getByTitle(path, { exact: true }) });
  await row('/missing').waitFor();
  const redirect = page.getByRole('button', { name: 'Redirect /missing', exact: true });
  await hands.use(() => redirect.click(), ['ArrowDown', 'Enter']);
  await hands.typeAtOnce(page.getByLabel('To', { exact: true }), '/found');
  await hands.press(page.getByRole('button', { name: 'Create redirect' }), 'Enter');
  await until(async () => (await dashboard.detour.visit(host, '/missing')).location === '/found');
  await row('/missing').waitFor({ state: 'detached' });
  await hands.press(page.getByRole('button', { name: 'Ignore /noise', exact: true }), 'Delete');
  await row('/noise').waitFor({ state: 'detached' });
  const ignored = `/api/websites/${site}/not-found?ignored=true`;
  await until(async () => (await dashboard.owner.call('GET', ignored)).text.includes('/noise'));
});

job('analytics', async (handsOn, by) => {
  const site = await createSite(dashboard.owner, [`hits-${by}.example.com`]);
  const id = await addRedirect(dashboard.owner, site, { old_path: '/old', new_path: '/new' });
  const day = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  const { db } = dashboard.detour;
  await websiteDay(db, { websiteId: site, day: day(60), hits: 12, countries: { DE: 12 } });
  await redirectDay(db, { websiteId: site, redirectId: id, day: day(60), hits: 12 });
  const page = await dashboard.open(`/websites/${site}/redirects`);
  const hands = handsOn(page);
  await rowOf(page, '/old').waitFor();
  await hands.press(page.getByRole('link', { name: 'Traffic' }), 'g a');
  await page.getByText('No hits in this period').waitFor();
  await hands.choose(page.getByLabel('Period', { exact: true }), '90 days');
  await page.waitForURL(/period=90d/);
  await page.locator('.tiles > div').filter({ hasText: 'Hits' }).getByText('12', { exact: true }).waitFor();
  await hands.press(page.getByRole('link', { name: '/old' }));
  await page.getByRole('heading', { name: '/old' }).waitFor();
});

job('slow, failed network', async (handsOn) => {
  const page = await dashboard.open(`/websites/${docs}/redirects`, {});
  const hands = handsOn(page);
  await page.getByRole('row').nth(1).waitFor();
  await page.context().setOffline(true);
  await page.getByText('You are offline. What you type stays here.').waitFor();
  await hands.press(page.getByLabel('Search paths'), '/');
  await hands.typeAtOnce(page.getByLabel('Search paths'), 'whea');
  await page.getByRole('alert').filter({ hasText: 'The service cannot be reached' }).waitFor();
  await page.getByText('These are the previous results.').waitFor();
  await page.context().setOffline(false);
  await page.getByText('You are offline.').waitFor({ state: 'detached' });
  await page.getByRole('row').filter({ hasText: 'whea' }).first().waitFor();
  expect(await page.getByLabel('Search paths').inputValue()).toBe('whea');
  let release = (): void => {};
  const isReleased = new Promise<void>((resolve) => (release = resolve));
  await page.route(/q=kmdf/, async (route) => {
    await isReleased;
    await route.continue();
  });
  await hands.write(page.getByLabel('Search paths'), 'kmdf');
  await page.locator('.grid[aria-busy=true], .grid-skeleton').first().waitFor();
  release();
  await page.getByRole('row').filter({ hasText: 'kmdf' }).first().waitFor();
  await page.getByRole('row').filter({ hasText: 'whea' }).first().waitFor({ state: 'detached' });
});

job('phone 390, zoom 200 %', async (handsOn, by) => {
  const site = await createSite(dashboard.owner, [`phone-${by}.example.com`]);
  await addRedirect(dashboard.owner, site, { old_path: '/old', new_path: '/new' });
  // A window of 1,280 pixels at 200 % has 640; a phone has 390.
  const viewport = { width: by === 'mouse' ? 390 : 640, height: 740 };
  const page = await dashboard.open(`/websites/${site}/redirects`, { viewport });
  const hands = handsOn(page);
  await rowOf(page, '/old').waitFor();
  await hands.press(page.getByRole('button', { name: 'Menu' }));
  await hands.press(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Checks' }));
  await page.getByRole('heading', { name: 'URLs' }).waitFor();
  await page.goBack();
  const open = page.getByRole('button', { name: '/old', exact: true });
  await open.waitFor();
  await hands.use(() => open.click(), ['ArrowDown', 'o']);
  const panel = redirectPage(page);
  await hands.write(panel.getByLabel('To', { exact: true }), `/${by}`);
  await hands.press(panel.getByRole('button', { name: 'Save', exact: true }));
  await until(
    async () =>
      (await dashboard.owner.call('GET', `/api/redirects?website_id=${site}`)).body.redirects[0].new_path === `/${by}`,
  );
  await expectFits(page, viewport.width);
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
