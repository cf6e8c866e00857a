import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiKeys } from '../../../src/db/schema/accounts.ts';
import { createSite } from '../../support/site.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

const statusWith = async (key: string): Promise<number> =>
  (
    await fetch(`${dashboard.detour.address}/api/v1/websites`, {
      headers: { Authorization: `Bearer ${key}` },
    })
  ).status;

test('a new key is shown once, copied, listed without its secret, then revoked', async () => {
  const account = await dashboard.detour.account();
  await dashboard.detour.db.delete(apiKeys).where(eq(apiKeys.accountId, account.accountId));
  const page = await dashboard.openAs(account, '/account/keys');
  await page.getByText('No API keys yet').waitFor();
  await page.keyboard.press('n');
  await page.getByLabel('Name', { exact: true }).fill('nightly import');
  await page.getByLabel('Access').selectOption('read');
  await page.getByLabel('Expires').selectOption('30');
  await page.getByRole('button', { name: 'Create key' }).click();
  const field = page.getByLabel('API key', { exact: true });
  const key = await field.inputValue();
  // A key is longer than its field. Its start is visible.
  expect(
    await field.evaluate(({ scrollLeft, scrollWidth, clientWidth }) => [scrollLeft, scrollWidth > clientWidth]),
  ).toEqual([0, true]);
  expect(await statusWith(key)).toBe(200);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.getByText('You have not copied it').waitFor();
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'nightly import' });
  await row.getByText('Read only').waitFor();
  await row.getByText(`dtr_…${key.slice(-4)}`).waitFor();
  expect(await page.content()).not.toContain(key);
  const [stored] = (await account.call('GET', '/api/keys')).body.api_keys;
  expect(Date.parse(stored.expires_at) - Date.now()).toBeGreaterThan(29.9 * 24 * 3_600_000);

  await page.getByRole('button', { name: 'Revoke nightly import' }).click();
  await expectAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click();
  await page.getByText('No active keys').waitFor();
  expect(await statusWith(key)).toBe(401);
  await page.getByRole('link', { name: 'Revoked and expired (1)' }).click();
  await row.getByText('Revoked', { exact: true }).waitFor();
  expect(new URL(page.url()).search).toBe('?show=ended');
  await expectAccessible(page);
});

