/** The sign-in page, and signing in again after the session has ended. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addRedirect, createSite } from '../../support/site.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';
import { codeOf, enterPassword, protect } from './users.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

test('sign-in opens the requested page, a wrong password is an error, sign-out ends the session', async () => {
  const page = await dashboard.openAnonymously('/websites?new=website');
  await page.getByLabel('Email').fill(dashboard.owner.email);
  const password = page.getByLabel('Password', { exact: true });
  await password.fill('not this one');
  expect(await password.getAttribute('type')).toBe('password');
  await page.getByRole('button', { name: 'Show password' }).click();
  expect(await password.getAttribute('type')).toBe('text');
  await page.getByRole('button', { name: 'Hide password' }).click();
  await password.press('Enter');
  await page.getByRole('alert').getByText('Check both. After 10 failures').waitFor();
  await expectAccessible(page);
  // The wrong password is selected, so typing replaces it.
  await page.keyboard.type(dashboard.owner.password);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'New website' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/websites');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: dashboard.owner.email }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to Detour' }).waitFor();
});

test('sign-in never redirects to another site', async () => {
  const page = await dashboard.openAnonymously(`/sign-in?to=${encodeURIComponent('//evil.example/x')}`);
  await page.getByLabel('Email').fill(dashboard.owner.email);
  await page.getByLabel('Password', { exact: true }).fill(dashboard.owner.password);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  expect(new URL(page.url()).origin).toBe(dashboard.detour.address);
});

test('without mail, a forgotten password leads to an owner or the operator', async () => {
  const page = await dashboard.openAnonymously('/sign-in');
  await page.getByText('Forgot password?').click();
  await page.getByText('This service sends no mail.').waitFor();
  await expectAccessible(page);
});

test('the place of the first password is folded', async () => {
  const page = await dashboard.openAnonymously('/');
  await page.getByRole('heading', { name: 'Sign in to Detour' }).waitFor();
  await page.route(/\/sign-in$/, async (route) => {
    const response = await route.fetch();
    const embedded = (await response.text()).replace('isEmbedded&quot;:false', 'isEmbedded&quot;:true');
    await route.fulfill({ response, body: embedded });
  });
  await page.goto('/sign-in');
  const place = page.getByText('The first start printed an email and a password');
  await page.getByText('First time here?').waitFor();
  expect(await place.isVisible()).toBe(false);
  await page.getByText('First time here?').click();
  await place.waitFor();
  await expectAccessible(page);
});

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

describe('an ended session', () => {
  test('asks to sign in over the screen, repeats the save, and keeps what was typed', async () => {
    const user = await protect(dashboard);
    const site = await createSite(user, ['ended.example.com']);
    const id = await addRedirect(user, site, { old_path: '/old', new_path: '/new' });
    const page = await dashboard.openAnonymously(`/websites/${site}/redirects/${id}`);
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
    await dialog.getByLabel('Password', { exact: true }).fill(user.password);
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

  test('a row that is saved after the end asks for the password, and no key of it reaches the list', async () => {
    const user = await dashboard.detour.account();
    const site = await createSite(user, ['row-ended.example.com']);
    const id = await addRedirect(user, site, { old_path: '/old', new_path: '/new' });
    const page = await dashboard.openAnonymously(`/websites/${site}/redirects`);
    await enterPassword(page, user);
    await page.getByRole('row', { name: '/old' }).hover();
    await page.getByRole('button', { name: 'Edit in the row' }).click();
    await page.locator('.grid-row.editing').getByLabel('To').fill('/newer');
    await page.context().clearCookies();
    await page.keyboard.press('Enter');
    const password = page.getByRole('dialog', { name: 'Sign in' }).getByLabel('Password', { exact: true });
    await password.waitFor();
    await page.keyboard.type(user.password);
    expect(await password.inputValue()).toBe(user.password);
    await page.keyboard.press('Enter');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect((await user.call('GET', `/api/redirects/${id}`)).body.redirect.new_path).toBe('/newer');
    expect(await page.getByLabel('Search paths').inputValue()).toBe('');
    expect(await page.getByRole('dialog').count()).toBe(0);
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
    await dialog.getByLabel('Password', { exact: true }).fill(second.password);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/websites');
    await page.goto('/account/profile');
    await page.getByText(`${second.email}, owner of this account`).waitFor();
  });
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
