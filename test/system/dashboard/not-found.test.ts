import { setTimeout } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { missingPath } from '../../support/hits.ts';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

const row = (page: Page, path: string) =>
  page.getByRole('listitem').filter({ has: page.getByTitle(path, { exact: true }) });

/** Creates a website with these unmatched paths and hits. */
async function siteMissing(host: string, paths: Record<string, number>, more: object = {}): Promise<number> {
  const websiteId = await createSite(dashboard.owner, [host]);
  for (const [path, hits] of Object.entries(paths))
    await missingPath(dashboard.detour.db, { websiteId, path, hits, ...more });
  return websiteId;
}

test('a suggestion redirects an unmatched path in one click', async () => {
  const host = 'missing.example.com';
  const site = await createSite(dashboard.owner, [host]);
  await addRedirect(dashboard.owner, site, { old_path: '/x', new_path: '/guides/first-steps' });
  await settled(dashboard.owner, site);
  const page = await dashboard.open(`/websites/${site}/not-found`);
  await page.getByText('No unmatched paths').waitFor();
  await expectAccessible(page);
  const path = '/guide/first-steps.html';
  expect((await dashboard.detour.visit(host, path)).status).toBe(404);
  await until(async () => {
    await page.reload();
    await page.locator('.empty, .missing-list').waitFor();
    return (await row(page, path).count()) === 1;
  });
  await expectAccessible(page);
  await page.getByRole('button', { name: `Redirect ${path} to /guides/first-steps` }).click();
  await page.getByText(`${path} redirects to /guides/first-steps`).waitFor();
  expect(await row(page, path).count()).toBe(0);
  await until(async () => (await dashboard.detour.visit(host, path)).location === '/guides/first-steps');
  await page.reload();
  await page.getByText('No unmatched paths').waitFor();
});

test('a guess opens the form with its target, and creates nothing', async () => {
  const site = await siteMissing('guessed.example.com', { '/contcat': 3 });
  await addRedirect(dashboard.owner, site, { old_path: '/x', new_path: '/contact' });
  await settled(dashboard.owner, site);
  const page = await dashboard.open(`/websites/${site}/not-found`);
  await page.getByRole('button', { name: 'Review redirect of /contcat to /contact' }).click();
  const target = page.getByLabel('To', { exact: true });
  await target.and(page.locator(':focus')).waitFor();
  expect(await target.inputValue()).toBe('/contact');
  expect(await page.locator('.toasts').getByText('/contcat').count()).toBe(0);
  await page.keyboard.press('Enter');
  await page.getByText('/contcat redirects to /contact').waitFor();
});

test('without automatic deployments, a suggestion is saved and leads to the review', async () => {
  const site = await createSite(dashboard.owner, ['held-missing.example.com']);
  await addRedirect(dashboard.owner, site, { old_path: '/x', new_path: '/guides/first-steps' });
  await settled(dashboard.owner, site);
  await dashboard.owner.call('PUT', `/api/websites/${site}`, { auto_deploy: false });
  const path = '/guide/first-steps.html';
  await missingPath(dashboard.detour.db, { websiteId: site, path, hits: 3 });
  await missingPath(dashboard.detour.db, { websiteId: site, path: '/unlike', hits: 1 });
  const page = await dashboard.open('/websites');
  // The first response is early, as on a large website.
  let calls = 0;
  await page.route(/not-found\?/, async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    if (calls++ > 0 || !Array.isArray(body.paths)) return route.fulfill({ response });
    const paths = body.paths.map((each: object) => ({ ...each, suggestions: [] }));
    return route.fulfill({ response, json: { ...body, paths, pending: true } });
  });
  await page.goto(new URL(`/websites/${site}/not-found`, page.url()).href);
  await page.getByText('Suggestions are being prepared.').waitFor();
  const topOf = async () => (await row(page, '/unlike').boundingBox())?.y;
  const before = await topOf();
  const accept = page.getByRole('button', { name: `Redirect ${path} to /guides/first-steps` });
  await accept.waitFor();
  expect(await topOf()).toBe(before);
  await accept.click();
  await page.getByText(`Saved, waits for a deployment: ${path} redirects to /guides/first-steps`).waitFor();
  await page.locator('.toasts').getByRole('link', { name: 'Deploy' }).click();
  await page.waitForURL(/deployments\/review\?environment=production&action=deploy$/);
});

