import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
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

const stored = async () => (await dashboard.owner.keyCall('GET', '/api/v1/notices')).body.notices[0];

test('a notice is created, tested, edited without its URL, disabled and deleted', async () => {
  const page = await dashboard.open('/notices');
  await page.getByText('No notices yet').waitFor();
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog');
  // This service sends no mail.
  expect(await dialog.getByRole('radio', { name: /Email.*SMTP_URL/ }).isDisabled()).toBe(true);
  await dialog.getByLabel('Name').fill('Operations');
  await dialog.getByLabel('URL', { exact: true }).fill('ftp://nowhere');
  await dialog.getByRole('button', { name: 'Create notice' }).click();
  await until(async () => (await dialog.getByLabel('URL', { exact: true }).getAttribute('aria-invalid')) === 'true');
  await dialog.getByRole('checkbox', { name: /Weekly digest/ }).check();
  await dialog.getByLabel('Time zone').selectOption('Europe/Berlin');
  await dialog.getByLabel('URL', { exact: true }).fill(receiver.url);
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Create notice' }).click();
  await page.getByText('Failed deployments, lost URLs, weekly digest').waitFor();
  expect(await stored()).toMatchObject({ channel: { type: 'slack' }, website_ids: null, time_zone: 'Europe/Berlin' });

  await page.getByText('No message yet').waitFor();
  await page.getByRole('list').getByRole('button', { name: 'Send test' }).click();
  await page.getByText(/^Delivered in [\d.]+ m?s$/).waitFor();
  expect((await receiver.got(1))[0]?.body).toContain('Operations');
  await expectAccessible(page);
  receiver.reply(404);
  await page.getByRole('list').getByRole('button', { name: 'Send test' }).click();
  await page.getByText(/^Not delivered: /).waitFor();
  await page.getByText('Check that the address or URL still exists there').waitFor();
  await page.getByText('Test failed', { exact: true }).waitFor();
  receiver.reply(200);

  const choose = async (name: string) => {
    await page.getByRole('button', { name: 'Actions of' }).click();
    await page.getByRole('button', { name, exact: true }).click();
  };
  await choose('Edit');
  expect(await dialog.getByLabel('URL', { exact: true }).inputValue()).toBe('');
  await dialog.getByText('Leave empty to keep the URL').waitFor();
  await dialog.getByLabel('Name').fill('On call');
  await dialog.getByRole('checkbox', { name: /Lost URLs/ }).uncheck();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: 'On call' }).click();
  await page.getByRole('heading', { name: 'On call' }).waitFor();
  expect(await stored()).toMatchObject({ kinds: ['deployment.failed', 'digest.weekly'], time_zone: 'Europe/Berlin' });

  const log = page.getByRole('region', { name: 'Log' });
  await until(async () => (await log.getByRole('listitem').count()) === 2);
  await page.getByRole('button', { name: 'Send test' }).click();
  await receiver.got(3);
  await until(async () => (await log.getByRole('listitem').count()) === 3);
  expect(await log.getByRole('listitem').first().textContent()).toMatch(/^Delivered *Test/);
  expect(await log.getByRole('listitem').nth(1).textContent()).toMatch(/^Failed *Test.*404/);
  await expectFits(page, 360);
  await expectAccessible(page);

  await choose('Disable');
  await page.getByText('Notice disabled').waitFor();
  expect((await stored()).is_active).toBe(false);
  await page.getByRole('button', { name: 'Undo' }).click();
  await until(async () => (await stored()).is_active);
  await choose('Delete notice');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete notice' }).click();
  await page.waitForURL(/\/notices$/);
  await page.getByText('No notices yet').waitFor();
  expect(await stored()).toBeUndefined();
});

test('on a plan without webhooks the screen says why nothing can be sent', async () => {
  const page = await dashboard.openAs(await dashboard.detour.account('pro'), '/notices');
  await page.getByText(/Requires the Business plan.*SMTP_URL/).waitFor();
  expect(await page.getByRole('button', { name: 'New notice' }).count()).toBe(0);
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
