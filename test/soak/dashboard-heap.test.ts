/** The memory of the dashboard while one page is used for ten minutes without a reload. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loaded } from '../support/loaded.ts';
import { storeMove } from '../support/moves.ts';
import { settled } from '../support/site.ts';
import { type DashboardTest, startDashboard } from '../system/dashboard/browser.ts';
import { redirectPage } from '../system/dashboard/list.ts';
import { fillAccount, type ScreenIds } from '../system/dashboard/screens.ts';

const MINUTES = 10;
const MAX_GROWTH = 1.1;
/** Rounds whose median is one figure. */
const SPAN = 5;
const REDIRECTS = 5_000;
const MOVE_ROWS = 10_000;

let dashboard: DashboardTest;
let ids: ScreenIds;
beforeAll(async () => {
  dashboard = await startDashboard();
  ids = await fillAccount(dashboard);
  await dashboard.owner.call('PUT', `/api/websites/${ids.websiteId}`, { auto_deploy: true });
  const redirects = Array.from({ length: REDIRECTS }, (_, at) => ({
    old_path: `/old/page-${at}`,
    new_path: `/new/page-${at}`,
  }));
  const body = { website_id: String(ids.websiteId), redirects };
  expect((await dashboard.owner.keyCall('POST', '/api/v1/redirects/bulk', body)).status).toBe(200);
  const rows = Array.from({ length: MOVE_ROWS }, (_, n) => ({ url: `/moved/${n}`, weight: n, targets: ['/guide'] }));
  ids.moveId = await storeMove(dashboard.detour.db, ids.websiteId, { rows, candidates: ['/guide'] });
  await settled(dashboard.owner, ids.websiteId);
});
afterAll(() => dashboard.stop());

const FIGURES = ['JSHeapUsedSize', 'Nodes', 'JSEventListeners', 'Documents'] as const;
type Sample = Record<(typeof FIGURES)[number], number>;

/** The figures of the page after a garbage collection. */
async function measure(devTools: CDPSession): Promise<Sample> {
  await devTools.send('HeapProfiler.collectGarbage');
  const { metrics } = await devTools.send('Performance.getMetrics');
  const valueOf = (name: string): number => metrics.find((metric) => metric.name === name)?.value ?? NaN;
  return Object.fromEntries(FIGURES.map((name) => [name, valueOf(name)])) as Sample;
}

/** Screens of the sidebar, the website's and the account's: the key after `g` by the path. */
const [WEBSITE_NAV, ACCOUNT_NAV] = readFileSync(join(import.meta.dirname, '../../dashboard/src/nav.ts'), 'utf8')
  .split('ACCOUNT_SECTIONS', 2)
  .map((part) => new Map([...part.matchAll(/key: '(\w)',\s+path: '([^']*)'/g)].map(([, key, path]) => [path!, key!])));

const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });

/** Opens a screen of the sidebar by its keys. */
async function openScreen(page: Page, path: string): Promise<void> {
  // Fields take letters.
  await page.evaluate('document.activeElement?.blur()');
  await page.keyboard.press('g');
  await page.keyboard.press((WEBSITE_NAV!.get(path) ?? ACCOUNT_NAV!.get(path))!);
  const base = WEBSITE_NAV!.has(path) ? `/websites/${ids.websiteId}` : '';
  await page.waitForURL((url) => url.pathname === base + path);
  await loaded(page);
}

/** Follows the first link that begins with this, from the screen that is open. */
async function follow(page: Page, start: string): Promise<void> {
  await page.locator(`main a[href^="${start}"]:visible`).first().click();
  await page.waitForURL((url) => (url.pathname + url.search).startsWith(start));
  await loaded(page);
}

