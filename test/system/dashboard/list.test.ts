/** Marked matches, columns, and rows that others change, in the list of redirects. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Locator, Page, Route } from 'playwright-core';
import { addRedirect, createSite, deploy } from '../../support/site.ts';
import { storeTargetState } from '../../support/target-states.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';
import { openList, redirectPage, rowOf } from './list.ts';
import { addUser, enterPassword } from './users.ts';

const LONG_FROM = '/windows-hardware/drivers/whea/pshed-plug-in-operation-guide';
const LONG_TO = '/windows-hardware/drivers/display/hybrid-system-ddi-overview';

let dashboard: DashboardTest;
let id: number;
const ids = new Map<string, number>();
beforeAll(async () => {
  dashboard = await startDashboard();
  id = await createSite(dashboard.owner, [], { name: 'List', auto_deploy: false });
  for (const [old_path, new_path, notes] of [
    ['/t%C3%BCren/red-boots', '/shop/boots', 'The legal team asked for this'],
    ['/مقالات/boots', '/articles', null],
    [LONG_FROM, LONG_TO, null],
  ] as const) {
    ids.set(old_path, await addRedirect(dashboard.owner, id, { old_path, new_path, notes }));
  }
  await deploy(dashboard.owner, id);
});
afterAll(() => dashboard.stop());

const address = (query = ''): string => `/websites/${id}/redirects${query}`;
const row = (page: Page, path: string) => page.locator(`#r${ids.get(path)}`);
const marks = (page: Page): Promise<string[]> => page.locator('.rows mark').allTextContents();
const cutPaths = (page: Page) => page.locator('.rows .path-text[data-cut=true]').count();

test('the words of a search are marked in both paths and in notes, and copies stay exact', async () => {
  const page = await dashboard.open(address('?q=boots+red&sort=id'));
  await row(page, '/t%C3%BCren/red-boots').waitFor();
  expect(await marks(page)).toEqual(['red', 'boots', 'boots']);
  await expectAccessible(page);
  // A copy of the selected path.
  await page.evaluate(`document.addEventListener('copy', (event) => {
    window.copied = event.clipboardData.getData('text/plain');
  })`);
  await row(page, '/t%C3%BCren/red-boots').locator('.cell-from .path-text').selectText();
  await page.keyboard.press('Control+c');
  expect(await page.evaluate('window.copied')).toBe('/t%C3%BCren/red-boots');

  await page.goto(address(`?q=${encodeURIComponent('/t%C3%BCren')}`));
  await until(async () => (await marks(page)).join() === '/türen');
  await page.goto(address(`?q=${encodeURIComponent('مقالات')}`));
  await until(async () => (await marks(page)).join() === 'مقالات');
  await page.goto(address('?notes=legal'));
  await until(async () => (await marks(page)).join() === 'legal');
  await expectAccessible(page);
});

test('a path of 60 letters is legible at 1440 px without optional columns, a choice that this browser remembers', async () => {
  const page = await dashboard.open(address(), { viewport: { width: 1_440, height: 900 } });
  const header = (name: string) => page.getByRole('columnheader', { name });
  await row(page, LONG_FROM).waitFor();
  await header('Last hit').waitFor();
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('button', { name: 'Hits', pressed: true }).click();
  await page.getByRole('button', { name: 'Last hit', pressed: true }).click();
  await header('Last hit').waitFor({ state: 'detached' });
  await expectAccessible(page);
  await page.reload();
  await row(page, LONG_FROM).waitFor();
  expect([await header('Hits 30 d').count(), await cutPaths(page)]).toEqual([0, 0]);
  // The column that the list is sorted by is always there.
  await page.goto(address('?sort=-hits'));
  await header('Hits 30 d').waitFor();
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('button', { name: 'Fit to width' }).click();
  await header('Last hit').waitFor();
});

test('at 390 px and 1,280 px, a line above the rows names the folder that an ellipsis hides in them', async () => {
  const names = Array.from({ length: 12 }, (_, at) => `article-with-a-long-name-${10 + at}`);
  const redirects = names.map((name) => ({
    old_path: `/en/shop/summer/collection/${name}`,
    new_path: `/sale/${name}`,
  }));
  const { page } = await openList(dashboard, redirects, '?sort=id');
  const line = page.getByText('All sources begin with /en/shop/summer/collection/');
  for (const width of [390, 1_280]) {
    await page.setViewportSize({ width, height: 800 });
    await line.waitFor();
  }
  // No path is cut: the line explains nothing.
  await page.setViewportSize({ width: 2_400, height: 800 });
  await line.waitFor({ state: 'hidden' });
  expect(await cutPaths(page)).toBe(0);
  await page.setViewportSize({ width: 390, height: 800 });
  await line.waitFor();
  const source = rowOf(page, redirects[0]!.old_path).locator('.cell-from .path-text');
  await until(async () => (await source.locator('.path-cut').first().textContent()) === 'en/shop/summer/collection');
  await expectAccessible(page);
  await expectFits(page, 360);
});

test('the column Target is off until it is chosen, and shows the state that a check has found', async () => {
  await storeTargetState(dashboard.detour.db, id, ids.get(LONG_FROM) ?? 0, { state: 'soft_404' });
  const page = await dashboard.open(address(), { viewport: { width: 1_440, height: 900 } });
  const header = page.getByRole('columnheader', { name: 'Target' });
  await row(page, LONG_FROM).waitFor();
  expect(await header.count()).toBe(0);
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('button', { name: 'Target', exact: true, pressed: false }).click();
  await header.waitFor();
  const states = page.locator('.rows .cell-target');
  expect(await states.allTextContents()).toEqual(['Soft 404', '', '']);
  const title = await states.locator('.badge').getAttribute('title');
  expect(title).toMatch(/^The page is equal to that of a random address in the same folder\. Checked .*2026/);
  await expectAccessible(page);
  await page.getByLabel('Target', { exact: true }).selectOption({ label: 'Not checked' });
  await page.getByText('End of list: 2 redirects').waitFor();
});

test('at 720 px and 390 px, filters are behind one button that counts them, and no name of a filter is cut', async () => {
  const page = await dashboard.open(address(), { viewport: { width: 720, height: 450 } });
  const filter = (name: RegExp | string) => page.getByRole('button', { name });
  await filter('Filter').click();
  const cut = () =>
    page
      .locator('.filters select')
      .evaluateAll((selects) => selects.filter((each) => each.scrollWidth > each.clientWidth).length);
  for (const width of [720, 390]) {
    await expectFits(page, width);
    expect([width, await cut()]).toEqual([width, 0]);
  }
  await expectAccessible(page);
  await page.getByRole('combobox', { name: 'Status' }).selectOption('302');
  expect(await page.getByRole('combobox', { name: 'Status' }).inputValue()).toBe('');
  expect(await filter('Filters (1)').getAttribute('data-set')).toBe('true');
  await filter('Remove filter status 302').waitFor();
  await expectAccessible(page);
  await filter('Filters (1)').click();
  await page.getByRole('combobox', { name: 'Status' }).waitFor({ state: 'hidden' });
});

test('each filter is a chip beside the others; controls of the list stay in the first line', async () => {
  const page = await dashboard.open(address('?group=a-group-with-a-long-name&not_old_path_contains=/x'), {
    viewport: { width: 1440, height: 700 },
  });
  const chip = (name: string) => page.getByRole('button', { name: `Remove filter ${name}` });
  await chip('group “a-group-with-a-long-name”').waitFor();
  const status = page.getByRole('combobox', { name: 'Status' });
  await status.selectOption('301');
  await chip('status 301').waitFor();
  // The same choice again: the field has the name of the filter, not its value.
  await status.selectOption('301');
  expect(await status.inputValue()).toBe('');
  const topOf = async (of: Locator) => (await of.boundingBox())!.y;
  const tops = await Promise.all(['status 301', 'sources without “/x”'].map((name) => topOf(chip(name))));
  expect(tops[0]).toBe(tops[1]);
  expect(tops[0]).toBeLessThan(await topOf(status));
  const columns = page.getByRole('button', { name: 'Columns' });
  expect(await topOf(columns)).toBeLessThan(await topOf(status));
  await expectAccessible(page);
  await page.getByRole('button', { name: /^Without group “a-group-with-a-long-name”: / }).click();
  await page.getByText('End of list:').waitFor();
});

test('an empty list says which filter leaves none, and what is found without it', async () => {
  const page = await dashboard.open(address('?q=boots&status_code=302&environment=production'));
  await page.getByText('Filters: production, status 302.').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Without status 302: 2 redirects' }).click();
  await row(page, '/مقالات/boots').waitFor();
  expect(new URL(page.url()).search).toBe('?q=boots&environment=production');
});

test('a line filters by target, and the filter is a token of the URL that is removed by keyboard', async () => {
  const page = await dashboard.open(address());
  await row(page, '/مقالات/boots').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('to:SHOP live:production boots', { delay: 20 });
  await page.keyboard.press('Enter');
  await page.getByText('End of list: 1 redirect').waitFor();
  await row(page, '/t%C3%BCren/red-boots').waitFor();
  expect(new URL(page.url()).search).toBe('?new_path_contains=SHOP&environment=production&q=boots');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Remove filter targets with “SHOP”' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('End of list: 2 redirects').waitFor();
  const search = page.getByLabel('Search paths').and(page.locator(':focus'));
  await search.waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).press('Enter');
  await page.getByText('End of list: 3 redirects').waitFor();
  await search.waitFor();
  await page.keyboard.type('-from:boots status:301,302 ', { delay: 20 });
  await page.getByText('End of list: 1 redirect').waitFor();
  expect(new URL(page.url()).search).toBe('?not_old_path_contains=boots&status_code=301&status_code=302');
  await page.getByRole('button', { name: 'Remove filter status 301 or status 302' }).waitFor();
  await page.getByRole('button', { name: 'Remove filter sources without “boots”' }).press('Enter');
  await page.getByText('End of list: 3 redirects').waitFor();
  await page.goto(address('?new_path_contains=nothing&status_code=301'));
  await page.getByRole('button', { name: 'Without targets with “nothing”: 3 redirects' }).click();
  await page.getByText('End of list: 3 redirects').waitFor();
  await page.goto(address(`?new_path_contains=${'/a-long-path'.repeat(16)}`));
  await page.getByRole('button', { name: /^Remove filter targets with “/ }).waitFor();
  await expectFits(page, 1_440);
  await expectFits(page, 390);
});

test('a filter without an opposite, an unknown value and an unknown name are named, and do not empty the list', async () => {
  const page = await dashboard.open(address());
  const search = page.getByLabel('Search paths');
  const alert = page.getByRole('search').getByRole('alert');
  const shown = async (message: string, count: number) => {
    await expect.poll(() => alert.textContent()).toBe(message);
    await page.getByText(`End of list: ${count} redirects`).waitFor();
  };
  await row(page, LONG_FROM).waitFor();
  await search.pressSequentially('boots -type:path ', { delay: 20 });
  await shown('“-type:” is not supported: this filter has no opposite.', 2);
  expect(new URL(page.url()).search).toBe('?q=boots');
  await expectAccessible(page);
  await expectFits(page, 390);
  await page.setViewportSize({ width: 1_440, height: 900 });
  await search.fill('status:301,300');
  await search.press('Enter');
  await shown('status takes 301, 302, 303, 307, 308, 410, 451, not “300”.', 3);
  expect([await search.inputValue(), new URL(page.url()).search]).toEqual(['status:301,300', '']);
  await search.and(page.locator(':focus')).waitFor();
  await search.fill('boots status:');
  await page.getByText('End of list: 2 redirects').waitFor();
  expect(await alert.count()).toBe(0);
  await search.fill('hits:>5');
  await page.getByText('“hits:” is not a filter. Filters are status, group, unused, used, from, to,').waitFor();
  await search.fill('boots statsu:302');
  await page.getByRole('button', { name: 'Did you mean boots status:302?' }).click();
  await page.getByRole('button', { name: 'Remove filter status 302' }).waitFor();
  expect(new URL(page.url()).search).toBe('?q=boots&status_code=302');
});

test('Escape leaves the search to the list and keeps its text', async () => {
  const page = await dashboard.open(address());
  await row(page, LONG_FROM).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('boots');
  await page.getByText('End of list: 2 redirects').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('grid').and(page.locator(':focus')).waitFor();
  await page.keyboard.press('x');
  await page.getByText('1 selected').waitFor();
  expect(await page.getByLabel('Search paths').inputValue()).toBe('boots');
  expect(new URL(page.url()).search).toBe('?q=boots');
  // Without rows, nothing has the focus, and keys are shortcuts again.
  await page.keyboard.press('/');
  await page.keyboard.type('nothing');
  await page.getByText('No redirects match').waitFor();
  await page.keyboard.press('Escape');
  await page.getByLabel('Search paths').and(page.locator(':not(:focus)')).waitFor();
  await page.keyboard.press('n');
  await page.getByRole('dialog', { name: 'New redirect' }).waitFor();
});

test('a view is saved, opened by a viewer in the menu and the finder, replaced, renamed and deleted, by keyboard', async () => {
  await addUser(dashboard, 'viewer@example.com', 'viewer');
  const colleague = await dashboard.openAnonymously(address());
  await enterPassword(colleague, { email: 'viewer@example.com' });
  await row(colleague, '/مقالات/boots').waitFor();

  const page = await dashboard.open(address('?new_path_contains=shop'));
  const views = (of: Page) => of.getByRole('button', { name: /^(Views|Migration 2027|Move)/ });
  await page.getByText('End of list: 1 redirect').waitFor();
  await views(page).press('Enter');
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Save view' }).waitFor();
  await page.keyboard.type('Migration 2027');
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await page.getByText('View Migration 2027 saved').waitFor();
  await page.getByRole('button', { name: 'Migration 2027', exact: true }).waitFor();

  await colleague.reload();
  await row(colleague, '/مقالات/boots').waitFor();
  await views(colleague).press('Enter');
  await colleague.getByRole('link', { name: 'Migration 2027' }).waitFor();
  expect(await colleague.getByRole('button', { name: /^(Edit|Delete) view|current filters/ }).count()).toBe(0);
  await colleague.keyboard.press('Enter');
  await colleague.getByText('End of list: 1 redirect').waitFor();
  expect(new URL(colleague.url()).search).toBe('?new_path_contains=shop');
  await colleague.keyboard.press('Control+k');
  await colleague.keyboard.type('migr', { delay: 20 });
  await colleague.getByRole('option', { name: 'Migration 2027' }).waitFor();

  await page.goto(address('?status_code=301&sort=id'));
  await page.getByText('End of list: 3 redirects').waitFor();
  await views(page).press('Enter');
  await page.getByRole('link', { name: 'Migration 2027' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save current filters' }).press('Enter');
  await page.getByLabel('Name').fill('Migration 2027');
  await page.getByLabel('Name').press('Enter');
  await page.getByText(/^The website has a view with this name; choose another/).waitFor();
  await page.getByLabel('Name').fill('');
  await page.keyboard.press('Escape');
  await views(page).press('Enter');
  await expectFits(page, 390);
  await page.getByRole('button', { name: 'Edit view Migration 2027' }).press('Enter');
  await page.getByLabel('Name').fill('Move');
  await page.getByLabel('Filters', { exact: true }).selectOption('Replace with the current ones');
  await page.getByLabel('Name').press('Enter');
  await page.getByText('View Move saved').waitFor();
  const stored = async () =>
    (await dashboard.owner.call('GET', `/api/websites/${id}/views`)).body.views.map(
      ({ name, query }: { name: string; query: string }) => `${name}: ${query}`,
    );
  expect(await stored()).toEqual(['Move: status_code=301&sort=id']);
  await views(page).press('Enter');
  await page.getByRole('button', { name: 'Delete view Move' }).press('Enter');
  await page.getByText('View Move deleted').waitFor();
  expect(await stored()).toEqual([]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await until(async () => (await stored()).join() === 'Move: status_code=301&sort=id');
});

test('the scroll position is a row: rows of another height show the same ones', async () => {
  const site = await createSite(dashboard.owner, [], { auto_deploy: false });
  const redirects = Array.from({ length: 400 }, (_, at) => ({ old_path: `/p${at}`, new_path: '/x' }));
  await dashboard.owner.keyCall('POST', '/api/v1/redirects/bulk', { website_id: String(site), redirects });
  const page = await dashboard.open(`/websites/${site}/redirects?sort=id`);
  const scroller = page.locator('.grid-scroll');
  const scrollTop = () => scroller.evaluate((element) => element.scrollTop);
  const wanted = page.getByRole('row').and(page.locator('[aria-rowindex="202"]'));
  await until(async () => {
    await scroller.evaluate((element) => element.scrollTo(0, 200 * 44));
    return (await wanted.count()) === 1;
  });
  await page.getByRole('link', { name: 'Moves' }).click();
  await page.getByRole('heading', { name: 'Moves', exact: true }).waitFor();
  await page.setViewportSize({ width: 600, height: 800 });
  await page.goBack();
  await wanted.waitFor();
  expect(await scrollTop()).toBe(200 * 68);
  await page.reload();
  await wanted.waitFor();
  await expect.poll(scrollTop).toBe(200 * 68);
  // Another visit in the tab starts at the top.
  await page.goto(`/websites/${site}/redirects?sort=id`);
  await page.locator('[aria-rowindex="2"]').waitFor();
  expect(await scrollTop()).toBe(0);
});

test('the list keeps its place near its end when a redirect is opened and closed, also before its count', async () => {
  const site = await createSite(dashboard.owner, [], { auto_deploy: false });
  const redirects = Array.from({ length: 400 }, (_, at) => ({ old_path: `/p${at}`, new_path: '/x' }));
  await dashboard.owner.keyCall('POST', '/api/v1/redirects/bulk', { website_id: String(site), redirects });
  const page = await dashboard.blank();
  // The end of the list is a guess until its rows arrive, here after the count.
  const late = (ms: number) => (route: Route) => void setTimeout(() => void route.continue().catch(() => {}), ms);
  await page.route('**/redirects/count?**', late(1_000));
  await page.route('**/redirects?**sort=-id**', late(2_000));
  await page.goto(`/websites/${site}/redirects?sort=id`);
  await page.setViewportSize({ width: 1_440, height: 900 });
  await page.getByRole('grid').focus();
  await page.keyboard.press('End');
  const wanted = page.locator('[aria-rowindex="396"]');
  await wanted.waitFor();
  await page.keyboard.press('o');
  await redirectPage(page).waitFor();
  await page.goBack();
  await redirectPage(page).waitFor({ state: 'detached' });
  await expect.poll(async () => (await wanted.boundingBox())?.y ?? 0).toBeGreaterThan(100);
  expect((await wanted.boundingBox())?.y).toBeLessThan(850);
});

