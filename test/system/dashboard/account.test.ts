import { sql } from 'drizzle-orm';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Plan } from '../../../src/vocabulary/plan.ts';
import { createSite } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';
import { addUser, enterPassword, PASSWORD, signedIn } from './users.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

/** Opens a page in a separate browser profile, after signing in with the form. */
async function signIn(path: string, email: string, password = PASSWORD): Promise<Page> {
  const page = await dashboard.openAnonymously(path);
  await enterPassword(page, { email, password });
  await signedIn(page);
  return page;
}

async function openWithPlan(plan: Plan): Promise<Page> {
  const { email, password } = await dashboard.detour.account(plan);
  return signIn('/account', email, password);
}

test('plan and usage; a user with a generated password is added, signs in and is removed', async () => {
  const page = await dashboard.open('/account');
  await page.getByRole('heading', { name: 'enterprise plan' }).waitFor();
  await page.getByText('The last owner cannot be removed').waitFor();
  const headings = await page.getByRole('heading', { level: 2 }).allTextContents();
  expect(headings.slice(0, 3)).toEqual(['Users', 'Enterprise plan', 'Usage']);
  await expectFits(page, 360);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.keyboard.press('n');
  await page.getByLabel('First sign-in').selectOption('generated');
  await page.getByLabel('Email').fill('not an address');
  await page.getByRole('dialog').getByRole('button', { name: 'Add user' }).click();
  await page.getByRole('alert').waitFor();
  await expectAccessible(page);
  await page.getByLabel('Email').fill('colleague@example.com');
  await page.getByRole('radio', { name: 'Viewer' }).check();
  await page.getByRole('dialog').getByRole('button', { name: 'Add user' }).click();
  const added = page.getByRole('dialog', { name: 'User added' });
  const password = await added.getByLabel('Password', { exact: true }).inputValue();
  expect(password).toMatch(/^[a-zA-Z2-9]{20}$/);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  const other = await signIn('/account', 'colleague@example.com', password);
  await other.getByText('Owners of this account manage users and API keys').waitFor();
  await expectAccessible(other);

  expect((await dashboard.owner.call('POST', '/api/keys', { name: 'Deploy bot' })).status).toBe(201);
  await dashboard.detour.db.execute(sql`
    update api_keys set created_by_id = (select id::text from users where email = 'colleague@example.com')
    where name = 'Deploy bot'`);
  await page.getByRole('button', { name: 'Remove colleague@example.com' }).click();
  await page.getByText('The API keys they created are revoked: Deploy bot').waitFor();
  await expectAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Remove user' }).click();
  await page.getByText('colleague@example.com removed').waitFor();
  await other.reload();
  await other.getByRole('heading', { name: 'Sign in to Detour' }).waitFor();
});

