/** The list of redirects in a browser. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import type { DashboardTest } from './browser.ts';

/** A file with 4,700 valid and 34 invalid rows. */
export const DOCS_FILE = join(import.meta.dirname, '..', '..', 'fixtures', 'windows-driver-docs.csv');

let made = 0;

/** Creates a website with these redirects and opens its list. */
export async function openList(
  dashboard: DashboardTest,
  redirects: Record<string, unknown>[],
  query = '',
): Promise<{ id: number; host: string; page: Page }> {
  const host = `r${++made}.example.com`;
  const id = await createSite(dashboard.owner, [host]);
  for (const redirect of redirects)
    await addRedirect(dashboard.owner, id, { old_path: '/', new_path: '/', ...redirect });
  const page = await dashboard.open(`/websites/${id}/redirects${query}`);
  return { id, host, page };
}

/** Creates a website with 4,700 redirects, all of them live. */
export async function createDocs(dashboard: DashboardTest): Promise<number> {
  const id = await createSite(dashboard.owner, ['docs.example.com']);
  const form = new FormData();
  form.append('file', new Blob([readFileSync(DOCS_FILE)]), 'docs.csv');
  const { body } = await dashboard.owner.call('POST', `/api/redirects/import?website_id=${id}`, form);
  expect(body.imported).toBe(4_700);
  await settled(dashboard.owner, id);
  return id;
}

/** The row of the redirect from this path. */
export const rowOf = (page: Page, path: string): Locator =>
  page.getByRole('row').filter({ has: page.getByRole('button', { name: path, exact: true }) });

/** The page of a redirect, beside the list or over it. */
export const redirectPage = (page: Page): Locator => page.locator('.redirect-page');