test('the redirect of a path that is not live because of its schedule says when, and starts now', async () => {
  const site = await siteMissing('scheduled.example.com', { '/sale': 30, '/summer': 20 });
  const add = (fields: { old_path: string; active_from?: string; active_until?: string }) =>
    addRedirect(dashboard.owner, site, { new_path: '/offers', ...fields });
  await add({ old_path: '/sale', active_from: '2041-01-01T00:00:00Z' });
  await add({ old_path: '/summer', active_until: '2026-09-01T00:00:00Z' });
  const page = await dashboard.open(`/websites/${site}/not-found`);
  await row(page, '/sale')
    .getByText(/^From 1 Jan 2041, .*: 301 to \/offers.$/)
    .waitFor();
  await row(page, '/summer')
    .getByText(/^Ended 1 Sept? 2026, .*: 301 to \/offers.$/)
    .waitFor();
  await expectAccessible(page);
  await expectFits(page, 360);
  await row(page, '/sale').getByRole('button', { name: 'Start now' }).click();
  await row(page, '/sale').waitFor({ state: 'detached' });
  await until(async () => (await dashboard.detour.visit('scheduled.example.com', '/sale')).location === '/offers');
  await page.getByRole('button', { name: 'Undo' }).click();
  await row(page, '/sale').waitFor();
});

test('a line filters and orders the list, and the rest of it is searched for', async () => {
  const site = await siteMissing('line.example.com', { '/shoes/a': 5, '/shoes/b': 9, '/hats': 7 });
  const page = await dashboard.open(`/websites/${site}/not-found`);
  await row(page, '/hats').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('sort:path by:humans shoes', { delay: 20 });
  await page.keyboard.press('Enter');
  await row(page, '/hats').waitFor({ state: 'detached' });
  await row(page, '/shoes/a').waitFor();
  expect(new URL(page.url()).search).toBe('?sort=path&agents=people&q=shoes');
  expect(await page.getByLabel('Requested').inputValue()).toBe('people');
  await page.getByRole('searchbox', { name: 'Search paths' }).or(page.getByLabel('Search paths')).first().fill('by:b');
  expect(
    await page.locator('datalist option').evaluateAll((all) => all.map((each) => each.getAttribute('value'))),
  ).toEqual(['by:bots ']);
  await expectAccessible(page);
});

test('Undo deletes the redirect and returns the path to its place', async () => {
  const host = 'undo.example.com';
  const site = await siteMissing(host, { '/a': 30, '/b': 20, '/c': 10 });
  const page = await dashboard.open(`/websites/${site}/not-found`);
  await page.getByRole('button', { name: 'Redirect /b', exact: true }).click();
  await page.keyboard.type('no slash');
  await page.keyboard.press('Enter');
  await until(async () => (await page.getByLabel('To', { exact: true }).getAttribute('aria-invalid')) === 'true');
  await expectAccessible(page);
  await page.getByLabel('To', { exact: true }).fill('/new');
  await page.keyboard.press('Control+Enter');
  await page.getByText('/b redirects to /new').waitFor();
  await until(async () => (await dashboard.detour.visit(host, '/b')).location === '/new');
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await row(page, '/b').waitFor();
  expect(await page.locator('.missing-path').allTextContents()).toEqual(['/a', '/b', '/c']);
  await until(async () => (await dashboard.detour.visit(host, '/b')).status === 404);
});

