import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../src/db/drizzle.ts';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

test('Deployments lists the agents that follow an environment, and which lags since when', async () => {
  const { owner } = dashboard;
  const site = await createSite(owner, ['agents.example.com']);
  for (const path of ['/a', '/b']) {
    await addRedirect(owner, site, { old_path: path, new_path: '/new' });
    await settled(owner, site);
  }
  const [{ version: live = 0 } = {}] = (await settled(owner, site)).map(({ version }) => ({ version: version ?? 0 }));
  const follow = (query: string) =>
    fetch(`${dashboard.detour.address}/api/v1/feeds/${site}/production?${query}`, {
      headers: { authorization: `Bearer ${owner.key}` },
    });
  expect((await follow(`agent=edge-frankfurt&kind=edge&serving=${live}`)).status).toBe(200);
  expect((await follow(`agent=web-1&kind=nginx&serving=${live - 1}`)).status).toBe(200);
  expect((await follow(`agent=web-2&kind=caddy&serving=${live - 1}`)).status).toBe(200);
  expect((await follow('agent=app&kind=library')).status).toBe(200);
  expect((await follow(`agent=restored&kind=edge&serving=${live + 2}`)).status).toBe(200);
  await dashboard.detour.db.execute(
    sql`update feed_agents set last_seen_at = now() - interval '11 minutes' where name = 'web-2'`,
  );
  const page = await dashboard.open(`/websites/${site}/deployments`);
  const row = (name: string) => page.getByRole('listitem').filter({ hasText: name });
  await row('edge-frankfurt').getByText('Live', { exact: true }).waitFor();
  await row('web-1')
    .getByText(/^Fell behind /)
    .waitFor();
  await row('web-1')
    .getByText(`Serves version ${live - 1}, version ${live} is live`)
    .waitFor();
  await row('web-2')
    .getByText(/^Silent, last seen 11 min/)
    .waitFor();
  await row('app').getByText('No version yet').waitFor();
  await row('restored').getByText('Ahead of live').waitFor();
  await row('restored').getByText('as after the restore of a backup').waitFor();
  expect(await row('web-1').textContent()).toMatch(/nginx/);
  // A time since which an agent is behind may be that of its last request.
  expect(await row('app').textContent()).toMatch(/Last seen/);
  expect(await page.getByRole('button', { name: /^Forget/ }).count()).toBe(1);
  await expectAccessible(page);
  await expectFits(page, 390);
  await page.getByRole('button', { name: 'Forget web-2' }).click();
  const question = page.getByRole('dialog', { name: 'Forget web-2?' });
  await expectAccessible(page);
  await question.getByRole('button', { name: 'Forget', exact: true }).click();
  await row('web-2').waitFor({ state: 'detached' });
});

test('an environment without agents has the lines that install one', async () => {
  const { owner } = dashboard;
  const site = await createSite(owner, [{ hostname: 'staged.example.com', environment: 'staging' }]);
  const page = await dashboard.open(`/websites/${site}/deployments?environment=staging`);
  await page.getByText('No agent follows staging.').waitFor();
  await page.getByText('Add an agent').click();
  const line = (label: string) => page.getByLabel(label, { exact: true });
  const options = '--website staged.example.com --environment staging';
  const installed = line('Installs and starts it');
  expect(await installed.inputValue()).toContain(`ExecStart=/usr/bin/env detour-edge ${options} --listen`);
  const [kind, run] = [page.getByLabel('Where visitors are answered'), page.getByLabel('How it runs')];
  await run.selectOption('Docker container');
  expect(await installed.inputValue()).toContain(`exec /data/bin/detour-edge ${options} --listen`);
  for (const server of ['nginx', 'Apache', 'Caddy']) {
    await kind.selectOption(server);
    expect(await installed.inputValue()).toContain(`detour sync ${server.toLowerCase()} --watch ${options}`);
  }
  await kind.selectOption('Edge library');
  expect(await line('In your code').inputValue()).toContain(`website: '${site}', environment: 'staging'`);
  await page.getByRole('button', { name: 'Create a key' }).waitFor();
  await kind.selectOption('Edge agent');
  await run.selectOption('Command in a terminal');
  await page.getByRole('link', { name: 'API key', exact: true }).waitFor();
  await expectAccessible(page);
  await expectFits(page, 390);

  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByText('Waiting for the first request of the agent.').waitFor();
  const [, key] = /DETOUR_API_KEY=(\S+) /.exec(await line('Runs it until you stop it').inputValue()) ?? [];
  const follow = (id: number) =>
    fetch(`${dashboard.detour.address}/api/v1/feeds/${id}/staging?agent=edge-new&kind=edge`, {
      headers: { authorization: `Bearer ${key}` },
    });
  expect((await follow(await createSite(owner, ['other.example.com']))).status).toBe(404);
  expect((await follow(site)).status).toBe(200);
  await page.getByText('edge-new is connected.').waitFor();
  await expectAccessible(page);
});