test('a review is up to date if someone else changes redirects meanwhile, and says so', async () => {
  const site = await createSite(dashboard.owner, [], { auto_deploy: false });
  await addRedirect(dashboard.owner, site, { old_path: '/first', new_path: '/1' });
  const page = await dashboard.blank();
  await page.clock.install();
  await page.goto(`/websites/${site}/deployments/review?environment=production`);
  const lines = page.getByRole('list', { name: 'Differences' });
  await lines.getByText('/first').waitFor();
  await page.getByLabel('Note').fill('Spring');
  await addRedirect(dashboard.owner, site, { old_path: '/second', new_path: '/2' });
  await page.clock.runFor(11_000);
  await lines.getByText('/second').waitFor();
  await page.getByText('The difference has changed since you opened this page. Check it again.').waitFor();
  await page.getByRole('button', { name: 'Deploy 2 changes' }).waitFor();
  expect(await page.getByLabel('Note').inputValue()).toBe('Spring');
  // One kind is read from the service; the counts stay those of all.
  await page.getByRole('link', { name: 'Removed 0' }).click();
  await page.getByText('No matching differences').waitFor();
  await page.getByRole('link', { name: 'Added 2' }).click();
  await lines.getByText('/second').waitFor();
  await expectAccessible(page);
});

test('filters are typed into the search; the rest of the line is searched for', async () => {
  const page = await dashboard.open(address('?sort=id'));
  await row(page, LONG_FROM).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('status:301 type:path boots');
  await row(page, LONG_FROM).waitFor({ state: 'detached' });
  await page.waitForURL((url) => url.searchParams.get('q') === 'boots');
  expect(new URL(page.url()).searchParams.get('status_code')).toBe('301');
  await page.getByRole('button', { name: 'Remove filter paths' }).waitFor();
  expect(await page.getByLabel('Search paths').inputValue()).toBe('boots');
  await row(page, '/t%C3%BCren/red-boots').waitFor();
  await page.getByLabel('Search paths').fill('target:broken');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.searchParams.get('target_state') === 'broken');
  await expectAccessible(page);
});