test('paths can be ignored and restored; scanner paths are separate; the URL keeps the view', async () => {
  const site = await siteMissing('aside.example.com', { '/old': 3 });
  await missingPath(dashboard.detour.db, { websiteId: site, path: '/.env', hits: 90, noise: true });
  const page = await dashboard.open(`/websites/${site}/not-found`);
  await row(page, '/old').waitFor();
  expect(await row(page, '/.env').count()).toBe(0);
  // A list that is opened before the write ends has the path.
  await page.route('**/not-found/ignore', async (route) => {
    await setTimeout(500);
    await route.continue();
  });
  await page.getByRole('button', { name: 'Ignore /old' }).click();
  await page.getByText('No unmatched paths').waitFor();
  await page.getByLabel('Paths', { exact: true }).selectOption('ignored');
  await page.getByRole('button', { name: 'Stop ignoring /old' }).click();
  await page.getByText('No ignored paths').waitFor();
  await page.getByLabel('Paths', { exact: true }).selectOption('noise');
  await row(page, '/.env').waitFor();
  expect(page.url()).toMatch(/show=noise$/);
  await page.goto(`/websites/${site}/not-found`);
  await row(page, '/old').waitFor();
});

test('keyboard: moves between rows, redirects and ignores paths, loads more', async () => {
  const host = 'keyed.example.com';
  const paths = Object.fromEntries(Array.from({ length: 52 }, (_, at) => [`/k${at}`, 100 - at]));
  const site = await siteMissing(host, paths);
  const page = await dashboard.open(`/websites/${site}/not-found`);
  await row(page, '/k0').waitFor();
  const focusedPath = () => page.locator('[data-row]:focus .missing-path').textContent();
  await page.keyboard.press('ArrowDown');
  expect(await focusedPath()).toBe('/k0');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  expect(await focusedPath()).toBe('/k1');
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await page.getByLabel('To', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  expect(await focusedPath()).toBe('/k1');
  await page.keyboard.press('Enter');
  await page.getByLabel('To', { exact: true }).and(page.locator(':focus')).waitFor();
  await page.keyboard.type('/there');
  await page.keyboard.press('Enter');
  await page.getByText('/k1 redirects to /there').waitFor();
  await until(async () => (await focusedPath()) === '/k2');
  await page.keyboard.press('Delete');
  await until(async () => (await focusedPath()) === '/k3');
  // Enter on a button activates the button.
  await page.getByRole('button', { name: 'Ignore /k3', exact: true }).focus();
  await page.keyboard.press('Enter');
  await until(async () => (await focusedPath()) === '/k4');
  await page.keyboard.press('End');
  expect(await focusedPath()).toBe('/k49');
  await page.keyboard.press('ArrowDown');
  await row(page, '/k51').waitFor();
  await page.keyboard.press('ArrowDown');
  expect(await focusedPath()).toBe('/k50');
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('Ignore the path').waitFor();
  await expectAccessible(page);
});

test('a path with a redirect for another environment offers to add this one; a search finds and ignores paths', async () => {
  const host = 'existing.example.com';
  const site = await siteMissing(host, { '/staged': 9, '/über/x': 5, '/other': 3 });
  await addRedirect(dashboard.owner, site, {
    old_path: '/staged',
    new_path: '/there',
    target_environments: 'staging',
  });
  const page = await dashboard.open(`/websites/${site}/not-found`);
  await row(page, '/staged').getByText('for staging only.').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Add production to the redirect of /staged' }).click();
  await page.getByText('The redirect of /staged now targets production').waitFor();
  await until(async () => (await dashboard.detour.visit(host, '/staged')).location === '/there');
  await page.keyboard.press('/');
  await page.keyboard.type('OTHE');
  await page.getByRole('button', { name: 'Ignore 1 listed path' }).click();
  await page.getByText('1 path ignored').waitFor();
  await page.getByText('No matching paths').waitFor();
  await expectAccessible(page);
});

test('loads many paths page by page, fits long ones at 360 px, and retries failed requests', async () => {
  const paths = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`/page-${at}`, 100 - at]));
  const long = `/${'a-long-part-of-a-path/'.repeat(12)}end`;
  const site = await siteMissing('many.example.com', { ...paths, [long]: 1_000 });
  const page = await dashboard.open(`/websites/${site}/not-found`);
  await page.getByRole('button', { name: 'Load more' }).click();
  await row(page, '/page-59').waitFor();
  expect(
    await page
      .getByRole('list')
      .filter({ has: page.getByRole('checkbox') })
      .getByRole('listitem')
      .count(),
  ).toBe(61);
  await expectFits(page, 360);
  await page.route('**/not-found?*', (route) => route.abort());
  await page.reload();
  await page.getByText('The service cannot be reached').waitFor();
  await page.unroute('**/not-found?*');
  await page.getByRole('button', { name: 'Retry' }).click();
  await row(page, '/page-0').waitFor();
});

