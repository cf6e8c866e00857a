/** Jobs on redirects: undo, activity, schedules, views, expectations, files of servers and lists of URLs. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addRedirect, createSite, deploy, settled } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, startDashboard } from '../../system/dashboard/browser.ts';
import { chooseFile } from '../../system/dashboard/import-page.ts';
import { redirectPage, rowOf } from '../../system/dashboard/list.ts';
import { job } from './hands.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

const listed = async (site: number) =>
  (await dashboard.owner.call('GET', `/api/redirects?website_id=${site}&sort=old_path`)).body.redirects;
interface Imported {
  status_code: number;
  new_path: string;
}
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

job('undo', async (handsOn, by) => {
  const site = await createSite(dashboard.owner, [`undo-${by}.example.com`]);
  for (const old_path of ['/a', '/b']) await addRedirect(dashboard.owner, site, { old_path, new_path: '/x' });
  const page = await dashboard.open(`/websites/${site}/redirects`);
  const hands = handsOn(page);
  await rowOf(page, '/b').waitFor();
  const grid = page.getByRole('grid');
  await hands.use(() => page.getByRole('checkbox', { name: 'Select loaded rows' }).click(), ['Control+a'], grid);
  await hands.press(page.getByRole('button', { name: 'Delete', exact: true }));
  await until(async () => (await listed(site)).length === 0);
  await hands.press(page.getByRole('status').getByRole('button', { name: 'Undo' }), 'Control+z');
  await until(async () => (await listed(site)).length === 2);
  await rowOf(page, '/b').waitFor();
});

job('activity with audit', async (handsOn, by) => {
  const site = await createSite(dashboard.owner, [`log-${by}.example.com`], { name: `Log ${by}` });
  await dashboard.owner.call('PUT', `/api/websites/${site}`, { case_sensitive: false });
  const page = await dashboard.open(`/websites/${site}/redirects`);
  const hands = handsOn(page);
  await page.getByText('No redirects yet').waitFor();
  await hands.press(page.getByLabel('Main').getByRole('link', { name: 'Activity' }), 'g y');
  await page.getByText(`changed settings of the website Log ${by}`).waitFor();
  await page.goto('/account');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await hands.press(page.getByRole('link', { name: 'Audit log' }), 'g l');
  await hands.choose(page.getByLabel('Action'), 'Website created');
  const entry = page.getByRole('listitem').filter({ hasText: `created the website Log ${by}` });
  await entry.getByText('127.0.0.1').waitFor();
});

job('scheduling', async (handsOn, by) => {
  const site = await createSite(dashboard.owner, [`sale-${by}.example.com`]);
  const page = await dashboard.open(`/websites/${site}/redirects`, { timezoneId: 'Asia/Tokyo' });
  const hands = handsOn(page);
  await page.getByText('No redirects yet').waitFor();
  await hands.press(page.getByRole('button', { name: 'New redirect' }).first(), 'n');
  await hands.typeAtOnce(page.getByLabel('From', { exact: true }), '/sale');
  await hands.write(page.getByLabel('To', { exact: true }), '/offers');
  const from = page.getByLabel('Active from', { exact: true });
  // The order of day and month, and AM, are of the browser's language; the field ignores keys that it does not need.
  await hands.use(() => from.fill('2041-02-02T10:00'), [...'02022041', 'Tab', ...'1000a'], from);
  await hands.press(page.getByRole('button', { name: 'Create redirect' }), 'Control+Enter');
  await page.getByText('from 2 Feb 2041', { exact: true }).waitFor();
  const [{ active_from }] = await listed(site);
  expect(Date.parse(active_from)).toBe(Date.parse('2041-02-02T10:00+09:00'));
});

job('upcoming, calendar', async (handsOn, by) => {
  const site = await createSite(dashboard.owner, [`soon-${by}.example.com`]);
  await addRedirect(dashboard.owner, site, { old_path: '/sale', new_path: '/offers', active_from: inDays(3) });
  const page = await dashboard.open(`/websites/${site}/redirects`);
  const hands = handsOn(page);
  await rowOf(page, '/sale').waitFor();
  await hands.press(page.getByRole('link', { name: 'Upcoming' }));
  await page.locator('.upcoming li').filter({ hasText: 'starts' }).waitFor();
  await hands.press(page.getByRole('link', { name: 'Calendar' }));
  await hands.press(page.locator('table.calendar').getByRole('link', { name: '/sale' }));
  await hands.press(page.locator('.upcoming li').getByRole('link').first());
  await redirectPage(page).getByRole('heading', { name: '/sale', exact: true }).waitFor();
});

job('page of a redirect', async (handsOn, by) => {
  const site = await createSite(dashboard.owner, [`one-${by}.example.com`]);
  await addRedirect(dashboard.owner, site, { old_path: '/first', new_path: '/second' });
  await addRedirect(dashboard.owner, site, { old_path: '/second', new_path: '/third' });
  await settled(dashboard.owner, site);
  const page = await dashboard.open(`/websites/${site}/redirects?sort=old_path`);
  const hands = handsOn(page);
  const open = rowOf(page, '/first').getByRole('button', { name: '/first', exact: true });
  await open.waitFor();
  await hands.use(() => open.click(), ['o'], page.getByRole('grid'));
  const opened = redirectPage(page);
  await opened.getByText('/first redirects to /second, permanently (301).').waitFor();
  await opened.locator('.answers').getByText('/third', { exact: true }).first().waitFor();
  await hands.press(opened.getByRole('button', { name: 'Next redirect' }), 'j');
  await opened.getByRole('heading', { name: '/second', exact: true }).waitFor();
  await hands.write(opened.getByLabel('Notes'), 'asked for by sales');
  await hands.press(opened.getByRole('button', { name: 'Save', exact: true }), 'Control+Enter');
  await until(async () => (await listed(site))[1].notes === 'asked for by sales');
});

job('saved views', async (handsOn, by) => {
  const site = await createSite(dashboard.owner, [`views-${by}.example.com`]);
  await addRedirect(dashboard.owner, site, { old_path: '/a', new_path: '/shop' });
  await addRedirect(dashboard.owner, site, { old_path: '/b', new_path: '/about' });
  const page = await dashboard.open(`/websites/${site}/redirects`);
  const hands = handsOn(page);
  await rowOf(page, '/b').waitFor();
  await hands.press(page.getByLabel('Search paths'), '/');
  await hands.typeAtOnce(page.getByLabel('Search paths'), 'to:/shop ');
  await rowOf(page, '/b').waitFor({ state: 'detached' });
  await hands.press(page.getByRole('button', { name: /^Views/ }));
  await hands.press(page.getByRole('button', { name: 'Save current filters' }));
  await hands.typeAtOnce(page.getByRole('dialog').getByLabel('Name'), 'Shop');
  await hands.press(page.getByRole('dialog').getByRole('button', { name: 'Save' }), 'Enter');
  await page.getByText('View Shop saved').waitFor();
  await page.goto(`/websites/${site}/redirects`);
  await rowOf(page, '/b').waitFor();
  await hands.press(page.getByRole('button', { name: 'Views 1' }));
  await hands.press(page.getByRole('link', { name: 'Shop', exact: true }));
  await rowOf(page, '/b').waitFor({ state: 'detached' });
  await rowOf(page, '/a').waitFor();
});

job('expectations, gate', async (handsOn, by) => {
  const host = `gate-${by}.example.com`;
  const site = await createSite(dashboard.owner, [host], { auto_deploy: false, gated_environments: ['production'] });
  const id = await addRedirect(dashboard.owner, site, { old_path: '/checkout', new_path: '/broken' });
  const page = await dashboard.open(`/websites/${site}/expectations`);
  const hands = handsOn(page);
  await page.getByText('No expectations yet').waitFor();
  await hands.press(page.getByRole('button', { name: 'New expectation' }).first(), 'n');
  const dialog = page.getByRole('dialog', { name: 'New expectation' });
  await hands.typeAtOnce(dialog.getByLabel('URL or path'), '/checkout');
  await hands.choose(dialog.getByLabel('Target', { exact: true }), 'Redirects to exactly');
  await hands.write(dialog.getByLabel('Target URL'), '/shop');
  await hands.press(dialog.getByRole('button', { name: 'Add expectation' }), 'Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.goto(`/websites/${site}/deployments/review`);
  await page.getByRole('button', { name: 'Show the failure' }).waitFor();
  await dashboard.owner.call('PUT', `/api/redirects/${id}`, { new_path: '/shop' });
  await page.reload();
  await hands.press(page.getByRole('button', { name: 'Deploy 1 change' }));
  await until(async () => (await dashboard.detour.visit(host, '/checkout')).location === '/shop');
});

job('import of server files', async (handsOn, by) => {
  const site = await createSite(dashboard.owner, [`server-${by}.example.com`]);
  const page = await dashboard.open(`/websites/${site}/import`);
  const hands = handsOn(page);
  await chooseFile(
    page,
    'Redirect 301 /old /new\nRedirectMatch 302 ^/blog/(.*)$ /news/$1\nRedirect 301 /only\n',
    '.htaccess',
  );
  await hands.press(page.getByRole('button', { name: 'Import 2 redirects' }));
  await page.getByRole('heading', { name: 'Import complete' }).waitFor();
  const imported = (await listed(site)).map(({ status_code, new_path }: Imported) => `${status_code} ${new_path}`);
  // Apache's Redirect adds the rest of the path to its target.
  expect(imported).toEqual(['302 /news/$1', '301 /new$1']);
});

job('many-URL test', async (handsOn, by) => {
  const site = await createSite(dashboard.owner, [`many-${by}.example.com`], { auto_deploy: false });
  await addRedirect(dashboard.owner, site, { old_path: '/one', new_path: '/three' });
  await deploy(dashboard.owner, site);
  const page = await dashboard.open(`/websites/${site}/tester`);
  const hands = handsOn(page);
  await hands.press(page.getByRole('link', { name: 'List of URLs' }));
  const field = page.getByLabel('URLs or paths');
  // A list is pasted.
  await hands.use(() => field.click(), [], field);
  await page.keyboard.insertText('From\tTo\tStatus\n/one\t/three\t302\n/none');
  await hands.press(page.getByRole('button', { name: 'Test 2 URLs' }));
  await page.getByText('2 URLs tested as production').waitFor();
  await hands.press(page.getByRole('button', { name: 'Not as expected 1' }));
  await page.getByRole('link', { name: '/one' }).waitFor();
  expect(await page.getByRole('link', { name: '/none' }).count()).toBe(0);
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
