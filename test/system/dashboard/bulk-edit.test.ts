/** Many redirects together: edited, deleted, undone, and marked as live. */
import type { Page } from 'playwright-core';
import { readFileSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { settled } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';
import { createDocs, openList, rowOf } from './list.ts';

let dashboard: DashboardTest;
let id: number;
beforeAll(async () => {
  dashboard = await startDashboard();
  id = await createDocs(dashboard);
});
afterAll(() => dashboard.stop());

test('a confirmed deletion of many redirects can be undone', async () => {
  const { page, id } = await openList(
    dashboard,
    Array.from({ length: 22 }, (_, at) => ({ old_path: `/d${at}`, new_path: '/x' })),
  );
  const count = async () => (await dashboard.owner.call('GET', `/api/redirects/count?website_id=${id}`)).body.count;
  await page.getByRole('grid').focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('You can undo this in Activity for 30 days.').waitFor();
  await dialog.getByText('Environments: production').waitFor();
  await dialog.getByText('0 hits in 30 days').waitFor();
  await dialog.getByRole('link', { name: 'Download the list first' }).waitFor();
  await page.getByRole('button', { name: 'Delete 22 redirects' }).click();
  await page.getByText('22 redirects deleted').waitFor();
  expect(await count()).toBe(0);
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Undone: 22 restored').waitFor();
  expect(await count()).toBe(22);
  await rowOf(page, '/d0').waitFor();
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
  await dialog.getByLabel('Find and replace in sources').check();
  await dialog.getByLabel('Find', { exact: true }).last().fill('/serports/');
  await dialog.getByLabel('Replace with', { exact: true }).last().fill('/ports/');
  await dialog.getByLabel('Examples').getByText('/ports/').first().waitFor();
  await expectAccessible(page);
  await dialog.getByLabel('Find and replace in sources').uncheck();
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

test('large deletions need a confirmation with the hits of all, very large ones the typed number', async () => {
  await dashboard.detour.db.execute(sql`
    insert into redirect_hits (website_id, environment, redirect_id, day, hits, bot_hits, micros, countries, visitors)
    select ${id}, 'production', r.id, current_date, 2, 0, 0, '{}', ''
    from (select min(id) as id from redirects where website_id = ${id} union select max(id) from redirects where website_id = ${id}) r`);
  const page = await dashboard.open(`/websites/${id}/redirects`);
  await page.getByRole('checkbox', { name: 'Select loaded rows' }).click();
  await page.getByRole('button', { name: 'Select all 4,700' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('4 hits in 30 days').waitFor();
  await expectAccessible(page);
  const verb = page.getByRole('button', { name: 'Delete 4,700 redirects' });
  expect(await verb.isDisabled()).toBe(true);
  await page.getByLabel('Type 4700 to confirm').fill('4700');
  expect(await verb.isDisabled()).toBe(false);
  await page.keyboard.press('Escape');
  expect((await dashboard.owner.call('GET', `/api/redirects/count?website_id=${id}`)).body.count).toBe(4_700);
});

test('a bulk edit sets and removes the schedule of all', async () => {
  const { page, id } = await openList(dashboard, [
    { old_path: '/one', new_path: '/x' },
    { old_path: '/two', new_path: '/x', active_from: '2030-01-01T00:00:00Z' },
  ]);
  const windows = async () =>
    (await dashboard.owner.call('GET', `/api/redirects?website_id=${id}`)).body.redirects.map(
      ({ active_from: from, active_until: until }: Record<string, string | null>) => [from, until?.slice(0, 4) ?? null],
    );
  const edit = async (until: string) => {
    await page.getByRole('checkbox', { name: 'Select loaded rows' }).click();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Change schedule').check();
    await page.getByLabel('Active until', { exact: true }).fill(until);
    await expectAccessible(page);
    const answer = page.waitForResponse((response) => response.url().endsWith('/bulk-update'));
    await page.getByRole('button', { name: 'Update 2 redirects' }).click();
    expect((await answer).status()).toBe(200);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  await edit('2098-07-01T12:00');
  expect(await windows()).toEqual([
    [null, '2098'],
    [null, '2098'],
  ]);
  await edit('');
  expect(await windows()).toEqual([
    [null, null],
    [null, null],
  ]);
});

test('Health leads to unused redirects, and their deletion repeats the filter and offers a download', async () => {
  const { page, id } = await openList(dashboard, [
    ...Array.from({ length: 22 }, (_, at) => ({ old_path: `/unused-${at}`, new_path: '/x' })),
    { old_path: '/used', new_path: '/x' },
    { old_path: '/young', new_path: '/x' },
  ]);
  const { db } = dashboard.detour;
  await db.execute(sql`
    update redirects set created_at = now() - interval '100 days' where website_id = ${id} and old_path <> '/young'`);
  await db.execute(sql`
    insert into redirect_activity (website_id, redirect_id, environment, last_hit_at, last_hit_minute)
    select website_id, id, 'production', now(), now() from redirects where website_id = ${id} and old_path = '/used'`);
  await page.goto(`/websites/${id}/health`);
  await page.getByRole('link', { name: 'Unused redirects' }).click();
  await page.getByText('22 redirects without a hit for 90 days').waitFor();
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('link', { name: 'Show them' }).click();
  await rowOf(page, '/unused-0').waitFor();
  expect(new URL(page.url()).search).toBe('?environment=production&not_followed=90');
  await page.getByRole('checkbox', { name: 'Select loaded rows' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/^Filters: production, unused since /).waitFor();
  await dialog.getByText('Environments: production').waitFor();
  await dialog.getByText('0 hits in 30 days').waitFor();
  const download = page.waitForEvent('download');
  await dialog.getByRole('link', { name: 'Download the list first' }).click();
  expect(readFileSync(await (await download).path(), 'utf8').match(/\/unused-/g)).toHaveLength(22);
  await expectAccessible(page);
  await expectFits(page, 360);
  await dialog.getByRole('button', { name: 'Delete 22 redirects' }).click();
  await page.getByText('22 redirects deleted').waitFor();
});

describe('live marks', () => {
  const marks = (page: Page, state: RegExp) => page.locator('.rows .mark').filter({ hasText: state });
  async function addStaging(page: Page): Promise<void> {
    await page.getByRole('dialog').getByLabel('Staging').selectOption('Add');
  }

  test('marks are hollow after a bulk update, and filled once it is deployed', async () => {
    const { page, id } = await openList(
      dashboard,
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
    const { page, id } = await openList(dashboard, [
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

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
