/** Users who sign in with the form. */
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TestAccount } from '../../support/detour.ts';
import type { DashboardTest } from './browser.ts';

/** The password of the users that tests add. */
export const PASSWORD = 'a long password';

/** The code that the app shows, `periods` of 30 s from now. */
export const codeOf = (secret: string, periods = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + periods * 30_000 });

interface ProtectedUser extends TestAccount {
  secret: string;
  recoveryCodes: string[];
}

/** An owner with two-factor sign-in. The code of this period is used; that of the next one is valid. */
export async function protect(dashboard: DashboardTest): Promise<ProtectedUser> {
  const account = await dashboard.detour.account();
  const { secret } = (await account.call('POST', '/api/auth/totp')).body.totp;
  const confirmed = await account.call('POST', '/api/auth/totp/confirm', { code: codeOf(secret) });
  return { ...account, secret, recoveryCodes: confirmed.body.recovery_codes };
}

/** Adds a user to the account of the owner, with PASSWORD. */
export async function addUser(dashboard: DashboardTest, email: string, role: string): Promise<void> {
  const { status } = await dashboard.owner.call('POST', '/api/users', { email, role, password: PASSWORD });
  expect(status).toBe(201);
}

export async function enterPassword(
  page: Page,
  { email, password = PASSWORD }: { email: string; password?: string },
): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.keyboard.press('Enter');
}

export const signedIn = (page: Page): Promise<void> => page.getByRole('navigation', { name: 'Main' }).waitFor();

/** The path and fragment of a link, so that it opens on the address of the test. */
export const pathOf = (url: string): string => new URL(url).pathname + new URL(url).hash;
