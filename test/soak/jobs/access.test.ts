/** Jobs on who may do what, on hosts, and on what watches them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { createSite } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, startDashboard } from '../../system/dashboard/browser.ts';
import { codeOf, PASSWORD } from '../../system/dashboard/users.ts';
import { type Hands, job } from './hands.ts';

let dashboard: DashboardTest;
let receiver: Receiver;
beforeAll(async () => {
  dashboard = await startDashboard({ WEBHOOK_EGRESS: 'private' });
  receiver = await startReceiver();
});
afterAll(async () => {
  await dashboard.stop();
  await receiver.stop();
});

/** A new account, whose owner signs in with the form on this path. */
async function signIn(handsOn: (page: Awaited<ReturnType<DashboardTest['open']>>) => Hands, path: string) {
  const account = await dashboard.detour.account();
  const page = await dashboard.openAnonymously(path);
  const hands = handsOn(page);
  await hands.write(page.getByLabel('Email'), account.email);
  await hands.write(page.getByLabel('Password', { exact: true }), account.password);
  await hands.press(page.getByRole('button', { name: 'Sign in' }), 'Enter');
  return { account, page, hands };
}

job('invitations', async (handsOn, by) => {
  const { account, page, hands } = await signIn(handsOn, '/account');
  const email = `guest-${by}@example.com`;
  await page.getByText('The last owner cannot be removed').waitFor();
  await hands.press(page.getByRole('button', { name: 'Add user' }), 'n');
  await hands.typeAtOnce(page.getByLabel('Email'), email);
  // Arrows move between the roles, the keyboard reaches the chosen one.
  const viewer = page.getByRole('radio', { name: 'Viewer' });
  await hands.use(() => viewer.check(), ['ArrowDown'], page.getByRole('radio', { name: 'Editor' }));
  expect(await viewer.isChecked()).toBe(true);
  await hands.press(page.getByRole('dialog').getByRole('button', { name: 'Create invitation' }), 'Enter');
  const created = page.getByRole('dialog', { name: 'Invitation created' });
  const link = new URL(await created.getByLabel('Invitation link').inputValue());
  await hands.press(created.getByRole('button', { name: 'Copy' }));
  await hands.press(created.getByRole('button', { name: 'Done' }));
  const guest = await dashboard.openAnonymously(link.pathname + link.hash);
  const handsOfGuest = handsOn(guest);
  await handsOfGuest.typeAtOnce(guest.getByRole('textbox', { name: 'New password' }), PASSWORD);
  await handsOfGuest.press(guest.getByRole('button', { name: 'Accept invitation' }), 'Enter');
  await guest.getByRole('navigation', { name: 'Main' }).waitFor();
  const { users } = (await account.call('GET', '/api/users')).body;
  expect(users.find((user: { email: string }) => user.email === email)?.role).toBe('viewer');
});

job('two-factor', async (handsOn) => {
  const { account, page, hands } = await signIn(handsOn, '/account/profile');
  await hands.press(page.getByRole('button', { name: 'Set up' }));
  const setUp = page.getByRole('dialog', { name: 'Set up two-factor sign-in' });
  const secret = await setUp.getByLabel('Secret').inputValue();
  await hands.write(setUp.getByLabel('Six-digit code'), codeOf(secret));
  await hands.press(setUp.getByRole('button', { name: 'Turn on' }), 'Enter');
  const codes = page.getByRole('dialog', { name: 'Two-factor sign-in is on' });
  await hands.press(codes.getByRole('button', { name: 'Copy' }));
  await hands.press(codes.getByRole('button', { name: 'Done' }));
  await page.getByText('10 of 10 recovery codes are left').waitFor();

  await page.context().clearCookies();
  await page.goto('/sign-in');
  await hands.write(page.getByLabel('Email'), account.email);
  await hands.write(page.getByLabel('Password', { exact: true }), account.password);
  await hands.press(page.getByRole('button', { name: 'Sign in' }), 'Enter');
  await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
  await hands.typeAtOnce(page.getByLabel('Six-digit code'), codeOf(secret, 1));
  await hands.press(page.getByRole('button', { name: 'Sign in' }), 'Enter');
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
});

