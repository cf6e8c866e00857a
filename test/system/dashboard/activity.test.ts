import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';
import { redirectPage } from './list.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

describe('one list', () => {
  test('has changes, settings and deployments, newest first, in words', async () => {
    const host = 'one-list.example.com';
    const site = await createSite(dashboard.owner, [host], { name: 'One list', auto_deploy: false });
    const id = await addRedirect(dashboard.owner, site, { old_path: '/a', new_path: '/before' });
    await dashboard.owner.call('PUT', `/api/redirects/${id}`, { new_path: '/after' });
    await dashboard.owner.call('PUT', `/api/websites/${site}`, { fallback_url: 'https://old.example.com' });
    const body = { website_id: site, environment: 'production', note: 'Summer sale' };
    await dashboard.owner.call('POST', '/api/deployments', body);
    await settled(dashboard.owner, site);
    const page = await dashboard.open(`/activity?website=${site}`);
    const rows = page.locator('[data-row] .activity-text > p:first-child');
    await rows.first().waitFor();
    const { email } = dashboard.owner;
    expect(await rows.allTextContents()).toEqual([
      `${email} deployed version 1 to production with 1 redirect`,
      `${email} changed settings of the website One list`,
      `${email} changed the target of /a`,
      `${email} created /a`,
      `${email} created the website One list`,
    ]);
    await page.getByText('Summer sale').waitFor();
    await page.locator('ins').filter({ hasText: 'https://old.example.com' }).waitFor();
    await expectFits(page, 360);
    await page.getByRole('link', { name: /^deployed version 1/ }).click();
    await page.getByRole('heading', { name: 'Deployments' }).waitFor();
  });

  test('the changes of a group are undone together, the last one first', async () => {
    const site = await createSite(dashboard.owner, ['group.example.com'], { name: 'Group' });
    for (let at = 0; at < 6; at++) await addRedirect(dashboard.owner, site, { old_path: `/p${at}`, new_path: '/x' });
    const page = await dashboard.open(`/activity?website=${site}`);
    await page.getByRole('button', { name: 'Show: created 6 redirects' }).click();
    await page.getByRole('button', { name: 'Undo all 6' }).click();
    await page.getByText('Undone: 6 deleted').waitFor();
    expect((await dashboard.owner.call('GET', `/api/redirects/count?website_id=${site}`)).body.count).toBe(0);
    await page.getByRole('button', { name: 'Undo all 6' }).waitFor({ state: 'detached' });
  });

  test('filters by kind, person and path in the URL, and pages through all of it', async () => {
    const site = await createSite(dashboard.owner, ['filters.example.com'], { name: 'Filters', auto_deploy: false });
    for (let at = 0; at < 55; at++) await addRedirect(dashboard.owner, site, { old_path: `/p${at}`, new_path: '/x' });
    const page = await dashboard.open(`/activity?website=${site}`);
    const rows = page.locator('[data-row]');
    await page.getByText('created at least 50 redirects').waitFor();
    expect(await rows.count()).toBe(1);
    await page.getByRole('button', { name: 'Show: created at least 50 redirects' }).click();
    await page.getByRole('button', { name: 'Load more' }).click();
    // The entries of the next page join the group, which stays open.
    await page.getByRole('button', { name: 'Hide: created 55 redirects' }).waitFor();
    await page.getByText('created /p0', { exact: true }).waitFor();
    expect(await rows.count()).toBe(57);
    await page.getByLabel('Path of a redirect').fill('https://filters.example.com/p7');
    await page.keyboard.press('Enter');
    await page.getByText('created 55 redirects').waitFor({ state: 'detached' });
    await expect.poll(() => rows.allTextContents()).toEqual([expect.stringMatching(/created \/p7/)]);
    expect(page.url()).toMatch(/path=%2Fp7$/);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByLabel('Kind', { exact: true }).selectOption('Settings');
    await page.getByText('created the website Filters').waitFor();
    await expect.poll(() => rows.count()).toBe(1);
    // A part of the name applies while it is typed.
    const person = page.getByLabel('Person or API key');
    await person.pressSequentially('strang');
    await page.getByText('No matching activity').waitFor();
    await person.fill(dashboard.owner.email.slice(1, -4).toUpperCase());
    await page.getByText('created the website Filters').waitFor();
    expect(await person.inputValue()).toBe(dashboard.owner.email.slice(1, -4).toUpperCase());
    await person.fill('stranger@example.com');
    await page.getByText('No matching activity').waitFor();
    await expectAccessible(page);
    await page.reload();
    await page.getByText('No matching activity').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).last().click();
    await page.getByText('created at least 50 redirects').waitFor();
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    await page.getByLabel('To the day').fill(yesterday);
    await page.getByText('No matching activity').waitFor();
    await page.getByLabel('From the day').fill(yesterday);
    await page.getByLabel('To the day').fill('');
    await page.getByText('created at least 50 redirects').waitFor();
    expect(page.url()).toMatch(/since=\d{4}-\d\d-\d\d$/);
  });
});

