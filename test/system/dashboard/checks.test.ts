/** Live checks: started, watched, stopped, their results and history, and their settings. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'drizzle-orm';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addRedirect, createSite } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';
import { addUser, enterPassword } from './users.ts';
import { redirectPage } from './list.ts';

/** The response of the checked host by path; others are 404. `undefined`: none, until the client gives up. */
const answers: Record<string, { status: number; location?: string } | undefined> = {};

let dashboard: DashboardTest;
let server: Server;
let port: number;
beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    if (url in answers && answers[url] === undefined) return;
    const { status = 404, location } = answers[url] ?? {};
    response.writeHead(status, location === undefined ? {} : { location }).end(`<title>${status}</title>${url}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
  dashboard = await startDashboard({ CHECK_EGRESS: 'private' });
});
afterAll(async () => {
  await dashboard.stop();
  server.closeAllConnections();
  server.close();
});

/** A website with redirects to these paths of the checked host. */
async function checkedSite(name: string, paths: string[]) {
  const site = await createSite(dashboard.owner, [`${name}.localhost`], { name, auto_deploy: false });
  for (const path of paths) await addRedirect(dashboard.owner, site, { old_path: `/old${path}`, new_path: path });
  return { site, origin: `http://${name}.localhost:${port}`, path: `/websites/${site}/checks` };
}

type CheckedSite = Awaited<ReturnType<typeof checkedSite>>;

/** Starts a check with the API, and waits for its end. */
async function runCheck({ site, origin }: CheckedSite): Promise<string> {
  const checks = `/api/v1/websites/${site}/checks`;
  const body = { kind: 'targets', base_url: origin, rate: 10 };
  const { id } = (await dashboard.owner.keyCall('POST', checks, body)).body.check;
  const status = async () => (await dashboard.owner.keyCall('GET', `${checks}/${id}`)).body.check.status;
  await until(async () => (await status()) === 'completed', 30_000);
  return id;
}

const row = (page: Page, text: string) =>
  page.getByRole('list', { name: 'Results' }).getByRole('listitem').filter({ hasText: text });

const tab = (page: Page, name: string | RegExp) =>
  page.getByRole('navigation', { name: 'States' }).getByRole('link', { name });

