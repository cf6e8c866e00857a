import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';
import { addUser, enterPassword } from './users.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

const HOST = 'logged.example.com';
const line = (uri: string, host = HOST): string =>
  `${JSON.stringify({ time: Date.now() - 120_000, host, method: 'GET', uri, status: 301 })}\n`;

async function push(site: number, key: string, body: string, stream: string): Promise<void> {
  const response = await fetch(`${dashboard.detour.address}/api/v1/websites/${site}/logs?stream=${stream}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body,
  });
  expect(response.status).toBe(200);
}

async function createLoggedSite(host = HOST): Promise<number> {
  const site = await createSite(dashboard.owner, [host]);
  await addRedirect(dashboard.owner, site, { old_path: '/old', new_path: '/new' });
  await settled(dashboard.owner, site);
  return site;
}

test('Logs has the command with its key, waits for the first log, and then shows what arrived', async () => {
  const site = await createLoggedSite();
  const page = await dashboard.open(`/websites/${site}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('access log');
  await page.getByRole('option', { name: 'Logs' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Logs', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Not found' }).waitFor();
  await page.getByText('No log yet').waitFor();
  await page.getByRole('status').filter({ hasText: 'Waiting for the first log' }).waitFor();
  const command = page.getByLabel('Sends a log, and what is added to it', { exact: true });
  expect(await command.inputValue()).toContain(`detour logs push --follow --website ${HOST} --host ${HOST}`);
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByText('The new key may change this website').waitFor();
  const [, key = ''] = /DETOUR_API_KEY=(\S+) /.exec(await command.inputValue()) ?? [];
  await push(site, key, line('/old') + line('/old', 'other.example') + line('/unlisted'), 'web-1');
  const row = (stream: string) => page.getByRole('listitem').filter({ hasText: stream });
  await row('web-1').getByText('of 3 lines').waitFor();
  await row('web-1').getByText('1 of other hosts, 1 without use').waitFor();
  await row('web-1').getByText('Last line 2 min').waitFor();
  await push(site, key, line('/old', 'other.example'), 'web-2');
  await row('web-2').getByText('Every line is of another host').waitFor();
  expect(await page.locator('.log-list strong').allTextContents()).toEqual(['web-2', 'web-1']);
  await expectAccessible(page);
  await expectFits(page, 360);
  expect(dashboard.complaints).toEqual([]);
});

test('a chosen log is counted, and the screen says what was not', async () => {
  const host = 'uploaded.example.com';
  const site = await createLoggedSite(host);
  const page = await dashboard.open(`/websites/${site}/logs`);
  const lines = line('/old', host) + line('/old', host) + line('/old?q=1', 'other.example') + 'damaged 12\n';
  const choose = async (name: string, buffer: Buffer) => {
    await page.getByLabel('Log file', { exact: true }).setInputFiles({ name, mimeType: 'text/plain', buffer });
    await page.getByRole('dialog', { name: 'Count a log' }).waitFor();
  };
  await choose('access.log', Buffer.from(lines));
  await expectAccessible(page);
  await page.getByLabel('Stream').fill('no stream');
  await page.keyboard.press('Enter');
  await page.getByText('must have 1 to 200 letters').waitFor();
  await page.getByLabel('Stream').fill('web-1');
  await page.getByRole('button', { name: 'Count', exact: true }).click();
  const result = page.getByRole('status').filter({ hasText: 'access.log' });
  await result.getByText('2 of 4 lines counted, read as json.').waitFor();
  await result.getByText('Not counted: 1 of other hosts, 1 invalid.').waitFor();
  expect(await result.textContent()).toContain('Line 3, of another host: GET other.example/old');
  await page.getByRole('listitem').filter({ hasText: 'web-1' }).getByText('of 4 lines').waitFor();
  await expectAccessible(page);
  await expectFits(page, 360);

  await choose('access.log.gz', gzipSync(lines));
  await page.getByLabel('Stream').fill('web-1');
  await page.keyboard.press('Enter');
  await page.getByText('All 4 lines were counted before in this stream.').waitFor();
  expect(dashboard.complaints).toEqual([]);
});

test('viewers see what arrived, and no command', async () => {
  const site = await createSite(dashboard.owner, ['viewed.example.com']);
  const email = 'log-viewer@example.com';
  await addUser(dashboard, email, 'viewer');
  const page = await dashboard.openAnonymously(`/websites/${site}/logs`);
  await enterPassword(page, { email });
  await page.getByText('No log yet').waitFor();
  expect(await page.getByRole('button', { name: /Create a key|Choose log file/ }).count()).toBe(0);
});
