/** axe on every screen while it loads, when that fails, and without data. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DashboardTest, expectAccessible, startDashboard } from '../system/dashboard/browser.ts';
import { fillAccount, type ScreenIds, SCREENS } from '../system/dashboard/screens.ts';
import { loaded } from '../support/loaded.ts';
import { createSite } from '../support/site.ts';

let dashboard: DashboardTest;
let ids: ScreenIds;
let empty: ScreenIds;
let emptyAccount: { cookie: string };
beforeAll(async () => {
  dashboard = await startDashboard();
  ids = await fillAccount(dashboard);
  const account = await dashboard.detour.account();
  emptyAccount = account;
  empty = {
    websiteId: await createSite(account, ['empty.example.com']),
    webhookId: 'none',
    noticeId: 'none',
    redirectId: 1,
    moveId: 'none',
    checkId: 'none',
  };
});
afterAll(() => dashboard.stop());

/** The requests of the frame; all others are those of the screen. */
const FRAME_PATHS = new Set(['/api/auth/session', '/api/websites']);
const isOfScreen = (url: URL): boolean => url.pathname.startsWith('/api/') && !FRAME_PATHS.has(url.pathname);

const SIGNED_IN = SCREENS.filter(({ isPublic }) => !isPublic).map((screen) => [screen.route, screen] as const);

test.each(SIGNED_IN)('%s is accessible while it loads, and when that fails', async (_, screen) => {
  const page = await dashboard.open('about:blank');
  let release = (): void => {};
  const isReleased = new Promise<void>((resolve) => (release = resolve));
  await page.route(isOfScreen, async (route) => {
    await isReleased;
    await route.abort();
  });
  await page.goto(screen.pathFor(ids));
  await page.locator('h1').waitFor();
  await expectAccessible(page, { schemes: ['light'] });
  release();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  await expectAccessible(page, { schemes: ['light'] });
});

test.each(SIGNED_IN)('%s is accessible without data', async (_, screen) => {
  const page = await dashboard.openAs(emptyAccount, screen.pathFor(empty));
  await loaded(page);
  await expectAccessible(page, { schemes: ['dark'] });
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
