/** Jobs on the account: sign in, users, keys, webhooks, passwords and sessions. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { addRedirect, createSite } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, startDashboard } from '../../system/dashboard/browser.ts';
import { addUser, PASSWORD } from '../../system/dashboard/users.ts';
import { job } from './hands.ts';
import { redirectPage } from '../../system/dashboard/list.ts';

let dashboard: DashboardTest;
let receiver: Receiver;
beforeAll(async () => {
  dashboard = await startDashboard({ WEBHOOK_EGRESS: 'private', SIGN_UP: 'open' });
  receiver = await startReceiver();
});
afterAll(async () => {
  await dashboard.stop();
  await receiver.stop();
});

job('sign in, first run', async (handsOn, by) => {
  const page = await dashboard.openAnonymously('/');
  const hands = handsOn(page);
  await hands.press(page.getByRole('button', { name: 'Create an account' }));
  await hands.write(page.getByLabel('Email'), `first-${by}@example.com`);
  await hands.write(page.getByLabel('Password', { exact: true }), PASSWORD);
  await hands.press(page.getByRole('button', { name: 'Create account' }), 'Enter');
  await page.getByText('No websites yet').waitFor();
  await hands.press(page.getByRole('button', { name: 'New website' }).first(), 'n');
  await hands.typeAtOnce(page.getByLabel('Name'), 'Shop');
  await hands.write(page.getByLabel('Hosts', { exact: true }), `first-${by}.localhost`);
  await hands.press(page.getByRole('button', { name: 'Create website' }), 'Control+Enter');
  // The new host is not verified: the dialog has its TXT record.
  await page.getByRole('dialog', { name: `first-${by}.localhost` }).waitFor();
  await hands.press(page.getByRole('button', { name: 'Close' }).last(), 'Escape');
  await hands.press(page.getByRole('link', { name: 'Redirects' }).first());
  await page.getByText('No redirects yet').waitFor();
  const { websites } = await (await page.request.get('/api/websites')).json();
  expect(websites).toMatchObject([{ name: 'Shop', hosts: [{ hostname: `first-${by}.localhost` }] }]);

  await page.context().clearCookies();
  await page.goto('/sign-in');
  await hands.write(page.getByLabel('Email'), `first-${by}@example.com`);
  await hands.write(page.getByLabel('Password', { exact: true }), PASSWORD);
  await hands.press(page.getByRole('button', { name: 'Sign in' }), 'Enter');
  await page.getByRole('region', { name: 'First steps' }).waitFor();
});

job('API keys', async (handsOn, by) => {
  const page = await dashboard.open('/account/keys');
  const hands = handsOn(page);
  const name = `nightly ${by}`;
  const statusWith = async (key: string): Promise<number> =>
    (await fetch(`${dashboard.detour.address}/api/v1/websites`, { headers: { authorization: `Bearer ${key}` } }))
      .status;
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
  await hands.press(page.getByRole('button', { name: 'New API key' }).first(), 'n');
  await hands.typeAtOnce(page.getByLabel('Name', { exact: true }), name);
  await hands.choose(page.getByLabel('Expires'), 'In 30 days');
  await hands.press(page.getByRole('button', { name: 'Create key' }));
  const key = await page.getByLabel('API key', { exact: true }).inputValue();
  expect(await statusWith(key)).toBe(200);
  await hands.press(page.getByRole('button', { name: 'Copy' }));
  await hands.press(page.getByRole('button', { name: 'Done' }));
  await hands.press(page.getByRole('button', { name: `Revoke ${name}` }));
  await hands.press(page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }));
  await until(async () => (await statusWith(key)) === 401);
});

job('webhooks', async (handsOn, by) => {
  const page = await dashboard.open('/webhooks');
  const hands = handsOn(page);
  const sent = receiver.requests.length;
  await page.getByRole('heading', { name: 'Webhooks', exact: true }).waitFor();
  await hands.press(page.getByRole('button', { name: 'New webhook' }).first(), 'n');
  await hands.typeAtOnce(page.getByLabel('Name'), `chat ${by}`);
  await hands.write(page.getByLabel('URL'), receiver.url);
  await hands.press(page.getByRole('button', { name: 'Create webhook' }));
  await hands.press(page.getByRole('button', { name: 'Copy' }));
  await hands.press(page.getByRole('button', { name: 'Done' }));
  await page.getByRole('heading', { name: `chat ${by}` }).waitFor();
  await hands.press(page.getByRole('button', { name: 'Send test' }).first(), 't');
  await hands.press(page.getByRole('dialog').getByRole('button', { name: 'Send test' }));
  await until(async () => receiver.requests.length > sent);
  await hands.press(page.getByRole('link', { name: 'View delivery' }));
  await page.getByRole('dialog').getByText('"test": true').waitFor();
});

job('users', async (handsOn, by) => {
  const email = `colleague-${by}@example.com`;
  const { accountId, ...owner } = await dashboard.detour.account();
  const page = await dashboard.openAs(owner, '/account');
  const hands = handsOn(page);
  await page.getByText('The last owner cannot be removed').waitFor();
  await hands.press(page.getByRole('button', { name: 'Add user' }), 'n');
  await hands.typeAtOnce(page.getByLabel('Email'), email);
  await hands.choose(page.getByLabel('First sign-in'), 'With a generated password');
  await hands.press(page.getByRole('dialog').getByRole('button', { name: 'Add user' }));
  await hands.press(page.getByRole('dialog').getByRole('button', { name: 'Copy' }));
  await hands.press(page.getByRole('dialog').getByRole('button', { name: 'Done' }));
  const roleOf = async (): Promise<string | undefined> =>
    (await owner.call('GET', '/api/users')).body.users.find((user: { email: string }) => user.email === email)?.role;
  await hands.choose(page.getByLabel(`Role of ${email}`), 'Viewer');
  await until(async () => (await roleOf()) === 'viewer');
  await hands.press(page.getByRole('button', { name: `Remove ${email}` }));
  await hands.press(page.getByRole('dialog').getByRole('button', { name: 'Remove user' }));
  await until(async () => (await roleOf()) === undefined);
  expect(accountId).toBeGreaterThan(0);
});

job('change password, sessions', async (handsOn) => {
  const account = await dashboard.detour.account();
  const page = await dashboard.openAnonymously('/sign-in');
  const credentials = { email: account.email, password: account.password };
  expect((await page.request.post('/api/auth/sign-in', { data: credentials })).status()).toBe(200);
  await page.goto('/account/profile');
  const hands = handsOn(page);
  const isSignedIn = async (): Promise<boolean> => (await account.call('GET', '/api/auth/session')).status === 200;
  expect(await isSignedIn()).toBe(true);
  await hands.press(page.getByRole('button', { name: /^End session on/ }));
  await until(async () => !(await isSignedIn()));
  await hands.write(page.getByLabel('Current password'), account.password);
  await hands.write(page.getByLabel('New password', { exact: true }), 'another long password');
  await hands.press(page.getByRole('button', { name: 'Change password' }), 'Enter');
  const signIn = (password: string) => account.call('POST', '/api/auth/sign-in', { ...credentials, password });
  await until(async () => (await signIn('another long password')).status === 200);
  expect((await signIn(account.password)).status).toBe(401);
});

job('session expired', async (handsOn, by) => {
  const account = await dashboard.detour.account();
  const site = await createSite(account, [`ended-${by}.example.com`]);
  const id = await addRedirect(account, site, { old_path: '/old', new_path: '/new' });
  const page = await dashboard.openAs(account, `/websites/${site}/redirects/${id}`);
  const hands = handsOn(page);
  await hands.write(page.getByLabel('Notes'), 'typed before the end');
  await page.context().clearCookies();
  await hands.press(page.getByRole('button', { name: 'Save', exact: true }), 'Control+Enter');
  const dialog = page.getByRole('dialog', { name: 'Sign in' });
  await dialog.waitFor();
  await hands.typeAtOnce(dialog.getByLabel('Password', { exact: true }), account.password);
  await hands.press(dialog.getByRole('button', { name: 'Sign in' }), 'Enter');
  await until(
    async () => (await account.call('GET', `/api/redirects/${id}`)).body.redirect.notes === 'typed before the end',
  );
});

job('read-only viewer', async (handsOn, by) => {
  const site = await createSite(dashboard.owner, [`viewed-${by}.example.com`]);
  await addRedirect(dashboard.owner, site, { old_path: '/seen', new_path: '/x' });
  const email = `viewer-${by}@example.com`;
  await addUser(dashboard, email, 'viewer');
  const page = await dashboard.openAnonymously(`/websites/${site}/redirects`);
  const hands = handsOn(page);
  await hands.write(page.getByLabel('Email'), email);
  await hands.write(page.getByLabel('Password', { exact: true }), PASSWORD);
  await hands.press(page.getByRole('button', { name: 'Sign in' }), 'Enter');
  const open = page.getByRole('button', { name: '/seen', exact: true });
  await open.waitFor();
  await hands.use(() => open.click(), ['ArrowDown', 'Enter']);
  await redirectPage(page).waitFor();
  const writing = /^(New|Save|Delete|Edit|Deploy|Undo|Add|Create|Import|Promote)\b/;
  for (const screen of ['redirects', 'deployments', 'settings', 'not-found', 'health']) {
    await page.goto(`/websites/${site}/${screen}`);
    await page.locator('h1').waitFor();
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    expect([screen, await page.getByRole('button', { name: writing }).allTextContents()]).toEqual([screen, []]);
  }
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
