/** Jobs between a change and what visitors get: deploy, promote, roll back, test, and find out who changed what. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addRedirect, createSite, deploy, settled } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, startDashboard } from '../../system/dashboard/browser.ts';
import { job } from './hands.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

const locationOf = async (host: string, path: string) => (await dashboard.detour.visit(host, path)).location;
const live = (page: Page) =>
  page.getByRole('region', { name: 'Deployment', exact: true }).getByRole('heading', { name: /^Live, \d/ });

job('stage, compare, deploy', async (handsOn, by) => {
  const host = `deploy-${by}.example.com`;
  const site = await createSite(dashboard.owner, [host], { auto_deploy: false });
  await addRedirect(dashboard.owner, site, { old_path: '/first', new_path: '/1' });
  const page = await dashboard.open(`/websites/${site}/redirects`);
  const hands = handsOn(page);
  await hands.press(page.getByLabel('Not live').getByRole('link', { name: 'Production: 1 change waits' }));
  const lines = page.getByLabel('Differences').getByRole('listitem');
  await lines.filter({ hasText: '/first' }).getByText(dashboard.owner.email).waitFor();
  expect(await locationOf(host, '/first')).toBeUndefined();
  await hands.typeAtOnce(page.getByLabel('Note'), 'first sale');
  await hands.press(page.getByRole('button', { name: 'Deploy 1 change' }), 'Enter');
  await live(page).waitFor();
  expect(await locationOf(host, '/first')).toBe('/1');
  const { deployments } = (await dashboard.owner.call('GET', `/api/deployments?website_id=${site}`)).body;
  expect(deployments).toMatchObject([{ note: 'first sale', version: 1, status: 'completed' }]);
});

job('promote, roll back', async (handsOn, by) => {
  const host = `back-${by}.example.com`;
  const site = await createSite(dashboard.owner, [host], { auto_deploy: false });
  const id = await addRedirect(dashboard.owner, site, {
    old_path: '/a',
    new_path: '/1',
    target_environments: 'production,staging',
  });
  await deploy(dashboard.owner, site);
  await dashboard.owner.call('PUT', `/api/redirects/${id}`, { new_path: '/2' });
  await deploy(dashboard.owner, site, 'staging');
  const page = await dashboard.open(`/websites/${site}/deployments?environment=staging`);
  const hands = handsOn(page);
  await hands.press(page.getByRole('button', { name: 'Promote' }));
  await hands.press(page.getByRole('link', { name: 'Production' }).last());
  await page.getByRole('heading', { name: 'Promote staging to production' }).waitFor();
  await hands.press(page.getByRole('button', { name: 'Promote 1 change' }));
  await live(page).waitFor();
  expect(await locationOf(host, '/a')).toBe('/2');
  await hands.press(
    page.getByRole('region', { name: 'Deployment', exact: true }).getByRole('link', { name: 'History' }),
  );
  await hands.press(page.getByRole('link', { name: 'Roll back to version 1' }));
  await hands.press(page.getByRole('button', { name: 'Roll back 1 change' }));
  await live(page).waitFor();
  expect(await locationOf(host, '/a')).toBe('/1');
  await hands.press(
    page.getByRole('region', { name: 'Deployment', exact: true }).getByRole('button', { name: 'Undo' }),
  );
  await until(async () => (await locationOf(host, '/a')) === '/2');
});

job('who changed what, restore', async (handsOn, by) => {
  const site = await createSite(dashboard.owner, [`who-${by}.example.com`], { name: `Who ${by}` });
  const id = await addRedirect(dashboard.owner, site, { old_path: '/row', new_path: '/one' });
  await dashboard.owner.call('PUT', `/api/redirects/${id}`, { new_path: '/two' });
  const page = await dashboard.open(`/activity?website=${site}`);
  const hands = handsOn(page);
  const change = page.locator('[data-row]').filter({ hasText: `${dashboard.owner.email} changed the target of /row` });
  await change.waitFor();
  await hands.write(page.getByLabel('Path of a redirect'), '/row');
  await page.keyboard.press('Enter');
  await page.waitForURL(/path=%2Frow/);
  await page.getByText(`created the website Who ${by}`).waitFor({ state: 'detached' });
  await hands.press(change.getByRole('link', { name: 'changed the target of /row' }));
  const panel = page.getByRole('dialog', { name: 'Change' });
  await panel.locator('ins').filter({ hasText: '/two' }).waitFor();
  await panel.locator('del').filter({ hasText: '/one' }).waitFor();
  await hands.press(panel.getByRole('button', { name: 'Close' }).first(), 'Escape');
  await panel.waitFor({ state: 'detached' });
  await hands.press(change.getByRole('button', { name: /^Undo/ }));
  await hands.press(page.getByRole('dialog').getByRole('button', { name: 'Undo 1 redirect' }));
  await until(
    async () => (await dashboard.owner.call('GET', `/api/redirects/${id}`)).body.redirect.new_path === '/one',
  );
});

job('test an address, why it wins', async (handsOn, by) => {
  const host = `test-${by}.example.com`;
  const site = await createSite(dashboard.owner, [host], { auto_deploy: false });
  await addRedirect(dashboard.owner, site, { old_path: '/blog/(.+)', new_path: '/news/$1', is_regex: true });
  const exact = await addRedirect(dashboard.owner, site, { old_path: '/blog/one', new_path: '/first' });
  await deploy(dashboard.owner, site);
  await dashboard.owner.call('PUT', `/api/redirects/${exact}`, { new_path: '/drafted' });
  const page = await dashboard.open(`/websites/${site}/health`);
  const hands = handsOn(page);
  await page.getByRole('heading', { name: 'Health' }).waitFor();
  await hands.press(page.getByRole('link', { name: 'Tester' }), 'g t');
  const field = page.getByLabel('URL or path');
  await field.waitFor();
  await hands.typeAtOnce(field, `https://${host}/blog/one`);
  await page.getByRole('heading', { name: 'Redirects with 301' }).waitFor();
  await page.getByText('Match: exact path').waitFor();
  await page.getByText('Lower precedence: an exact path wins').waitFor();
  await page.locator('.journey').getByText('/first').waitFor();
  await hands.choose(page.getByLabel('Redirects'), 'With undeployed changes');
  await page.locator('.journey').getByText('/drafted').waitFor();
  expect(await locationOf(host, '/blog/one')).toBe('/first');
});

job('chains, flatten', async (handsOn, by) => {
  const host = `chain-${by}.example.com`;
  const site = await createSite(dashboard.owner, [host]);
  await addRedirect(dashboard.owner, site, { old_path: '/2021/sale', new_path: '/offers' });
  await addRedirect(dashboard.owner, site, { old_path: '/2020/sale', new_path: '/2021/sale' });
  await settled(dashboard.owner, site);
  const page = await dashboard.open(`/websites/${site}/health`);
  const hands = handsOn(page);
  await hands.press(page.getByRole('link', { name: 'Chains 1' }));
  await hands.press(page.getByRole('button', { name: 'Flatten chains' }), 'f');
  const change = page.getByLabel('Changes', { exact: true }).getByRole('listitem').filter({ hasText: '/2020/sale' });
  await change.getByText('/offers').waitFor();
  expect(await locationOf(host, '/2020/sale')).toBe('/2021/sale');
  await hands.press(page.getByRole('button', { name: 'Flatten 1 redirect' }));
  await until(async () => (await locationOf(host, '/2020/sale')) === '/offers');
  await hands.press(page.getByRole('status').getByRole('button', { name: 'Undo' }));
  await until(async () => (await locationOf(host, '/2020/sale')) === '/2021/sale');
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
