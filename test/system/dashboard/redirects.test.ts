import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
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

/** Creates a website with these redirects and opens its list. */
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
  test('n creates a redirect, which goes live, and the row shows it', async () => {
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

  test('errors are shown while typing, and errors of the service at their field', async () => {
    const { page } = await openSite([{ old_path: '/taken', new_path: '/x' }], '?new=/');
    await page.getByLabel('From', { exact: true }).fill('no-slash');
    await page.getByText('Start the path with /', { exact: true }).waitFor();
    await page.getByLabel('From', { exact: true }).fill('/taken');
    await page.getByLabel('To', { exact: true }).fill('/y');
    await page.getByRole('button', { name: 'Create redirect' }).click();
    await page.getByText('A redirect with the same path already exists').waitFor();
    expect(await page.getByLabel('From', { exact: true }).getAttribute('aria-invalid')).toBe('true');
  });

  test('the preview shows the current redirect and every step, and offers the final target', async () => {
    const { page, id } = await openSite([{ old_path: '/b', new_path: '/c' }]);
    await settled(dashboard.owner, id);
    await page.goto(`/websites/${id}/redirects?new=/a`);
    await page.getByLabel('To', { exact: true }).fill('/b');
    await page.getByText('Visitors would be redirected 2 times.').waitFor();
    await page.getByRole('button', { name: 'Redirect directly to /c' }).click();
    expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe('/c');
    await page.getByLabel('From', { exact: true }).fill('/b');
    await page.getByText('currently serves this path').waitFor();
  });

  test('arrow keys and Enter edit inline, Escape cancels, Undo restores', async () => {
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
    await page.getByRole('dialog', { name: 'Discard changes?' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('gridcell').getByLabel('To').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.getByRole('gridcell').getByLabel('To').fill('/changed');
    await page.keyboard.press('Enter');
    await page.getByText('Saved').waitFor();
    await until(async () => (await locationOf(host, '/one')) === '/changed');
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(async () => (await locationOf(host, '/one')) === '/1');
  });

  test('Delete deletes immediately, and Undo restores the same id', async () => {
    const { page, host, id } = await openSite([{ old_path: '/gone', new_path: '/x' }]);
    const before = (await dashboard.owner.call('GET', `/api/redirects?website_id=${id}`)).body.redirects[0].id;
    await rowOf(page, '/gone').click({ position: { x: 400, y: 20 } });
    await page.getByRole('grid').focus();
    await page.keyboard.press('Delete');
    await page.getByText('1 redirect deleted').waitFor();
    await until(async () => (await dashboard.detour.visit(host, '/gone')).status === 404);
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(async () => (await locationOf(host, '/gone')) === '/x');
    expect((await dashboard.owner.call('GET', `/api/redirects?website_id=${id}`)).body.redirects[0].id).toBe(before);
  });
});

test('a confirmed deletion of many redirects can be undone', async () => {
  const { page, id } = await openSite(Array.from({ length: 22 }, (_, at) => ({ old_path: `/d${at}`, new_path: '/x' })));
  const count = async () => (await dashboard.owner.call('GET', `/api/redirects/count?website_id=${id}`)).body.count;
  await page.getByRole('grid').focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.getByText('You can undo this in Activity for 30 days.').waitFor();
  await page.getByRole('button', { name: 'Delete 22 redirects' }).click();
  await page.getByText('22 redirects deleted').waitFor();
  expect(await count()).toBe(0);
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Undone: 22 restored').waitFor();
  expect(await count()).toBe(22);
  await rowOf(page, '/d0').waitFor();
});

test('a cut path shows both ends and an ellipsis, and copies as it is stored', async () => {
  const long = '/windows-hardware/drivers/whea/persistence-of-pfa-results-in-memory';
  const encoded = '/%D9%85%D9%82%D8%A7%D9%84%D8%A7%D8%AA/caf%C3%A9/2024';
  const { page } = await openSite(
    [
      { old_path: long, new_path: `${long}/and/then-some-more` },
      { old_path: encoded, new_path: '/x' },
    ],
    '?sort=old_path',
  );
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const copied = () => page.evaluate('navigator.clipboard.readText()');
  async function drag(cell: string): Promise<void> {
    const box = await page.locator(`.rows ${cell} .path-text`).boundingBox();
    if (!box) throw new Error('the path is not visible');
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + 1, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 1, y, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.press('Control+c');
  }
  const row = rowOf(page, long);
  const at = `[aria-rowindex="${await row.getAttribute('aria-rowindex')}"]`;
  await page.locator(`${at} .cell-from .path-text[data-cut=true]`).waitFor();
  expect(await page.locator(`${at} .cell-from .path-cut`).innerText()).not.toBe('');
  await drag(`${at} .cell-from`);
  expect(await copied()).toBe(long);
  await drag(`${at} .cell-to`);
  expect(await copied()).toBe(`${long}/and/then-some-more`);
  // A drag opens no panel.
  expect(page.url()).not.toContain('open=');
  const other = rowOf(page, encoded);
  expect(await other.locator('.cell-from .path-text').innerText()).toBe('/مقالات/café/2024');
  await drag(`[aria-rowindex="${await other.getAttribute('aria-rowindex')}"] .cell-from`);
  expect(await copied()).toBe(encoded);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Control+c');
  await page.getByText('Source copied').waitFor();
  expect(await copied()).toBe(encoded);
  await page.keyboard.press('Shift+C');
  await page.getByText('Target copied').waitFor();
  expect(await copied()).toBe('/x');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  await until(async () => (await copied()) === encoded);
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

  test('End reaches the last row, the rows above it load on the way up, and Home comes back', async () => {
    const page = await dashboard.open(`/websites/${id}/redirects?sort=old_path`);
    await page.getByText('4,700').waitFor();
    const listed = async (sort: string) =>
      (await dashboard.owner.call('GET', `/api/redirects?website_id=${id}&sort=${sort}&limit=2`)).body.redirects.map(
        ({ id: redirect }: { id: number }) => `r${redirect}`,
      );
    const [first] = await listed('old_path');
    const [last, beforeLast] = await listed('-old_path');
    const grid = page.getByRole('grid');
    const isActive = (row: string) => until(async () => (await grid.getAttribute('aria-activedescendant')) === row);
    const indexOf = async (row: string) => page.locator(`#${row}`).getAttribute('aria-rowindex');
    await grid.focus();
    await page.keyboard.press('End');
    await isActive(last);
    expect(await indexOf(last)).toBe('4701');
    await page.getByText('End of list: 4,700 redirects').waitFor();
    await page.keyboard.press('ArrowUp');
    await isActive(beforeLast);
    expect(await page.getByRole('row').count()).toBeLessThan(80);
    const gap = page.locator('.grid-gap');
    await until(async () => {
      if ((await gap.count()) === 0) return true;
      await gap.evaluateAll(([element]) => element?.scrollIntoView({ block: 'end' }));
      return false;
    });
    expect(await page.locator('.rows').evaluate((list) => list.clientHeight)).toBe(4_700 * 44);
    await page.keyboard.press('ArrowUp');
    await page.locator(`#${beforeLast}[data-active=false]`).waitFor();
    expect(await indexOf(beforeLast)).toBe('4700');
    await page.keyboard.press('Home');
    await isActive(first);
    expect(await page.locator('.grid-scroll').evaluate((element) => element.scrollTop)).toBe(0);
    expect(await indexOf(first)).toBe('2');
  });

  test('Back returns to the same rows, without those deleted since', async () => {
    const page = await dashboard.open(`/websites/${id}/redirects?sort=id`);
    const scroller = page.locator('.grid-scroll');
    const rowHeight = 44;
    await until(async () => {
      await scroller.evaluate((element, top) => element.scrollTo(0, top), 1_500 * rowHeight);
      return (await page.getByRole('row').and(page.locator('[aria-rowindex="1505"]')).count()) === 1;
    });
    const path = (at: number) => page.locator(`[aria-rowindex="${at + 2}"] .cell-from [role=button]`);
    const [seen, next] = [await path(1_500).textContent(), await path(1_501).textContent()];
    const deleted = Number((await page.locator('[aria-rowindex="1502"]').getAttribute('id'))?.slice(1));
    await page.getByRole('link', { name: 'Health' }).click();
    await page.getByRole('heading', { name: 'Health' }).waitFor();
    await page.goBack();
    await page
      .getByText(seen ?? '', { exact: true })
      .first()
      .waitFor();
    expect(await scroller.evaluate((element) => element.scrollTop)).toBe(1_500 * rowHeight);

    await page.getByRole('link', { name: 'Health' }).click();
    await page.getByRole('heading', { name: 'Health' }).waitFor();
    const { body } = await dashboard.owner.call('DELETE', `/api/redirects/${deleted}`);
    await page.goBack();
    await until(async () => (await path(1_500).textContent()) === next);
    await page.getByText('4,699', { exact: true }).waitFor();
    await dashboard.owner.call('POST', `/api/changes/${body.change_id}/undo`);
  });

  test('/ searches while typing; the search is in the URL and survives a reload', async () => {
    const page = await dashboard.open(`/websites/${id}/redirects`);
    await page.getByRole('grid').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('whea-management-operations');
    await page.getByText('End of list: 1 redirect', { exact: true }).waitFor();
    await page.waitForURL((url) => url.searchParams.get('q') === 'whea-management-operations');
    await page.reload();
    await page.getByText('End of list: 1 redirect', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('4,700').waitFor();
  });

  test('offline: a bar says so, a failed search shows no other rows, and both recover', async () => {
    const page = await dashboard.open(`/websites/${id}/redirects`, {});
    await page.getByRole('row').nth(1).waitFor();
    await page.context().setOffline(true);
    await page.getByText('You are offline. What you type stays here.').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('whea');
    await page.getByRole('alert').filter({ hasText: 'The service cannot be reached' }).waitFor();
    expect(await page.getByRole('row').count()).toBe(0);
    await page.context().setOffline(false);
    await page.getByText('You are offline.').waitFor({ state: 'detached' });
    await page.getByRole('row').filter({ hasText: 'whea' }).first().waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('whea');
  });

  test('all matches of a filter are updated together, including those not loaded', async () => {
    const page = await dashboard.open(`/websites/${id}/redirects?q=/serports/`);
    await page.getByRole('grid').focus();
    await page.getByText(/End of list/).waitFor();
    const matching = (await dashboard.owner.call('GET', `/api/redirects/count?website_id=${id}&q=/serports/`)).body
      .count;
    await page.keyboard.press('Control+a');
    await page.getByText(`${matching} selected`).waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Change group').check();
    await page.getByLabel('New group').fill('serial');
    await page.getByRole('button', { name: `Update ${matching} redirects` }).click();
    await page.getByText(`${matching} redirects updated`).waitFor();
    const inGroup = async () =>
      (await dashboard.owner.call('GET', `/api/redirects/count?website_id=${id}&group=serial`)).body.count;
    expect(await inGroup()).toBe(matching);
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(async () => (await inGroup()) === 0);
  });

  test('a bulk edit across pages says what will change, leaves out what cannot, and is one change', async () => {
    const gone = { website_id: id, old_path: '/serports/gone', new_path: null, status_code: 410 };
    const created = await dashboard.owner.call('POST', '/api/redirects', gone);
    expect(created.status).toBe(201);
    const count = async (filter: string) =>
      (await dashboard.owner.call('GET', `/api/redirects/count?website_id=${id}&${filter}`)).body.count;
    const matching = await count('q=/serports/');
    const others = matching - 1;
    const page = await dashboard.open(`/websites/${id}/redirects?q=/serports/`);
    await page.getByRole('checkbox', { name: 'Select loaded rows' }).click();
    const widen = page.getByRole('button', { name: `Select all ${matching}` });
    await page.getByText(/\d+ selected/).waitFor();
    if (await widen.isVisible()) await widen.click();
    await page.getByText(`${matching} selected`).waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Choose what to change.').waitFor();
    await dialog.getByLabel('Status').selectOption('308');
    await dialog.getByText(`${others} redirects will change.`).waitFor();
    await dialog.getByText('1 redirect cannot change.').waitFor();
    await dialog.getByText('1 redirect: They have no target, which this status needs.').click();
    await dialog.getByText('/serports/gone').waitFor();
    await dialog.getByLabel('Change notes').check();
    await dialog.getByLabel('New notes').fill('moved');
    await dialog.getByLabel('Find and replace in targets').check();
    await dialog.getByLabel('Find', { exact: true }).fill('/nothing-like-this');
    await expectAccessible(page);
    await expectFits(page, 360);
    await dialog.getByRole('button', { name: `Change the others (${others} redirects)` }).click();
    await page.getByText(`${others} redirects updated; 1 redirect left unchanged`).waitFor();
    expect([await count('q=/serports/&status_code=308'), await count('q=/serports/&status_code=410')]).toEqual([
      others,
      1,
    ]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText(`Undone: ${others} restored`).waitFor();
    expect(await count('q=/serports/&status_code=308')).toBe(0);
    expect((await dashboard.owner.call('GET', `/api/changes?website_id=${id}&limit=2`)).body.changes).toMatchObject([
      { kind: 'undo', counts: { updated: others } },
      { kind: 'bulk_update', counts: { updated: others } },
    ]);
    await dashboard.owner.call('DELETE', `/api/redirects/${created.body.redirect.id}`);
  });

  test('rows stay in the list after a bulk edit that they no longer match the filter of', async () => {
    const page = await dashboard.open(`/websites/${id}/redirects?q=/serports/&status_code=301`);
    await page.getByRole('checkbox', { name: 'Select loaded rows' }).click();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Status').selectOption('302');
    await page.getByRole('button', { name: /^Update \d+ redirects$/ }).click();
    await page.getByText(/^\d+ redirects updated$/).waitFor();
    await page.locator('.rows').getByText('302', { exact: true }).first().waitFor();
    expect(await page.getByText('No matching redirects').count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText(/^Undone: \d+ restored$/).waitFor();
    await page.locator('.rows').getByText('301', { exact: true }).first().waitFor();
  });

  test('large deletions need a confirmation, very large ones the typed number', async () => {
    const page = await dashboard.open(`/websites/${id}/redirects`);
    await page.getByRole('checkbox', { name: 'Select loaded rows' }).click();
    await page.getByRole('button', { name: 'Select all 4,700' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const verb = page.getByRole('button', { name: 'Delete 4,700 redirects' });
    expect(await verb.isDisabled()).toBe(true);
    await page.getByLabel('Type 4700 to confirm').fill('4700');
    expect(await verb.isDisabled()).toBe(false);
    await page.keyboard.press('Escape');
    expect((await dashboard.owner.call('GET', `/api/redirects/count?website_id=${id}`)).body.count).toBe(4_700);
  });

  test('an export is downloaded', async () => {
    const page = await dashboard.open(`/websites/${id}/redirects`);
    await page.getByRole('button', { name: 'Export' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'CSV', exact: true }).click();
    const text = readFileSync(await (await download).path(), 'utf8');
    expect(text.trim().split('\n').length).toBe(4_701);
    await page.goto(`/websites/${id}/redirects?q=windows-hardware&is_regex=false`);
    await page.getByRole('button', { name: 'Export' }).click();
    const filtered = page.waitForEvent('download');
    await page.getByRole('link', { name: 'CSV of the matching redirects' }).click();
    const [, ...rows] = readFileSync(await (await filtered).path(), 'utf8')
      .trim()
      .split('\n');
    expect(rows.length).toBeGreaterThan(1);
    expect(rows.filter((line) => !line.includes('windows-hardware'))).toEqual([]);
  });

  test('a server configuration has the redirects of the chosen environment', async () => {
    const page = await dashboard.open(`/websites/${id}/redirects`);
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('button', { name: 'nginx map' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Environment', { exact: true }).selectOption('staging');
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Export', exact: true }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('redirects.conf');
    await page.getByText('redirects.conf saved').waitFor();
    expect(readFileSync(await file.path(), 'utf8')).not.toContain('windows-hardware');
  });

  test('keys at 40 ms each, after a search and after a save, land in the row that they are for', async () => {
    const page = await dashboard.open(`/websites/${id}/redirects`);
    await page.getByRole('grid').waitFor();
    const delay = 40;
    // Slower than the keys.
    await page.route('**/api/redirects**', async (route) => {
      await setTimeout(5 * delay);
      await route.continue();
    });
    async function retarget(keys: string[], target: string): Promise<void> {
      for (const key of keys) {
        await page.keyboard.press(key);
        await setTimeout(delay);
      }
      await page.keyboard.type(target, { delay });
    }
    for (const word of ['kmdf', 'pfa', 'wdk']) {
      const { body } = await dashboard.owner.call('GET', `/api/redirects?website_id=${id}&sort=-id&limit=2&q=${word}`);
      await page.keyboard.press('/');
      await page.keyboard.type(word, { delay });
      await retarget(['ArrowDown', 'Enter', 'Tab'], `/${word}-first`);
      await retarget(['Enter', 'ArrowDown', 'Enter', 'Tab'], `/${word}-second`);
      await page.keyboard.press('Enter');
      for (const [at, place] of ['first', 'second'].entries()) {
        const path = `/api/redirects/${body.redirects[at].id}`;
        await until(
          async () => (await dashboard.owner.call('GET', path)).body.redirect.new_path === `/${word}-${place}`,
        );
      }
      await page.getByRole('grid').and(page.locator(':focus')).waitFor();
    }
  });

  test('rows are compact by choice, which this browser remembers', async () => {
    const page = await dashboard.open(`/websites/${id}/redirects?q=wdk22h2`);
    const heights = () =>
      page.locator('.rows > [role=row]').evaluateAll((rows) => rows.map(({ clientHeight }) => clientHeight));
    await until(async () => (await heights()).every((height) => height === 43));
    await page.getByRole('button', { name: 'Compact rows' }).click();
    await until(async () => (await heights()).every((height) => height === 35));
    await page.reload();
    await page.getByRole('grid').waitFor();
    await until(async () => (await heights()).every((height) => height === 35));
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Compact rows' }).click();
    await until(async () => (await heights()).every((height) => height === 43));
  });

  test('list, selection, inline editing and panel are accessible and fit 360 px', async () => {
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

test('redirects that a server cannot express are listed, and the rest can be exported', async () => {
  const { page } = await openSite([
    { old_path: '/fine', new_path: '/x' },
    { old_path: '/withheld', new_path: null, status_code: 451 },
  ]);
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('button', { name: 'Netlify _redirects' }).click();
  const dialog = page.getByRole('dialog', { name: 'Export server configuration' });
  await dialog.getByLabel('Redirects', { exact: true }).selectOption('draft');
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

test('a plan without exports names the plan that includes them', async () => {
  const free = await dashboard.detour.account('free');
  const site = await createSite(free, ['free.example.com']);
  const page = await dashboard.open('/websites');
  const [name = '', value = ''] = free.cookie.split('=');
  await page.context().addCookies([{ name, value, url: dashboard.detour.address }]);
  await page.goto(`/websites/${site}/redirects`);
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByText('Exports require the Pro plan. This account is on the Free plan.').waitFor();
  expect(await page.getByRole('link', { name: 'CSV' }).count()).toBe(0);
  // The plan has no hits either.
  expect(await page.getByLabel('Usage').count()).toBe(0);
  await page.getByText('No redirects yet').waitFor();
});

describe('live marks', () => {
  const marks = (page: Page, state: RegExp) => page.locator('.rows .mark').filter({ hasText: state });
  async function addStaging(page: Page): Promise<void> {
    await page.getByRole('dialog').getByLabel('Staging').selectOption('Add');
  }

  test('marks are hollow after a bulk update, and filled once it is deployed', async () => {
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
    expect((await dashboard.owner.call('PUT', `/api/websites/${id}`, { auto_deploy: false })).status).toBe(200);
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+a');
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await addStaging(page);
    await page.getByRole('button', { name: 'Update 3 redirects' }).click();
    await until(async () => (await marks(page, /Staging: not live yet/).count()) === 3);
    // Another user deploys while this page is open.
    await dashboard.owner.call('POST', '/api/deployments', { website_id: id, environment: 'staging' });
    await until(async () => (await marks(page, /Staging: live since/).count()) === 3, 20_000);
    expect(await marks(page, /Production: live since/).count()).toBe(3);
  });

  test('a bulk update that is deployed automatically appears as live', async () => {
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
    await page.getByRole('button', { name: 'Update 2 redirects' }).click();
    await until(async () => (await marks(page, /Staging: live since/).count()) === 2);
  });
});

describe('leaving', () => {
  const keep = (page: Page) => page.getByRole('button', { name: 'Keep editing' });
  const discard = (page: Page) => page.getByRole('button', { name: 'Discard', exact: true });

  test('a changed panel, row or settings asks first: on Escape, Back, links, other rows and closing the tab', async () => {
    const { page, id } = await openSite([
      { old_path: '/one', new_path: '/1' },
      { old_path: '/two', new_path: '/2' },
    ]);
    await rowOf(page, '/two').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('o');
    const panel = page.getByRole('dialog', { name: 'Edit redirect' });
    await panel.getByLabel('Notes').fill('half a note');
    await page.keyboard.press('Escape');
    await keep(page).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await keep(page).waitFor({ state: 'detached' });
    await page.goBack();
    await page.keyboard.press('Enter');
    await keep(page).waitFor({ state: 'detached' });
    expect(await panel.getByLabel('Notes').inputValue()).toBe('half a note');
    expect(page.url()).toContain('open=');
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    await (await asked).dismiss();
    await panel.getByRole('button', { name: 'Cancel' }).click();
    await discard(page).click();
    await panel.waitFor({ state: 'detached' });

    await rowOf(page, '/one').dblclick();
    await page.getByRole('gridcell').getByLabel('To').fill('/changed');
    await rowOf(page, '/two').dblclick();
    await keep(page).click();
    expect(await page.getByRole('gridcell').getByLabel('To').inputValue()).toBe('/changed');
    await page.getByRole('link', { name: 'Settings' }).click();
    await discard(page).click();
    await page.getByLabel('Name').fill('Another name');
    await page.goBack();
    await keep(page).click();
    expect([await page.getByLabel('Name').inputValue(), new URL(page.url()).pathname]).toEqual([
      'Another name',
      `/websites/${id}/settings`,
    ]);
    await page.goBack();
    await discard(page).click();
    await rowOf(page, '/one').waitFor();
  });

  test('Back closes a panel and takes back filters; closing a panel leaves no entry behind', async () => {
    const { page, id } = await openSite([
      { old_path: '/one', new_path: '/1' },
      { old_path: '/two', new_path: '/2', status_code: 302 },
    ]);
    await page.getByLabel('Status').selectOption('302');
    await rowOf(page, '/one').waitFor({ state: 'detached' });
    await page.getByRole('grid').focus();
    await page.keyboard.press('o');
    const panel = page.getByRole('dialog', { name: 'Edit redirect' });
    await panel.waitFor();
    await page.goBack();
    await panel.waitFor({ state: 'detached' });
    await page.goForward();
    await panel.waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    expect(page.url()).toBe(`${dashboard.detour.address}/websites/${id}/redirects?status_code=302`);
    await page.goBack();
    await rowOf(page, '/one').waitFor();
    expect(await page.getByLabel('Status').inputValue()).toBe('');
  });
});

test('viewers see all redirects without actions', async () => {
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
  await viewer.getByLabel('Email').fill(email);
  await viewer.getByLabel('Password').fill('a long password');
  await viewer.keyboard.press('Enter');
  await viewer.getByText('Read only').waitFor();
  await rowOf(viewer, '/seen').waitFor();
  expect(await viewer.getByRole('button', { name: 'New redirect' }).count()).toBe(0);
  await viewer.getByRole('grid').focus();
  await viewer.keyboard.press('Enter');
  await viewer.getByRole('dialog', { name: 'Redirect', exact: true }).waitFor();
  expect(await viewer.getByRole('button', { name: 'Save' }).count()).toBe(0);
  await viewer.goto(`/websites/${id}/deployments/review`);
  await viewer.getByRole('link', { name: /^All \d/ }).waitFor();
  expect(await viewer.getByRole('button', { name: /Deploy/ }).count()).toBe(0);
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