job('account deletion', async (handsOn, by) => {
  const { account, page, hands } = await signIn(handsOn, '/account');
  const host = `deleted-${by}.example.com`;
  await createSite(account, [host], { fallback_url: 'https://www.example.com' });
  await until(async () => (await dashboard.detour.visit(host, '/a')).status === 302);
  await hands.press(page.getByRole('button', { name: 'Delete account' }));
  const dialog = page.getByRole('dialog', { name: 'Delete this account?' });
  await dialog.getByText('1 website with their hosts').waitFor();
  await hands.write(dialog.getByLabel(`Type ${account.email} to confirm`), account.email);
  await hands.write(dialog.getByLabel('Your password'), account.password);
  await hands.press(dialog.getByRole('button', { name: 'Delete account' }), 'Enter');
  await page.getByRole('heading', { name: 'Your account is deleted' }).waitFor();
  await until(async () => (await dashboard.detour.visit(host, '/a')).status !== 302);
});

job('hosts and domains', async (handsOn, by) => {
  const site = await createSite(dashboard.owner, [`first-${by}.example.com`]);
  const page = await dashboard.open(`/websites/${site}/settings`);
  const hands = handsOn(page);
  const added = `added-${by}.example.com`;
  await hands.press(page.getByRole('button', { name: 'Add host' }));
  const dialog = page.getByRole('dialog');
  await hands.typeAtOnce(dialog.getByLabel('Host', { exact: true }), added);
  await hands.press(dialog.getByRole('button', { name: 'Add host' }), 'Enter');
  // The record to set is shown without another step.
  await page.getByRole('dialog', { name: added }).waitFor();
  await hands.press(page.getByRole('button', { name: 'Close' }).last(), 'Escape');
  const hosts = async () =>
    (await dashboard.owner.call('GET', `/api/websites/${site}`)).body.website.hosts.map(
      ({ hostname }: { hostname: string }) => hostname,
    );
  await until(async () => (await hosts()).includes(added));
  await page.getByRole('link', { name: added }).waitFor();
});

job('agents', async (handsOn, by) => {
  const site = await createSite(dashboard.owner, [`agent-${by}.example.com`]);
  const page = await dashboard.open(`/websites/${site}/deployments`);
  const hands = handsOn(page);
  await hands.press(page.getByText('Add an agent'));
  await hands.choose(page.getByLabel('Where visitors are answered'), 'nginx');
  await hands.press(page.getByRole('button', { name: 'Copy Installs and starts it' }));
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.getByLabel('Installs and starts it', { exact: true }).inputValue()).toContain(
    `--website agent-${by}.example.com`,
  );
});

job('notices', async (handsOn, by) => {
  const page = await dashboard.open('/notices');
  const hands = handsOn(page);
  const sent = receiver.requests.length;
  await page.getByRole('heading', { name: 'Notices', exact: true }).waitFor();
  await hands.press(page.getByRole('button', { name: 'New notice' }).first(), 'n');
  const dialog = page.getByRole('dialog');
  await hands.typeAtOnce(dialog.getByLabel('Name'), `team ${by}`);
  await hands.write(dialog.getByLabel('URL', { exact: true }), receiver.url);
  await hands.press(dialog.getByRole('button', { name: 'Create notice' }), 'Enter');
  await dialog.waitFor({ state: 'detached' });
  const row = page.getByRole('listitem').filter({ hasText: `team ${by}` });
  await hands.press(row.getByRole('button', { name: 'Send test' }));
  await page.getByText(/^Delivered in/).waitFor();
  expect(receiver.requests.length).toBe(sent + 1);
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
