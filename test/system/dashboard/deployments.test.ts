/** Deployments: review, deploy, roll back, promote and compare. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addRedirect, createSite, deploy } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

const outcome = (page: Page) => page.getByRole('region', { name: 'Deployment', exact: true });
const live = (page: Page) => outcome(page).getByRole('heading', { name: /^Live, \d/ });

test('deployments: what waits is in the frame; deploy, roll back and promote show the same difference', async () => {
  const { owner, detour } = dashboard;
  const id = await createSite(owner, ['deploy.example.com'], { auto_deploy: false });
  await addRedirect(owner, id, { old_path: '/first', new_path: '/1' });
  const page = await dashboard.open(`/websites/${id}/redirects`);
  const waits = page.getByLabel('Not live').getByRole('link', { name: 'Production: 1 change waits' });
  for (const key of ['r', 'e', 's']) {
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await waits.waitFor();
  }
  await waits.click();
  const lines = page.getByLabel('Differences').getByRole('listitem');
  await lines.filter({ hasText: '/first' }).getByText(owner.email).waitFor();
  await page.getByRole('button', { name: 'Deploy 1 change' }).click();
  await live(page).waitFor();
  await page.getByRole('list', { name: 'Not live' }).waitFor({ state: 'detached' });

  await addRedirect(owner, id, { old_path: '/second', new_path: '/2' });
  await addRedirect(owner, id, { old_path: '/third', new_path: '/3' });
  await page.goto(`/websites/${id}/deployments`);
  await page.getByLabel('Changes to deploy').getByText('/second').waitFor();
  await page.getByRole('link', { name: 'Deploy 2 changes' }).click();
  await page.getByPlaceholder('Search source and target').fill('third');
  await until(async () => (await lines.count()) === 1);
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByLabel('Note').press('Enter');
  await live(page).waitFor();
  expect((await detour.visit('deploy.example.com', '/second')).location).toBe('/2');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const undone = 'Version 3 (the rules of version 1)';
  await outcome(page).getByText(`Undone. ${undone} of production`).waitFor();
  await page.getByRole('heading', { level: 1, name: `${undone} is live` }).waitFor();
  await live(page).waitFor();
  expect((await detour.visit('deploy.example.com', '/second')).status).toBe(404);
  await page.getByRole('link', { name: 'Production: 2 changes wait' }).waitFor();
  await outcome(page).getByRole('button', { name: 'Undo' }).click();
  await outcome(page).getByText('Version 4 (the rules of version 2) of production').waitFor();
  expect((await detour.visit('deploy.example.com', '/second')).location).toBe('/2');

  await outcome(page).getByRole('link', { name: 'History' }).click();
  await page.getByText(`Deployed by ${owner.email}`).first().waitFor();
  await page.getByRole('listitem').getByText(undone, { exact: true }).waitFor();
  await page.getByRole('heading', { name: 'Version 4 (the rules of version 2) is live' }).waitFor();
  const back = page.getByRole('link', { name: 'Roll back to version 1' });
  // From its deployment to that of version 2, which may be in the same minute.
  await back.getByText(/^live .*20\d\d.*\d:\d\d/).waitFor();
  await back.click();
  await page.getByRole('link', { name: 'Removed 2' }).waitFor();
  await page.getByText('Publishes its rules again.', { exact: true }).waitFor();
  const rollBack = page.getByRole('button', { name: 'Roll back 2 changes' });
  expect(await rollBack.isDisabled()).toBe(true);
  await expectAccessible(page);
  await page.getByLabel('Remove 2 of 3 live redirects').press(' ');
  await page.getByLabel('Note').fill('a bad second redirect');
  await rollBack.click();
  await live(page).waitFor();
  expect((await detour.visit('deploy.example.com', '/second')).status).toBe(404);

  await page.goto(`/websites/${id}/deployments`);
  await page.getByText('a bad second redirect').waitFor();
  await page.getByText('Changes go live when you deploy them.').waitFor();
  expect(await page.getByText('On hold').count()).toBe(0);
  await page.getByRole('link', { name: 'Deploy 2 changes' }).click();
  const again = page.getByRole('button', { name: 'Deploy 2 changes' });
  await again.waitFor();
  // Nothing is resumed.
  expect([await again.isEnabled(), await page.getByRole('checkbox').count()]).toEqual([true, 0]);
  await page.goBack();
  await page.getByRole('button', { name: 'Promote' }).click();
  await page.getByRole('link', { name: 'Staging' }).last().click();
  await page.getByRole('heading', { name: 'Promote production to staging' }).waitFor();
  await lines.filter({ hasText: '/first' }).waitFor();
  await page.getByRole('button', { name: 'Promote 1 change' }).waitFor();
  await page.keyboard.press('Control+Enter');
  await live(page).waitFor();
  await expectAccessible(page);
  await expectFits(page, 360);
});

test('deployments: after a promotion nothing waits, and a deployment of a held environment asks', async () => {
  const { owner, detour } = dashboard;
  const host = 'forward.example.com';
  const id = await createSite(owner, [host], { auto_deploy: false });
  await addRedirect(owner, id, { old_path: '/staged', new_path: '/1', target_environments: 'staging' });
  await deploy(owner, id, 'staging');
  const page = await dashboard.open(`/websites/${id}/deployments?environment=staging`);
  await page.getByText('Nothing to deploy. All changes are live.').waitFor();
  await page.getByRole('button', { name: 'Promote' }).click();
  await page.locator('a[href*="environment=production"][href*="promote"]').click();
  await page.getByText('and adds production to its redirects').waitFor();
  await page.getByRole('button', { name: 'Promote 1 change' }).click();
  await live(page).waitFor();
  expect((await detour.visit(host, '/staged')).location).toBe('/1');
  await page.goto(`/websites/${id}/deployments`);
  await page.getByText('Nothing to deploy. All changes are live.').waitFor();
  expect(await page.getByRole('list', { name: 'Not live' }).count()).toBe(0);

  // By the API without the targeting: what is live only by it stands apart, and Deploy is not the first choice.
  await addRedirect(owner, id, { old_path: '/kept', new_path: '/2', target_environments: 'staging' });
  await deploy(owner, id, 'staging');
  const promotion = { website_id: id, from: 'staging', to: 'production' };
  await owner.call('POST', '/api/deployments/promote', promotion);
  await until(async () => (await detour.visit(host, '/kept')).status === 301);
  await page.goto(`/websites/${id}/deployments/review?action=deploy&environment=production`);
  await page.getByText('A rollback or promotion has published the live version.').waitFor();
  await page.goto(`/websites/${id}/deployments`);
  await owner.call('PUT', `/api/websites/${id}`, { auto_deploy: true });
  await page.reload();
  await page.getByText('1 redirect is live only by a promotion, and Deploy removes it.').waitFor();
  await page.getByRole('link', { name: 'Production: on hold, 1 live only by a promotion' }).waitFor();
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('link', { name: 'Deploy 1 change' }).click();
  const button = page.getByRole('button', { name: 'Deploy 1 change' });
  await page.getByLabel('Remove 1 of 2 live redirects, 1 of them live only by a promotion').check();
  expect(await button.isDisabled()).toBe(true);
  await page.getByLabel('Resume automatic deployments to production').check();
  await button.click();
  await live(page).waitFor();
  await page.getByRole('heading', { level: 1, name: /^Version \d+ is live$/ }).waitFor();
  expect((await detour.visit(host, '/kept')).status).toBe(404);
});

test('deployments: a promotion names the redirects that are not meant for its source', async () => {
  const { owner, detour } = dashboard;
  const host = 'meant.example.com';
  const id = await createSite(owner, [host], { auto_deploy: false });
  await addRedirect(owner, id, { old_path: '/both', new_path: '/1', target_environments: 'production,staging' });
  await addRedirect(owner, id, { old_path: '/here', new_path: '/1' });
  const deleted = await addRedirect(owner, id, { old_path: '/deleted', new_path: '/1' });
  await deploy(owner, id);
  await owner.call('DELETE', `/api/redirects/${deleted}`);
  await deploy(owner, id, 'staging');
  const page = await dashboard.open(`/websites/${id}/deployments/review?action=promote&source=staging`);
  await page.getByText('1 redirect is not meant for staging, and is removed from production.').waitFor();
  await page.getByText('Remove 2 of 3 live redirects, 1 of them not meant for staging').waitFor();
  const lines = page.getByLabel('Differences').getByRole('listitem');
  await until(async () => (await lines.count()) === 2);
  // The review opens on the removals, because they have to be confirmed.
  expect(await page.getByRole('link', { name: 'Removed 2' }).getAttribute('aria-current')).toBe('page');
  await page.getByRole('link', { name: 'All 2' }).click();
  await page.locator('a[aria-current=page]', { hasText: 'All 2' }).waitFor();
  await page.getByRole('link', { name: 'Show', exact: true }).click();
  await until(async () => (await lines.count()) === 1);
  await lines.getByText('/here').waitFor();
  expect(await page.getByRole('link', { name: 'Not meant for staging 1' }).getAttribute('aria-current')).toBe('page');
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByLabel('Remove 2 of 3 live redirects').check();
  await page.getByRole('button', { name: 'Promote 2 changes' }).click();
  await live(page).waitFor();
  expect((await detour.visit(host, '/here')).status).toBe(404);
});

test('deployments: the review says which expectations would fail before the press', async () => {
  const { owner } = dashboard;
  const id = await createSite(owner, ['gated.example.com'], { auto_deploy: false });
  await addRedirect(owner, id, { old_path: '/pay', new_path: '/1', target_environments: 'staging' });
  await deploy(owner, id, 'staging');
  await owner.call('PUT', `/api/websites/${id}`, { gated_environments: ['production'] });
  const expectations = [
    { url: '/pay', environment: 'production', status_code: 301 },
    { url: '/none', environment: 'production', status_code: 404 },
  ];
  await owner.keyCall('PUT', `/api/v1/websites/${id}/expectations`, { expectations });
  const page = await dashboard.open(`/websites/${id}/deployments/review?environment=production`);
  await page.getByText('1 of 2 expectations would fail, so this would not be deployed.').waitFor();
  const failure = page.getByLabel('Failed expectations').getByRole('link', { name: '/pay', exact: true });
  // It failed before too, so it is folded until it is asked for.
  await page.getByText('All failed before.').waitFor();
  expect(await failure.isVisible()).toBe(false);
  await expectAccessible(page);
  await page.getByLabel('Note').fill('the shop asked');
  await page.getByLabel('Note').press('Enter');
  await until(() => failure.evaluate((link) => link === link.ownerDocument.activeElement));
  await page.locator('.failure-list[data-pointed]').waitFor();
  await page.getByRole('button', { name: 'Show the failure' }).waitFor();
  await page.getByRole('link', { name: 'Deploy anyway' }).click();
  await page.getByRole('button', { name: 'Deploy anyway' }).waitFor();
  expect(await page.getByLabel('Note').inputValue()).toBe('the shop asked');
  await page.goBack();
  await page.getByRole('button', { name: 'Show the failure' }).waitFor();
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.getByText('Show', { exact: true }).click();
  await page.getByRole('button', { name: 'Expect this of /pay' }).click();
  await page.getByText('Gate passed: 2 expectations would hold.').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'Show the failure' }).waitFor();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`/websites/${id}/deployments?environment=staging`);
  await page.getByText('Nothing to deploy. All changes are live.').waitFor();
  await page.getByRole('button', { name: 'Promote' }).click();
  await page.locator('a[href*="environment=production"][href*="promote"]').click();
  await page.getByText('Gate passed: 2 expectations would hold.').waitFor();
  await page.getByRole('button', { name: 'Promote 1 change' }).waitFor();
  await page.getByText('No loops.').waitFor();
  await owner.call('PUT', `/api/websites/${id}`, { gated_environments: [] });
  await page.goto(`/websites/${id}/deployments/review?environment=production`);
  await page.getByText('1 expectation would hold, 1 would fail (not gated: deploys anyway).').waitFor();
  await page.getByText('Show', { exact: true }).click();
  await failure.waitFor();
  await page.getByRole('button', { name: 'Deploy', exact: true }).waitFor();
});

test('the history names a loop at the version that brought it, and counts it after that', async () => {
  const { owner } = dashboard;
  const id = await createSite(owner, ['loops.example.com'], { auto_deploy: false });
  const redirects = [
    { old_path: '/a', new_path: '/b' },
    { old_path: '/b', new_path: '/a' },
  ];
  await owner.keyCall('POST', `/api/v1/redirects/bulk`, { website_id: String(id), redirects });
  await deploy(owner, id);
  await addRedirect(owner, id, { old_path: '/c', new_path: '/d' });
  await deploy(owner, id);
  const page = await dashboard.open(`/websites/${id}/deployments?environment=production`);
  await page.getByText('1 warning as in version 1').waitFor();
  expect(await page.locator('.timeline').getByText('Loop:').count()).toBe(1);
  await expectAccessible(page);
});

test('a rollback that fails no more expectations than the live version is one press, and forced', async () => {
  const { owner, detour } = dashboard;
  const id = await createSite(owner, ['no-worse.example.com'], { auto_deploy: false });
  for (const path of ['/a', '/b']) {
    await addRedirect(owner, id, { old_path: path, new_path: '/x' });
    await deploy(owner, id);
  }
  await owner.call('PUT', `/api/websites/${id}`, { gated_environments: ['production'] });
  const expectations = [{ url: '/soon', environment: 'production', status_code: 301 }];
  await owner.keyCall('PUT', `/api/v1/websites/${id}/expectations`, { expectations });
  const page = await dashboard.open(
    `/websites/${id}/deployments/review?environment=production&action=rollback&version=1`,
  );
  await page.getByText('1 of 1 expectation would fail. This is deployed all the same. All failed before.').waitFor();
  await page.getByRole('button', { name: 'Show the failure' }).waitFor();
  await page.getByLabel('Remove 1 of 2 live redirects').check();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Roll back anyway' }).click();
  await live(page).waitFor();
  expect((await detour.visit('no-worse.example.com', '/b')).status).toBe(404);
});

test('deployments: what waits is discarded, one change or all, and Undo brings it back', async () => {
  const { owner } = dashboard;
  const id = await createSite(owner, ['discard.example.com'], { auto_deploy: false });
  const first = await addRedirect(owner, id, { old_path: '/first', new_path: '/1' });
  await deploy(owner, id);
  await owner.call('PUT', `/api/redirects/${first}`, { new_path: '/2' });
  await addRedirect(owner, id, { old_path: '/second', new_path: '/2' });
  await addRedirect(owner, id, { old_path: '/third', new_path: '/3' });
  const page = await dashboard.open(`/websites/${id}/deployments/review?environment=production`);
  const lines = page.getByLabel('Differences').getByRole('listitem');
  await lines.getByRole('button', { name: 'Discard the change of /second' }).click();
  await page.getByText('1 change discarded').waitFor();
  await page.getByRole('button', { name: 'Deploy 2 changes' }).waitFor();
  expect(await lines.allTextContents()).not.toContainEqual(expect.stringContaining('/second'));
  await expectAccessible(page);
  await page.goto(`/websites/${id}/deployments`);
  await page.getByRole('button', { name: 'Discard all' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 redirect will have the values of the live version again.').waitFor();
  await dialog.getByText('1 new redirect will be deleted.').waitFor();
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.setViewportSize({ width: 1280, height: 800 });
  await dialog.getByRole('button', { name: 'Discard 2 changes' }).click();
  await page.getByText('Nothing to deploy. All changes are live.').waitFor();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await page.getByRole('link', { name: 'Deploy 2 changes' }).waitFor();
});

test('deployments: the review names chains through its changes', async () => {
  const { owner } = dashboard;
  const id = await createSite(owner, [], { auto_deploy: false });
  await addRedirect(owner, id, { old_path: '/b', new_path: '/c' });
  await addRedirect(owner, id, { old_path: '/b2', new_path: '/b' });
  await deploy(owner, id, 'production');
  await addRedirect(owner, id, { old_path: '/a', new_path: '/b' });
  const page = await dashboard.open(`/websites/${id}/deployments/review?environment=production`);
  await page.getByText('1 chain through these changes: /a → /b → /c').waitFor();
  await expectAccessible(page);
  await expectFits(page, 360);
});

test('deployments: nothing is removed that the review has not shown, and growing loops are named', async () => {
  const { owner, detour } = dashboard;
  const id = await createSite(owner, ['guard.example.com'], { auto_deploy: false });
  const first = await addRedirect(owner, id, { old_path: '/first', new_path: '/1' });
  const second = await addRedirect(owner, id, { old_path: '/second', new_path: '/2' });
  await deploy(owner, id);
  await owner.call('DELETE', `/api/redirects/${first}`);
  const redirects = [{ old_path: '/a/(.*)', new_path: '/a/b/$1', is_regex: true }];
  const body = { website_id: String(id), redirects };
  expect((await owner.keyCall('POST', '/api/v1/redirects/bulk', body)).status).toBe(200);
  const page = await dashboard.open(`/websites/${id}/deployments/review?environment=production`);
  await page.getByLabel('Remove 1 of 2 live redirects').check();
  // Otherwise the review may be refreshed before the click.
  await page.route('**/environments', (route) => route.abort());
  await owner.call('DELETE', `/api/redirects/${second}`);
  await page.getByRole('button', { name: 'Deploy 2 changes' }).click();
  await page.getByText('2 of 2 live redirects would be removed').waitFor();
  expect((await detour.visit('guard.example.com', '/second')).location).toBe('/2');
  await page.getByRole('link', { name: 'Removed 2' }).waitFor();
  await page.getByLabel('Remove all 2 live redirects').check();
  await page.getByRole('button', { name: 'Deploy 3 changes' }).click();
  await live(page).waitFor();
  await outcome(page).getByText('Growing loop:').waitFor();
  await expectAccessible(page);
  await page.goto(`/websites/${id}/deployments`);
  await page.getByText('Growing loop:').waitFor();
  await expectFits(page, 360);
});

