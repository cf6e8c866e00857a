/** The box that finds anything, by keyboard at 40 ms a key and by mouse. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';
import { redirectPage } from './list.ts';

/** A fast typist. */
const KEY_MS = 40;

let dashboard: DashboardTest;
let shop: number;
let docs: number;
beforeAll(async () => {
  dashboard = await startDashboard();
  shop = await createSite(dashboard.owner, ['shop.example.com'], { name: 'Shop' });
  docs = await createSite(dashboard.owner, ['docs.example.com'], { name: 'Docs' });
  const add = (id: number, old_path: string, more: object = {}) =>
    addRedirect(dashboard.owner, id, { old_path, new_path: '/new', ...more });
  await add(shop, '/boots/red', { new_path: '/shoes/red-boots', group_id: 'winter sale' });
  await add(shop, '/t%C3%BCren', { new_path: '/doors', notes: 'Asked for by the legal team' });
  await add(shop, '/blog/(.*)', { new_path: '/articles/$1', is_regex: true });
  await add(docs, '/manual/boots', { new_path: '/guide' });
  await settled(dashboard.owner, shop);
  await settled(dashboard.owner, docs);
});
afterAll(() => dashboard.stop());

const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name });
const box = (page: Page) => page.getByRole('combobox', { name: 'Find anything' });
const pathOf = (page: Page) => new URL(page.url()).pathname + new URL(page.url()).search;

/** Opens the box with Ctrl+K and types at once, as a fast typist does. */
async function find(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.keyboard.type(text, { delay: KEY_MS });
}

/** Closes the panel with Escape. */
async function closed(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await redirectPage(page).waitFor({ state: 'hidden' });
}

test('by keyboard: words, a group, a note, a screen and a website, and no key is lost', async () => {
  const page = await dashboard.open(`/websites/${shop}/settings`);
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  await find(page, 'red boots');
  expect(await box(page).inputValue()).toBe('red boots');
  await page.keyboard.press('Enter');
  await redirectPage(page).waitFor();
  expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('/boots/red');
  await closed(page);

  await find(page, 'winter');
  await option(page, /^winter sale 1 redirect/).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/group=winter/);

  await find(page, 'by the legal');
  await page.keyboard.press('Enter');
  await redirectPage(page).waitFor();
  expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('/türen');
  await closed(page);

  await find(page, 'deploy');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Deployments' }).waitFor();
  // Without a search field on the screen, the slash opens the box too.
  await page.keyboard.press('/');
  await page.keyboard.type('docs.ex', { delay: KEY_MS });
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/websites/${docs}/redirects`);
});

test('a line of filters finds redirects of the website; a value is completed, and all are shown in the list', async () => {
  const page = await dashboard.open(`/websites/${shop}/settings`);
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  await find(page, 'boots sta');
  await option(page, 'boots status:').click();
  expect(await box(page).inputValue()).toBe('boots status:');
  await option(page, 'boots status:302').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  expect(await box(page).inputValue()).toBe('boots status:301 ');
  await page.keyboard.type('to:shoes', { delay: KEY_MS });
  await option(page, /^\/boots\/red → \/shoes\/red-boots 301/).waitFor();
  expect(await page.locator('.finder mark').allTextContents()).toEqual(['boots', 'boots']);
  await expectAccessible(page);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/websites/${shop}/redirects?status_code=301&new_path_contains=shoes&q=boots`);
  await page.getByText('End of list: 1 redirect').waitFor();
  await find(page, 'type:pattern');
  await option(page, /^\/blog/).waitFor();
  await page.keyboard.press('Enter');
  await redirectPage(page).getByText('/blog/(.*)').first().waitFor();
});

