/** The page of a redirect: beside the list or over it, by mouse and by keyboard; and what starts and ends soon. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { redirectDay } from '../../support/hits.ts';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { storeTargetState } from '../../support/target-states.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';
import { openList, redirectPage, rowOf } from './list.ts';

let dashboard: DashboardTest;
let site: number;
const ids = new Map<string, number>();

const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();

beforeAll(async () => {
  dashboard = await startDashboard();
  const { owner, detour } = dashboard;
  site = await createSite(owner, ['page.example.com']);
  const add = async (old_path: string, new_path: string, more: object = {}): Promise<void> =>
    void ids.set(old_path, await addRedirect(owner, site, { old_path, new_path, ...more }));
  await add('/end', '/start');
  await add('/middle', '/end', { target_environments: 'production,staging' });
  await add('/first', '/middle', { status_code: 302, notes: 'Asked for by sales' });
  await add('/sale', '/offers', { status_code: 302, active_from: inHours(100), active_until: inHours(200) });
  await add('/later', '/offers', { active_from: inHours(24 * 40) });
  await settled(owner, site);
  const day = inHours(-48).slice(0, 10);
  await redirectDay(detour.db, { websiteId: site, redirectId: idOf('/middle'), day, hits: 40 });
  await storeTargetState(detour.db, site, idOf('/middle'), { state: 'dead', reason: 'http_404' });
});
afterAll(() => dashboard.stop());

const idOf = (path: string): number => ids.get(path) ?? 0;
const list = (rest = ''): string => `/websites/${site}/redirects${rest}`;
const open = (rest: string, width = 1280): Promise<Page> =>
  dashboard.open(list(rest), { viewport: { width, height: 800 } });
const shownUrl = (page: Page): string => new URL(page.url()).pathname + new URL(page.url()).search;
const heading = (page: Page, path: string) => redirectPage(page).getByRole('heading', { name: path, exact: true });
const answers = (page: Page) => redirectPage(page).locator('.answers');

test('by mouse: opens beside the list, which stays usable, and shows what is known', async () => {
  const page = await open('?sort=old_path');
  await rowOf(page, '/middle').getByRole('button', { name: '/middle' }).click();
  const opened = redirectPage(page);
  await heading(page, '/middle').waitFor();
  expect(shownUrl(page)).toBe(list(`/${idOf('/middle')}?sort=old_path`));
  const summary = opened.getByText('/middle redirects to /end, permanently (301).');
  await answers(page).getByText('/end', { exact: true }).first().waitFor();
  expect((await summary.boundingBox())!.y).toBeLessThan((await answers(page).boundingBox())!.y);
  await answers(page).getByText('not in this environment').waitFor();
  await opened.getByText(/^40 hits in production in the last 30 days/).waitFor();
  await opened.getByText(/^Most: 40 on /).waitFor();
  await opened.getByRole('img', { name: /^Most hits on .*: 40$/ }).waitFor();
  await opened.getByRole('region', { name: 'Target' }).getByText('Dead').waitFor();
  // Chain out, and chain in.
  await answers(page).getByText('/start', { exact: true }).first().waitFor();
  await expectAccessible(page, { schemes: ['light', 'dark'] });
  await opened.getByRole('link', { name: '/first' }).click();
  await heading(page, '/first').waitFor();
  expect(await opened.getByLabel('Notes').inputValue()).toBe('Asked for by sales');
  await rowOf(page, '/sale').locator('.cell-status').click();
  await heading(page, '/sale').waitFor();
  await page.reload();
  await heading(page, '/sale').waitFor();
  await opened.getByRole('button', { name: 'Previous redirect' }).click();
  await heading(page, '/middle').waitFor();
  await opened.getByRole('button', { name: 'Redirect directly to /start' }).click();
  const target = opened.getByLabel('To', { exact: true });
  expect(await target.inputValue()).toBe('/start');
  await target.fill('/end');
  await opened.getByLabel('Notes').fill('Kept open');
  await opened.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await opened.getByText('Kept open').first().waitFor();
  await opened.getByRole('button', { name: 'Close' }).click();
  await opened.waitFor({ state: 'detached' });
  await rowOf(page, '/middle').waitFor();
  expect(shownUrl(page)).toBe(list('?sort=old_path'));
});

test('Ctrl+click and the middle button on a path open the redirect in a new tab', async () => {
  const { id, page } = await openList(dashboard, [{ old_path: '/new-tab' }], '?q=tab');
  const path = rowOf(page, '/new-tab').getByRole('button', { name: '/new-tab', exact: true });
  await path.waitFor();
  for (const options of [{ modifiers: ['Control' as const] }, { button: 'middle' as const }]) {
    const [tab] = await Promise.all([page.context().waitForEvent('page'), path.click(options)]);
    await redirectPage(tab).waitFor();
    expect(new URL(tab.url()).pathname).toMatch(new RegExp(`^/websites/${id}/redirects/\\d+$`));
    expect(new URL(tab.url()).search).toBe('?q=tab');
    await tab.close();
  }
  expect(new URL(page.url()).pathname).toBe(`/websites/${id}/redirects`);
  expect(await page.getByText('1 selected').count()).toBe(0);
});

test('by keyboard: o opens and edits, arrows, J and K move, Escape closes and returns to the list', async () => {
  const page = await open('?sort=old_path');
  await rowOf(page, '/end').waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('o');
  await heading(page, '/end').waitFor();
  await page.keyboard.press('ArrowDown');
  await heading(page, '/first').waitFor();
  await page.keyboard.press('j');
  await heading(page, '/later').waitFor();
  await page.keyboard.press('k');
  await heading(page, '/first').waitFor();
  await page.keyboard.press('o');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('/first-2');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Keep editing' }).click();
  await page.keyboard.press('Control+Enter');
  await page.getByText('Saved', { exact: true }).waitFor();
  await heading(page, '/first-2').waitFor();
  await redirectPage(page).getByRole('button', { name: 'Restore this version' }).first().waitFor();
  // The list and the page scroll; the window does not.
  expect(await page.locator('html').evaluate((html) => html.scrollHeight - html.clientHeight)).toBe(0);
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await heading(page, '/first').waitFor();
  await page.keyboard.press('Escape');
  await redirectPage(page).waitFor({ state: 'detached' });
  await until(() => page.getByRole('grid').evaluate((grid) => grid === grid.ownerDocument.activeElement));
  await page.keyboard.press('o');
  await heading(page, '/first').waitFor();
  await page.goBack();
  await redirectPage(page).waitFor({ state: 'detached' });
});

test('a link opens a redirect that the list does not have, and former links lead there; others say so', async () => {
  const page = await open(`?open=${idOf('/first')}&status_code=301`);
  await heading(page, '/first').waitFor();
  expect(shownUrl(page)).toBe(list(`/${idOf('/first')}?status_code=301`));
  await rowOf(page, '/end').waitFor();
  expect(await rowOf(page, '/first').count()).toBe(0);
  await page.goto(`/websites/${await createSite(dashboard.owner, ['other.example.com'])}/redirects/${idOf('/first')}`);
  await heading(page, '/first').waitFor();
  expect(shownUrl(page)).toBe(list(`/${idOf('/first')}`));
  await page.goto(list('/999999999'));
  await redirectPage(page).getByText('This redirect was deleted or never existed').waitFor();
  await expectAccessible(page);
  await redirectPage(page).getByRole('link', { name: 'All redirects' }).click();
  await redirectPage(page).waitFor({ state: 'detached' });
});

test('a link to a deleted redirect says who deleted it, and leads to the undo', async () => {
  const { owner } = dashboard;
  const id = await addRedirect(owner, site, { old_path: '/deleted', new_path: '/offers' });
  await owner.call('DELETE', `/api/redirects/${id}`);
  const page = await open(`/${id}`);
  await redirectPage(page)
    .getByText(/^\/deleted was deleted by /)
    .waitFor();
  await expectAccessible(page);
  await redirectPage(page).getByRole('link', { name: 'Show the deletion' }).click();
  const change = page.getByRole('dialog', { name: 'Change' });
  await change.getByText('/deleted').first().waitFor();
  await change.getByRole('button', { name: 'Undo' }).waitFor();
});

test('a time shows what answers then', async () => {
  const page = await open(`/${idOf('/sale')}`, 1440);
  await answers(page)
    .getByText(/^From .*: 302 to \/offers\.$/)
    .waitFor();
  const at = new Date(Date.now() + 150 * 3_600_000).toISOString().slice(0, 16);
  await redirectPage(page).getByRole('button', { name: 'At another time' }).click();
  await redirectPage(page).getByLabel('Answers at', { exact: true }).fill(at);
  await answers(page).getByText('/offers', { exact: true }).waitFor();
  await expectAccessible(page, { schemes: ['light', 'dark'] });
});

test('a long path is cut in the header and in the sentence, with a button that shows all of it', async () => {
  const path = `/${'long-segment/'.repeat(80)}end`;
  const id = await addRedirect(dashboard.owner, site, { old_path: path, new_path: '/short', target_environments: '' });
  for (const width of [1280, 390]) {
    const page = await open(`/${id}`, width);
    const title = redirectPage(page).getByRole('heading', { level: 2 });
    const summary = redirectPage(page).locator('.redirect-summary');
    await summary.waitFor();
    expect((await title.boundingBox())!.height).toBeLessThan(70);
    expect((await summary.boundingBox())!.height).toBeLessThan(110);
    await expectAccessible(page);
    await redirectPage(page).getByRole('button', { name: 'Show all' }).press('Enter');
    expect((await title.boundingBox())!.height).toBeGreaterThan(100);
    await redirectPage(page).getByRole('button', { name: 'Show less' }).press('Enter');
    await until(async () => (await title.boundingBox())!.height < 70);
    await expectFits(page, width);
  }
});

test('the box with the whole path of a focused row closes with the page of the redirect open', async () => {
  const path = `/a?${'long=path&'.repeat(90)}`;
  const { page } = await openList(dashboard, [{ old_path: path, new_path: '/x' }]);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('grid').focus();
  await page.keyboard.press('End');
  const boxOf = () =>
    page
      .locator('.cell-from .path-text')
      .evaluate((element) => element.ownerDocument.defaultView!.getComputedStyle(element, '::before').display);
  expect(await boxOf()).toBe('block');
  await page.keyboard.press('o');
  await redirectPage(page).waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('End');
  expect(await boxOf()).toBe('none');
});

test('the fields show decoded paths, and a save changes nothing but what was edited', async () => {
  const [source, target] = ['/%D9%85%D9%82%D8%A7%D9%84/caf%C3%A9', '/ma%C3%9Fe/%C3%A4'];
  const id = await addRedirect(dashboard.owner, site, { old_path: source, new_path: target, target_environments: '' });
  const page = await open(`/${id}`);
  const field = (name: string) => redirectPage(page).getByLabel(name, { exact: true });
  await until(async () => (await field('From').inputValue()) === '/مقال/café');
  expect(await field('To').inputValue()).toBe('/maße/ä');
  const save = page.waitForRequest((request) => request.method() === 'PUT');
  await field('To').fill('/maße/new/ä');
  await page.keyboard.press('Control+Enter');
  expect((await save).postDataJSON()).toMatchObject({ new_path: '/ma%C3%9Fe/new/%C3%A4' });
  expect((await save).postDataJSON()).not.toHaveProperty('old_path');
  await page.getByText('Saved', { exact: true }).waitFor();
});

test('a loop is named in words, and each environment that differs has its state and end', async () => {
  const loop = await createSite(dashboard.owner, ['loop.example.com']);
  const add = (old_path: string, new_path: string, more: object = {}) =>
    addRedirect(dashboard.owner, loop, { old_path, new_path, ...more });
  const first = await add('/loop-a', '/loop-b', { target_environments: 'production,staging' });
  await settled(dashboard.owner, loop);
  await dashboard.owner.call('PUT', `/api/websites/${loop}`, { auto_deploy: false });
  const sale = await add('/sale', '/offers', { active_until: inHours(40) });
  const page = await dashboard.open(`/websites/${loop}/redirects/${sale}`);
  const states = answers(page).locator('li').first().locator('.muted');
  await states.first().waitFor();
  expect(await states.allTextContents()).toEqual([
    'Production: not live yet',
    'Staging and development: not in this environment',
  ]);
  await redirectPage(page)
    .getByText(/^After the next deployment, \/sale redirects to \/offers, permanently \(301\), until \S/)
    .waitFor();
  // A save that makes a loop is rejected, so the answer is changed.
  await page.route(/\/api\/redirects\/test/, async (route) => {
    const response = await route.fetch();
    const hops = ['/loop-b', '/loop-a'].map((location) => ({ status_code: 301, location }));
    await route.fulfill({ response, json: { ...(await response.json()), outcome: 'loop', hops } });
  });
  await page.goto(`/websites/${loop}/redirects/${first}`);
  const badge = answers(page).locator('.badge.danger').first();
  await badge.waitFor();
  expect(await badge.innerText()).toBe('Loop');
  await expectAccessible(page, { schemes: ['light', 'dark'] });
});

test('on a narrow page it covers the list, and fits', async () => {
  const page = await open('', 390);
  await rowOf(page, '/sale').getByRole('button', { name: '/sale' }).click();
  await heading(page, '/sale').waitFor();
  await expectFits(page, 390);
  await expectAccessible(page, { schemes: ['light', 'dark'] });
  await page.keyboard.press('j');
  await heading(page, '/first').waitFor();
  await page.keyboard.press('Escape');
  await redirectPage(page).waitFor({ state: 'detached' });
  await page.locator('[role=grid]:focus').waitFor();
  await page.keyboard.press('Enter');
  await heading(page, '/first').waitFor();
});

test('Upcoming has what starts or ends in the next 30 days by day, and the list a filter and a column', async () => {
  const page = await open('');
  await rowOf(page, '/sale')
    .getByText(/^from \S/)
    .waitFor();
  await page.getByLabel('Schedule').selectOption('upcoming');
  await rowOf(page, '/end').waitFor({ state: 'detached' });
  await rowOf(page, '/later').waitFor();
  await page.getByRole('link', { name: 'Upcoming' }).click();
  const changes = page.locator('.upcoming li');
  await changes.first().waitFor();
  const [first = '', second = '', ...others] = await changes.allInnerTexts();
  expect([/starts\s+\/sale\s+302\s+\/offers/.test(first), /ends\s+\/sale/.test(second), others]).toEqual([
    true,
    true,
    [],
  ]);
  expect(await page.locator('.upcoming h2').count()).toBe(2);
  await expectAccessible(page, { schemes: ['light', 'dark'] });
  await changes.first().getByRole('link').click();
  await heading(page, '/sale').waitFor();
  await changes.first().waitFor();
  await page.keyboard.press('Escape');
  await redirectPage(page).waitFor({ state: 'detached' });
  await expectFits(page, 390);
  await expectAccessible(page);
  expect(await changes.first().locator('.mark').getAttribute('data-state')).toBe('scheduled');
  await changes.first().getByRole('button', { name: 'Start now' }).click();
  await until(async () => (await changes.count()) === 1);
  await page.getByRole('button', { name: 'Undo' }).click();
  await until(async () => (await changes.count()) === 2);
});

test('the calendar counts starts and ends, steps by five weeks, and shows the redirects of a day', async () => {
  const page = await open('?view=upcoming');
  await page.getByRole('link', { name: 'Calendar' }).click();
  const later = new Date(Date.parse(inHours(24 * 40)));
  const table = page.locator('table.calendar');
  await table.waitFor();
  expect(await table.locator('tbody tr').count()).toBe(5);
  expect(await table.locator('tbody tr').first().locator('td[aria-current=date]').innerText()).toMatch(/ Today$/m);
  expect(await page.getByRole('link', { name: 'Earlier' }).count()).toBe(0);
  const address = page.url();
  const next = page.getByRole('link', { name: 'Later' });
  await next.focus();
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.href !== address);
  expect(await page.locator(':focus').textContent()).toBe('Later');
  const day = table.getByRole('link', { name: '/later' });
  await day.focus();
  expect(await day.innerText()).toMatch(new RegExp(`^${later.getDate()}\\b[^]*1 start\\s+/later`));
  await expectAccessible(page, { schemes: ['light', 'dark'] });
  await page.keyboard.press('Enter');
  await page.waitForURL(/day=20/);
  await expect
    .poll(() => page.locator('.upcoming li').allInnerTexts())
    .toEqual([expect.stringMatching(/starts\s+\/later/)]);
  await expectFits(page, 360);
  await page.getByRole('link', { name: 'Earlier' }).click();
  await page.getByRole('link', { name: 'Earlier' }).waitFor({ state: 'detached' });
});

test('Upcoming and the calendar mark a start that is not deployed, with a link to the review', async () => {
  const { owner } = dashboard;
  const held = await createSite(owner, ['undeployed.example.com'], { auto_deploy: false });
  await addRedirect(owner, held, { old_path: '/soon', new_path: '/offers', active_from: inHours(30) });
  await addRedirect(owner, held, {
    ...{ old_path: '/idea', new_path: '/offers', active_from: inHours(31), target_environments: '' },
  });
  const page = await dashboard.open(`/websites/${held}/redirects?view=upcoming`);
  const row = page.locator('.upcoming li', { hasText: '/soon' });
  await row.getByText('only after a deployment').waitFor();
  await page.locator('.upcoming li', { hasText: '/idea' }).getByText('Draft').waitFor();
  await expectAccessible(page, { schemes: ['light', 'dark'] });
  await expectFits(page, 360);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('link', { name: 'Calendar' }).click();
  await page.locator('table.calendar').getByText('not deployed').first().waitFor();
  expect(await page.locator('table.calendar').getByText('1 start').count()).toBe(0);
  await row.getByRole('link', { name: 'Review' }).click();
  await page.waitForURL(/deployments\/review\?environment=production&action=deploy$/);
  await page.goto(`/websites/${held}/redirects`);
  await rowOf(page, '/soon').getByRole('button', { name: '/soon' }).click();
  await redirectPage(page).getByText('After the next deployment, /soon redirects to /offers').waitFor();
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
