/** Expectations: the list, runs, files, the tester, and the gate of deployments. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

const expectationsOf = async (site: number) =>
  (await dashboard.owner.call('GET', `/api/websites/${site}/expectations`)).body.expectations;

const addExpectations = async (site: number, expectations: Record<string, unknown>[]): Promise<void> => {
  const { status } = await dashboard.owner.call('POST', `/api/websites/${site}/expectations`, { expectations });
  expect(status).toBe(200);
};

const rowOf = (page: Page, url: string) =>
  page.getByRole('list', { name: 'Expectations', exact: true }).getByRole('listitem').filter({ hasText: url });

test('an expectation is added, run, edited, and deleted with Undo, by keyboard', async () => {
  const site = await createSite(dashboard.owner, ['expect.example.com'], { name: 'Shop' });
  const id = await addRedirect(dashboard.owner, site, { old_path: '/checkout', new_path: '/shop' });
  await settled(dashboard.owner, site);
  const page = await dashboard.open(`/websites/${site}/redirects`);
  await page.getByRole('grid').waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('x');
  await page.getByText('No expectations yet').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog', { name: 'New expectation' });
  await dialog.getByLabel('URL or path').fill('/checkout');
  await dialog.getByLabel('Target', { exact: true }).selectOption('Redirects to exactly');
  await dialog.getByLabel('Target URL').fill('/shop');
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await rowOf(page, '/checkout').getByText('301 to /shop').waitFor();
  await dialog.waitFor({ state: 'detached' });
  expect(await expectationsOf(site)).toMatchObject([
    { url: '/checkout', environment: 'production', status_code: 301, location: '/shop', final: null },
  ]);
  await page.keyboard.press('r');
  await page.getByText('1 expectation holds').waitFor();
  await rowOf(page, '/checkout').getByText('Holds').waitFor();
  await addExpectations(site, [{ url: '/none', status_code: 301 }]);
  await page.getByRole('button', { name: 'Run' }).click();
  await rowOf(page, '/none').getByText('Fails').waitFor();
  await page.getByText('The list below has them first.').waitFor();
  expect(await page.getByRole('list', { name: 'Failed expectations' }).count()).toBe(0);
  const rows = page.getByRole('list', { name: 'Expectations', exact: true }).getByRole('listitem');
  expect(await rows.first().innerText()).toMatch(/\/none[^]*Fails\s+since[^]*Got 404 Not found/);
  await expectAccessible(page);
  expect(await rowOf(page, '/checkout').getByRole('link', { name: 'Redirect of /checkout' }).getAttribute('href')).toBe(
    `/websites/${site}/tester?url=%2Fcheckout&environment=production`,
  );
  // A pattern answers, which the path does not find in the list.
  await addRedirect(dashboard.owner, site, { old_path: '/help/(.*)', new_path: '/support/$1', is_regex: true });
  await settled(dashboard.owner, site);
  await addExpectations(site, [{ url: '/help/shipping', status_code: 301 }]);
  await page.getByRole('button', { name: 'Run' }).click();
  await rowOf(page, '/help/shipping').getByRole('link', { name: 'Redirect of /help/shipping' }).click();
  await page.locator('.redirect-page').getByText('/support/$1').first().waitFor();
  await page.goBack();
  await dashboard.owner.call('DELETE', `/api/websites/${site}/expectations?url=/help/shipping`);
  await dashboard.owner.call('DELETE', `/api/websites/${site}/expectations?url=/none`);
  await page.reload();
  await rowOf(page, '/checkout').waitFor();

  await dashboard.owner.call('PUT', `/api/websites/${site}`, { auto_deploy: false });
  await dashboard.owner.call('PUT', `/api/redirects/${id}`, { new_path: '/cart' });
  await page.getByLabel('Run against').selectOption('draft');
  await page.getByLabel('Run against').focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const failure = page.getByRole('list', { name: 'Failed expectations' }).getByRole('listitem');
  await failure.getByText('301 to /cart').waitFor();
  expect(await failure.innerText()).toMatch(/\/checkout\s+Redirect\s+Expected 301 to \/shop\s+Got 301 to \/cart/);
  await expectAccessible(page);
  await expectFits(page, 360);
  const environment = await rowOf(page, '/checkout').getByText('Production', { exact: true }).boundingBox();
  const result = await rowOf(page, '/checkout').getByText('Holds').boundingBox();
  expect(environment!.y + environment!.height).toBeLessThanOrEqual(result!.y);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByLabel('Run against').selectOption('live');
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByText('1 expectation holds').waitFor();

  await page.locator('[data-row]').first().focus();
  await page.keyboard.press('Enter');
  const edit = page.getByRole('dialog', { name: 'Edit expectation' });
  await edit.getByLabel('Status').selectOption('404');
  await edit.getByRole('button', { name: 'Save' }).click();
  await rowOf(page, '/checkout').getByText('404 Not found').waitFor();
  await page.locator('[data-row]').first().focus();
  await page.keyboard.press('Delete');
  await page.getByText('Expectation deleted').waitFor();
  expect(await expectationsOf(site)).toEqual([]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await rowOf(page, '/checkout').getByText('404 Not found').waitFor();
  expect(await expectationsOf(site)).toHaveLength(1);
});

test('a failure says that its redirect has ended, and removes the end; without a redirect it creates one', async () => {
  const site = await createSite(dashboard.owner, ['ended.example.com'], { gated_environments: ['production'] });
  const sale = { old_path: '/sale', new_path: '/offers', active_until: '2026-09-01T00:00:00Z' };
  await addRedirect(dashboard.owner, site, sale);
  await settled(dashboard.owner, site);
  await addExpectations(site, [
    { url: '/sale', status_code: 301 },
    { url: '/none', status_code: 301 },
  ]);
  const page = await dashboard.open(`/websites/${site}/expectations`);
  await page.getByRole('button', { name: 'Run' }).click();
  await rowOf(page, '/sale')
    .getByText(/^Ended 1 Sept? 2026, .*: 301 to \/offers\.$/)
    .waitFor();
  const create = rowOf(page, '/none').getByRole('link', { name: 'Create redirect for /none' });
  expect(await create.getAttribute('href')).toBe(`/websites/${site}/redirects?new=%2Fnone`);
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.setViewportSize({ width: 1280, height: 800 });
  // A deployment fails for the same reasons, and says them as well.
  await page.goto(`/websites/${site}/deployments/review`);
  const failures = page.getByRole('list', { name: 'Failed expectations' });
  await page.getByText('Show', { exact: true }).click();
  await failures.getByText(/^Ended 1 Sept? 2026/).waitFor();
  await expectAccessible(page);
  await failures.getByRole('button', { name: 'Remove end' }).click();
  await failures.getByText(/^Ended 1 Sept? 2026/).waitFor({ state: 'detached' });
  const { body } = await dashboard.owner.call('GET', `/api/redirects?website_id=${site}`);
  expect(body.redirects[0].active_until).toBeNull();
});

test('expectations are searched, and filtered by result', async () => {
  const site = await createSite(dashboard.owner, ['filter.example.com']);
  await addExpectations(site, [
    { url: '/shop/chairs', status_code: 404 },
    { url: '/shop/tables', status_code: 301 },
    { url: '/about', status_code: 404, environment: 'staging' },
    ...Array.from({ length: 8 }, (_, n) => ({ url: `/other-${n}`, status_code: 404 })),
  ]);
  const page = await dashboard.open(`/websites/${site}/expectations`);
  await page.getByRole('button', { name: 'Run' }).click();
  await rowOf(page, '/shop/tables').getByText('Fails').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('SHOP');
  await rowOf(page, '/about').waitFor({ state: 'detached' });
  await page.getByLabel('Result', { exact: true }).selectOption('Holds');
  await rowOf(page, '/shop/tables').waitFor({ state: 'detached' });
  await rowOf(page, '/shop/chairs').waitFor();
  await expectAccessible(page);
  await expectFits(page, 390);
  await page.reload();
  await page.getByRole('button', { name: 'Filters (1)' }).click();
  await page.getByLabel('Result', { exact: true }).selectOption('Fails');
  await page.getByRole('searchbox').fill('/nothing');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await rowOf(page, '/about').waitFor();
  expect(await page.getByRole('searchbox').inputValue()).toBe('');
});

test('an invalid expectation is an error in the dialog', async () => {
  const site = await createSite(dashboard.owner, ['invalid.example.com']);
  const page = await dashboard.open(`/websites/${site}/expectations?new=expectation`);
  await page.getByLabel('URL or path').fill('no-slash');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('alert').getByText('Must be a path that begins with "/"').waitFor();
  expect(await page.getByLabel('URL or path').getAttribute('aria-invalid')).toBe('true');
  expect(await expectationsOf(site)).toEqual([]);
});

test('a file replaces all expectations after a confirmation; the export can be imported again', async () => {
  const site = await createSite(dashboard.owner, ['files.example.com'], { name: 'Files' });
  await addExpectations(site, [
    { url: '/a', status_code: 301, location: '/x' },
    { url: '/b?q="1,2"', status_code: 302 },
  ]);
  const page = await dashboard.open(`/websites/${site}/expectations`);
  await rowOf(page, '/a').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export' }).click(),
  ]);
  const saved = readFileSync(await download.path(), 'utf8');
  const choose = (name: string, text: string) =>
    page.getByLabel('File with expectations').setInputFiles({ name, mimeType: '', buffer: Buffer.from(text) });
  const confirm = page.getByRole('dialog', { name: 'Replace all expectations?' });
  await choose('other.ndjson', '{"url":"/c","status_code":404}\n');
  await confirm.getByText('There are 2 now: those that are not in the file are deleted.').waitFor();
  await expectAccessible(page);
  await confirm.getByRole('button', { name: 'Replace' }).click();
  await page.getByText('Expectations: 1 added, 0 updated, 2 deleted').waitFor();
  await rowOf(page, '/c').getByText('404 Not found').waitFor();
  await choose('expectations.csv', saved);
  await confirm.getByRole('button', { name: 'Replace' }).click();
  await page.getByText('Expectations: 2 added, 0 updated, 1 deleted').waitFor();
  expect(await expectationsOf(site)).toMatchObject([
    { url: '/a', status_code: 301, location: '/x' },
    { url: '/b?q="1,2"', status_code: 302, location: null },
  ]);
});

test('the tester saves its result as an expectation; viewers only read', async () => {
  const site = await createSite(dashboard.owner, ['save.example.com']);
  await addRedirect(dashboard.owner, site, { old_path: '/old', new_path: '/new' });
  await settled(dashboard.owner, site);
  const page = await dashboard.open(`/websites/${site}/tester?url=/old`);
  await page.getByRole('button', { name: 'Save as expectation' }).click();
  const dialog = page.getByRole('dialog', { name: 'New expectation' });
  expect(await dialog.getByLabel('Target URL').inputValue()).toBe('/new');
  await dialog.getByRole('button', { name: 'Add expectation' }).click();
  await page.getByText('Expectation saved').waitFor();
  await page.getByRole('link', { name: 'View' }).click();
  await rowOf(page, '/old').getByText('301 to /new').waitFor();

  const viewer = { email: 'expectation-viewer@example.com', role: 'viewer', password: 'a long password' };
  expect((await dashboard.owner.call('POST', '/api/users', viewer)).status).toBe(201);
  const read = await dashboard.openAnonymously(`/websites/${site}/expectations`);
  await read.getByLabel('Email').fill(viewer.email);
  await read.getByLabel('Password', { exact: true }).fill(viewer.password);
  await read.keyboard.press('Enter');
  await rowOf(read, '/old').waitFor();
  await read.getByText('Read only').waitFor();
  expect(await read.getByRole('button', { name: /New|Import|Edit|Delete/ }).count()).toBe(0);
  await read.getByRole('button', { name: 'Run' }).click();
  await read.getByText('1 expectation holds').waitFor();
});

test('the option of the gate says which expectations fail now', async () => {
  const site = await createSite(dashboard.owner, ['gate-option.example.com']);
  await addExpectations(site, [
    { url: '/soon', status_code: 301 },
    { url: '/none', status_code: 404 },
  ]);
  const page = await dashboard.open(`/websites/${site}/settings`);
  await page.getByRole('group', { name: 'Check expectations before deploying to' }).getByLabel('Production').check();
  await page.getByText('1 of 2 expectations of production fails now. Deployments fail until it holds.').waitFor();
  await expectAccessible(page);
});

test('a gated deployment fails and shows its failures; it can be deployed anyway', async () => {
  const site = await createSite(dashboard.owner, ['gate.example.com'], { auto_deploy: false });
  await addRedirect(dashboard.owner, site, { old_path: '/checkout', new_path: '/broken' });
  const page = await dashboard.open(`/websites/${site}/settings`);
  await page.getByRole('group', { name: 'Check expectations before deploying to' }).getByLabel('Production').check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Settings saved').waitFor();
  await page.goto(`/websites/${site}/deployments/review`);
  await page.getByText('No expectations.').waitFor();
  // Added after the review is open: a review that knows the failure leads to it and does not deploy.
  await addExpectations(site, [{ url: '/checkout', status_code: 301, location: '/shop' }]);
  await page.getByRole('button', { name: 'Deploy 1 change' }).click();
  await page.getByText('1 of 1 expectations failed.').waitFor();
  await page.getByRole('link', { name: 'Production: deployment failed, 1 change waits' }).waitFor();
  const failures = page.getByRole('list', { name: 'Failed expectations' });
  await failures.getByText('301 to /broken').waitFor();
  expect(await failures.innerText()).toMatch(/^\/checkout\s+Redirect\s+Expected 301 to \/shop\s+Got 301 to \/broken$/);
  expect(await failures.count()).toBe(1);
  const tester = `/websites/${site}/tester?url=%2Fcheckout&environment=production&rules=draft`;
  expect(await failures.getByRole('link', { name: '/checkout', exact: true }).getAttribute('href')).toBe(tester);
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('link', { name: 'History' }).click();
  await failures.getByText('301 to /broken').waitFor();
  await expectAccessible(page);
  await failures.getByRole('link', { name: 'Redirect of /checkout' }).click();
  await page.locator('.redirect-page').getByText('/broken').first().waitFor();
  await page.goBack();
  expect((await dashboard.detour.visit('gate.example.com', '/checkout')).status).toBe(404);
  await page.getByRole('button', { name: 'Deploy anyway' }).click();
  await page.getByRole('heading', { name: 'Deploy to production anyway?' }).waitFor();
  await page.getByText('Expectations and URLs are not checked for this deployment.').waitFor();
  await page.getByText('1 of 1 expectation would fail. This is deployed all the same.').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Deploy anyway' }).click();
  await page.getByRole('heading', { name: /^Live, / }).waitFor();
  await page.getByRole('link', { name: 'History' }).click();
  await page.getByRole('heading', { name: 'Version 1 is live' }).waitFor();
  await page.getByText('Forced', { exact: true }).waitFor();
  await until(async () => (await dashboard.detour.visit('gate.example.com', '/checkout')).location === '/broken');
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