test('a pasted URL says which redirect responds and why, in the website of its host', async () => {
  const page = await dashboard.open(`/websites/${docs}/health`);
  await page.getByRole('heading', { name: 'Health' }).waitFor();
  await find(page, 'https://shop.example.com/türen');
  await page.getByText('shop.example.com is a host of Shop').waitFor();
  await option(page, /^\/türen → \/doors 301 Live in production. Exact path/).waitFor();
  await box(page).fill('/blog/today');
  await page.getByText('This path in Docs').waitFor();
  await box(page).fill('shop.example.com/blog/today');
  await option(page, /\/blog\/today → \/articles\/today 301 Live in production. Matches the pattern/).click();
  await page.waitForURL(new RegExp(`/websites/${shop}/redirects/\\d+$`));
  await redirectPage(page).waitFor();
});

test('a pasted URL without a redirect offers to create one, in the website of its host', async () => {
  const page = await dashboard.open('/activity');
  await page.getByRole('heading', { name: 'Activity' }).waitFor();
  await find(page, 'https://shop.example.com/gone?from=mail');
  await option(page, 'No redirect in production matches').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'New redirect' }).waitFor();
  expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('/gone?from=mail');
  expect(pathOf(page)).toContain(`/websites/${shop}/`);
});

test('by mouse: redirects of other websites, and what was found is accessible and fits 360 px', async () => {
  const page = await dashboard.open(`/websites/${shop}/redirects`);
  await page.getByRole('button', { name: 'Find anything' }).click();
  await option(page, 'New redirect').waitFor();
  await expectAccessible(page);
  await box(page).fill('boots');
  await page.getByText('Redirects of other websites').waitFor();
  await expectAccessible(page);
  await expectFits(page, 360);
  await option(page, '/manual/boots').click();
  await page.waitForURL(new RegExp(`/websites/${docs}/redirects/\\d+$`));
});

test('a failed search says so, shows no older results, and an older response replaces no newer one', async () => {
  const page = await dashboard.open(`/websites/${shop}/settings`);
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  let release = (): void => {};
  const isHeld = new Promise<void>((resolve) => (release = resolve));
  await page.route(/redirects\?.*q=boots$/, async (route) => {
    await isHeld;
    await route.continue().catch(() => {});
  });
  await find(page, 'boots');
  await box(page).fill('türen');
  await option(page, /\/türen/).waitFor();
  release();
  await page.context().setOffline(true);
  await box(page).fill('blog');
  await page.getByText('The service cannot be reached').waitFor();
  expect(await option(page, /türen|boots/).count()).toBe(0);
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Retry' }).click();
  await option(page, /\/blog\//).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('sections arrive alone, and none answers other letters or an unfinished host', async () => {
  const page = await dashboard.open(`/websites/${shop}/settings`);
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  /** Holds requests until the returned function is called. */
  async function hold(url: RegExp): Promise<() => void> {
    let release = (): void => {};
    const isHeld = new Promise<void>((resolve) => (release = resolve));
    await page.route(url, async (route) => {
      await isHeld;
      await route.continue().catch(() => {});
    });
    return release;
  }
  const releaseList = await hold(/api\/redirects\?/);
  const status = page.getByRole('dialog').getByRole('status');
  const found = page.getByRole('listbox', { name: 'Results' }).getByRole('option');
  await find(page, 'https://shop.example.com/türen');
  await option(page, /^\/türen → \/doors 301 Live in production/).waitFor();
  expect(await status.textContent()).toBe('Searching…');
  const releaseTest = await hold(/api\/redirects\/test/);
  await box(page).fill('https://shop.example.com/blog/x');
  await option(page, /doors/).waitFor({ state: 'detached' });
  releaseTest();
  await option(page, /^\/blog\/x → /).waitFor();
  releaseList();
  await expect.poll(() => status.textContent(), { timeout: 9_000 }).toMatch(/^\d+ results?$/);
  expect(await status.textContent()).toMatch(new RegExp(`^${await found.count()} `));
  await box(page).fill('https://sho');
  await page.getByText('Nothing found').waitFor();
  expect(await page.getByText('is not a host').count()).toBe(0);
});

test('the list: a failed search keeps the rows and says so, an empty one its filters, and groups are searched and suggested', async () => {
  const page = await dashboard.open(`/websites/${shop}/redirects`);
  await page.getByRole('row', { name: /boots/ }).waitFor();
  await page.context().setOffline(true);
  await page.keyboard.press('/');
  await page.keyboard.type('boots', { delay: KEY_MS });
  await page.getByText('The service cannot be reached').waitFor();
  await page.getByText('These are the previous results.').waitFor();
  expect(await page.getByRole('grid').count()).toBe(1);
  await page.context().setOffline(false);
  await page.getByText('These are the previous results.').waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /boots/ }).waitFor();

  const group = page.getByRole('search').getByLabel('Group');
  const top = async () => (await page.getByRole('grid').boundingBox())?.y;
  const before = await top();
  await group.fill('winter');
  await page.locator('datalist option[value="winter sale"]').waitFor({ state: 'attached' });
  await group.fill('winter sale');
  await page.waitForURL(/group=winter/);
  await page.getByRole('button', { name: 'Clear filters' }).waitFor();
  expect(await top()).toBe(before);
  await page.getByLabel('Search paths').fill('/nowhere');
  await page.getByText('Filter: group “winter sale”').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Test this URL' }).waitFor();
  // No path has this text, but a redirect answers it.
  await page.getByLabel('Search paths').fill('https://shop.example.com/boots/red?utm_source=mail');
  const rule = page.getByRole('link', { name: '/boots/red', exact: true });
  await page.getByText('In production, /boots/red answers it: 301 /shoes/red-boots?utm_source=mail').waitFor();
  await expectAccessible(page);
  await page.getByLabel('Search paths').fill('/boots/red/');
  await page.getByText('In production, /boots/red answers it: 301 /shoes/red-boots').waitFor();
  expect(await rule.getAttribute('href')).toMatch(/\/redirects\/\d+$/);
  await expectFits(page, 360);
  await page.getByRole('button', { name: 'Clear search and filters' }).press('Enter');
  await page.getByRole('row', { name: /boots/ }).waitFor();
});

