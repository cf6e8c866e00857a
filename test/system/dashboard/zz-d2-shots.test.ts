import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, test } from 'vitest';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { createSite, addRedirect } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, startDashboard } from './browser.ts';

const OUT = '/tmp/d2/shots';
let dashboard: DashboardTest;
let receiver: Receiver;
beforeAll(async () => {
  mkdirSync(OUT, { recursive: true });
  dashboard = await startDashboard({ WEBHOOK_EGRESS: 'private' });
  receiver = await startReceiver();
});
afterAll(async () => {
  await dashboard.stop();
  await receiver.stop();
});

test('shots', async () => {
  const { owner } = dashboard;
  const site = await createSite(owner, ['shop.example.com'], { name: 'Shop' });
  const empty = await dashboard.open('/webhooks');
  await empty.getByText('No webhook yet').waitFor();
  await empty.screenshot({ path: `${OUT}/empty.png` });
  await empty.close();
  const events = ['redirect.created', 'redirect.updated', 'deployment.completed'];
  const make = async (name: string, url: string, e = events) =>
    (await owner.keyCall('POST', '/api/webhooks', { name, url, events: e })).body.webhook.id as string;
  const good = await make('Chat of the web team', receiver.url);
  await make(
    'Cache of the shop, whose name is much longer than anybody would think of, to see what becomes of it',
    `http://127.0.0.1:9/${'a-long-address/'.repeat(9)}`,
  );
  const off = await make('Search index', receiver.url);
  await owner.keyCall('PUT', `/api/webhooks/${off}`, { is_active: false });
  for (const n of [1, 2, 3])
    await addRedirect(owner, site, { old_path: `/a${n}`, new_path: '/b', target_environments: 'production' });
  await receiver.got(4);
  receiver.reply((response) =>
    response.writeHead(500).end('<html><body><h1>Internal Server Error</h1></body></html>'),
  );
  await addRedirect(owner, site, { old_path: '/fails', new_path: '/b' });
  await until(async () =>
    (await owner.keyCall('GET', `/api/webhooks/${good}/deliveries`)).body.deliveries.some(
      (d: any) => d.last_status === 500,
    ),
  );
  const page = await dashboard.open('/webhooks', { viewport: { width: 1280, height: 800 } });
  const shot = async (name: string) => {
    for (const [mode, width, scheme] of [
      ['wide', 1280, 'light'],
      ['dark', 1280, 'dark'],
      ['narrow', 360, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      await new Promise((done) => setTimeout(done, 250));
      await page.screenshot({ path: `${OUT}/${name}-${mode}.png` });
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  };
  await page.getByText('Chat of the web team').waitFor();
  await shot('list');
  await page.goto('/webhooks?new=webhook');
  await page.getByLabel('Name').waitFor();
  await shot('new');
  await page.goto(`/webhooks/${good}`);
  await page.locator('.delivery-list').waitFor();
  await shot('detail');
  await page.getByRole('link', { name: 'redirect.created' }).first().click();
  await page.getByText('1 attempt').waitFor();
  await shot('delivery');
  await page.goto(`/webhooks/${good}?do=test`);
  await page.getByRole('dialog').getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('Not delivered').waitFor();
  await shot('test');
});
