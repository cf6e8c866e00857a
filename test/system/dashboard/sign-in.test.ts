/** Two-factor sign-in, ended sessions, and the pages of invitations and password resets. */
import { readFileSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import decodeQR from 'qr/decode.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPasswordReset } from '../../../src/accounts/invitation.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import type { TestAccount } from '../../support/detour.ts';
import { addRedirect, createSite } from '../../support/site.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

const PASSWORD = 'a long password';

/** The code that the app shows, `periods` of 30 s from now. */
const codeOf = (secret: string, periods = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + periods * 30_000 });

interface ProtectedUser extends TestAccount {
  secret: string;
  recoveryCodes: string[];
}

/** An owner with two-factor sign-in. The code of this period is used; that of the next one is valid. */
async function protect(): Promise<ProtectedUser> {
  const account = await dashboard.detour.account();
  const { secret } = (await account.call('POST', '/api/auth/totp')).body.totp;
  const confirmed = await account.call('POST', '/api/auth/totp/confirm', { code: codeOf(secret) });
  return { ...account, secret, recoveryCodes: confirmed.body.recovery_codes };
}

async function enterPassword(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
}

const signedIn = (page: Page): Promise<void> => page.getByRole('navigation', { name: 'Main' }).waitFor();

/** The path and fragment of a link, so that it opens on the address of the test. */
const pathOf = (url: string): string => new URL(url).pathname + new URL(url).hash;

async function invite(email: string, role = 'editor'): Promise<string> {
  const { status, body } = await dashboard.owner.call('POST', '/api/invitations', { email, role });
  expect(status).toBe(201);
  return pathOf(body.invitation.url);
}

test('signed out, the sign-in page sends no request to the API', async () => {
  const page = await dashboard.openAnonymously('/');
  await page.getByRole('heading', { name: 'Sign in to Detour' }).waitFor();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(new URL(request.url()).pathname));
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in to Detour' }).waitFor();
  await expect.poll(() => requests.some((path) => path.endsWith('.js'))).toBe(true);
  await page.waitForLoadState('networkidle');
  expect(requests.filter((path) => path.startsWith('/api'))).toEqual([]);
});

test('a user with two-factor sign-in enters a code after the password; a wrong one can be corrected', async () => {
  const user = await protect();
  const page = await dashboard.openAnonymously('/account');
  await enterPassword(page, user);
  await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
  const code = page.getByLabel('Six-digit code');
  await expect.poll(() => code.evaluate((input) => input.matches(':focus'))).toBe(true);
  expect([await code.getAttribute('autocomplete'), await code.getAttribute('inputmode')]).toEqual([
    'one-time-code',
    'numeric',
  ]);
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.keyboard.type('000000');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('Wrong or already used').waitFor();
  await expectAccessible(page);
  // The wrong code is selected, so that typing replaces it.
  await expect.poll(() => code.evaluate((input) => input.matches(':focus'))).toBe(true);
  await page.keyboard.type(codeOf(user.secret, 1));
  expect(await code.inputValue()).toMatch(/^\d{6}$/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'enterprise plan' }).waitFor();
});

test('a recovery code replaces a code once; "Not you?" leads back to the password', async () => {
  const user = await protect();
  const page = await dashboard.openAnonymously('/sign-in');
  await enterPassword(page, user);
  await page.getByRole('button', { name: 'Not you?' }).click();
  expect(await page.getByLabel('Email').inputValue()).toBe(user.email);
  await enterPassword(page, user);
  await page.getByRole('button', { name: 'Use a recovery code' }).click();
  const field = page.getByRole('textbox', { name: 'Recovery code' });
  await expect.poll(() => field.evaluate((input) => input.matches(':focus'))).toBe(true);
  await page.keyboard.type(user.recoveryCodes[0] ?? '');
  await page.keyboard.press('Enter');
  await signedIn(page);

  const again = await dashboard.openAnonymously('/sign-in');
  await enterPassword(again, user);
  await again.getByRole('button', { name: 'Use a recovery code' }).click();
  await again.getByRole('textbox', { name: 'Recovery code' }).fill(user.recoveryCodes[0] ?? '');
  await again.getByRole('button', { name: 'Sign in' }).click();
  await again.getByRole('alert').getByText('Enter another recovery code').waitFor();
});

/** The text of a QR code, from the path of its dark modules. */
function decode(path: string): string {
  const dark = [...path.matchAll(/M(\d+) (\d+)/g)].map(([, x, y]) => [Number(x), Number(y)] as const);
  const scale = 4;
  const size = scale * (Math.max(...dark.flat()) + 5);
  const data = new Uint8Array(size * size * 3).fill(255);
  for (const [x, y] of dark) {
    for (let row = 0; row < scale; row++) {
      const start = (y * scale + row) * size + x * scale;
      data.fill(0, start * 3, (start + scale) * 3);
    }
  }
  return decodeQR({ width: size, height: size, data });
}

