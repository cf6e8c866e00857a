import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

let made = 0;

/** A website of its own with some redirects, and a page on it. */
async function openSite(
  redirects: Record<string, unknown>[],
  query = '',
): Promise<{ id: number; host: string; page: Page }> {
  const host = `r${++made}.example.com`;
  const id = await createSite(dashboard.owner, [host]);
  for (const redirect of redirects)
    await addRedirect(dashboard.owner, id, { old_path: '/', new_path: '/', ...redirect });
  const page = await dashboard.open(`/websites/${id}/redirects${query}`);
  return { id, host, page };
}

const rowOf = (page: Page, path: string) =>
  page.getByRole('row').filter({ has: page.getByRole('button', { name: path, exact: true }) });
const locationOf = async (host: string, path: string) => (await dashboard.detour.visit(host, path)).location;

describe('one redirect', () => {
  test('n creates one that visitors follow a moment later, and the row says that it is live', async () => {
    const { page, host } = await openSite([]);
    await page.getByText('No redirects yet').waitFor();
    await page.keyboard.press('n');
    await page.getByLabel('From', { exact: true }).fill('/old');
    await page.getByLabel('To', { exact: true }).fill('/new');
    await page.keyboard.press('Enter');
    await page.getByText('Redirect created').waitFor();
    await rowOf(page, '/old')
      .getByText(/Production: live since/)
      .waitFor({ state: 'attached' });
    expect(await locationOf(host, '/old')).toBe('/new');
  });

  test('what is plainly wrong is told while it is typed, and what the service refuses at its field', async () => {
    const { page } = await openSite([{ old_path: '/taken', new_path: '/x' }], '?new=/');
    await page.getByLabel('From', { exact: true }).fill('no-slash');
    await page.getByText('Begin the path with /', { exact: true }).waitFor();
    await page.getByLabel('From', { exact: true }).fill('/taken');
    await page.getByLabel('To', { exact: true }).fill('/y');
    await page.getByRole('button', { name: 'Create redirect' }).click();
    await page.getByText('A redirect with the same path already exists').waitFor();
    expect(await page.getByLabel('From', { exact: true }).getAttribute('aria-invalid')).toBe('true');
  });

  test('the preview shows who answers now, and every step to the end, and shortens them', async () => {
    const { page, id } = await openSite([{ old_path: '/b', new_path: '/c' }]);
    await settled(dashboard.owner, id);
    await page.goto(`/websites/${id}/redirects?new=/a`);
    await page.getByLabel('To', { exact: true }).fill('/b');
    await page.getByText('Visitors would take 2 steps.').waitFor();
    await page.getByRole('button', { name: 'Lead straight to /c' }).click();
    expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe('/c');
    await page.getByLabel('From', { exact: true }).fill('/b');
    await page.getByText('answers this path now').waitFor();
  });

  test('arrows and Enter edit in place, Escape leaves it as it was, Undo takes it back', async () => {
    const { page, host } = await openSite([
      { old_path: '/one', new_path: '/1' },
      { old_path: '/two', new_path: '/2' },
    ]);
    await rowOf(page, '/two').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('gridcell').getByLabel('To').fill('/changed');
    await page.keyboard.press('Escape');
    expect(await page.getByText('/changed').count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.getByRole('gridcell').getByLabel('To').fill('/changed');
    await page.keyboard.press('Enter');
    await page.getByText('Saved').waitFor();
    await until(async () => (await locationOf(host, '/one')) === '/changed');
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(async () => (await locationOf(host, '/one')) === '/1');
  });

  test('Delete deletes at once, and Undo brings it back under its id', async () => {
    const { page, host, id } = await openSite([{ old_path: '/gone', new_path: '/x' }]);
    const before = (await dashboard.owner.call('GET', `/api/redirects?website_id=${id}`)).body.redirects[0]
      .id;
    await rowOf(page, '/gone').click({ position: { x: 400, y: 20 } });
    await page.getByRole('grid').focus();
    await page.keyboard.press('Delete');
    await page.getByText('1 redirect deleted').waitFor();
    await until(async () => (await dashboard.detour.visit(host, '/gone')).status === 404);
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(async () => (await locationOf(host, '/gone')) === '/x');
    expect((await dashboard.owner.call('GET', `/api/redirects?website_id=${id}`)).body.redirects[0].id).toBe(
      before,
    );
  });
});

describe('many redirects', () => {
  let id: number;
  beforeAll(async () => {
    id = await createSite(dashboard.owner, ['docs.example.com']);
    const form = new FormData();
    const file = readFileSync(join(import.meta.dirname, '..', '..', 'fixtures', 'windows-driver-docs.csv'));
    form.append('file', new Blob([file]), 'docs.csv');
    const { body } = await dashboard.owner.call('POST', `/api/redirects/import?website_id=${id}`, form);
    expect(body.imported).toBe(4_700);
    await settled(dashboard.owner, id);
  });

  test('the list draws few rows of many, and reads on to the last as it is scrolled', async () => {
    const page = await dashboard.open(`/websites/${id}/redirects`);
    await page.getByText('4,700').waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(80);
    const scroller = page.locator('.grid-scroll');
    await until(async () => {
      await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      return (await page.getByText('That is all: 4,700 redirects').count()) === 1;
    });
    expect(await page.getByRole('row').count()).toBeLessThan(80);
  });

  test('/ searches as it is typed; the search is in the address and survives a reload', async () => {
    const page = await dashboard.open(`/websites/${id}/redirects`);
    await page.getByRole('grid').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('whea-management-operations');
    await page.getByText('That is all: 1 redirect', { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('whea-management-operations');
    await page.reload();
    await page.getByText('That is all: 1 redirect', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('4,700').waitFor();
  });

  test('all that a filter matches are changed together, those not read yet included', async () => {
    const page = await dashboard.open(`/websites/${id}/redirects?q=/serports/`);
    await page.getByRole('grid').focus();
    await page.getByText(/That is all/).waitFor();
    const matching = (await dashboard.owner.call('GET', `/api/redirects/count?website_id=${id}&q=/serports/`))
      .body.count;
    await page.keyboard.press('Control+a');
    await page.getByText(`${matching} selected`).waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Change the group').check();
    await page.getByLabel('New group').fill('serial');
    await page.getByRole('button', { name: `Change ${matching} redirects` }).click();
    await page.getByText(`${matching} redirects changed`).waitFor();
    const inGroup = async () =>
      (await dashboard.owner.call('GET', `/api/redirects/count?website_id=${id}&group=serial`)).body.count;
    expect(await inGroup()).toBe(matching);
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(async () => (await inGroup()) === 0);
  });

  test('deleting more than can be undone asks first, and for very many wants the number written', async () => {
    const page = await dashboard.open(`/websites/${id}/redirects`);
    await page.getByRole('checkbox', { name: 'Select the rows shown' }).click();
    await page.getByRole('button', { name: 'Select all 4,700' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const verb = page.getByRole('button', { name: 'Delete 4,700 redirects' });
    expect(await verb.isDisabled()).toBe(true);
    await page.getByLabel('Type 4700 to confirm').fill('4700');
    expect(await verb.isDisabled()).toBe(false);
    await page.keyboard.press('Escape');
    expect((await dashboard.owner.call('GET', `/api/redirects/count?website_id=${id}`)).body.count).toBe(
      4_700,
    );
  });

  test('an export comes as a file', async () => {
    const page = await dashboard.open(`/websites/${id}/redirects`);
    await page.getByRole('button', { name: 'Export' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'CSV' }).click();
    const text = readFileSync(await (await download).path(), 'utf8');
    expect(text.trim().split('\n').length).toBe(4_701);
  });

  test('an export for another server is of the environment chosen', async () => {
    const page = await dashboard.open(`/websites/${id}/redirects`);
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('button', { name: 'nginx map' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Environment', { exact: true }).selectOption('staging');
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Export', exact: true }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('redirects.conf');
    await page.getByText('redirects.conf is saved').waitFor();
    expect(readFileSync(await file.path(), 'utf8')).not.toContain('windows-hardware');
  });

  test('it is accessible, with a panel, a selection and while a row is edited, and fits 360 px', async () => {
    const page = await dashboard.open(`/websites/${id}/redirects`);
    await page.getByRole('grid').focus();
    await page.keyboard.press(' ');
    await page.getByText('1 selected').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByRole('gridcell').getByLabel('From').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.keyboard.press('o');
    await page.getByRole('dialog', { name: 'Edit redirect' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await expectFits(page, 360);
    await expectAccessible(page);
  });
});

test('what another server cannot say is named, and only who asks for it gets the rest', async () => {
  const { page } = await openSite([
    { old_path: '/fine', new_path: '/x' },
    { old_path: '/withheld', new_path: null, status_code: 451 },
  ]);
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('button', { name: 'Netlify _redirects' }).click();
  const dialog = page.getByRole('dialog', { name: 'Export for another server' });
  await dialog.getByRole('button', { name: 'Export', exact: true }).click();
  await dialog.getByText('1 redirect cannot be expressed in Netlify.').waitFor();
  expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringMatching(/^\/withheld\s+Netlify has no redirect with status 451/),
  ]);
  await expectAccessible(page);
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Export the rest' }).click();
  const text = readFileSync(await (await download).path(), 'utf8');
  expect(text).toMatch(/^\/fine /m);
  expect(text).toMatch(/^# omitted: redirect \d+ \/withheld/m);
  await dialog.waitFor({ state: 'detached' });
});

test('a plan without exports says so, and which plan has them', async () => {
  const free = await dashboard.detour.account('free');
  const site = await createSite(free, ['free.example.com']);
  const page = await dashboard.open('/websites');
  const [name = '', value = ''] = free.cookie.split('=');
  await page.context().addCookies([{ name, value, url: dashboard.detour.address }]);
  await page.goto(`/websites/${site}/redirects`);
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByText('Exports come with the plan pro. This account has the plan free').waitFor();
  expect(await page.getByRole('link', { name: 'CSV' }).count()).toBe(0);
  // Nor is it asked for hits, which that plan does not have.
  expect(await page.getByLabel('Followed').count()).toBe(0);
  await page.getByText('No redirects yet').waitFor();
});

describe('what is live', () => {
  const marks = (page: Page, state: RegExp) => page.locator('.rows .mark').filter({ hasText: state });
  async function addStaging(page: Page): Promise<void> {
    await page.getByLabel('Change where they are deployed').check();
    await page.getByLabel('Staging').check();
  }

  test('after a change of many the marks say so by themselves, hollow until it is deployed', async () => {
    const { page, id } = await openSite(
      [
        { old_path: '/a', new_path: '/1' },
        { old_path: '/b', new_path: '/2' },
        { old_path: '/c', new_path: '/3' },
      ],
      '?sort=old_path',
    );
    await settled(dashboard.owner, id);
    await page.reload();
    await marks(page, /Production: live since/)
      .nth(2)
      .waitFor();
    expect((await dashboard.owner.call('PUT', `/api/websites/${id}`, { auto_deploy: false })).status).toBe(
      200,
    );
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+a');
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await addStaging(page);
    await page.getByRole('button', { name: 'Change 3 redirects' }).click();
    await until(async () => (await marks(page, /Staging: not live yet/).count()) === 3);
    // Deployed by somebody else, while this page is only looked at.
    await dashboard.owner.call('POST', '/api/deployments', { website_id: id, environment: 'staging' });
    await until(async () => (await marks(page, /Staging: live since/).count()) === 3, 20_000);
    expect(await marks(page, /Production: live since/).count()).toBe(3);
  });

  test('a change of many that is deployed by itself is shown as live a moment later', async () => {
    const { page, id } = await openSite([
      { old_path: '/a', new_path: '/1' },
      { old_path: '/b', new_path: '/2' },
    ]);
    await settled(dashboard.owner, id);
    await page.reload();
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+a');
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await addStaging(page);
    await page.getByRole('button', { name: 'Change 2 redirects' }).click();
    await until(async () => (await marks(page, /Staging: live since/).count()) === 2);
  });
});

test('a viewer sees everything and is offered nothing that would be refused', async () => {
  const { id, page } = await openSite([{ old_path: '/seen', new_path: '/x' }]);
  await page.close();
  const email = 'viewer@example.com';
  const made = await dashboard.owner.call('POST', '/api/users', {
    email,
    role: 'viewer',
    password: 'a long password',
  });
  expect(made.status).toBe(201);
  const viewer = await dashboard.openAnonymously(`/websites/${id}/redirects`);
  await viewer.getByLabel('E-mail').fill(email);
  await viewer.getByLabel('Password').fill('a long password');
  await viewer.keyboard.press('Enter');
  await viewer.getByText('Read only').waitFor();
  await rowOf(viewer, '/seen').waitFor();
  expect(await viewer.getByRole('button', { name: 'New redirect' }).count()).toBe(0);
  await viewer.getByRole('grid').focus();
  await viewer.keyboard.press('Enter');
  await viewer.getByRole('dialog', { name: 'Redirect', exact: true }).waitFor();
  expect(await viewer.getByRole('button', { name: 'Save' }).count()).toBe(0);
});

test('no script failed, the policy had nothing to refuse, and nothing was asked of another host', () => {
  expect(dashboard.complaints).toEqual([]);
});
