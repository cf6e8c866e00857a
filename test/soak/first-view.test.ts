/** Every screen with an empty cache: the time to its content, and the size of its scripts. Then the memory of all. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { settled } from '../support/site.ts';
import { type DashboardTest, startDashboard } from '../system/dashboard/browser.ts';
import { fillAccount, type Screen, type ScreenIds, SCREENS } from '../system/dashboard/screens.ts';

const LIMIT_MS = 1_000;
const SCRIPTS_LIMIT_BYTES = 80_000;
const TRIES = 5;
const REDIRECTS = 5_000;

let dashboard: DashboardTest;
let ids: ScreenIds;
beforeAll(async () => {
  dashboard = await startDashboard();
  ids = await fillAccount(dashboard);
  const redirects = Array.from({ length: REDIRECTS }, (_, at) => ({
    old_path: `/old/page-${at}`,
    new_path: `/new/page-${at}`,
  }));
  const body = { website_id: String(ids.websiteId), redirects };
  expect((await dashboard.owner.keyCall('POST', '/api/v1/redirects/bulk', body)).status).toBe(200);
  await settled(dashboard.owner, ids.websiteId);
});
afterAll(() => dashboard.stop());

/** Resolves once the heading is shown and nothing loads any more. */
async function shown(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.locator('[aria-busy=true], .skeleton, .starting').first().waitFor({ state: 'detached' });
}

/** The bytes of the scripts, as they were sent. */
const scriptBytes = (page: Page): Promise<number> =>
  page.evaluate(`performance.getEntriesByType('resource')
    .filter(({ name }) => name.endsWith('.js'))
    .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`);

/** The time in ms from the request of a page to its content, with an empty cache. */
async function firstView({ pathFor, isPublic }: Screen): Promise<number> {
  const page = isPublic ? await dashboard.openAnonymously('about:blank') : await dashboard.blank();
  const start = performance.now();
  await page.goto(pathFor(ids), { waitUntil: 'commit' });
  await shown(page);
  const time = performance.now() - start;
  const bytes = await scriptBytes(page);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(SCRIPTS_LIMIT_BYTES);
  await page.context().close();
  return time;
}

/** The smallest page. It takes less than a quarter of the limit on an idle machine, and longer on a busy one. */
const SMALLEST = SCREENS.find(({ route }) => route === '/account/deleted')!;
const MAX_RATIO = 4;

test.each(SCREENS.map((screen) => [screen.route, screen] as const))(
  'weight, first view, memory: %s appears within a second and loads under 80 kB of scripts with an empty cache',
  async (_, screen) => {
    const tries: { time: number; limit: number }[] = [];
    const isFast = (): boolean => tries.some(({ time, limit }) => time < limit);
    // Other processes only add to the time: one good try is enough.
    while (tries.length < TRIES && !isFast()) {
      const time = await firstView(screen);
      const limit = time < LIMIT_MS ? LIMIT_MS : Math.max(LIMIT_MS, MAX_RATIO * (await firstView(SMALLEST)));
      tries.push({ time: Math.round(time), limit: Math.round(limit) });
    }
    expect([isFast(), tries]).toEqual([true, tries]);
  },
);

/** The bytes that scripts hold, after garbage collection. */
async function heapBytes(page: Page): Promise<number> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('HeapProfiler.collectGarbage');
  return (await devTools.send('Runtime.getHeapUsage')).usedSize;
}

test('weight, first view, memory: the heap stays under 10 MB after all screens were visited in one page', async () => {
  const page = await dashboard.open(`/websites/${ids.websiteId}/settings`);
  await shown(page);
  const links = await page.getByRole('navigation', { name: 'Main' }).locator('a.nav-link').all();
  expect(links.length).toBeGreaterThan(10);
  for (const link of [...links, ...links]) {
    await link.click();
    await shown(page);
  }
  expect(await heapBytes(page)).toBeLessThan(10_000_000);
});
