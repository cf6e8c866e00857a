/** The list of a website with many redirects: scrolling, search, fast keys and the height of rows. */
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../support/wait.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';
import { createDocs, redirectPage } from './list.ts';

let dashboard: DashboardTest;
let id: number;
beforeAll(async () => {
  dashboard = await startDashboard();
  id = await createDocs(dashboard);
});
afterAll(() => dashboard.stop());

test('End reaches the last row, the rows above it load on the way up, and Home comes back', async () => {
  const page = await dashboard.open(`/websites/${id}/redirects?sort=old_path`);
  await page.getByText('4,700', { exact: true }).waitFor();
  const listed = async (sort: string) =>
    (await dashboard.owner.call('GET', `/api/redirects?website_id=${id}&sort=${sort}&limit=2`)).body.redirects.map(
      ({ id: redirect }: { id: number }) => `r${redirect}`,
    );
  const [first] = await listed('old_path');
  const [last, beforeLast] = await listed('-old_path');
  const grid = page.getByRole('grid');
  const isActive = (row: string) => until(async () => (await grid.getAttribute('aria-activedescendant')) === row);
  const indexOf = async (row: string) => page.locator(`#${row}`).getAttribute('aria-rowindex');
  await grid.focus();
  await page.keyboard.press('End');
  await isActive(last);
  expect(await indexOf(last)).toBe('4701');
  await page.getByText('End of list: 4,700 redirects').waitFor();
  await page.keyboard.press('ArrowUp');
  await isActive(beforeLast);
  expect(await page.getByRole('row').count()).toBeLessThan(80);
  const gap = page.locator('.grid-gap');
  await until(async () => {
    if ((await gap.count()) === 0) return true;
    await gap.evaluateAll(([element]) => element?.scrollIntoView({ block: 'end' }));
    return false;
  });
  expect(await page.locator('.rows').evaluate((list) => list.clientHeight)).toBe(4_700 * 44);
  await page.keyboard.press('ArrowUp');
  await page.locator(`#${beforeLast}[data-active=false]`).waitFor();
  expect(await indexOf(beforeLast)).toBe('4700');
  await page.keyboard.press('Home');
  await isActive(first);
  expect(await page.locator('.grid-scroll').evaluate((element) => element.scrollTop)).toBe(0);
  expect(await indexOf(first)).toBe('2');
});

test('Back returns to the same rows, without those deleted since', async () => {
  const page = await dashboard.open(`/websites/${id}/redirects?sort=id`);
  const scroller = page.locator('.grid-scroll');
  const rowHeight = 44;
  // In two steps: past the middle of the places, a list loads from its end.
  for (const row of [800, 1_500])
    await until(async () => {
      await scroller.evaluate((element, top) => element.scrollTo(0, top), row * rowHeight);
      return (
        (await page
          .getByRole('row')
          .and(page.locator(`[aria-rowindex="${row + 5}"]`))
          .count()) === 1
      );
    });
  const path = (at: number) => page.locator(`[aria-rowindex="${at + 2}"] .cell-from [role=button]`);
  const [seen, next] = [await path(1_500).textContent(), await path(1_501).textContent()];
  const deleted = Number((await page.locator('[aria-rowindex="1502"]').getAttribute('id'))?.slice(1));
  await page.getByRole('link', { name: 'Moves' }).click();
  await page.getByRole('heading', { name: 'Moves', exact: true }).waitFor();
  await page.goBack();
  await page
    .getByText(seen ?? '', { exact: true })
    .first()
    .waitFor();
  expect(await scroller.evaluate((element) => element.scrollTop)).toBe(1_500 * rowHeight);

  await page.getByRole('link', { name: 'Moves' }).click();
  await page.getByRole('heading', { name: 'Moves', exact: true }).waitFor();
  const { body } = await dashboard.owner.call('DELETE', `/api/redirects/${deleted}`);
  await page.goBack();
  await until(async () => (await path(1_500).textContent()) === next);
  await page.getByText('4,699', { exact: true }).waitFor();
  await dashboard.owner.call('POST', `/api/changes/${body.change_id}/undo`);
});

test('/ searches while typing; the search is in the URL and survives a reload', async () => {
  const page = await dashboard.open(`/websites/${id}/redirects`);
  await page.getByRole('grid').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('whea-management-operations');
  await page.getByText('End of list: 1 redirect', { exact: true }).waitFor();
  await page.waitForURL((url) => url.searchParams.get('q') === 'whea-management-operations');
  await page.reload();
  await page.getByText('End of list: 1 redirect', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByText('4,700', { exact: true }).waitFor();
});

test('keys at 40 ms each, after a search and after a save, land in the row that they are for', async () => {
  const page = await dashboard.open(`/websites/${id}/redirects`);
  await page.getByRole('grid').waitFor();
  const delay = 40;
  // Slower than the keys.
  await page.route('**/api/redirects**', async (route) => {
    await setTimeout(5 * delay);
    await route.continue();
  });
  async function retarget(keys: string[], target: string): Promise<void> {
    for (const key of keys) {
      await page.keyboard.press(key);
      await setTimeout(delay);
    }
    await page.keyboard.type(target, { delay });
  }
  for (const word of ['kmdf', 'pfa', 'wdk']) {
    const { body } = await dashboard.owner.call('GET', `/api/redirects?website_id=${id}&sort=-id&limit=2&q=${word}`);
    await page.keyboard.press('/');
    await page.keyboard.type(word, { delay });
    await retarget(['ArrowDown', 'Enter', 'Tab'], `/${word}-first`);
    await retarget(['Enter', 'ArrowDown', 'Enter', 'Tab'], `/${word}-second`);
    await page.keyboard.press('Enter');
    for (const [at, place] of ['first', 'second'].entries()) {
      const path = `/api/redirects/${body.redirects[at].id}`;
      await until(async () => (await dashboard.owner.call('GET', path)).body.redirect.new_path === `/${word}-${place}`);
    }
    await page.getByRole('grid').and(page.locator(':focus')).waitFor();
  }
});

test('rows are compact by choice, which this browser remembers', async () => {
  const page = await dashboard.open(`/websites/${id}/redirects?q=wdk22h2`);
  const heights = () =>
    page.locator('.rows > [role=row]').evaluateAll((rows) => rows.map(({ clientHeight }) => clientHeight));
  await until(async () => (await heights()).every((height) => height === 43));
  await page.getByRole('button', { name: 'Compact rows' }).click();
  await until(async () => (await heights()).every((height) => height === 35));
  await page.reload();
  await page.getByRole('grid').waitFor();
  await until(async () => (await heights()).every((height) => height === 35));
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Compact rows' }).click();
  await until(async () => (await heights()).every((height) => height === 43));
});

test('list, selection, inline editing and panel are accessible and fit 360 px', async () => {
  const page = await dashboard.open(`/websites/${id}/redirects`);
  await page.getByRole('grid').focus();
  await page.keyboard.press(' ');
  await page.getByText('1 selected').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await page.getByRole('gridcell').getByLabel('From').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.keyboard.press('o');
  await redirectPage(page).waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expectFits(page, 360);
  await expectAccessible(page);
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
