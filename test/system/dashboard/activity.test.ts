import { sql } from 'drizzle-orm';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

test('lists who changed what, with old and new values, and undoes a change and a deletion', async () => {
  const page = await dashboard.open('/activity?view=events');
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
  const page = await dashboard.open('/activity?view=events');
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
  const page = await dashboard.open(`/activity?view=events&website=${site}`);
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
  const page = await dashboard.open(`/activity?view=events&website=${site}`);
  await page.getByText('created /p54').waitFor();
  expect(await page.getByText('created /p0 →').count()).toBe(0);
  await page.getByRole('button', { name: 'Load more' }).click();
  await page.getByText('created /p0 →').waitFor();
  expect(await page.locator('.activity-list > li').count()).toBe(55);
});

describe('changes', () => {
  const rowOf = (page: Page, text: string | RegExp) => page.locator('[data-row]').filter({ hasText: text });
  const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name });
  const redirectOf = async (id: number) => (await dashboard.owner.call('GET', `/api/redirects/${id}`)).body.redirect;

  test('are listed with actor and counts, and open with every redirect before and after', async () => {
    const site = await createSite(dashboard.owner, ['changes.example.com'], { name: 'Changed', auto_deploy: false });
    const page = await dashboard.open(`/activity?website=${site}`);
    await page.getByText('No changes in the last 30 days').waitFor();
    await expectAccessible(page);
    const id = await addRedirect(dashboard.owner, site, { old_path: '/a', new_path: '/before' });
    await dashboard.owner.call('PUT', `/api/redirects/${id}`, { new_path: '/after', notes: 'moved' });
    await page.reload();
    await rowOf(page, `${dashboard.owner.email} created /a`).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'updated /a' }).click();
    const panel = dialogOf(page, 'Change');
    const item = panel.getByRole('list', { name: 'Redirects' }).getByRole('listitem').first();
    await item.getByText('/before', { exact: true }).waitFor();
    expect(await item.locator('ins').allTextContents()).toEqual(['/after', 'moved']);
    await expectAccessible(page);
    await expectFits(page, 360);
    await page.reload();
    await item.getByRole('link', { name: '/a', exact: true }).click();
    await dialogOf(page, 'Edit redirect').waitFor();
    const history = page.getByRole('region', { name: 'History' });
    await history.getByText('updated it').waitFor();
    expect(await history.locator('del').allTextContents()).toEqual(['/before', 'None']);
    await expectAccessible(page);
    await history.getByRole('link', { name: 'created it' }).click();
    await panel.getByText('/a → /before (301)').waitFor();
  });

  test('Undo asks with its result and conflicts; the toast undoes the undo', async () => {
    const site = await createSite(dashboard.owner, ['undo.example.com'], { auto_deploy: false });
    const [first = 0, second = 0] = [
      await addRedirect(dashboard.owner, site, { old_path: '/one', new_path: '/x' }),
      await addRedirect(dashboard.owner, site, { old_path: '/two', new_path: '/x' }),
    ];
    const body = { redirectIds: [first, second], updates: { group_id: 'sale' } };
    expect((await dashboard.owner.call('POST', '/api/redirects/bulk-update', body)).status).toBe(200);
    await dashboard.owner.call('PUT', `/api/redirects/${second}`, { new_path: '/since' });
    const page = await dashboard.open(`/activity?website=${site}`);
    await page.getByRole('button', { name: 'Undo: updated 2 redirects' }).click();
    const dialog = dialogOf(page, 'Undo this change?');
    await dialog.getByText('1 redirect will have the previous values again.').waitFor();
    await dialog.getByText('1 redirect stays as now').waitFor();
    await dialog.getByText('/two changed since').waitFor();
    await expectAccessible(page);
    await expectFits(page, 360);
    expect((await redirectOf(first)).group_id).toBe('sale');
    await dialog.getByRole('button', { name: 'Undo 1 redirect' }).click();
    await page.getByText('Undone: 1 restored; 1 redirect left unchanged').waitFor();
    expect([(await redirectOf(first)).group_id, (await redirectOf(second)).group_id]).toEqual([null, 'sale']);
    await rowOf(page, 'undid a change: 1 updated').waitFor();
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone: 1 restored', { exact: true }).waitFor();
    expect((await redirectOf(first)).group_id).toBe('sale');
  });

  test('keyboard: moves, opens a change, undoes it', async () => {
    const site = await createSite(dashboard.owner, ['change-keys.example.com'], { auto_deploy: false });
    const id = await addRedirect(dashboard.owner, site, { old_path: '/row', new_path: '/one' });
    await dashboard.owner.call('PUT', `/api/redirects/${id}`, { new_path: '/two' });
    const page = await dashboard.open(`/activity?website=${site}`);
    await rowOf(page, 'updated /row').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await dialogOf(page, 'Change').getByText('/two', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await dialogOf(page, 'Change').waitFor({ state: 'detached' });
    await page.locator('[data-row]').first().focus();
    await page.keyboard.press('u');
    const confirm = dialogOf(page, 'Undo this change?').getByRole('button', { name: 'Undo 1 redirect' });
    await confirm.focus();
    await page.keyboard.press('Enter');
    await page.getByText('Undone: 1 restored').waitFor();
    expect((await redirectOf(id)).new_path).toBe('/one');
    await rowOf(page, 'updated /row').getByText('Undone', { exact: true }).waitFor();
  });

  test('redirects of a large change are loaded page by page; viewers cannot undo', async () => {
    const site = await createSite(dashboard.owner, ['large.example.com'], { auto_deploy: false });
    const redirects = Array.from({ length: 120 }, (_, at) => ({ old_path: `/r${at}`, new_path: '/x' }));
    const imported = { website_id: String(site), redirects };
    expect((await dashboard.owner.keyCall('POST', '/api/v1/redirects/bulk', imported)).status).toBe(200);
    const email = 'change-viewer@example.com';
    const viewer = { email, role: 'viewer', password: 'a long password' };
    expect((await dashboard.owner.call('POST', '/api/users', viewer)).status).toBe(201);
    const page = await dashboard.openAnonymously(`/activity?website=${site}`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(viewer.password);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'imported redirects: 120 created' }).click();
    const panel = dialogOf(page, 'Change');
    await panel.getByText('/r0', { exact: true }).waitFor();
    expect(await panel.getByRole('listitem').count()).toBe(100);
    await panel.getByRole('button', { name: 'Load more' }).click();
    await panel.getByText('/r119', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /^Undo/ }).count()).toBe(0);
  });
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
