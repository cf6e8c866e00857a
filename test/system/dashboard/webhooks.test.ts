import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from 'drizzle-orm';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { addRedirect, createSite } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';

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

/** Creates a webhook to the receiver and opens its page. */
async function openWebhook(events: string[], more: object = {}): Promise<{ id: string; page: Page }> {
  const body = { name: 'listener', url: receiver.url, events, ...more };
  const created = await dashboard.owner.keyCall('POST', '/api/webhooks', body);
  expect(created.status).toBe(201);
  const { id } = created.body.webhook;
  return { id, page: await dashboard.open(`/webhooks/${id}`) };
}

const setActive = (id: string, isActive: boolean) =>
  dashboard.owner.keyCall('PUT', `/api/webhooks/${id}`, { is_active: isActive });

test('a new webhook is created, its secret is shown once, and a test is sent', async () => {
  const page = await dashboard.open('/webhooks');
  await page.getByText('No webhooks yet').waitFor();
  await page.keyboard.press('n');
  await page.getByLabel('Name').fill('chat');
  await page.getByLabel('URL').fill('ftp://nowhere');
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await until(async () => (await page.getByLabel('URL').getAttribute('aria-invalid')) === 'true');
  await expectAccessible(page);
  await page.getByLabel('URL').fill(receiver.url);
  await page.getByRole('button', { name: 'Create webhook' }).click();
  const secret = await page.getByLabel('Secret').inputValue();
  expect(secret).toMatch(/^whsec_/);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.getByText('You have not copied it').waitFor();
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('heading', { name: 'chat' }).waitFor();
  expect(await page.getByText(secret).count()).toBe(0);
  await page.keyboard.press('t');
  await page.getByRole('dialog').getByRole('button', { name: 'Send test' }).click();
  await page.getByText('Responded with 200').waitFor();
  expect((await receiver.got(1))[0]?.headers['x-service-event']).toBe('deployment.completed');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'View delivery' }).click();
  await page.getByText('1 attempt', { exact: true }).waitFor();
  await page.getByText('"test": true').waitFor();
  await expectAccessible(page);
});

test('a failed delivery shows attempt, response and remedy, and can be resent', async () => {
  receiver.reply((response) => response.writeHead(401).end('bad signature'));
  const { page } = await openWebhook(['redirect.created']);
  await page.getByText('No deliveries yet').waitFor();
  const site = await createSite(dashboard.owner, ['failing.example.com']);
  const redirect = { website_id: site, old_path: '/a', new_path: '/b', target_environments: '' };
  await dashboard.owner.call('POST', '/api/redirects', redirect);
  await page.getByText('Failing (1 attempt in a row)').waitFor();
  await page.getByRole('link', { name: 'Redirect created' }).waitFor();
  await page.getByText('Next attempt: ').waitFor();
  await page.keyboard.press('ArrowDown');
  expect(await page.locator('[data-row]:focus').textContent()).toMatch(/Redirect created/);
  await page.keyboard.press('Enter');
  const panel = page.getByRole('dialog', { name: 'Delivery' });
  await panel.getByText('bad signature').first().waitFor();
  await panel.getByText('its signature verification').first().waitFor();
  await expectAccessible(page);
  receiver.reply(200);
  const address = page.url();
  await panel.getByRole('button', { name: 'Resend' }).click();
  await page.getByText('Queued as a new delivery').waitFor();
  expect(page.url()).not.toBe(address);
  await panel.getByText('Delivered').waitFor();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await page.keyboard.press('ArrowDown');
  expect(await page.locator('[data-row]:focus').textContent()).toMatch(/Redirect created/);
  await page.getByText('resent', { exact: true }).waitFor();
  await page.getByLabel('State').selectOption('delivered');
  await page.waitForURL(/state=delivered/);
  const day = await page.evaluate(() => new Date().toISOString().slice(0, 10));
  await page.getByLabel('To the day').fill('2020-02-28');
  await page.getByText('No matching deliveries').waitFor();
  await page.getByLabel('To the day').fill(day);
  await page.getByLabel('From the day').fill(day);
  await page.getByRole('link', { name: 'Redirect created' }).first().waitFor();
  await expectFits(page, 360);
  await expectAccessible(page);
});

test('an import says how many redirects it is about', async () => {
  receiver.reply(200);
  const { page } = await openWebhook(['bulk_import.completed']);
  const site = await createSite(dashboard.owner, ['import-count.example.com'], { auto_deploy: false });
  const redirects = ['/a', '/b'].map((old_path) => ({ old_path, new_path: '/x' }));
  const body = { website_id: String(site), redirects };
  expect((await dashboard.owner.keyCall('POST', '/api/v1/redirects/bulk', body)).status).toBe(200);
  await page.getByRole('link', { name: 'Bulk import completed 2 redirects' }).waitFor();
  await expectAccessible(page);
});

