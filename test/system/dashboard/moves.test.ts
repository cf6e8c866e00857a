import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readyMove, storeMove } from '../../support/moves.ts';
import { createSite } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';
import { addUser, enterPassword } from './users.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

const rowsIn = (page: Page) => page.getByRole('listbox', { name: 'Rows' }).getByRole('option');

const TOPICS = ['install', 'upgrade', 'backup', 'restore', 'monitor', 'secure', 'scale', 'migrate', 'debug', 'deploy'];
const names = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${TOPICS[n % TOPICS.length]}-the-server-${n}`);

/** A website whose pages moved from /old/ to /guides/, and a ready move. */
async function siteWithMove(host: string, count: number) {
  const { owner } = dashboard;
  const site = await createSite(owner, [host]);
  const living = names(count).map((name) => ({ url: `/guides/${name}`, title: name.replaceAll('-', ' ') }));
  await owner.keyCall('PUT', `/api/v1/websites/${site}/urls/living`, { urls: living });
  const urls = names(count).map((name, n) => ({
    url: `/old/${name}.html`,
    title: name.replaceAll('-', ' '),
    weight: count - n,
  }));
  const created = await owner.keyCall('POST', `/api/v1/websites/${site}/moves`, { name: 'Relaunch', from: { urls } });
  const move = await readyMove(owner, site, created.body.move.id);
  const rows = async (query = ''): Promise<Record<string, unknown>[]> =>
    (await owner.keyCall('GET', `/api/v1/websites/${site}/moves/${move.id}/rows?limit=1000${query}`)).body.rows;
  return { site, move, rows, path: `/websites/${site}/moves/${move.id}` };
}

const decided = (rows: () => Promise<Record<string, unknown>[]>, count: number) =>
  until(async () => (await rows()).filter(({ decision }) => decision !== null).length === count, 20_000);

test('a move begins with a file, and its desk shows the candidates of a row', async () => {
  const { owner } = dashboard;
  const site = await createSite(owner, ['begin.example.com']);
  await owner.keyCall('PUT', `/api/v1/websites/${site}/urls/living`, {
    urls: names(20).map((name) => `/guides/${name}`),
  });
  const page = await dashboard.open(`/websites/${site}/moves`);
  await page.getByText('No moves yet').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('n');
  await page.getByLabel('Name', { exact: true }).fill('Relaunch');
  const file = {
    name: 'old.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from(
      names(20)
        .map((name) => `/old/${name}.html`)
        .join('\n'),
    ),
  };
  await page.getByLabel('Old URLs: file').setInputFiles(file);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Begin', exact: true }).click();
  await rowsIn(page).first().waitFor();
  await page.getByRole('list', { name: 'Candidates' }).getByRole('button').first().waitFor();
  await expectAccessible(page);
  await expectFits(page, 390);
});

test('a move to another website offers to allow its host as a target', async () => {
  const { owner } = dashboard;
  const site = await createSite(owner, ['from.example.com'], { name: 'Former' });
  const other = await createSite(owner, ['to.example.com'], { name: 'Next' });
  await owner.keyCall('PUT', `/api/v1/websites/${other}/urls/living`, { urls: names(20).map((name) => `/${name}`) });
  const page = await dashboard.open(`/websites/${site}/moves?new=move`);
  const buffer = Buffer.from('/old/install-the-server-0.html');
  await page.getByLabel('Old URLs: file').setInputFiles({ name: 'old.txt', mimeType: 'text/plain', buffer });
  const choice = page.getByLabel('Or another website');
  await choice.selectOption('to.example.com');
  await page.getByText('to.example.com is not an allowed target host of Former').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Allow it' }).press('Enter');
  await page.getByText('to.example.com is an allowed target host of the website now').waitFor();
  expect(await choice.inputValue()).toBe('to.example.com');
  await page.getByRole('button', { name: 'Begin', exact: true }).click();
  await page.getByRole('list', { name: 'Candidates' }).getByText('to.example.com').first().waitFor();
  await page.getByRole('heading', { name: /^Move of / }).waitFor();
});

test('200 rows are decided by one key each, without a wait between them', async () => {
  const { rows, path } = await siteWithMove('keys.example.com', 200);
  const page = await dashboard.open(path);
  await rowsIn(page).first().waitFor();
  const slowest = await page.evaluate<number>(`(async () => {
    let most = 0;
    for (let n = 0; n < 200; n++) {
      const start = performance.now();
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }));
      await new Promise((resolve) => requestAnimationFrame(resolve));
      most = Math.max(most, performance.now() - start);
    }
    return most;
  })()`);
  expect(slowest).toBeLessThan(1_000);
  await decided(rows, 200);
  for (const row of await rows()) expect(row).toMatchObject({ decision: 'redirect', revision: 1 });
  await page.keyboard.press('u');
  await decided(rows, 199);
});

test('keys choose candidates, decide otherwise, search, and undo', async () => {
  const { rows, path } = await siteWithMove('decide.example.com', 12);
  const page = await dashboard.open(path);
  await rowsIn(page).first().waitFor();
  const [first] = (await rows()).map(({ suggestions }) => suggestions as { target: string }[]);
  await page.keyboard.press('1');
  await page.keyboard.press('x');
  await page.keyboard.press('e');
  await page.keyboard.press('s');
  await page.keyboard.press('f');
  await page.keyboard.type('server-7');
  await page.getByRole('list', { name: 'Found pages' }).getByText('/guides/migrate-the-server-7').waitFor();
  await page.keyboard.press('Enter');
  await decided(rows, 5);
  expect((await rows()).slice(0, 6).map(({ decision, target }) => [decision, target])).toEqual([
    ['redirect', first?.[0]?.target],
    ['gone', null],
    ['keep', null],
    ['skip', null],
    ['redirect', '/guides/migrate-the-server-7'],
    [null, null],
  ]);
  await page.keyboard.press('u');
  await page.keyboard.press('u');
  await decided(rows, 3);
});

test('a candidate of 0 % is not shown, and no key chooses it', async () => {
  const { owner, detour } = dashboard;
  const site = await createSite(owner, ['zero.example.com']);
  const rows = [{ url: '/old', targets: ['/near', '/far', '/half'], scores: [0.6, 0.004, 0.3] }, { url: '/older' }];
  const move = await storeMove(detour.db, site, { rows });
  const page = await dashboard.open(`/websites/${site}/moves/${move}`);
  const candidates = page.getByRole('list', { name: 'Candidates' });
  await rowsIn(page).getByText('/old', { exact: true }).click();
  await candidates.getByText('/near').waitFor();
  expect(await candidates.getByRole('button').locator('kbd').allTextContents()).toEqual(['1', '2']);
  await page.keyboard.press('2');
  await rowsIn(page).getByText('/half').waitFor();
});

test('progress counts a decision at once, and a row that the list does not show is undone without a jump', async () => {
  const { site, move, rows, path } = await siteWithMove('unloaded.example.com', 6);
  const page = await dashboard.open(path);
  await rowsIn(page).first().waitFor();
  // The first decisions wait, so that the service does not know them.
  const sent = Promise.withResolvers<void>();
  await page.route(`**/moves/${move.id}/rows`, async (route) => {
    await sent.promise;
    await route.continue();
  });
  await page.keyboard.press('a');
  await page.keyboard.press('x');
  await page.getByText('2 of 6 decided (33%)').waitFor();
  expect(await page.getByRole('button', { name: 'Apply', exact: true }).isEnabled()).toBe(true);
  sent.resolve();
  await decided(rows, 2);
  await page.getByLabel('Decision', { exact: true }).selectOption({ label: 'Staying' });
  await page.getByText('No such rows').waitFor();
  await page.getByLabel('Decision', { exact: true }).selectOption({ label: 'Undecided' });
  await page.getByRole('button', { name: /^4 / }).first().waitFor();
  await page.getByRole('button', { name: 'Apply', exact: true }).click();
  await page.getByText(/^4 rows.* are undecided\. Nothing is written for them/).waitFor();
  await page.keyboard.press('Escape');
  await rowsIn(page).nth(2).click();
  const selected = await rowsIn(page).nth(2).textContent();
  await page.keyboard.press('u');
  await page.getByText(`The decision about /old/${names(2)[1]}.html is undone`).waitFor();
  await decided(rows, 1);
  expect(await rowsIn(page).and(page.locator('[aria-selected=true]')).textContent()).toBe(selected);
  const { progress } = (await dashboard.owner.keyCall('GET', `/api/v1/websites/${site}/moves/${move.id}`)).body.move;
  expect(progress).toMatchObject({ decided: 1 });
});

test('decisions are stored when the tab is closed before they were sent, which asks first', async () => {
  const { rows, path } = await siteWithMove('closed.example.com', 3);
  const page = await dashboard.open(path);
  await rowsIn(page).first().waitFor();
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await page.keyboard.press('a');
  await page.goto('about:blank');
  expect(asked).toEqual(['beforeunload']);
  await decided(rows, 1);
  await page.goto(path);
  await rowsIn(page).first().waitFor();
  await page.keyboard.press('a');
  await page.getByRole('link', { name: 'All moves' }).click();
  await page.getByRole('link', { name: 'Relaunch' }).waitFor();
  await decided(rows, 2);
  expect(asked).toHaveLength(1);
});

test('a row that a colleague has decided keeps that decision, and the screen says so', async () => {
  const { site, move, rows, path } = await siteWithMove('colleague.example.com', 5);
  const page = await dashboard.open(path);
  await rowsIn(page).first().waitFor();
  const [row] = await rows();
  await dashboard.owner.keyCall('PUT', `/api/v1/websites/${site}/moves/${move.id}/rows`, {
    rows: [{ url: row?.['url'], decision: 'gone', revision: 0 }],
  });
  await page.keyboard.press('a');
  await page.getByText(/1 row had been decided by .*, and stayed so/).waitFor();
  await rowsIn(page).first().getByText('410 Gone').waitFor();
  expect((await rows())[0]).toMatchObject({ decision: 'gone', revision: 1 });
});

test('what a colleague decides in a second browser is shown in place, and keeps selection, focus and scroll', async () => {
  const { rows, path } = await siteWithMove('beside.example.com', 300);
  await addUser(dashboard, 'beside@example.com', 'editor');
  const colleague = await dashboard.openAnonymously(path);
  await enterPassword(colleague, { email: 'beside@example.com' });
  const page = await dashboard.open(path);
  for (const each of [page, colleague]) await rowsIn(each).first().waitFor();
  const polls: number[] = [];
  page.on('response', (response) => {
    if (response.url().endsWith(path.replace('/websites', '/api/v1/websites'))) polls.push(response.status());
  });
  // Nothing changes: the polls read no rows.
  await until(async () => polls.includes(304), 20_000);

  const list = page.locator('.move-rows');
  for (let n = 0; n < 20; n++) await page.keyboard.press('j');
  await page.keyboard.press('f');
  await page.keyboard.type('server-2');
  const view = () =>
    page.evaluate(`[document.querySelector('.move-rows').scrollTop, document.activeElement?.value,
      document.querySelector('[aria-selected=true]')?.id]`);
  const before = await view();
  const [, second] = names(300);
  // The row after the first, the selected one, and one that is loaded but not visible.
  await colleague.keyboard.press('j');
  await colleague.keyboard.press('x');
  for (let n = 2; n < 20; n++) await colleague.keyboard.press('j');
  await colleague.keyboard.press('e');
  for (let n = 20; n < 120; n++) await colleague.keyboard.press('j');
  await colleague.keyboard.press('s');
  await decided(rows, 3);
  await page.getByRole('region', { name: 'Selected row' }).getByText('by beside@example.com').waitFor();
  const selected = rowsIn(page).and(page.locator('[aria-selected=true]'));
  await selected.getByText('Stays').waitFor();
  await page.getByText('3 of 300 decided (1%)').waitFor();
  expect(await view()).toEqual(before);
  await list.evaluate((element) => element.scrollTo(0, 0));
  await rowsIn(page)
    .filter({ hasText: `${second}.html` })
    .getByText('410 Gone')
    .waitFor();
  await list.evaluate((element) => element.scrollTo(0, 120 * 52));
  await rowsIn(page).getByText('Skipped').waitFor();

  // A row that is being decided here keeps its state until the service has answered.
  const sent = Promise.withResolvers<void>();
  await page.route('**/rows', async (route) => {
    if (!route.request().postDataJSON()?.dry_run) await sent.promise;
    await route.continue();
  });
  await page.getByLabel('Search new pages').press('Escape');
  await list.evaluate((element) => element.scrollTo(0, 0));
  const third = rowsIn(page).nth(2);
  const thirdOfColleague = rowsIn(colleague).nth(2);
  await third.click();
  await page.keyboard.press('x');
  await third.getByText('410 Gone').waitFor();
  await colleague.keyboard.press('Home');
  await thirdOfColleague.click();
  await colleague.keyboard.press('s');
  await decided(rows, 4);
  await third.getByText('410 Gone').waitFor();
  sent.resolve();
  await page.getByText('1 row had been decided by beside@example.com, and stayed so').waitFor();
  await third.getByText('Skipped').waitFor();
});

test('many rows are decided with a preview and undone, a rule is used, and the move is applied', async () => {
  const { site, move, rows, path } = await siteWithMove('many.example.com', 40);
  const page = await dashboard.open(path);
  await rowsIn(page).first().waitFor();
  await page.keyboard.press('b');
  await page
    .getByLabel('Decision', { exact: true })
    .last()
    .selectOption({ label: 'Accept sure and likely suggestions' });
  await page.getByText(/rows would change, such as/).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: /^Decide \d+ rows$/ }).click();
  await page.getByText(/^\d+ rows decided$/).waitFor();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await decided(rows, 0);

  // A later decision about one of the rows is not what Undo takes back.
  await page.keyboard.press('b');
  await page
    .getByLabel('Decision', { exact: true })
    .last()
    .selectOption({ label: 'Accept sure and likely suggestions' });
  await page.getByRole('button', { name: /^Decide \d+ rows$/ }).click();
  await until(async () => (await rows('&decision=redirect')).length > 0);
  // The rows may be decided before the answer closes the dialog.
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.getByLabel('Decision', { exact: true }).selectOption({ label: 'All rows' });
  await rowsIn(page).first().getByText('Decided').waitFor();
  await page.keyboard.press('x');
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await page.getByText(/rows were decided since; undo those first/).waitFor();
  expect((await rows())[0]).toMatchObject({ decision: 'gone' });
  await dashboard.owner.keyCall('PUT', `/api/v1/websites/${site}/moves/${move.id}/rows`, {
    filter: {},
    decision: null,
  });

  await page.goto(path);
  await rowsIn(page).first().waitFor();
  for (let n = 0; n < 12; n++) await page.keyboard.press('a');
  await decided(rows, 12);
  await page.getByRole('button', { name: 'Rules', exact: true }).click();
  await page.getByRole('list', { name: 'Proposed rules' }).waitFor();
  await expectAccessible(page);
  await page
    .getByRole('button', { name: /^Use as one rule/ })
    .first()
    .click();
  await page.getByRole('list', { name: 'Rules of this move' }).waitFor();
  await decided(rows, 40);
  await page.keyboard.press('Escape');
  await page.goto(path);
  await page.getByRole('heading', { name: 'Every row is decided' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Apply the move', exact: true }).click();
  await page.getByText(/redirects? would be created/).waitFor();
  await page
    .getByRole('list', { name: 'Redirects' })
    .getByText(/^\/old\/.* → /)
    .first()
    .waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: /^Write \d+ redirects?$/ }).click();
  await page.getByRole('heading', { name: 'Deployments' }).waitFor();
  await until(
    async () => (await dashboard.detour.visit('many.example.com', `/old/${names(1)[0]}.html`)).status === 301,
  );
  const { body } = await dashboard.owner.keyCall('GET', `/api/v1/websites/${site}/moves/${move.id}`);
  expect(body.move).toMatchObject({ state: 'applied' });
  await page.goto(path);
  await page.getByRole('heading', { name: 'Every row is decided' }).waitFor();
  expect(await page.getByRole('button', { name: 'Apply the move', exact: true }).count()).toBe(0);
  await page.getByRole('link', { name: /^\d+ redirects? written$/ }).click();
  await page.getByRole('dialog', { name: 'Change' }).getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: /^Undo/ }).last().click();
  await until(
    async () => (await dashboard.detour.visit('many.example.com', `/old/${names(1)[0]}.html`)).status === 404,
  );
});

test('the address has the row: a reload and Back return to it; at 200 % its candidates are in sight', async () => {
  const { path, rows } = await siteWithMove('address.example.com', 300);
  const url = String((await rows())[250]?.['url']);
  const page = await dashboard.open(path, { viewport: { width: 720, height: 450 } });
  const title = page.getByRole('region', { name: 'Selected row' }).getByRole('heading');
  await rowsIn(page).first().waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  const third = String((await rows())[2]?.['url']);
  await title.getByText(third).waitFor();
  await page.waitForURL((at) => at.searchParams.get('row') === third);
  await page.reload();
  await title.getByText(third).waitFor();
  const candidate = page.getByRole('list', { name: 'Candidates' }).getByRole('button').first();
  for (const part of [page.getByRole('button', { name: 'Accept' }), candidate]) {
    const box = await part.boundingBox();
    expect((box?.y ?? 999) + (box?.height ?? 0)).toBeLessThan(450);
  }
  await expectAccessible(page);
  // Beyond the first page of rows.
  await page.goto(`${path}?row=${encodeURIComponent(url)}`);
  await title.getByText(url).waitFor();
  await page.getByRole('link', { name: 'All moves' }).click();
  await page.getByRole('heading', { name: 'Moves' }).waitFor();
  await page.goBack();
  await title.getByText(url).waitFor();
});

test('viewers see the candidates as text', async () => {
  const { path } = await siteWithMove('viewed.example.com', 3);
  await addUser(dashboard, 'move-viewer@example.com', 'viewer');
  const page = await dashboard.openAnonymously(path);
  await enterPassword(page, { email: 'move-viewer@example.com' });
  await page.getByText('Read only').waitFor();
  const candidates = page.getByRole('list', { name: 'Candidates' });
  await candidates.getByText('/guides/').first().waitFor();
  expect(await candidates.getByRole('button').count()).toBe(0);
  await expectAccessible(page);
});

test('the list of moves shows progress', async () => {
  const { site } = await siteWithMove('list.example.com', 3);
  const page = await dashboard.open(`/websites/${site}/moves`);
  await page.getByText('0 of 3 decided').waitFor();
  await expectAccessible(page);
  await expectFits(page, 390);
  await page.getByRole('button', { name: 'Delete Relaunch' }).click();
  await page.getByRole('heading', { name: 'Delete Relaunch?' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('No moves yet').waitFor();
});

test('End shows the last of 100,000 rows with one request, the scroll bar as well, and Home comes back', async () => {
  const { owner, detour } = dashboard;
  const site = await createSite(owner, ['long-move.example.com']);
  const count = 100_000;
  const rows = Array.from({ length: count }, (_, n) => ({ url: `/old/${n}`, weight: count - n }));
  const id = await storeMove(detour.db, site, { rows });
  const page = await dashboard.open(`/websites/${site}/moves/${id}`);
  await rowsIn(page).first().waitFor();
  const reads: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/rows?')) reads.push(new URL(request.url()).searchParams.get('sort') ?? '');
  });
  const selected = rowsIn(page).and(page.locator('[aria-selected=true]'));
  await page.keyboard.press('End');
  await selected.filter({ hasText: `/old/${count - 1}` }).waitFor();
  expect(reads.filter((sort) => sort === 'weight').length).toBeLessThan(3);
  expect(reads.length).toBeLessThan(5);
  await page.keyboard.press('k');
  await page.keyboard.press('x');
  await until(
    async () =>
      (await owner.keyCall('GET', `/api/v1/websites/${site}/moves/${id}/rows?decision=gone`)).body.rows[0]?.url ===
      `/old/${count - 2}`,
  );
  await page.keyboard.press('Home');
  await selected.filter({ hasText: '/old/0' }).waitFor();

  await page.reload();
  await rowsIn(page).first().waitFor();
  const last = rowsIn(page).filter({ hasText: `/old/${count - 1}` });
  // The reload returns to the selected row once more when its rows arrive.
  const scrolled = async (): Promise<number> => {
    await page.locator('.move-rows').evaluate((list) => list.scrollTo(0, list.scrollHeight));
    return last.count();
  };
  await expect.poll(scrolled, { timeout: 40_000 }).toBe(1);
  const slowest = await page.evaluate<number>(`(async () => {
    const list = document.querySelector('.move-rows');
    let most = 0;
    for (let n = 0; n < 100; n++) {
      const start = performance.now();
      list.scrollTop -= 300;
      await new Promise((resolve) => requestAnimationFrame(resolve));
      most = Math.max(most, performance.now() - start);
    }
    return most;
  })()`);
  expect(slowest).toBeLessThan(1_000);
});
