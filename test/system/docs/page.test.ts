/** The API reference in a real browser. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from '../dashboard/browser.ts';

let browser: DashboardTest;
beforeAll(async () => {
  browser = await startDashboard();
});
afterAll(async () => {
  await browser.stop();
  expect(browser.complaints).toEqual([]);
});

test('an operation is found by typing, shown by a press of Enter, and its curl line copied', async () => {
  const page = await browser.openAnonymously('/docs', { permissions: ['clipboard-read', 'clipboard-write'] });
  await page.keyboard.press('/');
  await page.keyboard.type('post bulk import');
  expect(await page.locator('nav .group li:visible').count()).toBe(1);
  await page.keyboard.press('Enter');
  expect(new URL(page.url()).hash).toBe('#importRedirectsV1');
  const operation = page.locator('#importRedirectsV1');
  await operation.getByRole('button', { name: 'Copy' }).click();
  await operation.getByRole('button', { name: 'Copied' }).waitFor();
  const copied = await page.evaluate('navigator.clipboard.readText()');
  expect(copied).toContain('/api/v1/redirects/bulk\' \\\n  -H "Authorization: Bearer $DETOUR_KEY"');
  await page.locator('nav a[aria-current][href="#importRedirectsV1"]').waitFor();
});

test('everything is there without script', async () => {
  const page = await browser.openAnonymously('/docs#createRedirect', { javaScriptEnabled: false });
  await page.locator('#createRedirect').getByRole('heading', { name: 'Create a redirect' }).waitFor();
  expect(await page.locator('.operation').count()).toBeGreaterThan(70);
  expect(await page.getByRole('button').count()).toBe(0);
});

/** Removes each operation whose elements and classes are all in earlier ones: axe takes about a second for each. */
const REMOVE_ALIKE = `(() => {
  const seen = new Set();
  const isNew = (kind) => !seen.has(kind) && seen.add(kind);
  for (const operation of document.querySelectorAll('.operation')) {
    const kinds = [...operation.querySelectorAll('*')].map((each) =>
      [each.parentElement, each].map(({ tagName, className }) => tagName + '.' + className).join(' > '));
    if (kinds.filter(isNew).length === 0) operation.remove();
  }
})()`;

test('axe finds nothing, light and dark, and it fits every width', async () => {
  const page = await browser.openAnonymously('/docs');
  for (const width of [360, 768, 1280, 3840]) await expectFits(page, width);
  await page.setViewportSize({ width: 1440, height: 900 });
  const ids: string[] = await page.evaluate(`[...document.querySelectorAll('[id]')].map(({ id }) => id)`);
  expect(new Set(ids).size).toBe(ids.length);
  await page.evaluate(REMOVE_ALIKE);
  expect(await page.locator('.operation').count()).toBeGreaterThan(3);
  await expectAccessible(page);
});
