/** axe on every screen: filled, narrow, dark, in forced colours, with a panel. Other states: test/soak/screen-states. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';
import { loaded } from '../../support/loaded.ts';
import { fillAccount, type Screen, type ScreenIds, SCREENS } from './screens.ts';

let dashboard: DashboardTest;
let ids: ScreenIds;
beforeAll(async () => {
  dashboard = await startDashboard();
  ids = await fillAccount(dashboard);
});
afterAll(() => dashboard.stop());

const open = (screen: Screen, query = ''): Promise<Page> =>
  screen.isPublic
    ? dashboard.openAnonymously(screen.pathFor(ids) + query)
    : dashboard.open(screen.pathFor(ids) + query);

const ALL = SCREENS.map((screen) => [screen.route, screen] as const);

/** Panels and dialogs that a query opens. Those that need a press are in the tests of their screens. */
const PANELS: [route: string, query: (ids: ScreenIds) => string][] = [
  ['/websites', () => '?new=website'],
  ['/websites/:websiteId/redirects', () => '?new=/'],
  ['/websites/:websiteId/settings', () => '?new=host'],
  ['/websites/:websiteId/expectations', () => '?new=expectation'],
  ['/websites/:websiteId/urls', () => '?panel=lists'],
  ['/websites/:websiteId/urls', () => '?panel=accepted'],
  ['/websites/:websiteId/moves', () => '?new=move'],
  ['/websites/:websiteId/moves/:moveId', () => '?panel=many'],
  ['/websites/:websiteId/moves/:moveId', () => '?panel=rules'],
  ['/websites/:websiteId/checks', () => '?new=check'],
  ['/websites/:websiteId/checks/:checkId', () => '?url=https%3A%2F%2Ffilled.example.com%2Fnewer'],
  ['/websites/:websiteId/health', ({ redirectId }) => `?show=chains&edit=${redirectId}`],
  ['/webhooks', () => '?new=webhook'],
  ['/notices', () => '?new=notice'],
  ['/notices/:noticeId', ({ noticeId }) => `?edit=${noticeId}`],
  ['/account', () => '?new=user'],
  ['/account/keys', () => '?new=key'],
];

/** `within`: the part that differs from a page that is checked whole. */
async function expectAccessibleAlways(page: Page, within?: string): Promise<void> {
  await expectAccessible(page, { schemes: ['light'] });
  await expectAccessible(page, { schemes: ['dark'], only: ['color-contrast'], within });
  await page.emulateMedia({ forcedColors: 'active' });
  await expectAccessible(page, { schemes: ['dark'], only: ['color-contrast'], within });
  await page.emulateMedia({ forcedColors: 'none' });
  await expectFits(page, 390);
  await expectAccessible(page, { schemes: ['light'], within });
}

describe('screen reader, contrast, motion', () => {
  test.each(ALL)('%s is accessible: filled, dark, in forced colours, at 390 px', async (_, screen) => {
    const page = await open(screen);
    await loaded(page);
    await expectAccessibleAlways(page);
  });

  test.each(PANELS)(
    '%s with a panel is accessible, also dark, in forced colours and at 390 px',
    async (route, query) => {
      const screen = SCREENS.find((each) => each.route === route);
      if (!screen) throw new Error(`no route ${route}`);
      const page = await open(screen, query(ids));
      await page.getByRole('dialog').waitFor();
      await page.locator('dialog [aria-busy=true]').first().waitFor({ state: 'detached' });
      await expectAccessibleAlways(page, 'dialog[open]');
    },
  );
});

const LISTS = ['urls', 'activity', 'expectations', 'not-found'].map((name) => `/websites/:websiteId/${name}`);

test.each(LISTS)('the rows of %s begin in the upper part of a phone', async (route) => {
  const screen = SCREENS.find((each) => each.route === route);
  const page = await dashboard.open(screen?.pathFor(ids) ?? '', { viewport: { width: 390, height: 800 } });
  await loaded(page);
  const top = await page
    .locator('[data-row]')
    .first()
    .evaluate((row) => row.getBoundingClientRect().top);
  expect(top).toBeLessThan(300);
});

const SEARCHES = ['urls', 'not-found', 'moves/:moveId', 'redirects'].map((name) => `/websites/:websiteId/${name}`);

test.each(SEARCHES)('the search of %s shows its whole placeholder on a phone', async (route) => {
  const screen = SCREENS.find((each) => each.route === route);
  const page = await dashboard.open(screen?.pathFor(ids) ?? '', { viewport: { width: 360, height: 800 } });
  await loaded(page);
  for (const width of [360, 390]) {
    await page.setViewportSize({ width, height: 800 });
    const room = await page
      .getByRole('searchbox')
      .or(page.getByRole('combobox', { name: 'Search' }))
      .first()
      .evaluate((field) => field.getBoundingClientRect().width);
    // The whole line, except the margins of the page and the icon of the filters.
    expect(room).toBeGreaterThan(width - 90);
  }
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
