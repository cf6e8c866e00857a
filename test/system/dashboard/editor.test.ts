/** Validation and preview while the user types: errors, used paths, loops, targets and patterns. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';
import { openList, redirectPage, rowOf } from './list.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

let made = 0;

/** Opens a page on a new website with these redirects, all of them live. */
async function openSite(redirects: Record<string, unknown>[], query = '?new=/'): Promise<Page> {
  const id = await createSite(dashboard.owner, [`e${++made}.example.com`]);
  for (const redirect of redirects) {
    await addRedirect(dashboard.owner, id, { old_path: '/', new_path: '/', ...redirect });
  }
  await settled(dashboard.owner, id);
  return dashboard.open(`/websites/${id}/redirects${query}`);
}

const from = (page: Page) => page.getByLabel(/^From( \(pattern\))?$/);
const to = (page: Page) => page.getByLabel('To', { exact: true });
const preview = (page: Page) => page.getByRole('region', { name: 'Preview' });

describe('a new redirect', () => {
  test('wildcards without Pattern are named; one press makes them a pattern, another one keeps them', async () => {
    const page = await openSite([]);
    const pattern = page.getByRole('checkbox', { name: 'Pattern' });
    const notice = page.getByText('This looks like a pattern, but Pattern is off');
    await from(page).fill('/old-blog/*');
    await to(page).fill('/blog/$1');
    await notice.waitFor();
    await expectAccessible(page);
    await expectFits(page, 360);
    await page.getByRole('button', { name: 'Make it a pattern' }).press('Enter');
    expect([await from(page).inputValue(), await pattern.isChecked()]).toEqual(['^/old-blog/(.*)$', true]);
    expect(await from(page).evaluate((input) => input === input.ownerDocument.activeElement)).toBe(true);
    await page.getByLabel('Test path').fill('/old-blog/a');
    await preview(page).getByText('/blog/a', { exact: true }).waitFor();
    await pattern.uncheck();
    await from(page).fill('/old-*');
    await page.getByRole('button', { name: 'Create redirect' }).click();
    await page.getByRole('button', { name: 'Make it a pattern' }).and(page.locator(':focus')).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(1);
    await page.getByRole('button', { name: 'Keep as text' }).click();
    await notice.waitFor({ state: 'detached' });
    expect([await from(page).inputValue(), await pattern.isChecked()]).toEqual(['/old-*', false]);
    await to(page).fill('/text');
    await page.getByRole('button', { name: 'Create redirect' }).click();
    await page.getByText('Redirect created: /old-*').waitFor();
  });

  test('after "Redirect directly", the target has the focus, and Ctrl+Enter creates', async () => {
    const page = await openSite([{ old_path: '/b', new_path: '/c' }]);
    await from(page).fill('/a');
    await to(page).fill('/b');
    await page.getByRole('button', { name: 'Redirect directly to /c' }).press('Enter');
    expect(await to(page).inputValue()).toBe('/c');
    expect(await to(page).evaluate((input) => input === input.ownerDocument.activeElement)).toBe(true);
    await page.keyboard.press('Control+Enter');
    await page.getByText('Redirect created').waitFor();
  });

  test('living pages are offered as targets; one that no list has is named, with near ones', async () => {
    const page = await openSite([]);
    const [, id] = /websites\/(\d+)/.exec(page.url()) ?? [];
    const urls = ['/garden/chairs', '/garden/tables', '/about'];
    expect((await dashboard.owner.keyCall('PUT', `/api/v1/websites/${id}/urls/living`, { urls })).status).toBe(200);
    await from(page).fill('/seats');
    await to(page).fill('/garden/');
    const offered = page.locator('datalist option[value="/garden/tables"]');
    await offered.waitFor({ state: 'attached' });
    await to(page).fill('/garden/chair');
    await preview(page).getByText('/garden/chair is not in the lists of living pages.').waitFor();
    await expectAccessible(page);
    await expectFits(page, 360);
    await preview(page).getByRole('button', { name: '/garden/chairs' }).press('Enter');
    expect(await to(page).inputValue()).toBe('/garden/chairs');
    expect(await to(page).evaluate((input) => input === input.ownerDocument.activeElement)).toBe(true);
    await preview(page).getByText('is not in the lists').waitFor({ state: 'detached' });
  });

  test('the page of a redirect names a target that no list of living pages has', async () => {
    const { page, id } = await openList(dashboard, [{ old_path: '/seats', new_path: '/garden/chair' }]);
    const urls = ['/garden/chairs', '/about'];
    expect((await dashboard.owner.keyCall('PUT', `/api/v1/websites/${id}/urls/living`, { urls })).status).toBe(200);
    await rowOf(page, '/seats').getByText('/seats').click();
    await redirectPage(page).getByText('/garden/chair is not in the lists of living pages.').waitFor();
    await redirectPage(page).getByRole('button', { name: '/garden/chairs' }).click();
    expect(await to(page).inputValue()).toBe('/garden/chairs');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await redirectPage(page).getByText('is not in the lists').waitFor({ state: 'detached' });
  });

  test('untouched fields show no errors', async () => {
    const page = await openSite([]);
    await from(page).fill('/a');
    await preview(page).waitFor({ state: 'detached' });
    await to(page).fill('/b');
    await preview(page).getByText('now 404').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('a used path is reported before saving, with a link to its redirect', async () => {
    const page = await openSite([{ old_path: '/caf%C3%A9', new_path: '/menu' }]);
    await from(page).fill('/café');
    await page.getByText('A redirect with the same path already exists.').waitFor();
    expect(await from(page).getAttribute('aria-invalid')).toBe('true');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Open it' }).click();
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    await redirectPage(page).waitFor();
    expect(await to(page).inputValue()).toBe('/menu');
    await from(page).fill('/café-2');
    await until(async () => (await page.getByText('already exists').count()) === 0);
  });

  test('a loop is named while typing, and disappears with another target', async () => {
    const page = await openSite([
      { old_path: '/b', new_path: '/c' },
      { old_path: '/p/(.*)', new_path: '/q/$1', is_regex: true },
    ]);
    await from(page).fill('/c');
    await to(page).fill('/b');
    await page.getByText('In production the rule would redirect back to itself: /c -> /b -> /c').waitFor();
    await from(page).fill('/q/x');
    await to(page).fill('/p/x');
    await preview(page).getByText('Loop in production: /q/x → /p/x → /q/x').waitFor();
    await expectAccessible(page);
    await page.getByLabel(/^Pattern/).check();
    await from(page).fill('/r/(.*)');
    await to(page).fill('/r/s/$1');
    await page.getByText('The pattern would redirect to itself without end: /r/s/x').waitFor();
    await to(page).fill('/elsewhere');
    await until(async () => (await page.getByText(/loop in|back to itself|endless|without end/i).count()) === 0);
  });

  test('a pattern is validated while typing, and tested with a path', async () => {
    const page = await openSite([{ old_path: '/blog/2024/first', new_path: '/one' }]);
    await page.getByLabel(/^Pattern/).check();
    await from(page).fill('/blog/(\\d{4}/(.+)');
    await page.getByRole('alert').waitFor();
    await from(page).fill('/blog/(\\d{4})/(.+)');
    await to(page).fill('/articles/$3');
    await page.getByText('$3: the pattern has 2 groups and none of that name or number').waitFor();
    await to(page).fill('/articles/$2?year=$1');
    const testPath = preview(page).getByLabel('Test path');
    await testPath.fill('/blog/2024/hello');
    await preview(page).getByText('/articles/hello?year=2024').waitFor();
    await expectAccessible(page);
    await testPath.fill('/blog/latest');
    await preview(page).getByText('The pattern does not match this path.').waitFor();
    await testPath.fill('/blog/2024/first');
    await preview(page)
      .getByText('takes precedence for this path. Exact paths take precedence over patterns.')
      .waitFor();
    await testPath.press('Enter');
    expect(await page.getByRole('dialog', { name: 'New redirect' }).isVisible()).toBe(true);
    await expectFits(page, 360);
  });

  test('a pattern made from a path is tested with that path', async () => {
    const page = await openSite([], '?new=/news/2024/spring');
    // The target is what is missing.
    await page.locator('input:focus[placeholder="/new-page"]').waitFor();
    await page.getByLabel(/^Pattern/).check();
    await from(page).fill('/news/(.*)');
    await to(page).fill('/archive/$1');
    await preview(page).getByText('/archive/2024/spring').waitFor();
  });

  test('a failed check does not prevent saving', async () => {
    const page = await openSite([]);
    await page.route('**/api/redirects/check', (route) => route.abort());
    await from(page).fill('/a');
    await to(page).fill('/b');
    await page.getByRole('button', { name: 'Create redirect' }).click();
    await page.getByText('Redirect created').waitFor();
  });

  test('checks are debounced while typing', async () => {
    const page = await openSite([]);
    let checks = 0;
    page.on('request', (request) => (checks += Number(request.url().endsWith('/api/redirects/check'))));
    await from(page).pressSequentially('/a-path-of-some-length');
    await to(page).fill('/b');
    await preview(page).getByText('/b', { exact: true }).waitFor();
    expect(checks).toBeGreaterThan(0);
    expect(checks).toBeLessThan(8);
  });
});

test('inline editing says errors below their field, loops and chains below the row, and covers no row', async () => {
  const page = await openSite(
    [
      { old_path: '/a', new_path: '/x' },
      { old_path: '/b', new_path: '/a' },
    ],
    '',
  );
  await page.getByRole('row').filter({ hasText: '/b' }).dblclick();
  const row = page.locator('.grid-row.editing');
  await row.getByLabel('From').fill('/a');
  await row.getByText('A redirect with the same path already exists.').waitFor();
  await expectAccessible(page);
  await row.getByLabel('To').fill('no-slash');
  await row.locator('.cell-to').getByText('Start the path with /').waitFor();
  await row.getByLabel('From').fill('/b');
  const bottomOf = async () => (await row.boundingBox())!.y + (await row.boundingBox())!.height;
  const nextTop = async () => (await page.getByRole('row').filter({ hasText: '/a' }).last().boundingBox())!.y;
  await until(async () => (await nextTop()) >= (await bottomOf()) - 1);
  await row.getByLabel('To').fill('/a');
  await row.getByText('Visitors would be redirected 2 times.').waitFor();
  await expectAccessible(page);
  await row.getByRole('button', { name: 'Redirect directly to /x' }).click();
  expect(await row.getByLabel('To').inputValue()).toBe('/x');
  await row.getByLabel('To').fill('/a');
  await row.getByLabel('From').fill('/x');
  await row.getByText('In production the rule would redirect back to itself: /x -> /a -> /x').waitFor();
  await row.getByLabel('From').fill('/a');
  await row.getByRole('link', { name: 'Open it' }).click();
  await page.getByRole('button', { name: 'Discard', exact: true }).click();
  await redirectPage(page).waitFor();
  expect(await to(page).inputValue()).toBe('/x');
});

test('F2 or the pencil of a row edits it, and its fields are below the headers of their columns', async () => {
  const redirects = [
    { old_path: '/a', new_path: '/x' },
    { old_path: '/b', new_path: '/y', target_environments: 'production,staging' },
  ];
  const { page } = await openList(dashboard, redirects, '?sort=id');
  const textAt = async (locator: Locator, padding: number) => (await locator.boundingBox())!.x + padding;
  const header = (name: string) => page.getByRole('columnheader', { name });
  for (const width of [1_440, 900]) {
    await page.setViewportSize({ width, height: 800 });
    await rowOf(page, '/b').hover();
    await rowOf(page, '/b').getByRole('button', { name: 'Edit in the row' }).click();
    const row = page.locator('.grid-row.editing');
    await row.getByLabel('From').waitFor();
    // The padding and the border of a field: its text does not move.
    for (const [label, padding] of [
      ['From', 9],
      ['To', 9],
      ['Status', 6],
    ] as const) {
      const [field, column] = [await textAt(row.getByLabel(label), padding), await textAt(header(label), 0)];
      expect([width, label, Math.round(field - column)]).toEqual([width, label, 0]);
    }
    expect(Math.round((await textAt(row.getByLabel('Production'), 0)) - (await textAt(header('Live in'), 0)))).toBe(0);
    const [last, save] = [await row.getByLabel('Development').boundingBox(), row.getByRole('button', { name: 'Save' })];
    expect((await save.boundingBox())!.x).toBeGreaterThan(last!.x + last!.width);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await row.waitFor({ state: 'detached' });
  }
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('F2');
  await page.locator('.grid-row.editing').getByLabel('From').waitFor();
  expect(await page.locator('.grid-row.editing').getByLabel('From').inputValue()).toBe('/a');
});

test('a path from right to left is read below its field in the order of the title, on the page and in the row', async () => {
  const path = `/${encodeURIComponent('مقال')}/${encodeURIComponent('أخبار')}`;
  const { page } = await openList(dashboard, [{ old_path: path, new_path: '/a' }]);
  const partsIn = (place: Locator) => place.locator('bdi').allInnerTexts();
  await rowOf(page, '/مقال/أخبار').getByRole('button', { name: '/مقال/أخبار', exact: true }).click();
  const form = redirectPage(page).locator('form');
  await form.getByText('Reads as:').waitFor();
  expect(await partsIn(form.getByText('Reads as:'))).toEqual(['مقال', 'أخبار']);
  expect(await partsIn(redirectPage(page).getByRole('heading', { level: 2 }))).toEqual(['مقال', 'أخبار']);
  expect(await from(page).getAttribute('dir')).toBe('ltr');
  await to(page).fill('/עברית');
  expect(await partsIn(form.getByText('Reads as:').last())).toEqual(['עברית']);
  await to(page).fill('/a');
  await page.keyboard.press('Escape');
  await page.locator('.grid:focus').waitFor();
  await page.keyboard.press('F2');
  const row = page.locator('.grid-row.editing');
  await row.getByText('Reads as:').waitFor();
  expect(await partsIn(row.locator('.cell-from').getByText('Reads as:'))).toEqual(['مقال', 'أخبار']);
  expect(await row.getByText('Reads as:').count()).toBe(1);
  expect(await row.getByLabel('From').getAttribute('dir')).toBe('ltr');
});

test('a double press edits the field under the pointer, with the caret there', async () => {
  const site = await createSite(dashboard.owner, ['press.example.com']);
  await addRedirect(dashboard.owner, site, { old_path: '/from', new_path: '/a-target', status_code: 302 });
  const page = await dashboard.open(`/websites/${site}/redirects`, { viewport: { width: 1280, height: 800 } });
  const field = (name: string) => page.getByRole('gridcell').getByLabel(name);
  const caret = () =>
    page.evaluate('[document.activeElement.selectionStart, document.activeElement.selectionEnd].join()');
  await page.locator('.rows .cell-to').dblclick({ position: { x: 30, y: 10 } });
  await field('To').waitFor();
  expect(await field('To').evaluate((input) => input === input.ownerDocument.activeElement)).toBe(true);
  const [from, to] = String(await caret())
    .split(',')
    .map(Number);
  expect(from).toBe(to);
  expect(from).toBeLessThan('/a-target'.length);
  await field('To').fill('https://press.example.com/own');
  await page.getByText('Same website: press.example.com is removed.').waitFor();
  expect(await field('To').inputValue()).toBe('/own');
  await field('To').fill('/a-target');
  await page.keyboard.press('Escape');
  await page.locator('.rows .cell-status').dblclick();
  expect(await field('Status').evaluate((input) => input === input.ownerDocument.activeElement)).toBe(true);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await field('From').waitFor();
  expect(await caret()).toBe('0,5');
});

test('the group is edited in the row, with the groups of the website to choose from', async () => {
  const site = await createSite(dashboard.owner, ['row-groups.example.com']);
  await addRedirect(dashboard.owner, site, { old_path: '/one', new_path: '/1', group_id: 'news' });
  await addRedirect(dashboard.owner, site, { old_path: '/two', new_path: '/2', group_id: 'shop' });
  const page = await dashboard.open(`/websites/${site}/redirects`, { viewport: { width: 1440, height: 900 } });
  await rowOf(page, '/one').locator('.cell-status').dblclick();
  const row = page.locator('.grid-row.editing');
  expect(await row.getByLabel('Group').inputValue()).toBe('news');
  await row.getByLabel('Group').fill('sh');
  await until(async () => (await row.locator('option[value="shop"]').count()) === 1);
  const [environments, field, save] = await Promise.all(
    [row.getByTitle('Development'), row.getByLabel('Group'), row.getByRole('button', { name: 'Save' })].map((each) =>
      each.boundingBox(),
    ),
  );
  expect((environments?.x ?? 0) + (environments?.width ?? 0)).toBeLessThanOrEqual(field?.x ?? 0);
  expect((field?.x ?? 0) + (field?.width ?? 0)).toBeLessThanOrEqual(save?.x ?? 0);
  expect(Math.abs((field?.y ?? 0) - (save?.y ?? 99))).toBeLessThan(8);
  await row.getByLabel('Group').fill('shop');
  await page.keyboard.press('Enter');
  await page.getByText('Saved').waitFor();
  expect(await rowOf(page, '/one').locator('.cell-group').innerText()).toBe('shop');
});

test('a double press on a path edits it, whatever the time between, and a single press opens that redirect', async () => {
  const paths = ['/a', '/b', '/c', '/d', '/e', '/f'];
  const { page } = await openList(
    dashboard,
    paths.map((old_path) => ({ old_path, new_path: '/target' })),
    '?sort=id',
  );
  await page.setViewportSize({ width: 1_440, height: 900 });
  const edited = page.locator('.grid-row.editing').getByLabel('From');
  const path = rowOf(page, '/e').getByRole('button', { name: '/e', exact: true });
  for (const ms of [60, 150, 250]) {
    const { x, y, width, height } = (await path.boundingBox())!;
    await page.mouse.click(x + width / 2, y + height / 2);
    await page.waitForTimeout(ms);
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await edited.waitFor();
    expect([ms, await edited.inputValue(), await redirectPage(page).count()]).toEqual([ms, '/e', 0]);
    await page.keyboard.press('Escape');
    await edited.waitFor({ state: 'detached' });
  }
  await path.click();
  await redirectPage(page).getByRole('heading', { name: '/e', exact: true }).waitFor();
  // A slow double press, whose second one hits another row.
  await rowOf(page, '/a').getByRole('button', { name: '/a', exact: true }).click({ clickCount: 1 });
  await redirectPage(page).getByRole('heading', { name: '/a', exact: true }).waitFor();
  const { x, y } = (await rowOf(page, '/c').boundingBox())!;
  await page.mouse.move(x + 60, y + 20);
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
  expect(await page.locator('[data-active=true]').getAttribute('id')).toBe(await rowOf(page, '/a').getAttribute('id'));
});

test('without a network, a row says what failed with Retry, and no longer when the network is back', async () => {
  const { page, id } = await openList(dashboard, [{ old_path: '/a', new_path: '/b' }]);
  await page.getByRole('grid').focus();
  await page.keyboard.press('Enter');
  const row = page.locator('.grid-row.editing');
  await row.getByLabel('To').fill('/c');
  await page.context().setOffline(true);
  await page.keyboard.press('Enter');
  await row.getByRole('alert').getByText('Check your connection').waitFor();
  await row.getByRole('button', { name: 'Retry' }).waitFor();
  await expectAccessible(page);
  await page.context().setOffline(false);
  await row.getByRole('alert').waitFor({ state: 'detached' });
  // A service that fails: Retry saves.
  await page.route(/\/api\/redirects\/\d+$/, (route) => route.fulfill({ status: 503, body: '{}' }));
  await page.keyboard.press('Enter');
  await row.getByRole('button', { name: 'Retry' }).waitFor();
  await page.unroute(/\/api\/redirects\/\d+$/);
  await row.getByRole('button', { name: 'Retry' }).click();
  await row.waitFor({ state: 'detached' });
  const { redirects } = (await dashboard.owner.call('GET', `/api/redirects?website_id=${id}`)).body;
  expect(redirects[0].new_path).toBe('/c');
});

test('the error of a save that failed is in sight above Save', async () => {
  const site = await createSite(dashboard.owner, ['sight.example.com']);
  const id = await addRedirect(dashboard.owner, site, { old_path: '/a', new_path: '/b' });
  const page = await dashboard.open(`/websites/${site}/redirects/${id}`, { viewport: { width: 1440, height: 900 } });
  await page.getByLabel('Status', { exact: true }).last().selectOption('302');
  await page.route(/\/api\/redirects\/\d+$/, (route) =>
    route.request().method() === 'PUT' ? route.fulfill({ status: 503, body: '{}' }) : route.continue(),
  );
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await save.click();
  const alert = page.getByRole('alert').filter({ has: page.getByRole('button', { name: 'Retry' }) });
  await alert.waitFor();
  const [error, button] = [await alert.boundingBox(), await save.boundingBox()];
  expect(error!.y).toBeGreaterThan(0);
  expect(error!.y + error!.height).toBeLessThanOrEqual(button!.y);
  await expectAccessible(page);
  await page.unroute(/\/api\/redirects\/\d+$/);
  await alert.getByRole('button', { name: 'Retry' }).click();
  await alert.waitFor({ state: 'detached' });
});

describe('two windows', () => {
  const note = (page: Page) => page.getByLabel('Notes');
  const stored = async (id: number) => (await dashboard.owner.call('GET', `/api/redirects/${id}`)).body.redirect;

  test('a save over a newer change is refused, says who changed what, and overwrites or takes theirs', async () => {
    const site = await createSite(dashboard.owner, ['two.example.com']);
    const id = await addRedirect(dashboard.owner, site, { old_path: '/a', new_path: '/b' });
    const page = await dashboard.open(`/websites/${site}/redirects/${id}`);
    await note(page).fill('mine');
    await page.route(new RegExp(`/api/redirects/${id}\\?`), (route) => route.abort());
    await dashboard.owner.call('PUT', `/api/redirects/${id}`, { new_path: '/theirs', notes: 'theirs' });
    await page.keyboard.press('Control+Enter');
    const alert = page.getByRole('alert').filter({ hasText: 'changed this redirect' });
    await alert.getByText(dashboard.owner.email).waitFor();
    await alert.getByText('/theirs').waitFor();
    await page.getByText('Theirs: /theirs').waitFor();
    const overwrite = alert.getByRole('button', { name: 'Overwrite' });
    for (const [width, height] of [
      [1440, 900],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      // Nothing covers it.
      await until(async () => {
        const { x = 0, y = 0 } = (await overwrite.boundingBox()) ?? {};
        return (await page.evaluate(`document.elementFromPoint(${x + 9}, ${y + 9})?.textContent`)) === 'Overwrite';
      });
    }
    expect(await alert.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
    expect(await note(page).inputValue()).toBe('mine');
    await expectAccessible(page);
    await expectFits(page, 360);
    await page.setViewportSize({ width: 1280, height: 800 });
    await alert.getByRole('button', { name: 'Overwrite' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await stored(id)).toMatchObject({ new_path: '/theirs', notes: 'mine' });

    await page.keyboard.press('Escape');
    await page.getByRole('grid').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('gridcell').getByLabel('To').fill('/row');
    await dashboard.owner.call('PUT', `/api/redirects/${id}`, { new_path: '/again' });
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Take theirs' }).click();
    expect(await page.getByRole('gridcell').getByLabel('To').inputValue()).toBe('/again');
  });

  test('a save beside a newer change of another field keeps both, and says so', async () => {
    const site = await createSite(dashboard.owner, ['apart.example.com']);
    const id = await addRedirect(dashboard.owner, site, { old_path: '/a', new_path: '/b' });
    const page = await dashboard.open(`/websites/${site}/redirects/${id}`);
    await redirectPage(page).getByLabel('To', { exact: true }).fill('/mine');
    await page.route(new RegExp(`/api/redirects/${id}\\?`), (route) => route.abort());
    await dashboard.owner.call('PUT', `/api/redirects/${id}`, { notes: 'theirs' });
    await page.keyboard.press('Control+Enter');
    await page.getByText(`Saved. ${dashboard.owner.email} has changed Notes: both are kept`).waitFor();
    expect(await note(page).inputValue()).toBe('theirs');
    expect(await stored(id)).toMatchObject({ new_path: '/mine', notes: 'theirs' });
    // Another part of the rule is no other field.
    await redirectPage(page).getByLabel('To', { exact: true }).fill('/other');
    await dashboard.owner.call('PUT', `/api/redirects/${id}`, { status_code: 302 });
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Overwrite' }).waitFor();
  });

  test('a form with changes says at once, beside the field, what someone else has changed', async () => {
    const site = await createSite(dashboard.owner, ['beside.example.com']);
    const id = await addRedirect(dashboard.owner, site, { old_path: '/a', new_path: '/b', notes: 'before' });
    const page = await dashboard.open(`/websites/${site}/redirects/${id}`);
    await note(page).fill('mine');
    await dashboard.owner.call('PUT', `/api/redirects/${id}`, { notes: 'theirs', group_id: 'news' });
    await page.getByText('Changed elsewhere: theirs').waitFor();
    await page.getByText('Changed elsewhere: news').waitFor();
    expect(await note(page).inputValue()).toBe('mine');
    await expectAccessible(page);
  });

  test('an open panel without changes follows those of others; a deleted redirect can be created again', async () => {
    const site = await createSite(dashboard.owner, ['three.example.com']);
    const id = await addRedirect(dashboard.owner, site, { old_path: '/a', new_path: '/b' });
    const page = await dashboard.open(`/websites/${site}/redirects/${id}`);
    await note(page).waitFor();
    await dashboard.owner.call('PUT', `/api/redirects/${id}`, { notes: 'from elsewhere' });
    await until(async () => (await note(page).inputValue()) === 'from elsewhere');
    await dashboard.owner.call('DELETE', `/api/redirects/${id}`);
    await page.getByText(`This redirect was deleted by ${dashboard.owner.email}.`).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create it again' }).click();
    await page.getByText('Redirect created').waitFor();
  });

  test('a save of a redirect that was deleted says so in place of Save, in the panel and in the row', async () => {
    const site = await createSite(dashboard.owner, ['gone.example.com'], { auto_deploy: false });
    const id = await addRedirect(dashboard.owner, site, { old_path: '/a', new_path: '/b' });
    const page = await dashboard.open(`/websites/${site}/redirects/${id}`);
    await note(page).fill('mine');
    await dashboard.owner.call('DELETE', `/api/redirects/${id}`);
    await page.keyboard.press('Control+Enter');
    const again = page.getByRole('button', { name: 'Create it again' });
    await expect.poll(() => again.evaluate((button) => button.matches(':focus'))).toBe(true);
    expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByText('Redirect created').waitFor();

    const next = await addRedirect(dashboard.owner, site, { old_path: '/c', new_path: '/d' });
    await page.goto(`/websites/${site}/redirects`);
    await page.getByRole('row', { name: /\/c/ }).getByText('/d').dblclick();
    await page.getByLabel('To', { exact: true }).fill('/e');
    await dashboard.owner.call('DELETE', `/api/redirects/${next}`);
    await page.keyboard.press('Enter');
    await page.getByText(`This redirect was deleted by ${dashboard.owner.email}.`).waitFor();
    await again.click();
    await page.getByRole('row', { name: /\/c/ }).getByText('/e').waitFor();
    expect(await page.getByRole('row', { name: /\/c/ }).count()).toBe(1);
  });
});

describe('a schedule', () => {
  const listed = async (site: number) =>
    (await dashboard.owner.call('GET', `/api/redirects?website_id=${site}`)).body.redirects[0];
  const epochOf = (time: string | null) => (time === null ? null : Date.parse(time));
  const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });

  test('is entered in the time zone of the user, checked, marked in the list, and cleared', async () => {
    const site = await createSite(dashboard.owner, ['schedule.example.com'], { auto_deploy: false });
    const page = await dashboard.open(`/websites/${site}/redirects?new=/sale`, { timezoneId: 'Asia/Tokyo' });
    await to(page).fill('/offers');
    await page.getByText('Times are in your time zone, Asia/Tokyo.').waitFor();
    await field(page, 'Active from').fill('2041-01-02T10:00');
    await field(page, 'Active until').fill('2041-01-02T10:00');
    await page.getByText('The end must be after the start').waitFor();
    expect(await field(page, 'Active until').getAttribute('aria-invalid')).toBe('true');
    await expectAccessible(page);
    await expectFits(page, 360);
    await field(page, 'Active until').fill('2041-02-01T00:00');
    await page.getByRole('button', { name: 'Create redirect' }).click();
    await page.getByText('from 2 Jan 2041', { exact: true }).waitFor();
    const { active_from: start, active_until: end } = await listed(site);
    expect([epochOf(start), epochOf(end)]).toEqual([
      Date.parse('2041-01-02T10:00+09:00'),
      Date.parse('2041-02-01T00:00+09:00'),
    ]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('grid').focus();
    await page.keyboard.press('o');
    expect(await field(page, 'Active from').inputValue()).toBe('2041-01-02T10:00');
    await page.getByRole('button', { name: 'Clear: Active from' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('until 1 Feb 2041', { exact: true }).waitFor();
    expect((await listed(site)).active_from).toBeNull();
    await expectAccessible(page);
    const { id } = await listed(site);
    await dashboard.owner.call('PUT', `/api/redirects/${id}`, { active_until: '2020-01-01T00:00:30Z' });
    await page.reload();
    await page.getByText('ended 1 Jan 2020', { exact: true }).waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('o');
    expect(await field(page, 'Active until').inputValue()).toBe('2020-01-01T09:00:30');
  });

  test('stays in sight in an edited row, which edits it and the notes', async () => {
    const start = '2041-01-02T10:00:00Z';
    const redirect = { old_path: '/a', new_path: '/x', active_from: start, notes: 'First line\nsecond line' };
    const { id, page } = await openList(dashboard, [redirect]);
    await rowOf(page, '/a').locator('.cell-status').dblclick();
    const row = page.locator('.grid-row.editing');
    const schedule = row.getByRole('button', { name: /^Active from 2 Jan 2041/ });
    await schedule.waitFor();
    await expectAccessible(page);
    expect(await field(page, 'Active until').count()).toBe(0);
    await schedule.press('Enter');
    await field(page, 'Active until').fill('2040-01-01T00:00');
    await row.getByText('The end must be after the start').waitFor();
    await expectAccessible(page);
    await field(page, 'Active until').fill('2042-01-01T00:00');
    const notes = await row.getByLabel('Notes').inputValue();
    await row.getByLabel('Notes').fill(`${notes}\nthird line`);
    await row.getByLabel('Notes').press('Enter');
    await page.getByText('Saved').waitFor();
    const stored = await listed(id);
    expect([stored.notes, stored.active_from]).toEqual(['First line\nsecond line\nthird line', start]);
    expect(stored.active_until).not.toBeNull();
    await rowOf(page, '/a').locator('.cell-schedule').dblclick();
    await field(page, 'Active from').waitFor();
    expect(await field(page, 'Active from').evaluate((input) => input === input.ownerDocument.activeElement)).toBe(
      true,
    );
  });

  test('is never shown as live outside of it, in the list, on its page and in the finder, and the list follows the clock', async () => {
    const site = await createSite(dashboard.owner, ['window.example.com']);
    const at = (ms: number) => new Date(Date.now() + ms).toISOString().replace(/\.\d+/, '');
    const [active_from, active_until] = [at(3_600_000), at(7_200_000)];
    await addRedirect(dashboard.owner, site, { old_path: '/window', new_path: '/offers', active_from, active_until });
    await settled(dashboard.owner, site);
    const page = await dashboard.blank();
    await page.clock.install();
    await page.goto(`/websites/${site}/redirects`);
    const mark = page.locator('.mark');
    const shown = async () => [await mark.getAttribute('data-state'), (await mark.getAttribute('class'))?.trim()];
    await page.getByRole('gridcell', { name: /Production: not live yet, active from \S/ }).waitFor();
    await page.getByRole('gridcell', { name: /^from \S/ }).waitFor();
    expect(await shown()).toEqual(['scheduled', 'badge mark']);
    await expectAccessible(page);
    await page.getByRole('button', { name: '/window' }).click();
    await page.getByText('Not live now: from').waitFor();
    await redirectPage(page)
      .getByText(/^From .*: 301 to \/offers\.$/)
      .waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('offers');
    await page.clock.runFor(500);
    await page.getByRole('option', { name: /^\/window.*Not live: from \S/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.clock.runFor(3_600_000);
    await page.locator('.mark[data-state=live].ok').waitFor();
    await page.clock.runFor(3_600_000);
    await page.getByRole('gridcell', { name: /Production: not live any more/ }).waitFor();
    await page.getByRole('gridcell', { name: /^ended \S/ }).waitFor();
    expect(await shown()).toEqual(['ended', 'badge mark']);
  });

  test('is applied by the tester at any time', async () => {
    const site = await createSite(dashboard.owner, ['at.example.com']);
    await addRedirect(dashboard.owner, site, {
      old_path: '/sale',
      new_path: '/offers',
      active_from: '2041-01-01T00:00:00Z',
    });
    await settled(dashboard.owner, site);
    const page = await dashboard.open(`/websites/${site}/tester?url=/sale`);
    await page.getByText('Not found (404)').waitFor();
    await field(page, 'At').fill('2041-06-01T12:00');
    await page.getByText('Redirects with 301').waitFor();
    await expectAccessible(page);
    await expectFits(page, 360);
    await page.reload();
    await page.getByText('Redirects with 301').waitFor();
    await page.getByRole('button', { name: 'Clear: At' }).click();
    await page.getByText('Not found (404)').waitFor();
    await page.getByText(/^404 now. From 1 Jan 2041, .* 301 to \/offers.$/).waitFor();
    expect(await page.getByText('Create redirect for this path').count()).toBe(0);
    await expectAccessible(page);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('/sale');
    await page
      .getByRole('option', { name: /^\/sale → \/offers 301 404 now. From 1 Jan 2041, .*: 301 to \/offers/ })
      .waitFor();
    await page.getByRole('option', { name: 'Start now' }).click();
    await page.getByText('Schedule removed').waitFor();
    await page.getByText('Redirects with 301').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Not found (404)').waitFor();
    // A toast below the pointer stays.
    await page.mouse.move(0, 0);
    await page.getByRole('button', { name: 'Start now' }).click();
    await page.getByText('Redirects with 301').waitFor();
  });
});

test('no script errors or policy violations', () => {
  expect(dashboard.complaints).toEqual([]);
});