test('a row that someone else has changed is up to date and marked once', async () => {
  const page = await dashboard.blank();
  await page.clock.install();
  await page.goto(address());
  await row(page, LONG_FROM).waitFor();
  await dashboard.owner.call('PUT', `/api/redirects/${ids.get(LONG_FROM)}`, { new_path: '/elsewhere' });
  await page.clock.runFor(11_000);
  await row(page, LONG_FROM).getByText('/elsewhere', { exact: true }).waitFor();
  const changed = page.locator('.rows [data-changed=true]');
  expect(await changed.count()).toBe(1);
  await page.clock.runFor(3_000);
  await changed.waitFor({ state: 'detached' });
});

test('redirects that someone else creates are offered above the rows, which do not move before', async () => {
  const site = await createSite(dashboard.owner, [], { auto_deploy: false });
  for (const at of [1, 2, 3]) await addRedirect(dashboard.owner, site, { old_path: `/p${at}`, new_path: '/x' });
  for (const sort of ['-id', 'old_path']) {
    const page = await dashboard.blank();
    await page.clock.install();
    const read = page.waitForResponse(/environments/);
    await page.goto(`/websites/${site}/redirects?sort=${sort}`);
    await rowOf(page, '/p2').waitFor();
    await read;
    const place = (await rowOf(page, '/p2').boundingBox())!.y;
    const created = `/by-another-${sort.length}`;
    await addRedirect(dashboard.owner, site, { old_path: created, new_path: '/x' });
    const show = page.getByRole('button', { name: '1 new redirect, show' });
    await until(async () => {
      await page.clock.runFor(1_000);
      return (await show.count()) === 1;
    });
    expect([await rowOf(page, created).count(), (await rowOf(page, '/p2').boundingBox())!.y]).toEqual([0, place]);
    await expectAccessible(page);
    await expectFits(page, 360);
    await show.click();
    await rowOf(page, created).waitFor();
    await show.waitFor({ state: 'detached' });
  }
});

