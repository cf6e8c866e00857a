/** Websites: the list, settings, hosts and deletion. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard({ PUBLIC_URL: 'https://detour.example.net' });
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

  await page.getByLabel('Fallback URL').waitFor();
  // The frame names the website.
  expect(await page.locator('main').getByText('One', { exact: true }).count()).toBe(0);
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
  await page.getByText('Settings saved').waitFor();
  expect((await dashboard.owner.call('GET', `/api/websites/${id}`)).body.website).toMatchObject({
    fallback_url: 'https://mine.example.com',
    query: 'drop',
  });
  await expectAccessible(page);
  await expectFits(page, 360);

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

test('hosts: one is added with its DNS record, edited and removed; many are pasted', async () => {
  const { owner, detour } = dashboard;
  const id = await createSite(owner, ['first.example.com'], { name: 'Hosts' });
  await createSite(owner, ['taken.example.com'], { name: 'Other' });
  await addRedirect(owner, id, { old_path: '/a', new_path: '/b' });
  await settled(owner, id);
  const page = await dashboard.open(`/websites/${id}/settings`);
  await page.getByRole('button', { name: 'Add host' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Host', { exact: true }).fill('taken.example.com');
  await page.keyboard.press('Enter');
  await dialog.getByRole('alert').filter({ hasText: 'taken.example.com' }).waitFor();
  await dialog.getByLabel('Host', { exact: true }).fill('https://Also.Example.com/path');
  await dialog.getByRole('button', { name: 'Add host' }).click();
  expect(await dialog.getByRole('textbox', { name: 'Name of the CNAME record' }).inputValue()).toBe('also.example.com');
  expect(await dialog.getByText(/cannot have a CNAME/).count()).toBe(0);
  await dialog.getByRole('button', { name: 'Copy Value' }).click();
  await dialog.getByRole('button', { name: 'Copied Value' }).waitFor();
  const checked = page.waitForResponse((response) => response.url().includes(`/websites/${id}/hosts?q=also`));
  await dialog.getByRole('button', { name: 'Check', exact: true }).click();
  expect((await checked).status()).toBe(200);
  await expectAccessible(page);
  await expectFits(page, 390);
  await page.keyboard.press('Escape');
  expect((await detour.visit('also.example.com', '/a')).location).toBe('/b');
  await page.getByRole('button', { name: 'Add host' }).click();
  await dialog.getByLabel('Host', { exact: true }).fill('apex.co.uk');
  await dialog.getByRole('button', { name: 'Add host' }).click();
  await dialog.getByText('apex.co.uk is a domain itself, which cannot have a CNAME record.').waitFor();
  expect(await dialog.getByRole('textbox', { name: 'Name of the ALIAS record' }).inputValue()).toBe('apex.co.uk');
  await expectAccessible(page);
  await expectFits(page, 390);
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Actions of also.example.com' }).click();
  await page.getByRole('button', { name: 'Edit…' }).click();
  await dialog.getByLabel('Visitors get').selectOption('One redirect of the whole host');
  await dialog.getByLabel('Redirect to').fill('new.example.com');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').filter({ hasText: 'Must be an http or https URL' }).waitFor();
  await dialog.getByLabel('Redirect to').fill('https://new.example.com');
  await dialog.getByLabel('Status').selectOption('308');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('→ https://new.example.com').waitFor();
  expect(await detour.visit('also.example.com', '/x')).toMatchObject({
    status: 308,
    location: 'https://new.example.com/x',
  });

  await page.getByRole('button', { name: 'Paste hosts' }).click();
  const lines = dialog.getByLabel('Hosts', { exact: true });
  await lines.fill('*.wild.example.com\nold.example.com -> new.example.com');
  await dialog.getByRole('alert').filter({ hasText: 'Line 2' }).waitFor();
  await lines.fill('bad_host!\nfine.example.com\nlocalhost');
  await dialog.getByRole('button', { name: 'Add 3 hosts' }).click();
  const rejected = dialog.getByRole('alert').getByRole('listitem');
  await rejected.nth(1).waitFor();
  expect((await rejected.allTextContents()).map((text) => text.slice(0, 7))).toEqual(['Line 1:', 'Line 3:']);
  await lines.fill('*.wild.example.com staging\nold.example.com -> https://new.example.com');
  await dialog.getByRole('button', { name: 'Add 2 hosts' }).click();
  await page.getByText('Each name has its own certificate').waitFor();
  await page.getByRole('button', { name: 'Actions of also.example.com' }).click();
  await page.getByRole('button', { name: 'Remove…' }).click();
  await dialog.getByRole('button', { name: 'Remove host' }).click();
  await page.getByText('also.example.com removed').waitFor();
  const { hosts } = (await owner.call('GET', `/api/websites/${id}`)).body.website;
  expect(hosts.map(({ hostname }: { hostname: string }) => hostname)).toEqual([
    'first.example.com',
    'apex.co.uk',
    '*.wild.example.com',
    'old.example.com',
  ]);
  await expectAccessible(page);
  await expectFits(page, 390);
});

test('on a wide screen the settings have two columns', async () => {
  const site = await createSite(dashboard.owner, ['wide.example.com']);
  const page = await dashboard.open(`/websites/${site}/settings`, { viewport: { width: 2560, height: 1200 } });
  const left = async () => {
    const boxes = await Promise.all(
      (await page.locator('form.settings > fieldset').all()).map((each) => each.boundingBox()),
    );
    return new Set(boxes.map((box) => box?.x)).size;
  };
  await page.locator('form.settings').waitFor();
  expect(await left()).toBe(2);
  await page.setViewportSize({ width: 1440, height: 900 });
  await expect.poll(left).toBe(1);
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
