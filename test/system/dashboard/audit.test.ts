import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSite } from '../../support/site.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

test('the menu opens the audit log, which says who did what, from where and when', async () => {
  await dashboard.owner.call('POST', '/api/keys', { name: 'Nightly', scope: 'read' });
  const site = await createSite(dashboard.owner, ['audit.example.com'], { name: 'Shop' });
  await dashboard.owner.call('PUT', `/api/websites/${site}`, { case_sensitive: false });
  const page = await dashboard.open('/account');
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByRole('heading', { name: 'Audit log' }).waitFor();
  const changed = page.getByRole('listitem').filter({ hasText: 'changed settings of the website Shop' });
  await changed.getByText('Case sensitive:').waitFor();
  await page.getByText(`${dashboard.owner.email} created the API key Nightly with read access`).waitFor();
  expect(await changed.locator('time').getAttribute('title')).toMatch(/20\d\d/);
  await changed.getByText('127.0.0.1').waitFor();
  await page.getByText('Operator created the account').waitFor();
  await expectFits(page, 360);
});

test('a filter by action is in the URL; without entries it offers to clear it', async () => {
  const page = await dashboard.open('/account/audit');
  await page.getByText(`${dashboard.owner.email} signed in`).first().waitFor();
  await page.getByLabel('Action').selectOption({ label: 'API key revoked' });
  await page.getByText('No matching entries').waitFor();
  expect(new URL(page.url()).search).toBe('?action=api_key.revoked');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Clear filters' }).last().click();
  await page.getByText(`${dashboard.owner.email} signed in`).first().waitFor();
});

test('filters by person, action and day are in the URL, and the export has the entries that they find', async () => {
  const account = await dashboard.detour.account();
  const viewer = { email: 'audit-filter@example.com', role: 'viewer', password: 'a long password' };
  expect((await account.call('POST', '/api/users', viewer)).status).toBe(201);
  const page = await dashboard.openAs(account, '/account/audit');
  await page.getByText('added the user audit-filter@example.com').waitFor();
  const rows = page.locator('[data-row]');
  const person = page.getByLabel('Person or API key');
  await person.fill('Operator');
  await expect.poll(() => rows.allTextContents()).toEqual([expect.stringContaining('created the account')]);
  await person.fill(account.email);
  await person.press('Enter');
  await page.getByText('added the user audit-filter@example.com').waitFor();
  await page.getByLabel('Action').selectOption({ label: 'User added' });
  await expect.poll(() => rows.count()).toBe(1);
  const today = await page.getByLabel('To the day').getAttribute('max');
  await page.getByLabel('From the day').fill(today ?? '');
  await page.getByLabel('To the day').fill(today ?? '');
  await expect.poll(() => new URL(page.url()).searchParams.get('until')).toBe(today);
  await page.getByText('added the user audit-filter@example.com').waitFor();
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.setViewportSize({ width: 1280, height: 800 });
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export these entries' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('audit-log.csv');
  const lines = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\n');
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain(`,${account.email},user.added,`);
  await page.goto(`${new URL(page.url()).origin}/account/audit?until=2020-01-01`);
  await page.getByText('No matching entries').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).last().click();
  await page.getByText('added the user audit-filter@example.com').waitFor();
});

test('keyboard: the rows, and older entries page by page', async () => {
  const account = await dashboard.detour.account();
  for (let at = 0; at < 55; at++) await account.call('POST', '/api/auth/confirm', { password: account.password });
  const page = await dashboard.openAs(account, '/websites');
  await page.getByRole('heading', { name: 'All websites' }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('l');
  await page.getByText('confirmed the password').first().waitFor();
  expect(await page.getByText('created the account').count()).toBe(0);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowDown');
  await page.getByText('created the account').waitFor();
  expect(await page.getByText('confirmed the password').count()).toBe(55);
});

test('only owners read it; a failed load shows an error, and Retry loads it', async () => {
  const viewer = { email: 'audit-viewer@example.com', role: 'viewer', password: 'a long password' };
  expect((await dashboard.owner.call('POST', '/api/users', viewer)).status).toBe(201);
  const other = await dashboard.openAnonymously('/account/audit');
  await other.getByLabel('Email').fill(viewer.email);
  await other.getByLabel('Password', { exact: true }).fill(viewer.password);
  await other.keyboard.press('Enter');
  await other.getByText('Only owners can read the audit log').waitFor();
  await expectAccessible(other);

  const page = await dashboard.open('/account');
  await page.route('**/api/audit?**', (route) => route.abort());
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByText('The service cannot be reached').waitFor();
  await page.unroute('**/api/audit?**');
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByText(`${dashboard.owner.email} signed in`).first().waitFor();
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