test('the form takes the path of a pasted URL of an own host, and says if a group is new', async () => {
  const page = await dashboard.open(`/websites/${shop}/redirects?new=/`);
  const from = page.getByLabel('From', { exact: true });
  await from.fill('https://shop.example.com/pasted?x=1#top');
  await page.waitForFunction(`document.activeElement.value === '/pasted?x=1'`);
  await from.fill('');
  await from.pressSequentially('https://shop.example.com/typed');
  expect(await from.inputValue()).toBe('/typed');
  await page.getByLabel('To', { exact: true }).fill('https://shop.example.com/new?y=2');
  await page.getByText('Same website: shop.example.com is removed.').waitFor();
  await expect.poll(() => page.getByLabel('To', { exact: true }).inputValue()).toBe('/new?y=2');
  await page.getByLabel('To', { exact: true }).fill('https://www.youtube.com/x');
  await page.getByText(/^www.youtube.com is not an allowed target host/).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Allow it' }).click();
  await page.getByText(/^www.youtube.com is not an allowed target host/).waitFor({ state: 'detached' });
  const { website } = (await dashboard.owner.call('GET', `/api/websites/${shop}`)).body;
  expect(website.allowed_target_hosts).toEqual(['www.youtube.com']);
  await from.fill('https://elsewhere.org/pasted');
  await page.getByText('elsewhere.org is not a host of Shop. Enter a path of this website.').waitFor();
  const group = page.getByLabel('Group', { exact: true }).last();
  await group.fill('Winter sale');
  await page.getByText('New group. “winter sale” exists in another spelling.').waitFor();
  await group.fill('winter sale');
  await page.getByText('New group').waitFor({ state: 'detached' });
  await expectAccessible(page);
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
