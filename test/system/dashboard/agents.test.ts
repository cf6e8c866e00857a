import { afterAll, beforeAll, expect, test } from 'vitest';
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
  const page = await dashboard.open(`/websites/${site}/deployments`);
  const row = (name: string) => page.getByRole('listitem').filter({ hasText: name });
  await row('edge-frankfurt').getByText(`Serves version ${live}, which is live`).waitFor();
  await row('web-1')
    .getByText(`Serves version ${live - 1}, live is ${live}, behind since`)
    .waitFor();
  expect(await row('web-1').textContent()).toMatch(/nginx.*Last seen/);
  await expectAccessible(page);
  await expectFits(page, 390);
});