test('without a network, a search keeps the rows and says what failed; Retry repeats it', async () => {
  const page = await dashboard.open(address());
  await row(page, LONG_FROM).waitFor();
  await page.context().setOffline(true);
  await page.getByLabel('Search paths').fill('boots');
  await page.keyboard.press('Enter');
  await page.getByText('These are the previous results.').waitFor();
  expect(await row(page, LONG_FROM).count()).toBe(1);
  await page.getByRole('button', { name: 'Retry' }).waitFor();
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.context().setOffline(false);
  await row(page, LONG_FROM).waitFor({ state: 'detached' });
  await row(page, '/t%C3%BCren/red-boots').waitFor();
});

test('Ctrl+C copies the source of a row, and several as columns; Ctrl+A of a part offers all', async () => {
  const site = await createSite(dashboard.owner, [], { auto_deploy: false });
  const redirects = Array.from({ length: 130 }, (_, at) => ({
    old_path: `/p${100 + at}`,
    ...(at === 1 ? { status_code: 410 } : { new_path: '/x' }),
  }));
  await dashboard.owner.keyCall('POST', '/api/v1/redirects/bulk', { website_id: String(site), redirects });
  const page = await dashboard.open(`/websites/${site}/redirects?sort=old_path`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await rowOf(page, '/p100').waitFor();
  await page.getByRole('grid').focus();
  const copied = (): Promise<unknown> => page.evaluate('navigator.clipboard.readText()');
  await page.keyboard.press('x');
  await page.keyboard.press('Control+c');
  await page.getByText('Source copied').waitFor();
  expect(await copied()).toBe('/p100');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Control+c');
  await page.getByText('3 redirects copied').waitFor();
  expect(await copied()).toBe('/p100\t/x\t301\n/p101\t\t410\n/p102\t/x\t301');
  await page.keyboard.press('Control+a');
  await page.getByText('100 selected').waitFor();
  await page.getByRole('button', { name: 'Select all 130' }).click();
  await page.getByText('130 selected').waitFor();
  // Keys go on in the list.
  await page.keyboard.press('Control+c');
  await page.getByText('100 loaded redirects copied').waitFor();
  await page.keyboard.press('Delete');
  await page.getByRole('dialog', { name: /Delete 130/ }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Clear selection' }).click();
  await page.getByRole('grid').and(page.locator(':focus')).waitFor();
});

test('no script errors or policy violations', () => {
  expect(dashboard.complaints).toEqual([]);
});