test('selected paths are decided together after a preview, and a group offers one pattern', async () => {
  const host = 'together.example.com';
  const paths = Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`/shop/${at}.html`, 20 - at]));
  const site = await siteMissing(host, paths);
  const page = await dashboard.open(`/websites/${site}/not-found`);
  const group = page.getByRole('region', { name: 'Groups of paths' }).getByRole('listitem');
  await group.getByText('6 paths').waitFor();
  const [list, folder, show, pattern] = await Promise.all(
    [group.locator('..'), group.locator('.missing-path'), group.getByRole('button'), group.getByRole('link')].map(
      async (each) => (await each.boundingBox()) ?? { x: 0, y: 0 },
    ),
  );
  expect(folder!.x - list!.x).toBeGreaterThan(10);
  expect(show!.y).toBe(pattern!.y);
  await page.getByLabel('Select /shop/0.html').check();
  await page.getByLabel('Select /shop/3.html').check();
  await page.getByRole('button', { name: 'Decide', exact: true }).click();
  // They have no suggestions.
  expect(await page.getByLabel('What happens to them').inputValue()).toBe('redirect');
  await page.getByLabel('To', { exact: true }).fill('/catalogue');
  await page.getByText('2 paths would be decided.').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Decide 2 paths' }).click();
  await until(async () => (await dashboard.detour.visit(host, '/shop/3.html')).location === '/catalogue');
  await page.getByRole('button', { name: 'Undo' }).click();
  await until(async () => (await dashboard.detour.visit(host, '/shop/3.html')).status === 404);
  await group.getByRole('link', { name: 'One pattern' }).click();
  const source = page.getByRole('dialog').getByRole('textbox').first();
  await source.waitFor();
  expect(await source.inputValue()).toBe('/shop/([^/]+)\\.html');
});

test('a path whose redirect waits for a deployment leads to the review', async () => {
  const site = await siteMissing('waiting.example.com', { '/waits': 9 });
  await dashboard.owner.call('PUT', `/api/websites/${site}`, { auto_deploy: false });
  await addRedirect(dashboard.owner, site, { old_path: '/waits', new_path: '/there' });
  const page = await dashboard.open(`/websites/${site}/not-found`);
  await row(page, '/waits').getByText('but is not live: it waits for a deployment.').waitFor();
  await row(page, '/waits').getByRole('link', { name: 'Deploy' }).click();
  await page.waitForURL(/deployments\/review\?environment=production&action=deploy$/);
});

