/** Jobs on the pages of a website: needs of Home, lost URLs, a move, live checks and broken targets. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readyMove } from '../../support/moves.ts';
import { addRedirect, createSite } from '../../support/site.ts';
import { storeTargetState } from '../../support/target-states.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, startDashboard } from '../../system/dashboard/browser.ts';
import { job } from './hands.ts';

let dashboard: DashboardTest;
let server: Server;
let port: number;
beforeAll(async () => {
  server = createServer(({ url }, response) => response.writeHead(url === '/works' ? 200 : 404).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
  dashboard = await startDashboard({ CHECK_EGRESS: 'private' });
});
afterAll(async () => {
  await dashboard.stop();
  server.closeAllConnections();
  server.close();
});

const push = async (site: number, urls: unknown[]): Promise<void> => {
  const path = `/api/v1/websites/${site}/urls/living?max_removed=100%25`;
  expect((await dashboard.owner.keyCall('PUT', path, { urls })).status).toBe(200);
};

const targetOf = async (id: number): Promise<string> =>
  (await dashboard.owner.call('GET', `/api/redirects/${id}`)).body.redirect.new_path;

job('what needs me', async (handsOn, by) => {
  const host = `needs-${by}.example.com`;
  const site = await createSite(dashboard.owner, [host], { auto_deploy: false });
  await addRedirect(dashboard.owner, site, { old_path: '/a', new_path: '/b' });
  const page = await dashboard.open(`/websites/${site}/redirects`);
  const hands = handsOn(page);
  await page.getByRole('grid').waitFor();
  await hands.press(page.getByLabel('Main').getByRole('link', { name: 'Home' }), 'g h');
  const needs = page.getByRole('region', { name: 'Needs attention' });
  await hands.press(needs.getByRole('link', { name: /^Review: 1 change waits/ }));
  await hands.press(page.getByRole('button', { name: 'Deploy 1 change' }));
  await page.getByRole('heading', { name: /^Live, / }).waitFor();
  expect((await dashboard.detour.visit(host, '/a')).location).toBe('/b');
  await hands.press(page.getByLabel('Main').getByRole('link', { name: 'Home' }), 'g h');
  await page.getByText('Nothing needs your attention.').waitFor();
});

job('lost URLs', async (handsOn, by) => {
  const host = `lost-${by}.example.com`;
  const site = await createSite(dashboard.owner, [host]);
  const living = ['/guides/first-steps', '/about'];
  await push(site, ['/guides/first-steps.html', '/quux', ...living]);
  await push(site, living);
  const page = await dashboard.open(`/websites/${site}/urls`);
  const hands = handsOn(page);
  const tab = (name: string) => page.getByRole('navigation', { name: 'Answers' }).getByRole('link', { name });
  await tab('Lost 2').waitFor();
  await hands.press(page.getByRole('button', { name: 'Redirect /guides/first-steps.html to /guides/first-steps' }));
  await until(async () => (await dashboard.detour.visit(host, '/guides/first-steps.html')).location === living[0]);
  await tab('Lost 1').waitFor();
  const row = page.getByRole('list', { name: 'URLs' }).getByRole('listitem').filter({ hasText: '/quux' });
  await hands.use(() => row.getByRole('button', { name: /^Accept/ }).click(), ['ArrowDown', 'a']);
  const accept = page.getByRole('dialog', { name: 'Accept losses' });
  await hands.write(accept.getByLabel('Reason'), 'Never had visitors');
  await hands.press(accept.getByRole('button', { name: /^Accept/ }), 'Enter');
  await tab('Accepted 1').waitFor();
  await tab('Lost 0').waitFor();
});

job('move desk', async (handsOn, by) => {
  const host = `move-${by}.example.com`;
  const site = await createSite(dashboard.owner, [host]);
  const topics = ['install', 'upgrade', 'backup', 'restore'];
  await push(
    site,
    topics.map((topic) => ({ url: `/guides/${topic}-the-server`, title: `${topic} the server` })),
  );
  const urls = topics.map((topic, n) => ({
    url: `/old/${topic}-the-server.html`,
    title: `${topic} the server`,
    weight: 9 - n,
  }));
  const begun = await dashboard.owner.keyCall('POST', `/api/v1/websites/${site}/moves`, { name: by, from: { urls } });
  const move = await readyMove(dashboard.owner, site, begun.body.move.id);
  const page = await dashboard.open(`/websites/${site}/moves/${move.id}`);
  const hands = handsOn(page);
  const candidates = page.getByRole('list', { name: 'Candidates' });
  for (const [n, topic] of topics.slice(0, 3).entries()) {
    const first = candidates.getByRole('button').first().filter({ hasText: topic });
    await first.waitFor();
    await hands.use(() => first.click(), [n === 0 ? '1' : 'a']);
  }
  await hands.press(page.getByRole('button', { name: 'Gone' }), 'x');
  await page.getByText('4 of 4 decided (100%)').waitFor();
  await hands.press(page.getByRole('button', { name: 'Apply', exact: true }));
  await hands.press(page.getByRole('button', { name: /^Write \d+ redirects?$/ }));
  await until(async () => (await dashboard.detour.visit(host, '/old/restore-the-server.html')).status === 410);
  const { location } = await dashboard.detour.visit(host, '/old/backup-the-server.html');
  expect(location).toBe('/guides/backup-the-server');
});

job('live checks', async (handsOn, by) => {
  const site = await createSite(dashboard.owner, [`live-${by}.localhost`], { auto_deploy: false });
  for (const path of ['/works', '/gone'])
    await addRedirect(dashboard.owner, site, { old_path: `/old${path}`, new_path: path });
  const page = await dashboard.open(`/websites/${site}/checks`);
  const hands = handsOn(page);
  await page.getByText('No checks yet').waitFor();
  await hands.press(page.getByRole('button', { name: 'New check' }).first(), 'n');
  const dialog = page.getByRole('dialog', { name: 'New check' });
  await hands.write(dialog.getByLabel('Public host', { exact: true }), `http://live-${by}.localhost:${port}`);
  await hands.press(dialog.getByRole('button', { name: 'Start check' }), 'Enter');
  await page.getByRole('definition').getByText('Completed').waitFor();
  const results = page.getByRole('list', { name: 'Results' }).getByRole('listitem');
  await results.filter({ hasText: '/gone' }).getByText('The page does not exist (404)').waitFor();
});

job('broken targets', async (handsOn, by) => {
  const site = await createSite(dashboard.owner, [`broken-${by}.example.com`]);
  const id = await addRedirect(dashboard.owner, site, { old_path: '/old-chairs', new_path: '/garden/chair' });
  await push(site, ['/garden/chairs', '/about']);
  await storeTargetState(dashboard.detour.db, site, id, { state: 'dead', reason: 'http_404' });
  const page = await dashboard.open(`/websites/${site}/health`);
  const hands = handsOn(page);
  const row = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: '/old-chairs' }) });
  await hands.press(row.getByRole('button', { name: 'Use /garden/chairs' }));
  await until(async () => (await targetOf(id)) === '/garden/chairs');
  await row.waitFor({ state: 'detached' });
  await hands.press(page.getByRole('status').getByRole('button', { name: 'Undo' }), 'Control+z');
  await until(async () => (await targetOf(id)) === '/garden/chair');
  await row.waitFor();
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