test('a change of the options of a website is undone, and the message undoes this', async () => {
  const site = await createSite(dashboard.owner, ['options.example.com'], { name: 'Options', auto_deploy: false });
  const path = `/api/websites/${site}`;
  expect((await dashboard.owner.call('PUT', path, { case_sensitive: false })).status).toBe(200);
  const isSensitive = async () => (await dashboard.owner.call('GET', path)).body.website.case_sensitive;
  const page = await dashboard.open(`/websites/${site}/activity`);
  await page.getByRole('button', { name: 'Undo: Website settings changed' }).click();
  await page.getByText('The settings of Options are as before').waitFor();
  expect(await isSensitive()).toBe(true);
  await expectAccessible(page);
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await expect.poll(isSensitive).toBe(false);
  // The undo itself is in the list; its values were changed again since.
  const undo = page.getByRole('button', { name: 'Undo: Website settings changed' });
  await expect.poll(() => undo.count()).toBe(3);
  await undo.nth(1).click();
  await page.getByText('Not undone: the settings were changed again since.').waitFor();
  expect(await isSensitive()).toBe(false);
});

test('the activity of all websites names the website of each entry, and has those of the account once', async () => {
  const account = await dashboard.detour.account();
  const [first, second] = [
    await createSite(account, ['all-first.example.com'], { name: 'First', auto_deploy: false }),
    await createSite(account, ['all-second.example.com'], { name: 'Second', auto_deploy: false }),
  ];
  await addRedirect(account, first, { old_path: '/a', new_path: '/b' });
  const viewer = { email: 'all-viewer@example.com', role: 'viewer', password: 'a long password' };
  expect((await account.call('POST', '/api/users', viewer)).status).toBe(201);
  await addRedirect(account, second, { old_path: '/c', new_path: '/d' });
  const page = await dashboard.openAs(account, '/activity');
  const row = (text: string) => page.locator('[data-row]').filter({ hasText: text });
  await row('created /c').getByRole('link', { name: 'Second' }).waitFor();
  await row('created /a').getByRole('link', { name: 'First' }).waitFor();
  expect(await row('added the user all-viewer@example.com').count()).toBe(1);
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByLabel('Kind', { exact: true }).selectOption('Created');
  await row('added the user').waitFor({ state: 'detached' });
  await page.getByLabel('Website', { exact: true }).selectOption('First');
  await page.waitForURL(`**/websites/${first}/activity?kind=create`);
  await row('created /c').waitFor({ state: 'detached' });
  expect(await row('created /a').getByRole('link', { name: 'First' }).count()).toBe(0);
  await page.getByLabel('Website', { exact: true }).selectOption('All websites');
  await row('created /c').getByRole('link', { name: 'Second' }).click();
  await page.waitForURL(`**/websites/${second}/activity`);
});

