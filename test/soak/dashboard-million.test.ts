/** The list with 1,000,000 redirects. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSite, settled } from '../support/site.ts';
import { until } from '../support/wait.ts';
import { type DashboardTest, startDashboard } from '../system/dashboard/browser.ts';

const COUNT = 1_000_000;
const LINES_PER_CHUNK = 5_000;

let dashboard: DashboardTest;
let id: number;
beforeAll(async () => {
  dashboard = await startDashboard();
  id = await createSite(dashboard.owner, ['million.example.com']);
  const response = await fetch(`${dashboard.detour.address}/api/v1/redirects/bulk?website_id=${id}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${dashboard.owner.key}`, 'content-type': 'application/x-ndjson' },
    body: ReadableStream.from(lines()),
    duplex: 'half',
  });
  expect(await response.json()).toMatchObject({ summary: { created: COUNT } });
  // Takes 5 s on an idle machine.
  await settled(dashboard.owner, id, 'production', 60_000);
}, 300_000);
afterAll(() => dashboard.stop());

function* lines(): Generator<Uint8Array> {
  for (let from = 0; from < COUNT; from += LINES_PER_CHUNK) {
    const chunk = Array.from({ length: LINES_PER_CHUNK }, (_, at) =>
      JSON.stringify({ old_path: `/catalogue/item-${from + at}`, new_path: `/shop/product-${from + at}` }),
    );
    yield Buffer.from(`${chunk.join('\n')}\n`);
  }
}

test('shows the first and the last rows and the count, and renders only visible rows', async () => {
  const page = await dashboard.open(`/websites/${id}/redirects?sort=old_path`);
  await page.getByRole('button', { name: '/catalogue/item-0', exact: true }).waitFor();
  await page.getByText('1,000,000').waitFor();
  const scroller = page.locator('.grid-scroll');
  await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await page.getByRole('button', { name: '/catalogue/item-999999', exact: true }).waitFor();
  expect(await page.getByRole('row').count()).toBeLessThan(80);
  // An element for all rows would be taller than browsers allow.
  expect(await scroller.evaluate((element) => element.scrollHeight)).toBeLessThan(50_000 * 44);
});

test('a search finds one redirect, and an edit of it goes live', async () => {
  const page = await dashboard.open(`/websites/${id}/redirects?q=item-765432`);
  await page.getByText('End of list: 1 redirect', { exact: true }).waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('gridcell').getByLabel('To').fill('/elsewhere');
  await page.keyboard.press('Enter');
  await page.getByText('Saved').waitFor();
  await until(async () => {
    const { location } = await dashboard.detour.visit('million.example.com', '/catalogue/item-765432');
    return location === '/elsewhere';
  });
});

test('all matches of a search can be deleted after a confirmation with their number', async () => {
  const page = await dashboard.open(`/websites/${id}/redirects?q=item-5000`);
  await page.getByText('111', { exact: true }).waitFor();
  await page.getByRole('checkbox', { name: 'Select loaded rows' }).click();
  await page.getByRole('button', { name: 'Select all 111' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Delete 111 redirects' }).click();
  await page.getByText('111 redirects deleted').waitFor();
  const left = await dashboard.owner.call('GET', `/api/redirects/count?website_id=${id}`);
  expect(left.body.count).toBe(COUNT - 111);
});