test('the events of one bulk edit are one row, which opens them; Retry now sends them', async () => {
  receiver.reply(500);
  const { page } = await openWebhook(['redirect.updated']);
  const site = await createSite(dashboard.owner, ['grouped.example.com'], { auto_deploy: false });
  const ids: number[] = [];
  for (let at = 0; at < 53; at++)
    ids.push(await addRedirect(dashboard.owner, site, { old_path: `/${at}`, new_path: '/x' }));
  const body = { redirectIds: ids, updates: { notes: 'sale' } };
  expect((await dashboard.owner.call('POST', '/api/redirects/bulk-update', body)).status).toBe(200);
  const rows = page.locator('[data-row]');
  await page.getByText('53 retrying: Responded with 500').waitFor();
  expect(await rows.count()).toBe(1);
  await page.getByText('Deliveries do not arrive.').waitFor();
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Redirect updated' }).first().waitFor();
  expect(await rows.count()).toBe(50);
  await page.getByRole('button', { name: 'Load more' }).click();
  await expect.poll(() => rows.count()).toBe(53);
  expect(await page.getByRole('button', { name: 'Load more' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Remove filter Queued together' }).click();
  receiver.reply(200);
  await page.locator('[data-row]').getByRole('button', { name: 'Retry now' }).click();
  await page.getByText(/^\d+ deliver(y|ies) due now$/).waitFor();
  await page.getByText('53 delivered: 200').waitFor();
  // The number of pending deliveries is read apart from the list.
  await expect.poll(() => page.getByRole('button', { name: 'Retry now' }).count(), { timeout: 15_000 }).toBe(0);
});

test('a webhook is disabled with Undo, edited, its secret rotated, events replayed, and deleted', async () => {
  const { id, page } = await openWebhook(['redirect.created']);
  const site = await createSite(dashboard.owner, ['replayed.example.com']);
  const read = async () => (await dashboard.owner.keyCall('GET', `/api/webhooks/${id}`)).body.webhook;
  const choose = async (name: string) => {
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('button', { name }).click();
  };
  await choose('Disable');
  await until(async () => !(await read()).is_active);
  await page.getByRole('button', { name: 'Undo' }).click();
  await until(async () => (await read()).is_active);

  await page.keyboard.press('e');
  await page.getByLabel('Name').fill('another name');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'another name' }).waitFor();
  expect((await read()).name).toBe('another name');

  await choose('Rotate secret');
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByLabel('Secret', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('valid until').waitFor();
  expect((await read()).previous_secret_until).not.toBeNull();

  await choose('Replay events');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  await page.getByText('No events to replay in this time range').waitFor();
  await setActive(id, false);
  const redirect = { website_id: site, old_path: '/missed', new_path: '/b', target_environments: '' };
  await dashboard.owner.call('POST', '/api/redirects', redirect);
  await setActive(id, true);
  await page.reload();
  await choose('Replay events');
  await page.getByRole('dialog').getByLabel('Events').selectOption('all');
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  await page.getByText(/\d events? queued/).waitFor();
  await until(async () => receiver.requests.some(({ body }) => body.includes('/missed')));

  await choose('Delete webhook');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete webhook' }).click();
  await page.waitForURL(/\/webhooks$/);
  expect((await dashboard.owner.keyCall('GET', `/api/webhooks/${id}`)).status).toBe(404);
});

test('a plan without webhooks names the plan that includes them, and only owners see webhooks', async () => {
  const page = await dashboard.openAs(await dashboard.detour.account('pro'), '/webhooks');
  await page.getByText('Webhooks require the Business plan').waitFor();
  expect(await page.getByRole('button', { name: 'New webhook' }).count()).toBe(0);
  await expectAccessible(page);
  const viewer = { email: 'hooks-viewer@example.com', role: 'viewer', password: 'a long password' };
  expect((await dashboard.owner.call('POST', '/api/users', viewer)).status).toBe(201);
  const other = await dashboard.openAnonymously('/webhooks');
  await other.getByLabel('Email').fill(viewer.email);
  await other.getByLabel('Password', { exact: true }).fill(viewer.password);
  await other.keyboard.press('Enter');
  await other.getByText('Only owners can view webhooks').waitFor();
});

test('after a downgrade the log can be viewed and the webhook deleted, nothing else', async () => {
  const account = await dashboard.detour.account('business');
  const body = { name: 'kept', url: receiver.url, events: ['redirect.created'] };
  expect((await account.keyCall('POST', '/api/webhooks', body)).status).toBe(201);
  await dashboard.detour.db.execute(sql`update accounts set plan = 'pro' where id = ${account.accountId}`);
  const page = await dashboard.openAs(account, '/webhooks');
  await page.getByText('Nothing is sent').waitFor();
  await page.getByRole('link', { name: 'kept' }).click();
  await page.getByText('No deliveries yet').waitFor();
  expect(await page.getByRole('button', { name: /Send|Edit|More/ }).count()).toBe(0);
  await page.getByRole('button', { name: 'Delete webhook' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete webhook' }).click();
  await page.getByText('Webhooks require the Business plan').waitFor();
});

test('a deleted webhook is reported, and a failed request can be retried', async () => {
  const page = await dashboard.open('/webhooks/no-such-webhook');
  await page.getByText('Webhook not found').waitFor();
  await page.route('**/api/webhooks', (route) => route.abort());
  await page.goto('/webhooks');
  await page.getByText('The service cannot be reached').waitFor();
  await page.unroute('**/api/webhooks');
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByRole('list').getByText('chat').waitFor();
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});

test('the health of a webhook stays in its column', async () => {
  await openWebhook(['redirect.created']);
  const page = await dashboard.open('/account');
  await page.route('**/api/webhooks', async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    const webhooks = body.webhooks.map((each: object) => ({ ...each, fail_streak: 24 }));
    return route.fulfill({ response, json: { ...body, webhooks } });
  });
  await page.goto('/webhooks');
  const badge = page.getByText('Failing (24 attempts in a row)').first();
  await badge.waitFor();
  for (const width of [1024, 1280, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    const events = badge.locator('xpath=../following-sibling::div[1]');
    const [left, right] = [await badge.boundingBox(), await events.boundingBox()];
    expect(left!.x + left!.width).toBeLessThan(right!.x);
  }
});