test('deployments: the history is read often only while a deployment runs, and shows those of others', async () => {
  const { owner } = dashboard;
  const id = await createSite(owner, ['idle.example.com'], { auto_deploy: false });
  await addRedirect(owner, id, { old_path: '/a', new_path: '/1' });
  await deploy(owner, id);
  const page = await dashboard.blank();
  let requests = 0;
  page.on('request', (request) => (requests += Number(/\/api\/deployments\?/.test(request.url()))));
  await page.clock.install();
  await page.goto(`/websites/${id}/deployments`);
  await page.getByRole('heading', { name: 'Version 1 is live' }).waitFor();
  await page.clock.pauseAt(new Date(Date.now() + 60_000));
  await page.getByText('Deployed by').waitFor();
  requests = 0;
  for (let at = 0; at < 6; at++) {
    await page.clock.runFor(1_500);
    // Real time for the response: a poll is omitted while the previous one is loading.
    await page.waitForTimeout(200);
  }
  expect(requests).toBeLessThan(2);
  await addRedirect(owner, id, { old_path: '/b', new_path: '/1' });
  await deploy(owner, id);
  await page.clock.runFor(10_000);
  await page.getByRole('heading', { name: 'Version 2 is live' }).waitFor();

  await page.route(/\/api\/deployments\?/, async (route) => {
    const response = await route.fetch();
    const { deployments, ...body } = await response.json();
    const running = { ...deployments[0], id: 0, status: 'running', version: null, deployed_at: null };
    await route.fulfill({ response, json: { ...body, deployments: [running, ...deployments] } });
  });
  await page.clock.runFor(10_000);
  await page.getByText('Deploying').waitFor();
  requests = 0;
  let seconds = 0;
  await until(async () => {
    await page.clock.runFor(1_500);
    seconds += 1.5;
    return requests >= 3;
  });
  expect(seconds).toBeLessThan(20);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('deployments: two chosen versions are compared, by mouse and by keyboard', async () => {
  const { owner } = dashboard;
  const id = await createSite(owner, ['compare.example.com'], { auto_deploy: false });
  const folder = '/catalogue-of-the-old-shop/';
  const put = async (from: number, count: number, target: string) => {
    const paths = Array.from({ length: count }, (_, at) => `${folder}page-${from + at}`);
    const redirects = paths.map((old_path) => ({ old_path, new_path: target }));
    expect((await owner.keyCall('POST', '/api/v1/redirects/bulk', { website_id: String(id), redirects })).status).toBe(
      200,
    );
  };
  await put(0, 300, '/1');
  await deploy(owner, id);
  await put(0, 2, '/2');
  await put(1_000, 1_205, '/1');
  await deploy(owner, id);
  const page = await dashboard.open(`/websites/${id}/deployments`);
  await page.getByLabel('Compare version 1').check();
  await page.getByRole('link', { name: 'Compare version 1 with live' }).waitFor();
  await page.getByLabel('Compare version 2').focus();
  await page.keyboard.press(' ');
  await page.getByRole('link', { name: 'Compare versions 1 and 2' }).waitFor();
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.keyboard.press('c');
  await page.getByRole('heading', { name: 'Compare versions' }).waitFor();
  await page.getByLabel('From environment').waitFor();
  expect(await page.getByLabel('Environment', { exact: true }).count()).toBe(0);
  const lines = page.getByLabel('Differences').getByRole('listitem');
  await page.getByRole('link', { name: 'Changed 2' }).click();
  await page.getByRole('link', { name: 'All 1,207' }).waitFor();
  await until(async () => (await lines.count()) === 2);
  expect((await lines.first().innerText()).replace(/\s+/g, ' ')).toMatch(
    /^~ changed \/catalogue-of-the-old-shop\/page-0 \/1 301 → \/2 301 API key /,
  );
  await page.getByText(`/…/ is ${folder}`).waitFor();
  expect(await lines.first().locator('.path-cut').innerText()).toBe(folder.slice(1, -1));
  expect(await lines.first().locator('del, ins').allInnerTexts()).toEqual(['1', '2']);
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('link', { name: 'Added 1,205' }).click();
  for (let shown = 200; shown < 1_205; shown = Math.min(shown + 200, 1_205)) {
    await until(async () => (await lines.count()) === shown);
    await page.getByRole('button', { name: 'Show more' }).click();
  }
  await until(async () => (await lines.count()) === 1_205);
  await page.getByPlaceholder('Search source and target').fill('page-1204');
  await until(async () => (await lines.count()) === 1);
  expect(new URL(page.url()).search).toBe('?environment=production&from=1&to=2&show=added&q=page-1204');
  await page.getByRole('button', { name: 'Swap' }).click();
  await page.getByRole('link', { name: 'Removed 1' }).waitFor();
  await page.reload();
  expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('2');
  await page.getByLabel('To', { exact: true }).selectOption('live');
  await page.getByText('No matching differences').waitFor();
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
