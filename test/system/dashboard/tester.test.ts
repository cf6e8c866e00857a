/** The tester: one URL, a list of URLs, loops, and undeployed changes. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { storeTargetState } from '../../support/target-states.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

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
  await page.getByLabel('URL or path').fill('/BLOG/one');
  const near = page.getByText('/blog/one differs only in letter case. This website distinguishes that.');
  await near.waitFor();
  await page.getByLabel('URL or path').fill('/nothing-here');
  await near.waitFor({ state: 'detached' });
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
  await addRedirect(dashboard.owner, id, { old_path: '/sale', new_path: '/spring' });
  await addRedirect(dashboard.owner, id, { old_path: '/spring', new_path: '/offers', status_code: 302 });
  const start = '2030-01-01T12:00:00Z';
  await addRedirect(dashboard.owner, id, { old_path: '/soon', new_path: '/offers', active_from: start });
  const page = await dashboard.open(`/websites/${id}/tester?url=/one`);
  await page.getByRole('heading', { name: 'Redirects with 301' }).waitFor();
  expect(await page.getByText('Redirect directly').count()).toBe(0);
  // The styles of the list stay in the document.
  await page.getByRole('link', { name: 'Redirects', exact: true }).click();
  await page.getByRole('grid').waitFor();
  await page.goBack();
  await page.getByLabel('Redirects').selectOption('draft');
  await page.getByRole('link', { name: 'Redirect directly' }).waitFor();
  await page.getByLabel('URL or path').fill('/sale');
  await page.getByText('2 redirects to /offers.').waitFor();
  expect(await page.getByText('Redirect directly').count()).toBe(0);
  await page.getByLabel('URL or path').fill('/a');
  await page.getByRole('heading', { name: 'Redirects in a loop' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'List of URLs' }).click();
  await page.getByLabel('URLs or paths').fill('/one\n/b\n\nhttps://other.example/x');
  await page.getByRole('alert').getByText('Line 4: other.example is not a host of').waitFor();
  // A wrong line does not keep the others from being tested.
  await page.getByRole('button', { name: 'Test 2 URLs' }).click();
  await page.getByText('2 URLs tested as production').waitFor();
  await page.getByText(/^Not tested: line 4: other\.example is not a host of/).waitFor();
  expect(await page.getByText('Show them').count()).toBe(0);
  await expectAccessible(page);
  const edit = page.getByRole('button', { name: 'Edit' });
  expect(await edit.evaluate((button) => button.ownerDocument.defaultView?.getComputedStyle(button).opacity)).toBe('1');
  await edit.click();
  await page.getByRole('button', { name: 'Remove line 4' }).click();
  expect(await page.getByLabel('URLs or paths').inputValue()).toBe('/one\n/b\n');
  await page.getByLabel('URLs or paths').fill('From\tTo\tStatus\n/one\t/three\t302\n/b\tlater\n/none');
  await page.getByRole('alert').getByText('Line 3: “later” is not a target or a status').waitFor();
  await page.getByLabel('URLs or paths').fill('From\tTo\tStatus\n/one\t/three\t301\n/b\t/c\n/soon');
  await page.reload();
  await page.getByLabel('Redirects').selectOption('draft');
  await page.getByLabel('URLs or paths').press('End');
  await page.keyboard.press('Control+Enter');
  await page.getByText('3 URLs tested as production with undeployed changes').waitFor();
  expect(await page.getByLabel('URLs or paths').count()).toBe(0);
  await page.getByText('From 1 Jan 2030').waitFor();
  // The result and the comparison are columns of their own.
  const chain = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: '/one', exact: true }) });
  for (const name of ['Chain', 'As expected']) await chain.getByText(name, { exact: true }).waitFor();
  await page.getByText('2 hops').first().click();
  await page.getByRole('listitem').getByRole('listitem').getByText('/two').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Not as expected 1' }).click();
  expect(await page.getByRole('link', { name: '/one' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Save 1 as expectations' }).click();
  await page.getByText('Expectations: 1 added, 0 updated').waitFor();
  const saved = await dashboard.owner.call('GET', `/api/websites/${id}/expectations`);
  expect(saved.body.expectations).toMatchObject([{ url: '/b', status_code: 301, location: null, final: '/c' }]);
  await page.getByRole('button', { name: 'Loop 1' }).waitFor();
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()]);
  expect(await readFile((await file.path()) ?? '', 'utf8')).toContain('"/c","","Not as expected"');
  await expectFits(page, 360);
  await page.getByRole('button', { name: 'Edit' }).click();
  expect(await page.getByLabel('URLs or paths').inputValue()).toContain('/three');
  await page.getByRole('link', { name: '/b' }).click();
  await page.getByRole('heading', { name: 'Redirects in a loop' }).waitFor();
  await expectFits(page, 360);
});

test('an unmatched path has near pages, each with its new redirect; a broken target says so', async () => {
  const id = await createSite(dashboard.owner, ['near.example.com']);
  const lamp = await addRedirect(dashboard.owner, id, { old_path: '/lamp', new_path: '/products/old-lamp' });
  await storeTargetState(dashboard.detour.db, id, lamp, { state: 'dead', reason: 'http_404' });
  const urls = ['/products/oak-lamp.html', '/products/chairs.html', '/about'];
  expect((await dashboard.owner.keyCall('PUT', `/api/v1/websites/${id}/urls/living`, { urls })).status).toBe(200);
  await settled(dashboard.owner, id);
  const page = await dashboard.open(`/websites/${id}/tester?url=/lamp`);
  await page.getByText('The page does not exist (404), by the live check').waitFor();
  await page.getByRole('link', { name: 'List of URLs' }).click();
  await page.getByLabel('URLs or paths').fill('/lamp\n/about\n/missing');
  await page.getByRole('button', { name: 'Test 3 URLs' }).click();
  await page.getByRole('button', { name: 'Living page 1' }).waitFor();
  await page.getByRole('button', { name: 'Broken target 1' }).waitFor();
  await page.getByRole('listitem').getByText('The page does not exist (404)').waitFor();
  const unanswered = page.getByRole('listitem').filter({ hasText: '/missing' });
  expect(await unanswered.getByRole('link', { name: 'New redirect' }).getAttribute('href')).toBe(
    `/websites/${id}/redirects?new=%2Fmissing`,
  );
  await expectAccessible(page);
  await page.getByRole('link', { name: 'One URL' }).click();
  await page.getByLabel('URL or path').fill('/products/oak-lam.html');
  const near = page.getByRole('link', { name: 'Redirect /products/oak-lam.html to /products/oak-lamp.html' });
  await near.waitFor();
  await expectAccessible(page);
  await expectFits(page, 360);
  await near.click();
  await page.getByRole('dialog', { name: 'New redirect' }).waitFor();
  expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('/products/oak-lam.html');
  expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe('/products/oak-lamp.html');
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
