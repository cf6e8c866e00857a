/** Hits and last hit in the list of redirects. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { lastHit, redirectDay } from '../../support/hits.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';
import { redirectPage } from './list.ts';

const DAY_MS = 86_400_000;
const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);
const day = (time: Date): string => time.toISOString().slice(0, 10);

let dashboard: DashboardTest;
let id: number;
const ids = new Map<string, number>();
beforeAll(async () => {
  dashboard = await startDashboard();
  id = await createSite(dashboard.owner, ['hits.example.com']);
  // More hits, older last hit. /never has no hits, /old only before the period; /fresh is new today.
  for (const path of ['/never', '/old', '/few', '/many', '/fresh']) {
    const made = await addRedirect(dashboard.owner, id, { old_path: path, new_path: `/to${path}` });
    ids.set(path, made);
  }
  for (const [path, hits, ago] of [
    ['/old', 0, 200],
    ['/few', 3, 1],
    ['/many', 12_345, 5],
  ] as const) {
    const at = { websiteId: id, redirectId: ids.get(path) ?? 0 };
    const time = daysAgo(ago);
    await lastHit(dashboard.detour.db, { ...at, time: time.toISOString() });
    if (hits > 0) await redirectDay(dashboard.detour.db, { ...at, day: day(time), hits });
  }
  await dashboard.detour.db.$client.query(
    `update redirects set created_at = now() - interval '300 days' where website_id = $1 and old_path <> '/fresh'`,
    [id],
  );
  await settled(dashboard.owner, id);
});
afterAll(() => dashboard.stop());

const address = (query = ''): string => `/websites/${id}/redirects${query}`;
const rowOf = (page: Page, path: string) =>
  page.getByRole('row').filter({ has: page.getByRole('button', { name: path, exact: true }) });
const paths = (page: Page): Promise<string[]> => page.locator('.rows .path').allInnerTexts();

describe('columns', () => {
  test('each redirect shows its hits of 30 days and its last hit', async () => {
    const page = await dashboard.open(address());
    await expectText(page, '/many', ['12,345', '5 days ago']);
    await expectText(page, '/few', ['3', 'yesterday']);
    await expectText(page, '/never', ['0', 'Never']);
    expect(await rowOf(page, '/many').getByRole('img').getAttribute('aria-label')).toMatch(/^Most hits on .*: 12,345$/);
    expect(await rowOf(page, '/never').getByRole('img').count()).toBe(0);
  });

  test('a click on a column header sorts by it, a second click reverses the order', async () => {
    const page = await dashboard.open(address());
    const clickHeader = (name: string) => page.getByRole('columnheader').getByRole('button', { name }).click();
    const order = (expected: string[]) => until(async () => (await paths(page)).join() === expected.join());
    await rowOf(page, '/many').waitFor();
    await clickHeader('Hits 30 d');
    await order(['/many', '/few', '/fresh', '/old', '/never']);
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-hits');
    await clickHeader('Hits 30 d');
    await order(['/never', '/old', '/fresh', '/few', '/many']);
    await clickHeader('Last hit');
    await order(['/few', '/many', '/old', '/fresh', '/never']);
    expect(await page.getByRole('columnheader', { name: 'Last hit' }).getAttribute('aria-sort')).toBe('descending');
    await clickHeader('From');
    await order(['/few', '/fresh', '/many', '/never', '/old']);
  });

  test('the filter for unused redirects excludes newer redirects', async () => {
    const page = await dashboard.open(address('?sort=old_path'));
    await rowOf(page, '/many').waitFor();
    await page.getByLabel('Usage').selectOption({ label: 'Unused for 180 days' });
    await page.getByText('End of list: 2 redirects').waitFor();
    expect(await paths(page)).toEqual(['/never', '/old']);
    await page.getByLabel('Usage').selectOption({ label: 'Unused for 365 days' });
    await page.getByText('No matching redirects').waitFor();
    await page.getByRole('button', { name: 'Clear search and filters' }).click();
    await rowOf(page, '/many').waitFor();
  });

  test('sorted by hits, scrolling loads all pages', async () => {
    const site = await createSite(dashboard.owner, ['many-hits.example.com']);
    const count = 900;
    const redirects = Array.from({ length: count }, (_, at) => ({ old_path: `/p${at}`, new_path: '/x' }));
    const made = await dashboard.owner.keyCall('POST', '/api/v1/redirects/bulk', {
      website_id: String(site),
      redirects,
    });
    expect(made.body.summary.created).toBe(count);
    await dashboard.detour.db.$client.query(
      `insert into redirect_hits (website_id, redirect_id, environment, day, hits, bot_hits, micros, countries, visitors)
       select website_id, id, 'production', $2, substr(old_path, 3)::int % 300, 0, 0, '{}', '\\x' from redirects where website_id = $1`,
      [site, day(daysAgo(2))],
    );
    const page = await dashboard.open(`/websites/${site}/redirects?sort=-hits`);
    await rowOf(page, '/p299').waitFor();
    const scroller = page.locator('.grid-scroll');
    await until(async () => {
      await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      return (await page.getByText(`End of list: ${count} redirects`).count()) === 1;
    });
  });

  test('narrow pages show hits in the row if sorted by hits, and on the page of a redirect', async () => {
    const page = await dashboard.open(address('?sort=-hits'), { viewport: { width: 360, height: 740 } });
    await rowOf(page, '/many').getByText('12,345 hits').waitFor();
    await rowOf(page, '/many').getByRole('button', { name: '/many', exact: true }).click();
    await page.getByText(/12,345 hits in production in the last 30 days, last hit 5 days ago/).waitFor();
    await page.getByRole('img', { name: /^Most hits on / }).waitFor();
    await page.keyboard.press('Escape');
    await expectFits(page, 360);
    await expectAccessible(page);
  });

  test('the list is accessible', async () => {
    const page = await dashboard.open(address('?sort=-hits'), { viewport: { width: 1600, height: 900 } });
    await rowOf(page, '/many').waitFor();
    await expectAccessible(page);
  });
});

test('the page of a redirect links to the analytics and the activity of the redirect', async () => {
  const page = await dashboard.open(address(`/${ids.get('/many')}`));
  const panel = redirectPage(page);
  expect(await panel.getByRole('link', { name: 'Activity' }).getAttribute('href')).toBe(
    `/websites/${id}/activity?path=%2Fmany`,
  );
  await panel.getByRole('link', { name: 'Analytics' }).click();
  await page.getByRole('heading', { name: '/many' }).waitFor();
});

async function expectText(page: Page, path: string, texts: string[]): Promise<void> {
  const row = rowOf(page, path);
  await row.waitFor();
  const shown = await row.locator('.cell-hits, .cell-last').allTextContents();
  expect(shown).toEqual(texts);
}

test('no script errors or policy violations', () => {
  expect(dashboard.complaints).toEqual([]);
});
