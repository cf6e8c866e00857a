/** Two-factor sign-in: codes, recovery codes, set-up with a QR code, and turning it off. */
import { readFileSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import decodeQR from 'qr/decode.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';
import { codeOf, enterPassword, protect, signedIn } from './users.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

test('a user with two-factor sign-in enters a code after the password; a wrong one can be corrected', async () => {
  const user = await protect(dashboard);
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
  const user = await protect(dashboard);
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

  // The codes of this period and the next one are used.
  await dashboard.detour.db.execute(sql`update totp_secrets set last_step = last_step - 2
    where user_id = (select id from users where email = ${email})`);
  await page.getByRole('button', { name: 'New recovery codes' }).click();
  const renewal = page.getByRole('dialog', { name: 'New recovery codes' });
  await renewal.getByLabel('Your password').fill(password);
  await renewal.getByLabel('Six-digit code').fill('000000');
  await page.keyboard.press('Enter');
  await renewal.getByRole('alert').getByText('is not the current code').waitFor();
  await expectAccessible(page);
  await renewal.getByLabel('Six-digit code').fill(codeOf(secret, 1));
  await page.keyboard.press('Enter');
  const renewed = await renewal.getByLabel('Recovery codes').inputValue();
  expect(renewed.split('\n').filter((each) => shown.includes(each))).toEqual([]);
  // The label of the button keeps its distance from the border.
  const padding = await page.evaluate(`(() => {
    const button = [...document.querySelectorAll('dialog button')].find((each) => each.textContent === 'Download');
    const label = document.createRange();
    label.selectNodeContents(button);
    return button.getBoundingClientRect().right - label.getBoundingClientRect().right;
  })()`);
  expect(padding).toBeGreaterThan(8);
  await renewal.getByRole('button', { name: 'Copy' }).click();
  await renewal.getByRole('button', { name: 'Done' }).click();

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

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
