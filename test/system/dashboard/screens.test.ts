import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startNameServer } from '../../support/name-server.ts';
import { addRedirect, createSite, deploy, settled } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

test('sign-in opens the requested page, a wrong password is an error, sign-out ends the session', async () => {
  const page = await dashboard.openAnonymously('/websites?new=website');
  await page.getByLabel('Email').fill(dashboard.owner.email);
  await page.getByLabel('Password').fill('not this one');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('Check both. After 10 failures').waitFor();
  await expectAccessible(page);
  await page.getByLabel('Password').fill(dashboard.owner.password);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'New website' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/websites');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: dashboard.owner.email }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to Detour' }).waitFor();
});

test('sign-in never redirects to another site', async () => {
  const page = await dashboard.openAnonymously(`/sign-in?to=${encodeURIComponent('//evil.example/x')}`);
  await page.getByLabel('Email').fill(dashboard.owner.email);
  await page.getByLabel('Password').fill(dashboard.owner.password);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  expect(new URL(page.url()).origin).toBe(dashboard.detour.address);
});

test('a new user signs up, creates a website and a redirect, proves the host, and it goes live', async () => {
  const records: Record<string, string[]> = {};
  const names = await startNameServer({}, records);
  const open = await startDashboard({ SIGN_UP: 'open', DNS_SERVERS: names.address });
  onTestFinished(async () => {
    await open.stop();
    await names.stop();
  });
  const page = await open.openAnonymously('/');
  await page.getByRole('button', { name: 'Create an account' }).click();
  await page.getByLabel('Email').fill('new@example.com');
  await page.getByLabel('Password').fill('a long password');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('No websites yet').waitFor();
  await page.keyboard.press('n');
  await page.getByLabel('Name').fill('Shop');
  await page.getByLabel('Host 1', { exact: true }).fill('http://shop.localhost:3000/sale?from=mail');
  await page.getByRole('button', { name: 'Create website' }).click();
  await page.getByRole('heading', { name: 'Verify your host' }).waitFor();
  await page.getByRole('link', { name: 'Redirects' }).click();
  await page.getByText('No redirects yet').waitFor();
  const create = async (from: string): Promise<void> => {
    await page.keyboard.press('n');
    await page.getByLabel('From', { exact: true }).fill(from);
    await page.getByLabel('To', { exact: true }).fill('/offers');
    await page.getByRole('button', { name: 'Create redirect' }).click();
  };
  await create('/sale');
  await page.getByRole('link', { name: 'Verify the host' }).click();
  const record = page.getByRole('textbox', { name: 'Name of the TXT record' });
  const value = page.getByRole('textbox', { name: 'Value' });
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Copy Value' }).click();
  await page.getByRole('button', { name: 'Copied Value' }).waitFor();
  await page.getByRole('button', { name: 'Verify shop.localhost' }).click();
  await page.getByRole('alert').getByText('There is no TXT record _detour.shop.localhost').waitFor();
  await expectAccessible(page);
  expect((await open.detour.visit('shop.localhost', '/sale')).location).toBeUndefined();
  records[await record.inputValue()] = [await value.inputValue()];
  await page.getByRole('button', { name: 'Verify shop.localhost' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('shop.localhost is verified').waitFor();
  expect(await record.count()).toBe(0);
  await until(async () => (await open.detour.visit('shop.localhost', '/sale')).location === '/offers');
  await page.getByRole('link', { name: 'Redirects' }).click();
  await page.getByText('/sale').first().waitFor();
  await create('/more');
  const { port } = new URL(open.detour.address);
  const visit = page.getByRole('link', { name: 'Visit' });
  expect(await visit.getAttribute('href')).toBe(`http://shop.localhost:${port}/more`);
});

test('hosts that are not verified are marked; a wrong record is an error that names it', async () => {
  const records: Record<string, string[]> = { '_detour.two.example.com': ['something else'] };
  const names = await startNameServer({}, records);
  const open = await startDashboard({ SIGN_UP: 'open', DNS_SERVERS: names.address });
  onTestFinished(async () => {
    await open.stop();
    await names.stop();
  });
  const id = await createSite(open.owner, ['one.example.com', 'two.example.com'], { name: 'Pair' });
  const page = await open.open('/websites');
  await page.getByRole('link', { name: 'Verify one.example.com' }).waitFor();
  expect(await page.getByRole('link', { name: 'one.example.com', exact: true }).count()).toBe(0);
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Verify two.example.com' }).click();
  await page.locator('summary').filter({ hasText: 'two.example.com' }).click();
  await page.getByRole('button', { name: 'Verify two.example.com' }).click();
  await page.getByRole('alert').getByText('_detour.two.example.com is "something else"').waitFor();
  records['_detour.two.example.com'] = [await page.getByRole('textbox', { name: 'Value' }).inputValue()];
  await page.getByRole('button', { name: 'Verify two.example.com' }).click();
  await page.getByText('Verified', { exact: true }).waitFor();
  expect((await open.owner.call('GET', `/api/websites/${id}`)).body.website.hosts[1].verified).toBe(true);
});

test('websites: live versions, settings, a used host, and deletion', async () => {
  const id = await createSite(dashboard.owner, ['one.example.com'], { name: 'One' });
  await createSite(dashboard.owner, ['two.example.com', 'second-of-two.example.com'], { name: 'Two' });
  await addRedirect(dashboard.owner, id, { old_path: '/a', new_path: '/b' });
  await settled(dashboard.owner, id);
  const page = await dashboard.open('/websites');
  await page.getByText('Version 1, 1 redirect,').waitFor();
  expect(await page.getByRole('link', { name: 'Add a host' }).count()).toBe(0);
  await expectAccessible(page);
  await expectFits(page, 360);
  await expectAccessible(page);
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.goto(`/websites/${id}/settings`);
  await page.getByRole('button', { name: 'Add host' }).click();
  await page.getByLabel('Host 2', { exact: true }).fill('two.example.com');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('alert').filter({ hasText: 'two.example.com' }).waitFor();
  const isMarked = (host: number) => page.getByLabel(`Host ${host}`, { exact: true }).getAttribute('aria-invalid');
  expect([await isMarked(1), await isMarked(2)]).toEqual(['false', 'true']);
  await page.getByLabel('Host 2', { exact: true }).fill('also.example.com');
  await page.getByLabel('Environment of host 2').selectOption('production');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Settings saved').waitFor();
  expect((await dashboard.detour.visit('also.example.com', '/a')).location).toBe('/b');

  await page.getByLabel('Fallback URL').fill('https://mine.example.com');
  await dashboard.owner.call('PUT', `/api/websites/${id}`, {
    fallback_url: 'https://theirs.example.com',
    query: 'drop',
  });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const changed = page.getByRole('alert').filter({ hasText: `${dashboard.owner.email} changed these settings` });
  await changed.getByText('https://theirs.example.com').waitFor();
  expect(await page.getByLabel('Fallback URL').inputValue()).toBe('https://mine.example.com');
  await changed.getByRole('button', { name: 'Overwrite' }).click();
  await page.getByText('Settings saved').nth(1).waitFor();
  expect((await dashboard.owner.call('GET', `/api/websites/${id}`)).body.website).toMatchObject({
    fallback_url: 'https://mine.example.com',
    query: 'drop',
  });
  await expectAccessible(page);
  await expectFits(page, 360);

  await page.getByRole('button', { name: 'Paste a list' }).click();
  const list = page.getByRole('textbox', { name: 'Hosts, one per line' });
  expect(await list.inputValue()).toBe('one.example.com\nalso.example.com');
  await list.fill('one.example.com\n*.wild.example.com\nold.example.com -> new.example.com');
  await page.getByRole('alert').filter({ hasText: 'Line 3' }).waitFor();
  await list.fill('one.example.com\n*.wild.example.com\nold.example.com -> https://new.example.com 308');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('→ https://new.example.com').waitFor();
  expect((await dashboard.detour.visit('old.example.com', '/x')).location).toBe('https://new.example.com/x');
  await expectAccessible(page);
  await expectFits(page, 360);

  await page.getByRole('button', { name: 'Delete website' }).click();
  await page.getByLabel('Type One to confirm').fill('One');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete website' }).click();
  await page.getByText('One deleted').waitFor();
  expect((await dashboard.owner.call('GET', `/api/websites/${id}`)).status).toBe(404);
});

/** Clicks the button, fills in the note of its dialog, and confirms. */
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
  await expectAccessible(page);
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
  await outcome(page).getByText('Undone.').waitFor();
  await live(page).waitFor();
  expect((await detour.visit('deploy.example.com', '/second')).status).toBe(404);
  await page.getByRole('link', { name: 'Production: on hold, 2 changes wait' }).waitFor();
  await outcome(page).getByRole('button', { name: 'Undo' }).click();
  await outcome(page).getByText('Version 4 of production').waitFor();
  expect((await detour.visit('deploy.example.com', '/second')).location).toBe('/2');

  await outcome(page).getByRole('link', { name: 'History' }).click();
  await page.getByText(`Deployed by ${owner.email}`).first().waitFor();
  await page.getByRole('link', { name: 'Roll back to version 1' }).click();
  await page.getByRole('link', { name: 'Removed 2' }).waitFor();
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
  await page.getByText('On hold after a rollback').waitFor();
  await page.getByRole('button', { name: 'Promote' }).click();
  await page.getByRole('link', { name: 'Staging' }).last().click();
  await page.getByRole('heading', { name: 'Promote production to staging' }).waitFor();
  await lines.filter({ hasText: '/first' }).waitFor();
  await page.getByRole('button', { name: 'Promote 1 change' }).click();
  await live(page).waitFor();
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

test('deployments: two chosen versions are compared, by mouse and by keyboard', async () => {
  const { owner } = dashboard;
  const id = await createSite(owner, ['compare.example.com'], { auto_deploy: false });
  const put = async (from: number, count: number, target: string) => {
    const paths = Array.from({ length: count }, (_, at) => `/page-${from + at}`);
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
  const lines = page.getByLabel('Differences').getByRole('listitem');
  await page.getByRole('link', { name: 'Changed 2' }).click();
  await page.getByRole('link', { name: 'All 1,207' }).waitFor();
  await until(async () => (await lines.count()) === 2);
  expect((await lines.first().innerText()).replace(/\s+/g, ' ')).toMatch(
    /^~ changed \/page-0 \/1 301 → \/2 301 API key /,
  );
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

test('the tester shows matching redirects, and creates one for an unmatched path', async () => {
  const id = await createSite(dashboard.owner, ['test.example.com']);
  await addRedirect(dashboard.owner, id, { old_path: '/blog/(.+)', new_path: '/news/$1', is_regex: true });
  await addRedirect(dashboard.owner, id, { old_path: '/blog/one', new_path: '/first' });
  await settled(dashboard.owner, id);
  const page = await dashboard.open(`/websites/${id}/tester`);
  await page.getByLabel('URL or path').fill('https://test.example.com/blog/one');
  await page.getByText('Match: exact path').waitFor();
  await page.getByText('Lower precedence: an exact path wins').waitFor();
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.getByLabel('URL or path').fill('/nothing-here');
  await page.getByRole('link', { name: 'Create redirect for this path' }).click();
  expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('/nothing-here');
});

test('the tester marks loops, tests undeployed changes, and a list of URLs', async () => {
  const id = await createSite(dashboard.owner, ['list.example.com']);
  await addRedirect(dashboard.owner, id, { old_path: '/one', new_path: '/two' });
  await settled(dashboard.owner, id);
  await dashboard.owner.call('PUT', `/api/websites/${id}`, { auto_deploy: false });
  await addRedirect(dashboard.owner, id, { old_path: '/two', new_path: '/three' });
  await addRedirect(dashboard.owner, id, { old_path: '/(a|b)', new_path: '/a', is_regex: true });
  await addRedirect(dashboard.owner, id, { old_path: '/a', new_path: '/b' });
  const page = await dashboard.open(`/websites/${id}/tester?url=/one`);
  await page.getByRole('heading', { name: 'Redirects with 301' }).waitFor();
  expect(await page.getByText('Redirect directly').count()).toBe(0);
  await page.getByLabel('Redirects').selectOption('draft');
  await page.getByRole('link', { name: 'Redirect directly' }).waitFor();
  await page.getByLabel('URL or path').fill('/a');
  await page.getByRole('heading', { name: 'Redirects in a loop' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'List of URLs' }).click();
  await page.getByLabel('URLs or paths').fill('/one\n/b\n\nhttps://other.example/x');
  await page.getByRole('button', { name: 'Test 3 URLs' }).click();
  await page.getByRole('alert').getByText('https://other.example/x:').waitFor();
  await page.getByLabel('URLs or paths').fill('/one\n/b\n/none');
  await page.getByRole('button', { name: 'Test 3 URLs' }).click();
  await page.getByText('3 URLs tested').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Loop 1' }).click();
  await page.getByRole('link', { name: '/b' }).click();
  await page.getByRole('heading', { name: 'Redirects in a loop' }).waitFor();
  await expectFits(page, 360);
});

test('? lists shortcuts, g and a letter open a screen, an unknown URL shows Page not found', async () => {
  const id = await createSite(dashboard.owner, ['keys.example.com']);
  const page = await dashboard.open(`/websites/${id}/redirects`);
  await page.getByText('No redirects yet').waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('New redirect').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await page.getByRole('heading', { name: 'Tester' }).waitFor();
  await page.goto('/websites/999999/redirects');
  await page.getByText('Page not found').waitFor();
  await expectAccessible(page);
});

test('an unavailable service shows an error, and Retry loads the screen', async () => {
  const id = await createSite(dashboard.owner, ['away.example.com']);
  const page = await dashboard.open(`/websites/${id}/tester`);
  await page.getByLabel('URL or path').waitFor();
  await page.route('**/api/redirects?**', (route) => route.abort());
  await page.getByRole('link', { name: 'Redirects' }).click();
  await page.getByText('The service cannot be reached').waitFor();
  await expectAccessible(page);
  await page.unroute('**/api/redirects?**');
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByText('No redirects yet').waitFor();
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