test('a check is started by keyboard, and its results lead to the redirects', async () => {
  Object.assign(answers, {
    '/works': { status: 200 },
    '/moved': { status: 301, location: '/works' },
    '/loop': { status: 302, location: '/loop' },
    '/private': { status: 403 },
    '/broken': { status: 500 },
  });
  const checked = await checkedSite('first', ['/works', '/moved', '/loop', '/private', '/broken', '/dead']);
  for (const n of [1, 2, 3])
    await addRedirect(dashboard.owner, checked.site, { old_path: `/more-${n}`, new_path: '/dead' });
  const page = await dashboard.open(`/websites/${checked.site}/urls`);
  await page.getByRole('heading', { name: 'URLs', exact: true }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('v');
  await page.getByText('No checks yet').waitFor();
  await page.getByText('Automatic check of targets: Never.').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog', { name: 'New check' });
  await dialog.getByText('Empty: https://first.localhost').waitFor();
  await dialog
    .getByText(
      'Requests at most 9 targets: those of the redirects in Production. At 2 a second, 9 take about 1 minute.',
    )
    .waitFor();
  expect(await page.locator(':focus').getAttribute('type')).toBe('radio');
  const host = dialog.getByLabel('Public host', { exact: true });
  await host.fill('https://evil.example');
  await page.keyboard.press('Enter');
  await dialog.getByText('evil.example is not a verified host of this website').waitFor();
  expect(await host.getAttribute('aria-invalid')).toBe('true');
  await dialog.getByRole('radio', { name: /^Served redirects/ }).check();
  await dialog.getByLabel('Environment').selectOption('staging');
  await host.fill('');
  await page.keyboard.press('Enter');
  await dialog.getByText('The website has no verified host without a wildcard in staging').waitFor();
  await dialog.getByRole('radio', { name: /^Targets/ }).check();
  await dialog.getByLabel('Environment').selectOption('production');
  await host.fill(checked.origin);
  await dialog.getByLabel('Speed').selectOption('10');
  await expectAccessible(page);
  await expectFits(page, 390);
  await page.setViewportSize({ width: 1280, height: 800 });
  await dialog.getByRole('button', { name: 'Start check' }).click();

  await page.getByRole('heading', { name: 'Targets in production' }).waitFor();
  await page.getByRole('definition').getByText('Completed').waitFor();
  // Without an earlier check, nothing is new.
  await tab(page, 'Broken 2').waitFor();
  expect(await tab(page, 'Broken 2').getAttribute('aria-current')).toBe('page');
  await row(page, '/dead').getByText('The page does not exist (404)').waitFor();
  await page.getByText('1 error is tried again within an hour').waitFor();
  await tab(page, 'All 6').click();
  await row(page, '/broken')
    .getByText(/The server fails \(500\)\. It is tried again/)
    .waitFor();
  await row(page, '/moved').getByText(`→ ${checked.origin}/works`).waitFor();
  await row(page, '/private').getByText('Blocked').waitFor();
  await expectAccessible(page);
  await expectFits(page, 390);
  await page.setViewportSize({ width: 1280, height: 800 });
  await tab(page, 'Dead 1').click();
  await until(async () => (await row(page, '').count()) === 1);
  await row(page, '/dead').getByRole('link', { name: 'Change target' }).click();
  await page.getByRole('button', { name: 'Change target of all… ' }).waitFor();
  await page.getByRole('button', { name: 'Remove filter Target /dead' }).waitFor();
  await page.goBack();
  await row(page, '/dead').getByText('4 redirects').click();
  await row(page, '/dead').getByRole('link', { name: '/more-3' }).click();
  const panel = redirectPage(page);
  expect(await panel.getByLabel('From', { exact: true }).inputValue()).toBe('/more-3');

  await page.goto(checked.path);
  const listed = page.getByRole('list', { name: 'Checks' }).getByRole('listitem');
  await listed.getByText('Broken 2', { exact: true }).waitFor();
  await expectAccessible(page);
  await expectFits(page, 390);
});

test('the second check opens with what is newly broken; the history has both', async () => {
  answers['/stays'] = { status: 200 };
  answers['/dies'] = { status: 200 };
  const checked = await checkedSite('second', ['/stays', '/dies']);
  await runCheck(checked);
  answers['/dies'] = { status: 410 };
  const id = await runCheck(checked);
  const page = await dashboard.open(`${checked.path}/${id}`);
  await row(page, '/dies').getByText('The page is gone (410)').waitFor();
  expect(await row(page, '').count()).toBe(1);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const history = page.getByRole('dialog', { name: 'History' });
  const entries = history.getByRole('listitem');
  await entries.nth(1).getByText('Works').waitFor();
  await entries.first().getByText('Dead').waitFor();
  expect(await entries.count()).toBe(2);
  await expectAccessible(page);
  await expectFits(page, 390);
  await page.keyboard.press('Escape');
  await history.waitFor({ state: 'detached' });
});

test('a running check shows its progress, excludes another one, and is stopped after a question', async () => {
  answers['/silent'] = undefined;
  const checked = await checkedSite('third', ['/silent']);
  const page = await dashboard.open(`${checked.path}?new=check`);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Public host', { exact: true }).fill(checked.origin);
  await dialog.getByRole('button', { name: 'Start check' }).click();
  await page.getByText(/^0 of 1, (ends at about|takes longer)/).waitFor();
  await page.getByRole('link', { name: 'All live checks' }).click();
  await page.getByText(/^0 of 1, /).waitFor();
  await page.keyboard.press('n');
  await dialog.getByRole('button', { name: 'Start check' }).click();
  await dialog.getByText('A check of the account is running').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('1 target has no result yet').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Stop check' }).click();
  await page.getByRole('listitem').getByText('Stopped', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Stop', exact: true }).count()).toBe(0);

  await dashboard.detour.db.execute(sql`update checks set total = 1e9::int where website_id = ${checked.site}`);
  await page.keyboard.press('n');
  await dialog.getByRole('button', { name: 'Start check' }).click();
  await dialog.getByText(/targets a day \(UTC\)/).waitFor();
  expect(await dialog.getByRole('link', { name: 'View plan' }).getAttribute('href')).toBe('/account');
});

test('a list is read again only while a check runs', async () => {
  answers['/again'] = { status: 200 };
  await dashboard.detour.db.execute(sql`delete from checks`);
  const checked = await checkedSite('fourth', ['/again']);
  await runCheck(checked);
  const page = await dashboard.open(checked.path);
  await page.getByRole('listitem').getByText('Works 1').waitFor();
  let requests = 0;
  page.on('request', (request) => (requests += /\/checks/.test(request.url()) ? 1 : 0));
  await page.waitForTimeout(6_000);
  expect(requests).toBe(0);
});

test('the settings have a schedule and the credentials of checks', async () => {
  const { site } = await checkedSite('fifth', []);
  const page = await dashboard.open(`/websites/${site}/settings`);
  const checks = page.getByRole('group', { name: 'Checks' });
  await checks.getByLabel('Check targets').selectOption('Every week');
  await checks.getByLabel('Day').selectOption('Wednesday');
  await checks.getByLabel('From').selectOption('22:00');
  await checks.getByLabel('Time zone').selectOption('Europe/Berlin');
  await checks.getByLabel('After each deployment').check();
  await expectAccessible(page);
  await expectFits(page, 390);
  const sent = page.waitForRequest((request) => request.method() === 'PUT');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  expect((await sent).postDataJSON()).toMatchObject({
    check_schedule: { every: 'weekly', weekday: 3, hour: 22, time_zone: 'Europe/Berlin' },
    check_after_deployment: true,
  });

  await page.getByRole('button', { name: 'Set credentials' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('User').fill('a:b');
  await dialog.getByLabel('Password', { exact: true }).fill('secret');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Must not contain a colon').waitFor();
  await dialog.getByLabel('User').fill('staging');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Checks sign in at fifth.localhost').waitFor();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('The credentials are removed').waitFor();
});

test('a viewer sees checks and starts none', async () => {
  const checked = await checkedSite('sixth', []);
  await addUser(dashboard, 'viewer@checks.example.com', 'viewer');
  const page = await dashboard.openAnonymously(`${checked.path}?new=check`);
  await enterPassword(page, { email: 'viewer@checks.example.com' });
  await page.getByText('No checks yet').waitFor();
  expect(await page.getByRole('button', { name: 'New check' }).count()).toBe(0);
  await page.goto(`${checked.path}/chk_unknown`);
  await page.getByText('Check not found').waitFor();
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