test('an invitation is created, listed, renewed, accepted and withdrawn', async () => {
  const { email, password } = await dashboard.detour.account();
  const page = await signIn('/account', email, password);
  await page.getByText('The last owner cannot be removed').waitFor();
  await page.keyboard.press('n');
  await page.getByLabel('Email').fill('guest@example.com');
  await page.getByRole('radio', { name: 'Viewer' }).check();
  await page.keyboard.press('Enter');
  const created = page.getByRole('dialog', { name: 'Invitation created' });
  const first = await created.getByLabel('Invitation link').inputValue();
  expect(first).toMatch(/\/invitation#[\w-]{43}$/);
  await expectAccessible(page);
  await expectFits(page, 360);
  await created.getByRole('button', { name: 'Done' }).click();
  await created.getByText('You have not copied it').waitFor();
  await created.getByRole('button', { name: 'Copy' }).click();
  await created.getByRole('button', { name: 'Done' }).click();
  await page.getByText(/ by owner\d*@example\.com, until /).waitFor();
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.getByRole('button', { name: 'New link for guest@example.com' }).click();
  const second = await created.getByLabel('Invitation link').inputValue();
  expect(second).not.toBe(first);
  await created.getByRole('button', { name: 'Copy' }).click();
  await page.keyboard.press('Escape');
  const guest = await dashboard.openAnonymously(`/invitation${new URL(second).hash}`);
  await guest.getByRole('textbox', { name: 'New password' }).fill(PASSWORD);
  await guest.keyboard.press('Enter');
  await guest.getByRole('navigation', { name: 'Main' }).waitFor();
  await page.reload();
  await page.getByLabel('Role of guest@example.com').waitFor();
  expect(await page.getByText('Open invitations').count()).toBe(0);

  await page.keyboard.press('n');
  await page.getByLabel('Email').fill(`one@example.com, two@example.com ${email}`);
  await page.keyboard.press('Enter');
  const many = page.getByRole('dialog', { name: '2 invitations created' });
  expect(await many.getByLabel('Invitation links').inputValue()).toMatch(
    /^one@example\.com http\S+#\S{43}\ntwo@example\.com http\S+#\S{43}$/,
  );
  await many.getByText(`Not invited: ${email}: This email belongs to a user of the account.`).waitFor();
  await expectAccessible(page);
  await many.getByRole('button', { name: 'Copy' }).click();
  await many.getByRole('button', { name: 'Done' }).click();
  for (const each of ['one', 'two']) {
    await page.getByRole('button', { name: `Withdraw the invitation of ${each}@example.com` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText(`${each}@example.com`, { exact: true }).waitFor({ state: 'detached' });
  }

  await page.keyboard.press('n');
  await page.getByLabel('Email').fill('late@example.com');
  await page.keyboard.press('Enter');
  await created.getByRole('button', { name: 'Copy' }).click();
  await created.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Withdraw the invitation of late@example.com' }).click();
  await expectAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
  await page.getByText('Invitation withdrawn').last().waitFor();
  await expect.poll(() => page.getByText('Open invitations').count()).toBe(0);
});

/** Moves the sign-ins of a user into the past. */
const ageSessions = (email: string) =>
  dashboard.detour.db.execute(
    sql`update sessions set created_at = created_at - interval '31 minutes'
      where user_id = (select id from users where email = ${email})`,
  );

test('a role is changed; 30 minutes after the sign-in the password is asked for, and the change continues', async () => {
  const { email, password } = await dashboard.detour.account();
  const page = await signIn('/account', email, password);
  await page.getByRole('button', { name: 'Add user' }).click();
  await page.getByLabel('Email').fill('promoted@example.com');
  await page.getByLabel('First sign-in').selectOption('generated');
  await page.getByRole('dialog').getByRole('button', { name: 'Add user' }).click();
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  const role = page.getByLabel('Role of promoted@example.com');
  await ageSessions(email);
  await role.selectOption('viewer');
  const dialog = page.getByRole('dialog', { name: 'Confirm your password' });
  await dialog.getByLabel('Your password').fill('not this one');
  await page.keyboard.press('Enter');
  await dialog.getByRole('alert').getByText('is not your current password').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Role not changed').waitFor();
  await expectRole(role, 'editor');

  await role.selectOption('viewer');
  await dialog.getByLabel('Your password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByText('promoted@example.com is now viewer').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expectRole(role, 'editor');
  // Confirmed for the next changes too.
  await role.selectOption('owner');
  await page.getByText('promoted@example.com is now owner').waitFor();
  await page.getByLabel(`Role of ${email}`).selectOption('viewer');
  await page
    .getByRole('dialog', { name: 'Change your own role?' })
    .getByRole('button', { name: 'Change role' })
    .click();
  await page.getByText('Owners of this account manage users and API keys').waitFor();
});

const expectRole = (role: Locator, value: string): Promise<void> =>
  expect.poll(() => role.inputValue(), { timeout: 20_000 }).toBe(value);

test('adding a user with a chosen password; a used email is an error at its field', async () => {
  const page = await dashboard.open('/account?new=user');
  await page.getByLabel('Email').fill(dashboard.owner.email);
  await page.getByLabel('First sign-in').selectOption('own');
  await page.getByLabel('Initial password').fill(PASSWORD);
  await page.getByRole('dialog').getByRole('button', { name: 'Add user' }).click();
  await page.getByRole('alert').getByText('is taken').waitFor();
  await page.getByLabel('Email').fill('chosen@example.com');
  await page.getByRole('dialog').getByRole('button', { name: 'Add user' }).click();
  await page.getByText('chosen@example.com can sign in now').waitFor();
  await signIn('/websites', 'chosen@example.com');
});

test('from 10 users on, the list has a search; the own row has no Remove', async () => {
  const account = await dashboard.detour.account();
  const add = (email: string) => account.call('POST', '/api/users', { email, role: 'viewer', password: PASSWORD });
  for (let at = 0; at < 8; at++) expect((await add(`crowd-${at}@example.com`)).status).toBe(201);
  const page = await dashboard.openAs(account, '/account');
  await page.getByText('crowd-7@example.com').waitFor();
  expect(await page.getByLabel('Search users').count()).toBe(0);
  expect((await add('needle@example.com')).status).toBe(201);
  await page.reload();
  await page.getByLabel('Search users').fill('NEEDLE');
  await page.getByText('crowd-7@example.com').waitFor({ state: 'detached' });
  const remove = page.getByRole('button', { name: /^Remove / });
  expect(await remove.evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')))).toEqual([
    'Remove needle@example.com',
  ]);
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.getByLabel('Search users').fill(account.email);
  await page.getByText('The last owner cannot be removed').waitFor();
  expect(await remove.count()).toBe(0);
  await page.getByLabel('Search users').fill('absent');
  await page.getByText('No user has this text in the email').waitFor();
  await expectAccessible(page);
});

test('an owner deletes the account with email and password; its page says so, and nothing serves any more', async () => {
  const account = await dashboard.detour.account();
  const { email, password } = account;
  await createSite(account, ['deleted.example.com'], { name: 'Deleted', fallback_url: 'https://www.example.com' });
  await until(async () => (await dashboard.detour.visit('deleted.example.com', '/a')).status === 302);
  const page = await signIn('/account', email, password);
  await page.getByRole('button', { name: 'Delete account' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete this account?' });
  await dialog.getByText('1 website with their hosts').waitFor();
  await dialog.getByText('all moves, lists of URLs, live checks and expectations').waitFor();
  const copy = page.waitForEvent('download');
  await dialog.getByRole('link', { name: 'Deleted' }).click();
  expect((await copy).suggestedFilename()).toBe('redirects.csv');
  const send = dialog.getByRole('button', { name: 'Delete account' });
  expect(await send.isDisabled()).toBe(true);
  await expectAccessible(page);
  await expectFits(page, 360);
  await dialog.getByLabel(`Type ${email} to confirm`).fill(email);
  await dialog.getByLabel('Your password').fill('not this one');
  await page.keyboard.press('Enter');
  await dialog.getByRole('alert').getByText('is not your current password').waitFor();
  await dialog.getByLabel('Your password').fill(password);
  await send.click();
  await page.getByRole('heading', { name: 'Your account is deleted' }).waitFor();
  await expectAccessible(page);
  await until(async () => (await dashboard.detour.visit('deleted.example.com', '/a')).status !== 302);
  await page.getByRole('link', { name: 'Go to sign-in' }).click();
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
});

test('editors cannot delete the account, and its page of deletion sends signed-in users away', async () => {
  await addUser(dashboard, 'keeps@example.com', 'editor');
  const page = await signIn('/account', 'keeps@example.com');
  await page.getByText('Owners of this account manage users and API keys').waitFor();
  expect(await page.getByRole('button', { name: 'Delete account' }).count()).toBe(0);
  await page.goto('/account/deleted');
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
});

test('a small plan lists the missing features and the plans that include them', async () => {
  const page = await openWithPlan('free');
  await page.getByText('not included, requires the Business plan').waitFor();
  await expectAccessible(page);
});

test("a website over the plan's limit is an error that names the limit and leads to the plan", async () => {
  const account = await dashboard.detour.account('free');
  for (const name of ['a', 'b', 'c']) await createSite(account, [`plan-${name}.example.com`]);
  const page = await signIn('/websites?new=website', account.email, account.password);
  await page.getByLabel('Name').fill('One more');
  await page.getByLabel('Hosts', { exact: true }).fill('plan-d.example.com');
  await page.keyboard.press('Control+Enter');
  const alert = page.getByRole('alert').filter({ hasText: 'The free plan has at most 3 websites. The account has 3' });
  await alert.waitFor();
  await expectAccessible(page);
  await expectFits(page, 360);
  await alert.getByRole('link', { name: 'View plan' }).click();
  await page.getByRole('button', { name: 'Discard', exact: true }).click();
  await page.getByRole('heading', { name: 'free plan' }).waitFor();
  await page.getByText('of 3', { exact: true }).waitFor();
});

test('a failed load of the account shows an error, and Retry loads it', async () => {
  const page = await dashboard.open('/websites');
  await page.route('**/api/account', (route) => route.abort());
  await page.getByRole('heading', { name: 'All websites' }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('c');
  await page.getByText('The service cannot be reached').waitFor();
  await page.unroute('**/api/account');
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByRole('heading', { name: 'enterprise plan' }).waitFor();
});

test('profile: ends another session, changes the password, and signs out', async () => {
  const email = 'profile@example.com';
  await addUser(dashboard, email, 'viewer');
  const elsewhere = await signIn('/websites', email);
  const page = await signIn('/account/profile', email);
  await page.getByText('This session').waitFor();
  await expectFits(page, 360);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: /^End session on/ }).click();
  await page.getByText('signed out', { exact: false }).first().waitFor();
  await elsewhere.reload();
  await elsewhere.getByRole('heading', { name: 'Sign in to Detour' }).waitFor();

  const others = [await signIn('/websites', email), await signIn('/websites', email)];
  await page.reload();
  await page.getByRole('button', { name: 'End all other sessions' }).click();
  await page.getByText('2 sessions ended').waitFor();
  await page.getByRole('button', { name: 'End all other sessions' }).waitFor({ state: 'detached' });
  for (const other of others) {
    await other.reload();
    await other.getByRole('heading', { name: 'Sign in to Detour' }).waitFor();
  }

  const third = await signIn('/websites', email);
  await page.getByLabel('Current password').fill('not this one');
  await page.getByLabel('New password').fill('another long password');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('is not your current password').waitFor();
  await expectAccessible(page);
  await page.getByLabel('Current password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText('Password changed').waitFor();
  expect(await page.getByLabel('New password').inputValue()).toBe('');
  await third.reload();
  await third.getByRole('heading', { name: 'Sign in to Detour' }).waitFor();

  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('heading', { name: 'Sign in to Detour' }).waitFor();
  await signIn('/websites', email, 'another long password');
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});

test('a user who is limited to two websites sees only these, and edits where the role is editor', async () => {
  const account = await dashboard.detour.account('business');
  const [shop, blog, secret] = [
    await createSite(account, ['limited-shop.test'], { name: 'Shop' }),
    await createSite(account, ['limited-blog.test'], { name: 'Blog' }),
    await createSite(account, ['limited-secret.test'], { name: 'Secret plans' }),
  ];
  const email = 'limited@example.com';
  expect((await account.call('POST', '/api/users', { email, role: 'viewer', password: PASSWORD })).status).toBe(201);
  const page = await signIn('/account', account.email, account.password);
  await page.getByRole('button', { name: `All websites of ${email}` }).click();
  const dialog = page.getByRole('dialog', { name: `Websites of ${email}` });
  await dialog.getByRole('radio', { name: 'Only some' }).check();
  await dialog.getByLabel('Role at Shop').selectOption('editor');
  await dialog.getByLabel('Role at Blog').selectOption('viewer');
  await expectAccessible(page);
  await expectFits(page, 390);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: `2 websites of ${email}` }).waitFor();
  const offered = page.getByLabel(`Role of ${email}`).getByRole('option');
  expect(await offered.allTextContents()).toEqual(['Editor', 'Viewer']);
  await expectAccessible(page);

  const theirs = await signIn(`/websites/${shop}/redirects`, email);
  await theirs.getByRole('button', { name: 'New redirect' }).first().waitFor();
  await theirs.goto('/websites');
  await theirs.getByRole('link', { name: 'Blog' }).first().waitFor();
  expect(await theirs.getByText('Secret plans').count()).toBe(0);
  expect(await theirs.getByRole('button', { name: 'New website' }).count()).toBe(0);
  await theirs.goto(`/websites/${blog}/settings`);
  await theirs.getByText('Read only: ask an editor or owner').waitFor();
  await theirs.goto(`/websites/${secret}/redirects`);
  await theirs.getByText('not found', { exact: false }).first().waitFor();
  await theirs.goto('/account');
  await theirs.getByText('Owners of this account manage users and API keys').waitFor();
  await theirs.goto('/account/profile');
  await theirs.getByText(`${email}, editor of this account`).waitFor();
});