/** Scrolls, opens and closes the panel, searches, filters, and edits a row. */
async function useList(page: Page, round: number): Promise<void> {
  await openScreen(page, '/redirects');
  const scroller = page.locator('.grid-scroll');
  for (let screen = 1; screen <= 30; screen++)
    await scroller.evaluate((element, top) => element.scrollTo(0, top), screen * 600);
  await page.getByRole('grid').focus();
  await page.keyboard.press('End');
  await page.getByText(/^End of list/).waitFor();
  await page.keyboard.press('Home');
  await page.keyboard.press('/');
  await page.keyboard.type(`status:301 page-${1_000 + round}`);
  await page.getByText('End of list: 1 redirect', { exact: true }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('gridcell').getByLabel('To').fill(`/new/in-round-${round}`);
  await page.keyboard.press('Enter');
  await page.getByText('Saved', { exact: true }).first().waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('o');
  await redirectPage(page).waitFor();
  await redirectPage(page).getByRole('button', { name: 'Close' }).click();
  await redirectPage(page).waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await field(page, 'Type').selectOption('true');
  await page.getByText('End of list: 1 redirect', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
}

/** Opens and closes what lies over the list. */
async function useDialogs(page: Page, round: number): Promise<void> {
  const dialog = page.getByRole('dialog');
  await page.keyboard.press('n');
  await dialog.getByLabel('From', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.keyboard.type(`page-${2_000 + round}`);
  await page
    .getByRole('option', { name: new RegExp(`page-${2_000 + round}`) })
    .first()
    .waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
}

/** Opens every screen of the website, and uses the tester, the unmatched paths and the desk of a move. */
async function useWebsite(page: Page, round: number): Promise<void> {
  const base = `/websites/${ids.websiteId}`;
  for (const path of WEBSITE_NAV!.keys()) await openScreen(page, path);
  await openScreen(page, '/tester');
  await field(page, 'URL or path').fill(`/old/page-${3_000 + round}`);
  await page.getByText('Match: exact path').waitFor();
  await openScreen(page, '/analytics');
  await follow(page, `${base}/analytics?`);
  await openScreen(page, '/not-found');
  await field(page, 'Requested').selectOption('people');
  await page.getByTitle('/guide/first-steps.html', { exact: true }).first().waitFor();
  await openScreen(page, '/checks');
  await follow(page, `${base}/checks/${ids.checkId}`);
  await openScreen(page, '/deployments');
  await follow(page, `${base}/deployments/`);
  await openScreen(page, '/moves');
  await follow(page, `${base}/moves/${ids.moveId}`);
  const selected = page.getByRole('option', { selected: true });
  await page.keyboard.press('End');
  await selected.filter({ hasText: '/moved/0' }).waitFor();
  await page.keyboard.press('Home');
  await selected.filter({ hasText: `/moved/${MOVE_ROWS - 1}` }).waitFor();
  await page.keyboard.press('x');
  await page.getByText(/^1 of/).waitFor();
  await page.keyboard.press('u');
  await page.getByText(/^0 of/).waitFor();
}

async function useAccount(page: Page): Promise<void> {
  for (const path of ACCOUNT_NAV!.keys()) await openScreen(page, path);
  await openScreen(page, '/webhooks');
  await follow(page, `/webhooks/${ids.webhookId}`);
  await openScreen(page, '/notices');
  await follow(page, `/notices/${ids.noticeId}`);
  await openScreen(page, '/websites');
  await follow(page, `/websites/${ids.websiteId}`);
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

test(`the heap, the nodes and the listeners stay as many for ${MINUTES} minutes of use`, async () => {
  const page = await dashboard.open(`/websites/${ids.websiteId}/redirects`);
  page.setDefaultTimeout(20_000);
  await loaded(page);
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Performance.enable');
  await page.evaluate('window.isSamePage = true');
  const samples: Sample[] = [];
  const end = performance.now() + MINUTES * 60_000;
  for (let round = 0; performance.now() < end; round++) {
    await useWebsite(page, round);
    await useAccount(page);
    await useList(page, round);
    await useDialogs(page, round);
    await page.locator('.toast').first().waitFor({ state: 'detached' });
    samples.push(await measure(devTools));
    console.log(round, Object.values(samples.at(-1)!).join(' '));
  }
  expect(await page.evaluate('window.isSamePage')).toBe(true);
  // The first third warms up: scripts load, and the browser compiles the functions that run often.
  expect(samples.length).toBeGreaterThan(3 * SPAN);
  const third = samples.slice(0, Math.floor(samples.length / 3));
  for (const name of FIGURES) {
    const levelAt = (until: Sample[]): number => median(until.slice(-SPAN).map((sample) => sample[name]));
    expect([name, levelAt(samples)]).toEqual([name, expect.toSatisfy((now) => now <= MAX_GROWTH * levelAt(third))]);
  }
  expect(dashboard.complaints).toEqual([]);
}, 1_800_000);
