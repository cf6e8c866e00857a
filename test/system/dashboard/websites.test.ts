/** Websites: the list, settings, hosts and deletion. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

test('websites: live versions, settings, a used host, and deletion', async () => {
  const id = await createSite(dashboard.owner, ['one.example.com'], { name: 'One' });
  await createSite(dashboard.owner, ['two.example.com', 'second-of-two.example.com'], { name: 'Two' });
  await addRedirect(dashboard.owner, id, { old_path: '/a', new_path: '/b' });
  await settled(dashboard.owner, id);
  const page = await dashboard.open('/websites');
  await page.getByText('1 redirect', { exact: true }).waitFor();
  await page.getByText('and 1 more').waitFor();
  await expectFits(page, 360);
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.goto(`/websites/${id}/settings`);
  const list = page.getByLabel('Hosts', { exact: true });
  await list.fill('one.example.com\ntwo.example.com staging');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page
    .getByRole('alert')
    .filter({ hasText: /^Line 2: .*two\.example\.com/ })
    .waitFor();
  expect(await list.getAttribute('aria-invalid')).toBe('true');
  await list.fill('one.example.com\nalso.example.com');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Settings saved').waitFor();
  expect((await dashboard.detour.visit('also.example.com', '/a')).location).toBe('/b');

  await page.getByLabel('Fallback URL').fill('https://mine.example.com');
  await dashboard.owner.call('PUT', `/api/websites/${id}`, {
    fallback_url: 'https://theirs.example.com',
    query: 'drop',
  });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const changed = page.getByRole('alert').filter({ hasText: `${dashboard.owner.email} changed these settings` });
  await changed.getByText('https://theirs.example.com').waitFor();
  expect(await page.getByLabel('Fallback URL').inputValue()).toBe('https://mine.example.com');
  await changed.getByRole('button', { name: 'Overwrite' }).click();
  await page.getByText('Settings saved').nth(1).waitFor();
  expect((await dashboard.owner.call('GET', `/api/websites/${id}`)).body.website).toMatchObject({
    fallback_url: 'https://mine.example.com',
    query: 'drop',
  });
  await expectAccessible(page);
  await expectFits(page, 360);

  expect(await list.inputValue()).toBe('one.example.com\nalso.example.com');
  await list.fill('one.example.com\n*.wild.example.com\nold.example.com -> new.example.com');
  await page.getByRole('alert').filter({ hasText: 'Line 3' }).waitFor();
  await list.fill('one.example.com\n*.wild.example.com\nold.example.com -> https://new.example.com 308');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('→ https://new.example.com').waitFor();
  expect((await dashboard.detour.visit('old.example.com', '/x')).location).toBe('https://new.example.com/x');
  // Messages cover a part of the page for some seconds, and while the pointer is on them.
  await page.mouse.move(0, 0);
  await page.getByText('Settings saved').first().waitFor({ state: 'detached' });
  // The bar with Save stays in view, and so covers a part of a shorter page.
  await page.setViewportSize({ width: 1280, height: 2_400 });
  await expectAccessible(page);
  await expectFits(page, 360);

  await page.getByRole('button', { name: 'Delete website' }).click();
  await page.getByLabel('Type One to confirm').fill('One');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete website' }).click();
  await page.getByText('One deleted').waitFor();
  expect((await dashboard.owner.call('GET', `/api/websites/${id}`)).status).toBe(404);
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
