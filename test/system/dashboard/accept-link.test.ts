/** The pages of invitations and password resets. */
import { createPasswordReset } from '../../../src/accounts/invitation.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';
import { codeOf, enterPassword, PASSWORD, pathOf, protect, signedIn } from './users.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

async function invite(email: string, role = 'editor'): Promise<string> {
  const { status, body } = await dashboard.owner.call('POST', '/api/invitations', { email, role });
  expect(status).toBe(201);
  return pathOf(body.invitation.url);
}

test('an invited person chooses a password and lands on the first screen', async () => {
  const link = await invite('invited@example.com');
  const page = await dashboard.openAnonymously(link);
  await page.getByText('Can edit redirects').waitFor();
  await page.getByText(`${dashboard.owner.email} invites you`).waitFor();
  expect(await page.getByLabel('Email').inputValue()).toBe('invited@example.com');
  expect(page.url()).toBe(`${dashboard.detour.address}/invitation`);
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.setViewportSize({ width: 1280, height: 800 });
  const password = page.getByRole('textbox', { name: 'New password' });
  await expect.poll(() => password.evaluate((input) => input.matches(':focus'))).toBe(true);
  await page.keyboard.type('short');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('must have 10 to 1,024 characters').waitFor();
  await password.fill('password1234');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('one of the most common passwords').waitFor();
  await expectAccessible(page);
  await password.fill(PASSWORD);
  await page.getByRole('button', { name: 'Show password' }).click();
  expect(await password.getAttribute('type')).toBe('text');
  await page.getByRole('button', { name: 'Accept invitation' }).click();
  await signedIn(page);
  expect(page.url()).not.toContain('#');
  await page.goto('/account/profile');
  await page.getByText('invited@example.com, editor of this account').waitFor();

  const late = await dashboard.openAnonymously(link);
  await late.getByRole('heading', { name: 'This link no longer works' }).waitFor();
  await expectAccessible(late);
  await late.getByRole('link', { name: 'Go to sign-in' }).click();
  await enterPassword(late, { email: 'invited@example.com', password: PASSWORD });
  await signedIn(late);
});

test('a link without its token says so, and a second link in the same tab is read', async () => {
  const page = await dashboard.openAnonymously('/invitation');
  await page.getByRole('heading', { name: 'This link is incomplete' }).waitFor();
  await expectAccessible(page);
  await page.goto(await invite('second@example.com', 'viewer'));
  await page.getByText('Read-only access').waitFor();
  expect(page.url()).toBe(`${dashboard.detour.address}/invitation`);
});

test('a signed-in owner who opens an invitation is warned, and continues as the invited user', async () => {
  const link = await invite('other@example.com', 'viewer');
  const page = await dashboard.openAnonymously('/sign-in');
  await enterPassword(page, dashboard.owner);
  await signedIn(page);
  await page.goto(link);
  await page.getByText('You are signed in as').waitFor();
  await expectAccessible(page);
  await page.getByRole('textbox', { name: 'New password' }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await signedIn(page);
  await page.goto('/account/profile');
  await page.getByText('other@example.com, viewer of this account').waitFor();
});

test('a password reset keeps the second factor and ends other sessions', async () => {
  const user = await protect(dashboard);
  const input = { email: user.email, withoutTotp: false };
  const context = { publicUrl: dashboard.detour.address, now: systemClock.now() };
  const { url } = await createPasswordReset(dashboard.detour.db, input, context);
  const page = await dashboard.openAnonymously(pathOf(url));
  await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
  await page.getByRole('textbox', { name: 'New password' }).fill('another long password');
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByLabel('Six-digit code').fill(codeOf(user.secret, 1));
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await page.getByText('Your other sessions have ended').waitFor();
  await signedIn(page);
  expect((await user.call('GET', '/api/auth/session')).status).toBe(401);
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