test('two-factor sign-in is set up after the password is confirmed, and turned off with the password', async () => {
  const { email, password } = await dashboard.detour.account();
  const page = await dashboard.openAnonymously('/account/profile');
  await enterPassword(page, { email, password });
  await page.getByRole('button', { name: 'Set up' }).waitFor();
  await expectAccessible(page);
  await dashboard.detour.db.execute(
    sql`update sessions set created_at = created_at - interval '31 minutes'
      where user_id = (select id from users where email = ${email})`,
  );
  await page.getByRole('button', { name: 'Set up' }).click();
  await page.getByRole('dialog', { name: 'Confirm your password' }).getByLabel('Your password').fill(password);
  await page.keyboard.press('Enter');
  const setUp = page.getByRole('dialog', { name: 'Set up two-factor sign-in' });
  const secret = await setUp.getByLabel('Secret').inputValue();
  const modules = setUp.locator('.qr-code path');
  await expect.poll(() => modules.getAttribute('d')).toMatch(/^M4 4h1v1h-1z/);
  expect(decode((await modules.getAttribute('d')) ?? '')).toContain(`secret=${secret}`);
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.setViewportSize({ width: 1280, height: 800 });
  await setUp.getByLabel('Six-digit code').fill('000000');
  await page.keyboard.press('Enter');
  await setUp.getByRole('alert').getByText('Not the current code').waitFor();
  await expectAccessible(page);
  await setUp.getByLabel('Six-digit code').fill(codeOf(secret));
  await page.keyboard.press('Enter');
  const codes = page.getByRole('dialog', { name: 'Two-factor sign-in is on' });
  const shown = await codes.getByLabel('Recovery codes').inputValue();
  expect(shown.split('\n').length).toBe(10);
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.setViewportSize({ width: 1280, height: 800 });
  const download = page.waitForEvent('download');
  await codes.getByRole('button', { name: 'Download' }).click();
  expect(readFileSync(await (await download).path(), 'utf8')).toBe(`${shown}\n`);
  await codes.getByRole('button', { name: 'Done' }).click();
  await page.getByText('10 of 10 recovery codes are left').waitFor();
  await expectAccessible(page);
  const other = await dashboard.openAnonymously('/sign-in');
  await enterPassword(other, { email, password });
  await other.getByLabel('Six-digit code').fill(codeOf(secret, 1));
  await other.keyboard.press('Enter');
  await signedIn(other);

  await page.getByRole('button', { name: 'Turn off' }).click();
  const off = page.getByRole('dialog', { name: 'Turn off two-factor sign-in?' });
  await off.getByLabel('Your password').fill('not this one');
  await page.keyboard.press('Enter');
  await off.getByRole('alert').getByText('is not your current password').waitFor();
  await expectAccessible(page);
  await off.getByLabel('Your password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByText('Two-factor sign-in is off').waitFor();
  await page.getByRole('button', { name: 'Set up' }).waitFor();
});

test('an invited person chooses a password and lands on the first screen', async () => {
  const link = await invite('invited@example.com');
  const page = await dashboard.openAnonymously(link);
  await page.getByText('Can edit redirects').waitFor();
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
  const user = await protect();
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

describe('an ended session', () => {
  test('asks to sign in over the screen, repeats the save, and keeps what was typed', async () => {
    const user = await protect();
    const site = await createSite(user, ['ended.example.com']);
    const id = await addRedirect(user, site, { old_path: '/old', new_path: '/new' });
    const page = await dashboard.openAnonymously(`/websites/${site}/redirects?open=${id}`);
    await enterPassword(page, user);
    await page.getByLabel('Six-digit code').fill(codeOf(user.secret, 1));
    await page.keyboard.press('Enter');
    await page.getByLabel('Notes').fill('typed before the end');
    await page.context().clearCookies();
    await page.keyboard.press('Control+Enter');
    const dialog = page.getByRole('dialog', { name: 'Sign in' });
    await dialog.getByText('Your session has ended. Sign in to go on.').waitFor();
    expect(await dialog.getByLabel('Email').inputValue()).toBe(user.email);
    await expectAccessible(page);
    await expectFits(page, 360);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.keyboard.type('not this one');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Password').fill(user.password);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await page.getByRole('textbox', { name: 'Recovery code' }).fill(user.recoveryCodes[0] ?? '');
    await page.keyboard.press('Enter');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect((await user.call('GET', `/api/redirects/${id}`)).body.redirect.notes).toBe('typed before the end');

    await page.context().clearCookies();
    await page.goto(`/websites/${site}/settings`);
    await page.getByText('Your session has ended. Sign in to go on.').waitFor();
    await expectAccessible(page);
    await enterPassword(page, user);
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await page.getByRole('textbox', { name: 'Recovery code' }).fill(user.recoveryCodes[1] ?? '');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
  });

  test('reloads the page for another user; "Not now" keeps the screen, and Retry asks again', async () => {
    const [first, second] = [await dashboard.detour.account(), await dashboard.detour.account()];
    const page = await dashboard.openAnonymously('/account/audit');
    await enterPassword(page, first);
    await page.getByRole('heading', { name: 'Audit log' }).waitFor();
    await page.context().clearCookies();
    await page.getByLabel('Action').selectOption({ index: 1 });
    const dialog = page.getByRole('dialog', { name: 'Sign in' });
    await dialog.getByRole('button', { name: 'Not now' }).click();
    await page.getByRole('alert').getByText('Your session has ended').waitFor();
    await page.getByRole('button', { name: 'Retry' }).click();
    await dialog.getByLabel('Email').fill(second.email);
    await dialog.getByText('Signing in as another user reloads the page.').waitFor();
    await dialog.getByLabel('Password').fill(second.password);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/websites');
    await page.goto('/account/profile');
    await page.getByText(`${second.email}, owner of this account`).waitFor();
  });
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