test('a key is renamed, and rolled with an end of the previous key', async () => {
  const account = await dashboard.detour.account();
  const { db } = dashboard.detour;
  await db.delete(apiKeys).where(eq(apiKeys.accountId, account.accountId));
  const create = { name: 'nightly', scope: 'read', expires_at: null };
  const { api_key: old } = (await account.call('POST', '/api/keys', create)).body;
  const page = await dashboard.openAs(account, '/account/keys');
  await page.getByRole('button', { name: 'Rename nightly' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('nightly import');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('button', { name: 'Roll nightly import' }).click();
  await page.getByLabel('The current key ends').selectOption('In 1 hour');
  await expectAccessible(page);
  await page.keyboard.press('Control+Enter');
  await page.getByText('The previous key works until').waitFor();
  const key = await page.getByLabel('API key', { exact: true }).inputValue();
  expect(await Promise.all([statusWith(key), statusWith(old.key)])).toEqual([200, 200]);
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('Replaced by dtr_…').waitFor();
  const { api_keys: keys } = (await account.call('GET', '/api/keys')).body;
  expect(keys).toMatchObject([
    { name: 'nightly import', scope: 'read', expires_at: null },
    { id: old.id, name: 'nightly import' },
  ]);
  const hours = (Date.parse(keys[1].expires_at) - Date.now()) / 3_600_000;
  expect([hours > 0.9, hours <= 1]).toEqual([true, true]);

  // The key that leaked ends now, and the dialog still shows the new one.
  await page.goto(`/account/keys?roll=${keys[0].id}`);
  await page.getByLabel('The current key ends').selectOption('Now: it leaked');
  await page.getByRole('button', { name: 'Roll key' }).click();
  await page.getByText('The previous key is revoked').waitFor();
  expect(await Promise.all([statusWith(key), statusWith(old.key)])).toEqual([401, 200]);
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('link', { name: 'Revoked and expired (1)' }).waitFor();
  await expectFits(page, 360);
  await expectAccessible(page);

  // The focus is outside of the form: the dialog has no field.
  await page.getByRole('button', { name: 'Revoke nightly import' }).first().click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Control+Enter');
  await page.getByText('nightly import revoked').waitFor();
});

test('a past day is an error at its field, and a long name fits a narrow page', async () => {
  const page = await dashboard.open('/account/keys?new=key');
  const name = `reports_of_${'the_marketing_team_'.repeat(9)}`;
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Expires').selectOption('day');
  await page.getByLabel('Day').fill('2020-02-29');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('alert').getByText('must be in the future').waitFor();
  await page.getByLabel('Expires').selectOption('never');
  await page.getByRole('button', { name: 'Create key' }).click();
  await expectFits(page, 360);
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText(name).waitFor();
  await expectFits(page, 360);
  await page.getByRole('button', { name: `Revoke ${name}` }).click();
  await page.getByRole('dialog').waitFor();
  await expectFits(page, 360);
});

test('a plan without keys names the plan that includes them, and keys can be revoked', async () => {
  const page = await dashboard.openAs(await dashboard.detour.account('free'), '/account/keys');
  await page.getByText('API keys require the Pro plan').waitFor();
  expect(await page.getByRole('button', { name: 'New API key' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: /^Revoke/ }).count()).toBe(1);
  await expectAccessible(page);
});

test('a key is limited to the chosen websites', async () => {
  const account = await dashboard.detour.account();
  const id = await createSite(account, ['limited-key.example.com']);
  await createSite(account, ['other-key.example.com']);
  const page = await dashboard.openAs(account, '/account/keys');
  await page.getByRole('button', { name: 'New API key' }).click();
  await page.getByLabel('Name', { exact: true }).fill('one website');
  await page.getByLabel('Websites', { exact: true }).selectOption('some');
  expect(await page.getByRole('button', { name: 'Create key' }).isDisabled()).toBe(true);
  await page.getByRole('checkbox', { name: /limited-key/ }).check();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('API key', { exact: true }).waitFor();
  const { api_keys: keys } = (await account.call('GET', '/api/keys')).body;
  expect(keys[0]).toMatchObject({ name: 'one website', website_ids: [id], created_by: { email: account.email } });
});

test('only owners see the keys', async () => {
  const viewer = { email: 'keys-viewer@example.com', role: 'viewer', password: 'a long password' };
  expect((await dashboard.owner.call('POST', '/api/users', viewer)).status).toBe(201);
  const page = await dashboard.openAnonymously('/account/keys');
  await page.getByLabel('Email').fill(viewer.email);
  await page.getByLabel('Password', { exact: true }).fill(viewer.password);
  await page.keyboard.press('Enter');
  await page.getByText('Only owners can manage API keys').waitFor();
  const tabs = page.getByRole('navigation', { name: 'Account, screens' }).getByRole('link');
  expect(await tabs.allTextContents()).toEqual(['Account', 'Profile', 'API keys']);
  await expectAccessible(page);
  await page.getByRole('button', { name: viewer.email }).click();
  await page.getByRole('link', { name: 'Profile' }).last().click();
  await page.getByRole('heading', { name: 'Profile' }).waitFor();
  expect(await tabs.allTextContents()).toEqual(['Account', 'Profile']);
});

test('a failed load shows an error, and Retry loads the list', async () => {
  const page = await dashboard.open('/account');
  await page.route('**/api/keys', (route) => route.abort());
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByText('The service cannot be reached').waitFor();
  await page.unroute('**/api/keys');
  await page.getByRole('button', { name: 'Retry' }).click();
  await page
    .getByRole('button', { name: /^Revoke/ })
    .first()
    .waitFor();
});

test('a key that writes leads to its changes', async () => {
  const site = await createSite(dashboard.owner, ['changes-of-keys.example.com'], { name: 'Keys' });
  const created = await dashboard.owner.call('POST', '/api/keys', { name: 'nightly sync', scope: 'write' });
  const { status } = await fetch(`${dashboard.detour.address}/api/v1/redirects`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${created.body.api_key.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ website_id: String(site), old_path: '/by-key', new_path: '/target' }),
  });
  expect(status).toBe(201);
  const page = await dashboard.open('/account/keys');
  await page
    .getByRole('listitem')
    .filter({ hasText: 'nightly sync' })
    .getByRole('link', { name: 'Its changes' })
    .click();
  await page.getByText('/by-key').waitFor();
  expect(new URL(page.url()).search).toBe('?actor=nightly+sync');
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
