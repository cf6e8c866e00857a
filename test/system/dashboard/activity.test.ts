import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

test('lists who changed what, with old and new values, and undoes a change and a deletion', async () => {
  const page = await dashboard.open('/activity');
  await page.getByText('No activity yet').waitFor();
  await expectAccessible(page);
  const host = 'activity.example.com';
  const site = await createSite(dashboard.owner, [host]);
  const id = await addRedirect(dashboard.owner, site, { old_path: '/a', new_path: '/before' });
  await dashboard.owner.call('PUT', `/api/redirects/${id}`, { new_path: '/after', notes: 'moved' });
  await settled(dashboard.owner, site);
  await page.reload();
  const changed = page.getByRole('listitem').filter({ hasText: 'updated /a → /after' });
  await changed.getByText('/before', { exact: true }).waitFor();
  await page.getByText(`${dashboard.owner.email} created /a → /before`).waitFor();
  await page
    .getByText(/deployed version \d+ to production/)
    .first()
    .waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Undo: updated /a' }).click();
  await page.getByText('Change of /a undone').waitFor();
  await until(async () => (await dashboard.detour.visit(host, '/a')).location === '/before');

  await dashboard.owner.call('DELETE', `/api/redirects/${id}`);
  await page.reload();
  await page.getByRole('button', { name: 'Undo: deleted /a' }).click();
  await page.getByText('/a restored').waitFor();
  await until(async () => (await dashboard.detour.visit(host, '/a')).location === '/before');
  await page.getByRole('button', { name: 'Undo: deleted /a' }).click();
  await page.getByText(/^Could not undo: /).waitFor();
  await expectFits(page, 360);
  await expectAccessible(page);
});

test('filters by website, event and redirect in the URL, and links to the redirect', async () => {
  const site = await createSite(dashboard.owner, ['one.example.com'], { name: 'One', auto_deploy: false });
  const other = await createSite(dashboard.owner, ['other.example.com'], {
    name: 'Other',
    auto_deploy: false,
  });
  const id = await addRedirect(dashboard.owner, site, { old_path: '/mine', new_path: '/x' });
  await addRedirect(dashboard.owner, site, { old_path: '/next', new_path: '/x' });
  await addRedirect(dashboard.owner, other, { old_path: '/theirs', new_path: '/x' });
  const page = await dashboard.open('/activity');
  await page.getByText('created /theirs').waitFor();
  await page.getByLabel('Website', { exact: true }).selectOption('One');
  await page.getByText('created /theirs').waitFor({ state: 'detached' });
  await page.getByText('created /mine').waitFor();
  await page.getByLabel('Event', { exact: true }).selectOption('redirect.deleted');
  await page.getByText('No matching events').waitFor();
  expect(page.url()).toMatch(/event=redirect.deleted/);
  await page.goto(`/activity?redirect=${id}`);
  await page.getByText('created /mine').waitFor();
  expect(await page.getByText('created /next').count()).toBe(0);
  await page.getByRole('link', { name: 'created /mine → /x' }).click();
  await page.getByRole('dialog', { name: 'Edit redirect' }).waitFor();
});

test('keyboard: moves between rows and days, undoes a change, opens the redirect', async () => {
  const site = await createSite(dashboard.owner, ['rows.example.com'], { auto_deploy: false });
  const id = await addRedirect(dashboard.owner, site, { old_path: '/row', new_path: '/one' });
  await dashboard.owner.call('PUT', `/api/redirects/${id}`, { new_path: '/two' });
  await dashboard.detour.db.execute(sql`
    update events set body = regexp_replace(body, '"timestamp":"[^"]+"', '"timestamp":"2026-01-01T00:00:00Z"')
    where website_id = ${site} and event = 'redirect.created'`);
  const page = await dashboard.open(`/activity?website=${site}`);
  await page.getByText('created /row').waitFor();
  expect(await page.locator('.activity-day').count()).toBe(2);
  const focusedText = () => page.locator('[data-row]:focus .activity-text > p').textContent();
  await page.keyboard.press('ArrowDown');
  expect(await focusedText()).toMatch(/updated \/row → \/two$/);
  await page.keyboard.press('ArrowDown');
  expect(await focusedText()).toMatch(/created \/row → \/one$/);
  await expectAccessible(page);
  await page.keyboard.press('Home');
  await page.keyboard.press('u');
  await page.getByText('Change of /row undone').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Edit redirect' }).waitFor();
});

test('loads many events page by page', async () => {
  const site = await createSite(dashboard.owner, ['pages.example.com'], { auto_deploy: false });
  for (let at = 0; at < 55; at++) await addRedirect(dashboard.owner, site, { old_path: `/p${at}`, new_path: '/x' });
  const page = await dashboard.open(`/activity?website=${site}`);
  await page.getByText('created /p54').waitFor();
  expect(await page.getByText('created /p0 →').count()).toBe(0);
  await page.getByRole('button', { name: 'Load more' }).click();
  await page.getByText('created /p0 →').waitFor();
  expect(await page.locator('.activity-list > li').count()).toBe(55);
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