describe('changes', () => {
  const rowOf = (page: Page, text: string | RegExp) => page.locator('[data-row]').filter({ hasText: text });
  const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name });
  const redirectOf = async (id: number) => (await dashboard.owner.call('GET', `/api/redirects/${id}`)).body.redirect;

  test('are listed with actor and counts, and open with every redirect before and after', async () => {
    const site = await createSite(dashboard.owner, ['changes.example.com'], { name: 'Changed', auto_deploy: false });
    const page = await dashboard.open(`/activity?website=${site}`);
    await page.getByText('created the website Changed').waitFor();
    const id = await addRedirect(dashboard.owner, site, { old_path: '/a', new_path: '/before' });
    await dashboard.owner.call('PUT', `/api/redirects/${id}`, { new_path: '/after', notes: 'moved' });
    await page.reload();
    await rowOf(page, `${dashboard.owner.email} created /a`).waitFor();
    await page.getByRole('link', { name: 'changed the target and the notes of /a' }).click();
    const panel = dialogOf(page, 'Change');
    const item = panel.getByRole('list', { name: 'Redirects' }).getByRole('listitem').first();
    await item.getByText('/before', { exact: true }).waitFor();
    expect(await item.locator('ins').allTextContents()).toEqual(['/after', 'moved']);
    await expectAccessible(page);
    await expectFits(page, 360);
    await page.reload();
    await item.getByRole('link', { name: '/a', exact: true }).click();
    await redirectPage(page).waitFor();
    const history = page.getByRole('region', { name: 'History' });
    await history.getByText('updated it').waitFor();
    expect(await history.locator('del').allTextContents()).toEqual(['/before', 'None']);
    await expectAccessible(page);
    await page.getByText(`Changed by ${dashboard.owner.email}, `).waitFor();
    await history.getByRole('button', { name: /^Restore this version/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Version restored').waitFor();
    expect(await redirectOf(id)).toMatchObject({ new_path: '/before', notes: null });
    await page.goto(`/websites/${site}/redirects/${id}`);
    await history.getByRole('link', { name: 'created it' }).click();
    await panel.getByText('/a → /before (301)').waitFor();
  });

  test('equal edits are one row, which opens to them with what changed; keys and Undo work in it', async () => {
    const site = await createSite(dashboard.owner, ['groups.example.com'], { name: 'Groups', auto_deploy: false });
    for (const path of ['/one', '/two', '/three']) {
      const id = await addRedirect(dashboard.owner, site, { old_path: path, new_path: '/before' });
      await dashboard.owner.call('PUT', `/api/redirects/${id}`, { new_path: `/after${path}`, status_code: 302 });
      await addRedirect(dashboard.owner, site, { old_path: `${path}-more`, new_path: '/x' });
    }
    const page = await dashboard.open(`/activity?website=${site}&kind=update`);
    await page.getByText('changed the target and the status of 3 redirects').waitFor();
    expect(await page.locator('[data-row]').count()).toBe(1);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const inside = page.getByRole('list', { name: 'changed the target and the status of 3 redirects' });
    await inside.getByText('of /one').waitFor();
    expect(await inside.locator('li[data-row]').first().locator('del, ins').allTextContents()).toEqual([
      ...['/before', '/after/three', '301', '302'],
    ]);
    await expectAccessible(page);
    await expectFits(page, 360);
    await page.keyboard.press('u');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('u');
    const dialog = dialogOf(page, 'Undo this change?');
    await dialog.getByRole('button', { name: 'Undo 1 redirect' }).click();
    await page.getByText('Undone: 1 restored').waitFor();
    await inside.locator('li[data-row]').nth(1).getByText('Undone', { exact: true }).waitFor();
    // Without the filter, creations stand between the edits.
    await page.goto(`/websites/${site}/activity`);
    await page.getByText('created /three-more').waitFor();
    await rowOf(page, 'changed the target and the status of /three').locator('ins').first().waitFor();
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
    const page = await dashboard.blank();
    await page.clock.install();
    await page.goto(`/activity?website=${site}`);
    await page.getByRole('button', { name: 'Undo: changed the group of 2 redirects' }).click();
    const dialog = dialogOf(page, 'Undo this change?');
    await dialog.getByText('1 redirect will have the previous values again.').waitFor();
    await dialog.getByText('1 redirect stays as now').waitFor();
    await dialog.getByText('/two changed since').waitFor();
    await expectAccessible(page);
    await expectFits(page, 360);
    expect((await redirectOf(first)).group_id).toBe('sale');
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/undo', async (route) => {
      await held;
      await route.continue();
    });
    await dialog.getByRole('button', { name: 'Undo 1 redirect' }).click();
    await page.getByRole('status').getByText('Undoing…').waitFor();
    release();
    await page.getByText('Undone: 1 restored; 1 redirect left unchanged').waitFor();
    await page.getByText('Undoing…').waitFor({ state: 'detached' });
    // It stays until it is closed.
    await page.clock.fastForward(60_000);
    await page.getByRole('status').getByText('/two: changed since').waitFor();
    expect([(await redirectOf(first)).group_id, (await redirectOf(second)).group_id]).toEqual([null, 'sale']);
    await rowOf(page, 'undid the change of the group: /one; 1 stayed').waitFor();
    await page.getByText(`Undone by ${dashboard.owner.email}`).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    for (const name of ['View what was undone', 'View the undo'])
      expect((await page.getByRole('link', { name }).first().boundingBox())?.height).toBeGreaterThanOrEqual(24);
    await page.getByRole('status').getByRole('button', { name: 'Redo' }).click();
    await page.getByText('Redone: 1 restored', { exact: true }).waitFor();
    expect((await redirectOf(first)).group_id).toBe('sale');
  });

  test('keyboard: moves, opens a change, undoes it', async () => {
    const site = await createSite(dashboard.owner, ['change-keys.example.com'], { auto_deploy: false });
    const id = await addRedirect(dashboard.owner, site, { old_path: '/row', new_path: '/one' });
    await dashboard.owner.call('PUT', `/api/redirects/${id}`, { new_path: '/two' });
    const page = await dashboard.open(`/activity?website=${site}`);
    await rowOf(page, 'changed the target of /row').waitFor();
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
    await rowOf(page, 'changed the target of /row').getByText('Undone', { exact: true }).waitFor();
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
    await page.getByLabel('Password', { exact: true }).fill(viewer.password);
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
