/** Jobs on one redirect: create, edit, copy, read, and change it in two windows. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { settled } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, startDashboard } from '../../system/dashboard/browser.ts';
import { openList, rowOf, redirectPage } from '../../system/dashboard/list.ts';
import { job } from './hands.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
// A deployment takes longer on a busy machine.
const leadsTo = (host: string, path: string, target: string) =>
  until(async () => (await dashboard.detour.visit(host, path)).location === target, 30_000);
const redirectOf = async (id: number) => (await dashboard.owner.call('GET', `/api/redirects/${id}`)).body.redirect;
const listed = async (website: number) =>
  (await dashboard.owner.call('GET', `/api/redirects?website_id=${website}&sort=id`)).body.redirects;

job('new redirect, panel', async (handsOn) => {
  const { page, host } = await openList(dashboard, [{ old_path: '/b', new_path: '/c' }]);
  const hands = handsOn(page);
  await rowOf(page, '/b').waitFor();
  await hands.press(page.getByRole('button', { name: 'New redirect' }), 'n');
  await hands.typeAtOnce(field(page, 'From'), '/a');
  await hands.write(field(page, 'To'), '/b');
  await hands.press(page.getByRole('button', { name: 'Redirect directly to /c' }));
  await hands.press(page.getByRole('button', { name: 'Create redirect' }), 'Control+Enter');
  await rowOf(page, '/a').waitFor();
  await leadsTo(host, '/a', '/c');
});

job('edit in the row', async (handsOn) => {
  const { page, host } = await openList(dashboard, [{ old_path: '/old', new_path: '/first' }]);
  const hands = handsOn(page);
  await rowOf(page, '/old').waitFor();
  await hands.use(() => rowOf(page, '/old').dblclick(), ['ArrowDown', 'Enter', 'Tab']);
  await hands.typeAtOnce(page.getByRole('gridcell').getByLabel('To'), '/second');
  await hands.press(page.getByRole('gridcell').getByRole('button', { name: 'Save' }), 'Enter');
  await leadsTo(host, '/old', '/second');
  await hands.press(page.getByRole('button', { name: 'Undo' }));
  await leadsTo(host, '/old', '/first');
});

job('copy and paste', async (handsOn) => {
  const path = '/windows-hardware/drivers/whea/persistence-of-pfa-results-in-memory';
  const { id, page, host } = await openList(dashboard, [{ old_path: path, new_path: '/x' }]);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const hands = handsOn(page);
  const row = rowOf(page, path);
  await row.hover();
  await hands.use(() => row.getByRole('button', { name: /^Copy source/ }).click(), ['ArrowDown', 'Control+c']);
  await until(async () => (await page.evaluate('navigator.clipboard.readText()')) === path);
  await page.evaluate(`navigator.clipboard.writeText('https://${host}/pasted?x=1')`);
  await hands.press(page.getByRole('button', { name: 'New redirect' }), 'n');
  await hands.use(() => field(page, 'From').press('Control+v'), ['Control+v']);
  await hands.write(field(page, 'To'), '/target');
  await hands.press(page.getByRole('button', { name: 'Create redirect' }));
  await until(async () => (await listed(id)).length === 2);
  expect((await listed(id))[1]).toMatchObject({ old_path: '/pasted?x=1', new_path: '/target' });
});

job('long, RTL, non-ASCII', async (handsOn) => {
  const { id, page, host } = await openList(dashboard, [{ old_path: '/plain', new_path: '/x' }]);
  const hands = handsOn(page);
  await rowOf(page, '/plain').waitFor();
  await hands.press(page.getByRole('button', { name: 'New redirect' }), 'n');
  await hands.typeAtOnce(field(page, 'From'), '/مقالات/café');
  const long = `/${'a-long-part/'.repeat(10)}end`;
  await hands.write(field(page, 'To'), long);
  await hands.press(page.getByRole('button', { name: 'Create redirect' }), 'Control+Enter');
  const stored = await until(async () => (await listed(id))[1]);
  expect(stored.new_path).toBe(long);
  await leadsTo(host, '/%D9%85%D9%82%D8%A7%D9%84%D8%A7%D8%AA/caf%C3%A9', long);
  await page.locator('.cell-from .path-text').filter({ hasText: '/مقالات/café' }).waitFor();
  await hands.write(page.getByLabel('Search paths'), 'caf%C3%A9');
  await page.getByText('End of list: 1 redirect', { exact: true }).waitFor();
  await rowOf(page, '/مقالات/café').waitFor();
});

job('second window, stale', async (handsOn) => {
  const { id, page } = await openList(dashboard, [{ old_path: '/a', new_path: '/b' }], '?sort=id');
  const hands = handsOn(page);
  const [{ id: redirect }] = await listed(id);
  await rowOf(page, '/a').waitFor();
  await hands.use(() => rowOf(page, '/a').getByRole('button', { name: '/a', exact: true }).click(), ['ArrowDown', 'o']);
  await hands.write(page.getByLabel('Notes'), 'mine');
  // The other window saves before this one sees it.
  await page.route(new RegExp(`/api/redirects/${redirect}\\?`), (route) => route.abort());
  await dashboard.owner.call('PUT', `/api/redirects/${redirect}`, { new_path: '/theirs', notes: 'theirs' });
  await hands.press(page.getByRole('button', { name: 'Save', exact: true }), 'Control+Enter');
  const alert = page.getByRole('alert').filter({ hasText: 'changed this redirect' });
  await alert.getByText('/theirs').waitFor();
  expect((await redirectOf(redirect)).notes).toBe('theirs');
  await hands.press(alert.getByRole('button', { name: 'Overwrite' }));
  await until(async () => (await redirectOf(redirect)).notes === 'mine');
  expect((await redirectOf(redirect)).new_path).toBe('/theirs');
});

job('Back, deep link, reload', async (handsOn) => {
  const { id, page } = await openList(dashboard, [
    { old_path: '/one', new_path: '/1' },
    { old_path: '/two', new_path: '/2', status_code: 302 },
  ]);
  await settled(dashboard.owner, id);
  const hands = handsOn(page);
  await hands.choose(page.getByLabel('Status'), '302');
  await rowOf(page, '/one').waitFor({ state: 'detached' });
  const two = rowOf(page, '/two').getByRole('button', { name: '/two', exact: true });
  await hands.use(() => two.click(), ['o'], page.getByRole('grid'));
  const panel = redirectPage(page);
  await panel.waitFor();
  const link = page.url();
  await page.reload();
  await panel.waitFor();
  await page.goBack();
  await panel.waitFor({ state: 'detached' });
  await page.goBack();
  await rowOf(page, '/one').waitFor();
  const other = await dashboard.open(new URL(link).pathname + new URL(link).search);
  await redirectPage(other).waitFor();
  expect(await field(other, 'From').inputValue()).toBe('/two');
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
