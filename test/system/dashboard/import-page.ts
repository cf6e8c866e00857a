/** The import screen in a browser. */
import type { Locator, Page } from 'playwright-core';
import { createSite } from '../../support/site.ts';
import type { DashboardTest } from './browser.ts';

let sites = 0;

/** Creates a website and opens its import screen. */
export async function openImport(dashboard: DashboardTest, name: string): Promise<{ id: number; page: Page }> {
  const id = await createSite(dashboard.owner, [`import${++sites}.example.com`], { name });
  return { id, page: await dashboard.open(`/websites/${id}/import`) };
}

export const chooseFile = (page: Page, text: string, name = 'redirects.csv'): Promise<void> =>
  page.getByLabel('File to import').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

export const countOf = async (dashboard: DashboardTest, id: number): Promise<number> =>
  (await dashboard.owner.call('GET', `/api/redirects/count?website_id=${id}`)).body.count;

export const tableOf = (page: Page): Locator => page.getByRole('table', { name: 'Result of each row' });

/** The texts of the visible rows, without the header. */
export async function rowsIn(page: Page): Promise<string[]> {
  const texts = await tableOf(page).getByRole('row').allInnerTexts();
  return texts.slice(1).map((text) => text.split(/\s+/).filter(Boolean).join(' '));
}

export const filterBy = (page: Page, name: RegExp): Promise<void> =>
  page.getByRole('group', { name: 'Rows to show' }).getByRole('button', { name }).click();
