/** Verification of hosts: a new user proves one with a TXT record. */
import { type NameServer, startNameServer } from '../../support/name-server.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSite } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';
import { addUser, enterPassword, signedIn } from './users.ts';

/** The TXT records of the name server. */
const records: Record<string, string[]> = {};
let dashboard: DashboardTest;
let names: NameServer;
beforeAll(async () => {
  names = await startNameServer({}, records);
  dashboard = await startDashboard({ SIGN_UP: 'open', DNS_SERVERS: names.address });
});
afterAll(async () => {
  await dashboard.stop();
  await names.stop();
});

test('a new user signs up, creates a website and a redirect, proves the host, and it goes live', async () => {
  const page = await dashboard.openAnonymously('/');
  await page.getByRole('button', { name: 'Create an account' }).click();
  await page.getByLabel('Email').fill('new@example.com');
  await page.getByLabel('Password', { exact: true }).fill('a long password');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('No websites yet').waitFor();
  await page.keyboard.press('n');
  await page.getByLabel('Name').fill('Shop');
  await page.getByLabel('Hosts', { exact: true }).fill('http://shop.localhost:3000/sale?from=mail');
  await page.getByRole('button', { name: 'Create website' }).click();
  await page.getByRole('dialog', { name: 'shop.localhost' }).getByText('Anyone can sign up').waitFor();
  await page.getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('link', { name: 'Redirects' }).click();
  await page.getByText('No redirects yet').waitFor();
  const create = async (from: string): Promise<void> => {
    await page.keyboard.press('n');
    await page.getByLabel('From', { exact: true }).fill(from);
    await page.getByLabel('To', { exact: true }).fill('/offers');
    await page.getByRole('button', { name: 'Create redirect' }).click();
  };
  await create('/sale');
  await page.getByRole('link', { name: 'Verify the host' }).click();
  await page.getByText('Not verified').waitFor();
  await page.getByRole('link', { name: 'shop.localhost' }).click();
  const record = page.getByRole('textbox', { name: 'Name of the TXT record' });
  const value = page.getByRole('textbox', { name: 'Value' });
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Copy Value' }).click();
  await page.getByRole('button', { name: 'Copied Value' }).waitFor();
  await page.getByRole('button', { name: 'Verify shop.localhost' }).click();
  await page.getByRole('alert').getByText('There is no TXT record _detour.shop.localhost').waitFor();
  await expectAccessible(page);
  expect((await dashboard.detour.visit('shop.localhost', '/sale')).location).toBeUndefined();
  records[await record.inputValue()] = [await value.inputValue()];
  // The open dialog looks the record up again.
  await page.getByText('shop.localhost is verified and serves').waitFor();
  await page.getByRole('dialog').getByText('It needs neither a DNS record nor a certificate.').waitFor();
  expect(await record.count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.getByText('On this machine, no certificate is needed').waitFor();
  await until(async () => (await dashboard.detour.visit('shop.localhost', '/sale')).location === '/offers');
  await page.getByRole('link', { name: 'Redirects' }).click();
  await page.getByText('/sale').first().waitFor();
  await create('/more');
  const { port } = new URL(dashboard.detour.address);
  const visit = page.getByRole('link', { name: 'Visit' });
  expect(await visit.getAttribute('href')).toBe(`http://shop.localhost:${port}/more`);
});

test('hosts that are not verified are marked; a wrong record is an error that names it', async () => {
  records['_detour.two.example.com'] = ['something else'];
  const id = await createSite(dashboard.owner, ['one.example.com', 'two.example.com'], { name: 'Pair' });
  const page = await dashboard.open('/websites');
  const verify = page.getByRole('listitem').filter({ hasText: /2 hosts need their proof.*Pair/ });
  await verify.waitFor();
  await expectAccessible(page);
  await verify.getByRole('link', { name: /^Verify/ }).click();
  await page.getByRole('link', { name: 'two.example.com' }).click();
  await page.getByRole('button', { name: 'Verify two.example.com' }).click();
  await page.getByRole('alert').getByText('_detour.two.example.com is "something else"').waitFor();
  records['_detour.two.example.com'] = [await page.getByRole('textbox', { name: 'Value' }).inputValue()];
  await page.getByRole('button', { name: 'Check', exact: true }).waitFor();
  await page.getByRole('status').getByText('two.example.com is verified.').waitFor();
  expect((await dashboard.owner.call('GET', `/api/websites/${id}`)).body.website.hosts[1].verified).toBe(true);
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});

test('a link opens no dialog that changes hosts for a viewer', async () => {
  const id = await createSite(dashboard.owner, ['seen.example.com']);
  await addUser(dashboard, 'viewer@example.com', 'viewer');
  const page = await dashboard.openAnonymously('/websites');
  await enterPassword(page, { email: 'viewer@example.com' });
  await signedIn(page);
  for (const dialog of ['new=host', 'new=hosts', 'edit=seen.example.com', 'remove=seen.example.com']) {
    await page.goto(new URL(`/websites/${id}/settings?${dialog}`, page.url()).href);
    await page.getByRole('link', { name: 'seen.example.com' }).waitFor();
    expect(await page.getByRole('dialog').count(), dialog).toBe(0);
  }
});