test('numbers of the rows are aligned, and a path opens what is known of it', async () => {
  const paths = { '/guide/first-steps.html': 30, '/a-path-of-another-length/x': 4_567 };
  const site = await siteMissing('detail.example.com', paths, { botHits: 12, referrerHost: 'news.example.net' });
  await addRedirect(dashboard.owner, site, { old_path: '/first-steps', new_path: '/guides/first-steps' });
  await addRedirect(dashboard.owner, site, { old_path: '/Guide/First-Steps.html', new_path: '/elsewhere' });
  const deleted = await addRedirect(dashboard.owner, site, {
    old_path: '/guide/first-steps.html',
    new_path: '/former',
  });
  await dashboard.owner.call('DELETE', `/api/redirects/${deleted}`);
  await settled(dashboard.owner, site);
  const page = await dashboard.open(`/websites/${site}/not-found`);
  const opener = row(page, '/guide/first-steps.html').getByRole('button', { name: '/guide/first-steps.html' }).first();
  await opener.waitFor();
  const rightOf = (cells: string) =>
    page.locator(cells).evaluateAll((all) => new Set(all.map((each) => each.getBoundingClientRect().right)).size);
  expect(await rightOf('.missing-list > .headings > :nth-child(2), .missing-row > :nth-child(2)')).toBe(1);
  expect(await rightOf('.missing-row > :nth-child(3)')).toBe(1);
  await opener.click();
  const detail = page.getByRole('region', { name: 'Details of /guide/first-steps.html' });
  await detail.getByText('42 requests in 1 day').waitFor();
  await detail.getByText('Last referrer: news.example.net').waitFor();
  await detail.getByText('Its redirect was deleted by').waitFor();
  expect(await detail.getByRole('link', { name: 'Show the deletion' }).getAttribute('href')).toMatch(
    /activity\?.*chg_/,
  );
  await detail.getByText('differs only in letter case').waitFor();
  await detail.getByRole('link', { name: '/first-steps', exact: true }).waitFor();
  await expectAccessible(page);
  await expectFits(page, 360);
  await detail.getByRole('button', { name: 'Use /guides/first-steps' }).click();
  expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe('/guides/first-steps');
  await opener.press('Enter');
  await detail.waitFor({ state: 'detached' });
});

test('viewers see the paths without actions', async () => {
  const site = await siteMissing('viewed.example.com', { '/seen': 4 });
  const viewer = { email: 'inbox-viewer@example.com', role: 'viewer', password: 'a long password' };
  expect((await dashboard.owner.call('POST', '/api/users', viewer)).status).toBe(201);
  const page = await dashboard.openAnonymously(`/websites/${site}/not-found`);
  await page.getByLabel('Email').fill(viewer.email);
  await page.getByLabel('Password', { exact: true }).fill(viewer.password);
  await page.keyboard.press('Enter');
  await row(page, '/seen').waitFor();
  await row(page, '/seen').getByRole('button', { name: 'Copy path' }).waitFor();
  expect(await row(page, '/seen').getByRole('button').count()).toBe(2);
  await row(page, '/seen').getByRole('button', { name: '/seen' }).click();
  await page.getByRole('region', { name: 'Details of /seen' }).getByText('4 requests in 1 day').waitFor();
  expect(await row(page, '/seen').getByRole('button').count()).toBe(2);
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});

test('paths that assistants requested are counted apart, and come first or alone if chosen', async () => {
  const site = await siteMissing('assistants.example.com', { '/people': 30, '/both': 20 });
  const asked = { websiteId: site, hits: 0, botHits: 2 };
  await missingPath(dashboard.detour.db, { ...asked, path: '/asked', assistantHits: 1_234 });
  await dashboard.detour.db.$client.query(`update not_found set assistant_hits = 5 where path = '/both'`);
  const page = await dashboard.open(`/websites/${site}/not-found`);
  await row(page, '/asked').getByText('1,234 by assistants').waitFor();
  await expectAccessible(page);
  await expectFits(page, 360);
  const listed = (paths: string) =>
    until(async () => (await page.locator('.missing-path').allTextContents()).join(' ') === paths);
  await listed('/people /both /asked');
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByLabel('Order').selectOption('Most hits by assistants');
  await listed('/asked /both /people');
  await page.getByLabel('Requested').selectOption('By assistants');
  await page.getByRole('button', { name: 'Filters (2)' }).waitFor();
  await listed('/asked /both');
  await page.getByLabel('Requested').selectOption('By bots');
  await listed('/asked');
});
