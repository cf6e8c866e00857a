/** One redirect: created, edited, deleted, copied, and read without permission to change it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, startDashboard } from './browser.ts';
import { openList, rowOf, redirectPage } from './list.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

const locationOf = async (host: string, path: string) => (await dashboard.detour.visit(host, path)).location;

describe('one redirect', () => {
  test('n creates a redirect, which goes live, and the row shows it', async () => {
    const { page, host } = await openList(dashboard, []);
    await page.getByText('No redirects yet').waitFor();
    await page.keyboard.press('n');
    await page.getByLabel('From', { exact: true }).fill('/old');
    await page.getByLabel('To', { exact: true }).fill('/new');
    await page.keyboard.press('Enter');
    await page.getByText('Redirect created: /old').waitFor();
    await page.getByRole('grid').and(page.locator(':focus')).waitFor();
    expect(await rowOf(page, '/old').getAttribute('data-active')).toBe('true');
    await rowOf(page, '/old')
      .getByText(/Production: live since/)
      .waitFor({ state: 'attached' });
    expect(await locationOf(host, '/old')).toBe('/new');
  });

  test('with a gate, a new redirect leads to its release, because it may not go live', async () => {
    const { page, id } = await openList(dashboard, []);
    await dashboard.owner.call('PUT', `/api/websites/${id}`, { gated_environments: ['production'] });
    await page.goto(`/websites/${id}/redirects?new=/old`);
    await page.getByLabel('To', { exact: true }).fill('/new');
    await page.keyboard.press('Enter');
    await page.getByText('Redirect created').waitFor();
    await page.getByRole('link', { name: 'View release' }).click();
    await page.waitForURL(`**/websites/${id}/deployments?environment=production`);
  });

  test('errors are shown while typing, and errors of the service at their field', async () => {
    const { page } = await openList(dashboard, [{ old_path: '/taken', new_path: '/x' }], '?new=/');
    await page.getByLabel('From', { exact: true }).fill('no-slash');
    await page.getByText('Start the path with /', { exact: true }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type('/y');
    expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe('/y');
    await page.getByLabel('From', { exact: true }).fill('/taken');
    await page.getByRole('button', { name: 'Create redirect' }).click();
    await page.getByText('A redirect with the same path already exists').waitFor();
    expect(await page.getByLabel('From', { exact: true }).getAttribute('aria-invalid')).toBe('true');
  });

  test('the preview shows the current redirect and every step, and offers the final target', async () => {
    const { page, id } = await openList(dashboard, [{ old_path: '/b', new_path: '/c' }]);
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
    const { page, host } = await openList(dashboard, [
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

  test('Ctrl+Z undoes one change after the other, not the last undo', async () => {
    const paths = ['/first', '/second', '/third'];
    const { page, id } = await openList(
      dashboard,
      paths.map((old_path) => ({ old_path, new_path: '/x' })),
      '?sort=id',
    );
    const stored = async (): Promise<string[]> =>
      (await dashboard.owner.call('GET', `/api/redirects?website_id=${id}&sort=id`)).body.redirects.map(
        ({ old_path }: { old_path: string }) => old_path,
      );
    for (const left of [2, 1]) {
      await page.getByRole('grid').focus();
      await page.keyboard.press('Delete');
      await until(async () => (await stored()).length === left);
      await page
        .getByText('1 redirect deleted')
        .nth(2 - left)
        .waitFor();
    }
    for (const there of [2, 3]) {
      await page.keyboard.press('Control+z');
      await until(async () => (await stored()).length === there);
      await page
        .getByText(/^Undone/)
        .nth(there - 2)
        .waitFor();
    }
    await page.keyboard.press('Control+Shift+z');
    await until(async () => (await stored()).length === 2);
  });

  test('Delete deletes immediately, and Undo restores the same id', async () => {
    const { page, host, id } = await openList(dashboard, [{ old_path: '/gone', new_path: '/x' }]);
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

test('a cut path shows both ends and an ellipsis, and copies as it is stored', async () => {
  const long = '/windows-hardware/drivers/whea/persistence-of-pfa-results-in-memory';
  const encoded = '/%D9%85%D9%82%D8%A7%D9%84%D8%A7%D8%AA/caf%C3%A9/2024';
  const { page } = await openList(
    dashboard,
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
  expect(page.url()).not.toMatch(/\/redirects\/\d+$/);
  const other = rowOf(page, '/مقالات/café/2024');
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

test('viewers see all redirects without actions', async () => {
  const { id, page } = await openList(dashboard, [{ old_path: '/seen', new_path: '/x' }]);
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
  await viewer.getByLabel('Password', { exact: true }).fill('a long password');
  await viewer.keyboard.press('Enter');
  await viewer.getByText('Read only').waitFor();
  await rowOf(viewer, '/seen').waitFor();
  expect(await viewer.getByRole('button', { name: 'New redirect' }).count()).toBe(0);
  await viewer.getByRole('grid').focus();
  await viewer.keyboard.press('Enter');
  await redirectPage(viewer).waitFor();
  expect(await viewer.getByRole('button', { name: 'Save' }).count()).toBe(0);
  await viewer.goto(`/websites/${id}/deployments/review`);
  await viewer.getByRole('link', { name: /^All \d/ }).waitFor();
  expect(await viewer.getByRole('button', { name: /Deploy/ }).count()).toBe(0);
});

test('a website without redirects has one primary button, and neither filters nor Export', async () => {
  const site = await createSite(dashboard.owner, ['empty.example.com']);
  const page = await dashboard.open(`/websites/${site}/redirects`);
  await page.getByText('No redirects yet').waitFor();
  expect(await page.getByRole('button', { name: 'New redirect' }).count()).toBe(1);
  expect(await page.getByRole('search').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Export' }).count()).toBe(0);
  await addRedirect(dashboard.owner, site, { old_path: '/a', new_path: '/b' });
  await page.reload();
  await page.getByRole('button', { name: 'Export' }).waitFor();
  await page.getByRole('search').waitFor();
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
