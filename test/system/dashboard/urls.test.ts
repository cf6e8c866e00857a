/** URLs: a dropped file, lost URLs, accepted losses, versions of lists, the gate, and the panel of a redirect. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { storeUrls } from '../../support/urls.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, expectAccessible, expectFits, PLAIN_HOST, startDashboard } from './browser.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard({ WEBHOOK_EGRESS: 'private', RESERVED_HOSTS: PLAIN_HOST });
});
afterAll(() => dashboard.stop());

const urls = (count: number): string[] => Array.from({ length: count }, (_, at) => `/page-${at}`);

const push = async (site: number, list: string, paths: string[]): Promise<void> => {
  const path = `/api/v1/websites/${site}/urls/living?list=${list}&max_removed=100%25`;
  expect((await dashboard.owner.keyCall('PUT', path, { urls: paths })).status).toBe(200);
};

const drop = (page: Page, name: string, text: string) =>
  page.evaluate(`document.dispatchEvent(new DragEvent('drop', { cancelable: true, dataTransfer: (() => {
    const data = new DataTransfer();
    data.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
    return data;
  })() }))`);

const rowOf = (page: Page, url: string) =>
  page.getByRole('list', { name: 'URLs' }).getByRole('listitem').filter({ hasText: url });

test('a dropped file is checked, then becomes a list; what it loses comes first', async () => {
  const site = await createSite(dashboard.owner, ['urls.example.com'], { name: 'Shop' });
  const page = await dashboard.open(`/websites/${site}/redirects`);
  await page.getByRole('grid').or(page.getByText('No redirects yet')).first().waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await page.getByText('Drop a sitemap or a list of URLs here').waitFor();
  expect(await page.getByLabel('Or push a built website').inputValue()).toBe(
    'detour urls push dist -w urls.example.com',
  );
  await expectAccessible(page);

  await drop(page, 'pages.txt', urls(30).join('\n'));
  const dialog = page.getByRole('dialog', { name: 'Push a list of URLs' });
  await dialog.getByText('30 living URLs: 30 added, 0 unchanged.').waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('main: 30 added, 0 removed').waitFor();
  await rowOf(page, '/page-29').getByText('Living, in main').waitFor();

  await drop(page, 'other.txt', 'https://other.example.com/a');
  await dialog.getByText('1 URLs are on other hosts').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await drop(page, 'fewer.csv', 'url\n/page-0\n/page-0?utm_source=x\nhttps://cdn.example.com/a\nhttp://[\n');
  await dialog.getByText('29 removed: lost unless a redirect answers them.').waitFor();
  await dialog.getByText('1 row merged with an earlier one of the same URL, without utm_source.').waitFor();
  await dialog.getByText('cdn.example.com: 1 row, not a host of the website').waitFor();
  await dialog.getByText('Line 5: http://[').waitFor();
  expect(await dialog.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true);
  await dialog.getByLabel('The file is complete: remove 29 of 30 URLs from the list').check();
  await expectAccessible(page);
  await expectFits(page, 390);
  await page.setViewportSize({ width: 1280, height: 800 });
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('main: 0 added, 29 removed').waitFor();
  const lost = page.getByRole('navigation', { name: 'Answers' }).getByRole('link', { name: 'Lost 29' });
  await lost.waitFor();
  expect(await lost.getAttribute('aria-current')).toBe('page');
  await rowOf(page, '/page-29').waitFor();
  // All rows of the tab are lost.
  expect(await rowOf(page, '/page-29').getByText('Lost', { exact: true }).count()).toBe(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('link', { name: 'Living 30' }).waitFor();
});

test('a lost URL is redirected or accepted by keyboard; a version of its list is restored', async () => {
  const site = await createSite(dashboard.owner, ['lost.example.com']);
  await push(site, 'docs', ['/old/a', '/old/b', '/docs']);
  await push(site, 'docs', ['/docs']);
  const page = await dashboard.open(`/websites/${site}/urls`);
  await rowOf(page, '/old/a').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const create = page.getByRole('dialog', { name: 'New redirect' });
  expect(await create.getByLabel('From', { exact: true }).inputValue()).toBe('/old/a');
  await page.keyboard.press('Escape');
  await create.waitFor({ state: 'detached' });
  await page.keyboard.press('a');
  const accept = page.getByRole('dialog', { name: 'Accept losses' });
  expect(await accept.getByLabel('URLs').inputValue()).toBe('/old/a');
  await accept.getByLabel('URLs').fill('/old/*');
  await accept.getByLabel('Reason').fill('The old manual');
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Accepted 2' }).waitFor();
  await page.getByRole('link', { name: 'Lost 0' }).waitFor();

  await page.getByRole('button', { name: 'Accepted losses' }).click();
  const panel = page.getByRole('dialog', { name: 'Accepted losses' });
  await panel.getByText('The old manual').waitFor();
  await expectAccessible(page);
  await panel.getByRole('button', { name: 'Remove: /old/*' }).click();
  await panel.getByText('No accepted losses').waitFor();
  await panel.getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('link', { name: 'Lost 2' }).waitFor();

  await page.getByRole('button', { name: 'Lists' }).click();
  const lists = page.getByRole('dialog', { name: 'Lists' });
  await lists.getByText('Version 2: 1 URL, 2 removed').waitFor();
  await expectAccessible(page);
  await lists.getByRole('button', { name: 'Restore version 1' }).click();
  await page
    .getByRole('dialog', { name: 'Restore version 1 of docs?' })
    .getByRole('button', { name: 'Restore', exact: true })
    .click();
  await page.getByText('docs restored: 3 URLs, 2 added').waitFor();
  await lists.getByText('Version 3: 3 URLs, 2 added').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Living 3' }).waitFor();
});

test('a lost URL is redirected in a form over the list, which keeps its filter, its selection and the next row', async () => {
  const site = await createSite(dashboard.owner, ['over.example.com'], { auto_deploy: false });
  await push(site, 'main', ['/a-old', '/b-old', '/c-old', '/other', '/docs']);
  await push(site, 'main', ['/docs']);
  const page = await dashboard.open(`/websites/${site}/urls?q=-old&sort=-links`);
  await rowOf(page, '/a-old').waitFor();
  await rowOf(page, '/c-old').getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Redirect /a-old' }).click();
  const form = page.getByRole('dialog', { name: 'New redirect' });
  expect(await form.getByLabel('From', { exact: true }).inputValue()).toBe('/a-old');
  await expectAccessible(page);
  await form.getByLabel('To', { exact: true }).fill('/docs');
  await page.keyboard.press('Control+Enter');
  await form.waitFor({ state: 'detached' });
  await rowOf(page, '/a-old').getByText('Answered after the next deployment').waitFor();
  expect(new URL(page.url()).search).toBe('?q=-old&sort=-links');
  expect(await rowOf(page, '/c-old').getByRole('checkbox').isChecked()).toBe(true);
  expect(await rowOf(page, '/b-old').and(page.locator(':focus')).count()).toBe(1);
  await page.keyboard.press('Enter');
  expect(await form.getByLabel('From', { exact: true }).inputValue()).toBe('/b-old');
});

test('a lost URL is redirected to its suggestion in one click; several are redirected or accepted at once', async () => {
  const host = 'suggested.example.com';
  const site = await createSite(dashboard.owner, [host]);
  const lost = ['/guides/first-steps.html', '/guides/second-steps.html', '/guide/third-steps', '/xyzzy', '/quux'];
  const living = ['/guides/first-steps', '/guides/second-steps', '/guides/third-steps', '/about'];
  await push(site, 'main', [...lost, ...living]);
  await push(site, 'main', living);
  const page = await dashboard.open(`/websites/${site}/urls`);
  const tab = (name: string) => page.getByRole('navigation', { name: 'Answers' }).getByRole('link', { name });
  await tab('Lost 5').waitFor();
  const use = (url: string, target: string) => page.getByRole('button', { name: `Redirect ${url} to ${target}` });
  await use('/guides/first-steps.html', '/guides/first-steps')
    .getByText(/^(sure|likely), \d+\s?%$/)
    .waitFor();
  expect(await rowOf(page, '/xyzzy').getByRole('button').count()).toBe(2);
  await expectAccessible(page);
  await use('/guides/first-steps.html', '/guides/first-steps').click();
  await page.getByText('/guides/first-steps.html redirects to /guides/first-steps').waitFor();
  await until(async () => (await dashboard.detour.visit(host, '/guides/first-steps.html')).location === living[0]);
  await tab('Lost 4').waitFor();
  await rowOf(page, '/guides/first-steps.html').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await tab('Lost 5').waitFor();
  await rowOf(page, '/guides/first-steps.html').waitFor();

  const bar = page.getByRole('region', { name: 'Selected URLs' });
  await page.getByLabel('Select /xyzzy').check();
  await bar.getByText('No suggestions').waitFor();
  await bar.getByRole('button', { name: 'Select all 5 listed' }).click();
  await bar.getByText('2 have none').waitFor();
  await expectAccessible(page);
  await expectFits(page, 390);
  await page.setViewportSize({ width: 1280, height: 800 });
  await bar.getByRole('button', { name: 'Create 3 redirects from suggestions' }).click();
  await page.getByText('3 redirects created').waitFor();
  await until(async () => (await dashboard.detour.visit(host, '/guide/third-steps')).location === living[2]);
  await tab('Lost 2').waitFor();
  await rowOf(page, '/guide/third-steps').waitFor({ state: 'detached' });

  await page.getByLabel('Select /quux').check();
  await page.getByLabel('Select /xyzzy').click({ modifiers: ['Shift'] });
  await bar.getByRole('button', { name: 'Accept as lost…' }).click();
  const accept = page.getByRole('dialog', { name: 'Accept 2 lost URLs' });
  await accept.getByLabel('Reason').fill('Old tests');
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await tab('Accepted 2').waitFor();
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).last().click();
  await tab('Lost 2').waitFor();
  await tab('Accepted 0').waitFor();
});

test('the lost URLs of a folder are accepted as one entry; the dialog says if single ones are too many', async () => {
  const site = await createSite(dashboard.owner, ['folder.example.com']);
  await push(site, 'main', ['/old/a', '/old/b', '/other', '/home']);
  await push(site, 'main', ['/home']);
  const accepted = Array.from({ length: 999 }, (_, at) => ({ glob: `/accepted-${at}`, reason: '', until: null }));
  const path = `/api/v1/websites/${site}/urls/accepted`;
  expect((await dashboard.owner.keyCall('PUT', path, { accepted })).status).toBe(200);
  const page = await dashboard.open(`/websites/${site}/urls`);
  const bar = page.getByRole('region', { name: 'Selected URLs' });
  await page.getByLabel('Select /old/a').check();
  await page.getByLabel('Select /other').check();
  await bar.getByRole('button', { name: 'Accept as lost…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Accept 2 lost URLs' });
  await dialog.getByText('The website has 1 of its 1,000 entries left, too few for 2 lost URLs.').waitFor();
  const accept = dialog.getByRole('button', { name: 'Accept 2 lost URLs' });
  expect(await accept.isDisabled()).toBe(true);
  await page.keyboard.press('Escape');
  await page.getByLabel('Select /other').uncheck();
  await page.getByLabel('Select /old/b').check();
  await bar.getByRole('button', { name: 'Accept as lost…' }).click();
  await dialog.getByText('Accept the folder as one entry.').waitFor();
  await dialog.getByLabel('Accept', { exact: true }).selectOption('All of /old/*');
  await expectAccessible(page);
  await expectFits(page, 390);
  await page.setViewportSize({ width: 1280, height: 800 });
  await accept.click();
  await page.getByRole('link', { name: 'Lost 1' }).waitFor();
  await page.getByRole('link', { name: 'Accepted 2' }).waitFor();
  const stored = (await dashboard.owner.keyCall('GET', path)).body.accepted;
  expect(stored.at(-1)).toMatchObject({ glob: '/old/*' });
});

test('a lost URL with an undeployed redirect is answered after the next deployment, and not offered again', async () => {
  const site = await createSite(dashboard.owner, ['waits.example.com'], { auto_deploy: false });
  const living = ['/guides/first-steps', '/about'];
  await push(site, 'main', ['/guides/first-steps.html', '/xyzzy', ...living]);
  await push(site, 'main', living);
  const page = await dashboard.open(`/websites/${site}/urls`);
  await page.getByRole('button', { name: 'Redirect /guides/first-steps.html to /guides/first-steps' }).click();
  const row = rowOf(page, '/guides/first-steps.html');
  await row.getByText('Answered after the next deployment').waitFor();
  await row.getByRole('link', { name: 'Open redirect of /guides/first-steps.html' }).waitFor();
  expect(await row.getByRole('button').or(row.getByRole('checkbox')).count()).toBe(0);
  expect(await rowOf(page, '/xyzzy').getByRole('checkbox').count()).toBe(1);
  await page.getByRole('link', { name: 'Lost 2' }).waitFor();
  await expectAccessible(page);
  await expectFits(page, 390);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByText('1 listed URL is answered after the next deployment.').waitFor();
  await page.getByRole('link', { name: 'Review and deploy' }).click();
  await page.getByRole('button', { name: 'Deploy 1 change' }).click();
  await page.getByRole('heading', { name: /^Live, / }).waitFor();
  await page.goto(`/websites/${site}/urls`);
  await page.getByRole('link', { name: 'Lost 1' }).waitFor();
});

test('lost URLs whose redirects end at a lost one name it, and one redirect of the end repairs them', async () => {
  const { owner } = dashboard;
  const site = await createSite(owner, ['ends.example.com']);
  const steps = [
    ['/a', '/b'],
    ['/b', '/end'],
    ['/x', '/y'],
    ['/y', '/x'],
  ];
  const redirects = steps.map(([old_path, new_path]) => ({ old_path, new_path }));
  await owner.keyCall('POST', '/api/v1/redirects/bulk', { website_id: String(site), redirects });
  await settled(owner, site);
  await push(site, 'main', ['/', '/a', '/x', '/end']);
  await push(site, 'main', ['/']);
  const page = await dashboard.open(`/websites/${site}/urls?answered=lost`);
  await rowOf(page, '/a').getByText('Its redirects end at /end, which is lost').waitFor();
  await rowOf(page, '/x').getByText('Its redirects loop').waitFor();
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.setViewportSize({ width: 1280, height: 800 });
  await rowOf(page, '/a').first().getByRole('button', { name: 'Redirect its end: /end' }).click();
  await page.getByLabel('To', { exact: true }).fill('/');
  await page.getByLabel('To', { exact: true }).press('Control+Enter');
  await rowOf(page, '/a').waitFor({ state: 'detached' });
  await rowOf(page, '/x').waitFor();
});

test('over plain HTTP, URLs are exported by a one-time URL', async () => {
  const site = await createSite(dashboard.owner, ['plain.example.com']);
  await push(site, 'main', ['/a', '/b']);
  const origin = `http://${PLAIN_HOST}:${new URL(dashboard.detour.address).port}`;
  const page = await dashboard.openAnonymously('/sign-in');
  const [name = '', value = ''] = dashboard.owner.cookie.split('=');
  await page.context().addCookies([{ name, value, url: origin }]);
  await page.goto(`${origin}/websites/${site}/urls`);
  await rowOf(page, '/a').waitFor();
  expect(await page.evaluate('isSecureContext')).toBe(false);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export' }).click(),
  ]);
  expect(readFileSync(await download.path(), 'utf8')).toMatch(/^url,[^]*\/a[^]*\/b/);
  const once = asked.find((url) => url.includes('download_token=')) ?? '';
  expect((await fetch(once.replace(origin, dashboard.detour.address))).status).toBe(401);
});

test('a review names the URLs that it would newly lose; the failed deployment lists them', async () => {
  const options = { auto_deploy: false, url_gate: ['production'] };
  const site = await createSite(dashboard.owner, ['url-gate.example.com'], options);
  await storeUrls(dashboard.detour.db, site, [
    { url: '/gone-page', state: 'removed', links: 2 },
    { url: '/lost-before', state: 'removed' },
    { url: '/home', state: 'living' },
  ]);
  const id = await addRedirect(dashboard.owner, site, { old_path: '/gone-page', new_path: '/home' });
  const review = `/websites/${site}/deployments/review`;
  const page = await dashboard.open(review);
  await page.getByText('No URL would be newly lost or hidden.').waitFor();
  await page.getByRole('button', { name: 'Deploy 1 change' }).click();
  await page.getByRole('heading', { name: /^Live, / }).waitFor();
  await page.goto(`/websites/${site}/redirects/${id}`);
  await page.getByText(/^Last seen in the sitemap: .*, removed/).waitFor();

  await dashboard.owner.call('DELETE', `/api/redirects/${id}`);
  await addRedirect(dashboard.owner, site, { old_path: '/ho(.*)', new_path: '/x', is_regex: true });
  await page.goto(review);
  await page.getByText('2 URLs would be newly lost or hidden, so this would not be deployed.').waitFor();
  await page.getByText('Lost: no redirect').waitFor();
  await page.getByText('A living page, hidden by a redirect').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Show the 2 failures' }).waitFor();
  const body = { website_id: site, environment: 'production', max_removals: 1 };
  expect((await dashboard.owner.call('POST', '/api/deployments', body)).status).toBe(202);
  await page.goto(`/websites/${site}/deployments`);
  await page.getByText('1 URL would be lost, 1 living page would be hidden by a rule.').waitFor();
  await page.getByText('Lost: no redirect').waitFor();
  await page.getByText('A living page, hidden by /ho(.*)').waitFor();
});

test('viewers only read; settings have the gate, the parameters and the sitemaps', async () => {
  const { owner } = dashboard;
  const site = await createSite(owner, ['urls-read.example.com']);
  await push(site, 'main', ['/a', '/guides/setup', '/guides/setup.html']);
  await push(site, 'main', ['/a', '/guides/setup']);
  await settled(owner, site);
  const viewer = { email: 'url-viewer@example.com', role: 'viewer', password: 'a long password' };
  expect((await owner.call('POST', '/api/users', viewer)).status).toBe(201);
  const read = await dashboard.openAnonymously(`/websites/${site}/urls`);
  await read.getByLabel('Email').fill(viewer.email);
  await read.getByLabel('Password', { exact: true }).fill(viewer.password);
  await read.keyboard.press('Enter');
  await rowOf(read, '/guides/setup.html').waitFor();
  await read.getByText('Read only').waitFor();
  expect(await read.getByRole('button', { name: /Push|Accept$/ }).count()).toBe(0);
  const list = read.getByRole('list', { name: 'URLs', exact: true });
  expect(await list.getByRole('button').or(list.getByRole('checkbox')).or(list.getByRole('link')).count()).toBe(0);

  const page = await dashboard.open(`/websites/${site}/settings`);
  await page.getByRole('group', { name: 'Check URLs before deploying to' }).getByLabel('Staging').check();
  await page.getByLabel('Page parameters').fill('id\n page ');
  await page.getByLabel('Sitemaps').fill('https://urls-read.example.com/sitemap.xml');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Settings saved').waitFor();
  const { website } = (await owner.call('GET', `/api/websites/${site}`)).body;
  expect(website).toMatchObject({
    url_gate: ['staging'],
    page_parameters: ['id', 'page'],
    sitemap_urls: ['https://urls-read.example.com/sitemap.xml'],
  });
});

test('sitemaps are fetched; a failed one is shown, and its list stays', async () => {
  let file: string | undefined = '<urlset xmlns="x"><url><loc>/a</loc></url><url><loc>/b</loc></url></urlset>';
  const server = createServer((_, response) => response.writeHead(file === undefined ? 404 : 200).end(file));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = `http://fetch.localhost:${(server.address() as AddressInfo).port}/sitemap.xml`;
  file = file.replaceAll('<loc>', `<loc>${new URL(address).origin}`);
  const site = await createSite(dashboard.owner, ['fetch.localhost'], { sitemap_urls: [address] });
  const page = await dashboard.open(`/websites/${site}/urls?panel=lists`);
  const lists = page.getByRole('dialog', { name: 'Lists' });
  await lists.getByText('No lists yet').waitFor();
  const fetchNow = lists.getByRole('button', { name: 'Fetch now' });
  await fetchNow.click();
  await page.getByText('Sitemaps fetched').waitFor();
  await lists.getByText(`2 URLs of ${address}, fetched just now`).waitFor();
  await lists.getByText('Version 1: 2 URLs, 2 added').waitFor();

  file = '<urlset xmlns="x"><url>';
  await fetchNow.click();
  await page.getByText('1 sitemap could not be fetched').waitFor();
  await lists.getByText(`so the list stays: ${address}: line 1: the document is truncated`).waitFor();
  file = undefined;
  await fetchNow.click();
  await lists.getByText(`The last fetch failed just now, so the list stays: ${address} answers 404`).waitFor();
  await lists.getByText(`2 URLs of ${address}`).waitFor();
  await expectAccessible(page);
  await expectFits(page, 390);
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
