import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { redirectDay, websiteDay } from '../../support/hits.ts';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

const dayBefore = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/** The number of a tile. */
const tile = (page: Page, name: string) => page.locator('.tiles > div').filter({ hasText: name }).locator('.value');

test('shows hits, days, countries, redirects and unmatched paths within a moment', async () => {
  const site = await createSite(dashboard.owner, ['hits.example.com']);
  const id = await addRedirect(dashboard.owner, site, { old_path: '/old', new_path: '/new' });
  await settled(dashboard.owner, site);
  const page = await dashboard.open(`/websites/${site}/analytics`);
  await page.getByText('No hits in this period').waitFor();
  await websiteDay(dashboard.detour.db, {
    websiteId: site,
    day: dayBefore(3),
    hits: 40,
    botHits: 2,
    assistantHits: 5,
    unmatched: 7,
    countries: { DE: 30, SE: 6 },
  });
  await redirectDay(dashboard.detour.db, {
    websiteId: site,
    redirectId: id,
    day: dayBefore(3),
    hits: 40,
    countries: { DE: 30, SE: 6 },
  });
  const { status } = await dashboard.detour.visit('hits.example.com', '/old');
  expect(status).toBe(301);
  await until(async () => {
    await page.reload();
    await page.locator('.tiles .value').first().waitFor();
    return (await tile(page, 'Hits').textContent()) === '41';
  });
  expect(await tile(page, 'Not found').textContent()).toBe('7');
  expect(await tile(page, 'Assistants').textContent()).toBe('5');
  await page.getByText('Germany').waitFor();
  await page
    .getByRole('listitem')
    .filter({ hasText: /^Unknown5/ })
    .waitFor();
  await page.locator('.chart-day').first().waitFor();
  await page.getByText('View as table').click();
  await page.getByRole('cell', { name: '40', exact: true }).waitFor();
  await expectAccessible(page);

  await page.getByRole('link', { name: '/old' }).click();
  await page.getByRole('heading', { name: '/old' }).waitFor();
  await page.getByText('Redirects to /new').waitFor();
  expect(new URL(page.url()).searchParams.get('redirect')).toBe(String(id));
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.goBack();
  await page.getByText('Top redirects').waitFor();
});

test('the previous period is compared, groups lead to their redirects, and each table downloads as CSV', async () => {
  const site = await createSite(dashboard.owner, ['compared.example.com']);
  const id = await addRedirect(dashboard.owner, site, { old_path: '/old', new_path: '/new', group_id: 'spring' });
  const codes = 'AT BE BG CH CZ DE DK EE ES FI FR GB'.split(' ');
  const countries = Object.fromEntries(codes.map((code, i) => [code, 20 - i]));
  const sources = {
    referrers: { 'news.example': 90, 'compared.example.com': 20, '': 10 },
    utmSources: { newsletter: 30 },
  };
  const { db } = dashboard.detour;
  await websiteDay(db, { websiteId: site, day: dayBefore(3), hits: 300, botHits: 2, countries, ...sources });
  await websiteDay(db, { websiteId: site, day: dayBefore(10), hits: 200, botHits: 4 });
  await redirectDay(db, { websiteId: site, redirectId: id, day: dayBefore(3), hits: 300, ...sources });
  const page = await dashboard.open(`/websites/${site}/analytics?period=7d`);
  const change = (tileAt: number) => page.locator('.tiles > div').nth(tileAt).locator('.change').textContent();
  await page.getByText('Changes are vs. the 7 days before.').waitFor();
  expect([await change(0), await change(3)]).toEqual(['+50%', '-50%']);
  const list = page.getByRole('region', { name: 'Countries' });
  expect(await list.getByRole('listitem').allTextContents()).toContain('Other countries196.3%');
  await list.getByRole('button', { name: 'Show more' }).click();
  await list.getByText('United Kingdom').waitFor();
  expect(await list.getByRole('listitem').last().textContent()).toMatch(/^Unknown126/);
  await expectAccessible(page);
  await expectFits(page, 360);

  const csv = async (name: string): Promise<string> => {
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: `CSV of ${name}` }).click();
    return readFileSync(await (await download).path(), 'utf8');
  };
  expect(await csv('countries')).toContain('\nGB,9\n,126\n');
  expect(await csv('groups')).toBe('group_id,hits,bot_hits,assistant_hits\nspring,300,0,0\n');
  expect(await csv('redirects')).toContain(`\n${id},/old,spring,300,0,0\n`);
  expect((await csv('days')).split('\n')).toHaveLength(9);
  expect(await csv('UTM sources')).toBe('kind,utm_source,hits\nsource,newsletter,30\nnone,,270\n');
  const rowsOf = (name: string) => page.getByRole('region', { name }).getByRole('listitem').allTextContents();
  const referrers = [
    'news.example9030.0%',
    'Other websites and apps103.3%',
    'This website206.7%',
    'Direct or unknown18060.0%',
  ];
  expect(await rowsOf('Referrers')).toEqual(referrers);
  expect(await rowsOf('UTM sources')).toEqual(['newsletter3010.0%', 'Without a UTM source27090.0%']);
  await page.getByRole('link', { name: '/old' }).click();
  await page.getByRole('heading', { name: '/old' }).waitFor();
  expect(await rowsOf('Referrers')).toEqual(referrers);
  expect(await csv('referrers')).toContain('\nhost,news.example,90\n');
  await page.goBack();
  await page.getByRole('link', { name: 'spring' }).click();
  await page.waitForURL(`**/websites/${site}/redirects?group=spring`);
});

test('arrow keys move between the days of the chart and show their hits', async () => {
  const site = await createSite(dashboard.owner, ['pointed.example.com']);
  await websiteDay(dashboard.detour.db, { websiteId: site, day: dayBefore(3), hits: 40 });
  await websiteDay(dashboard.detour.db, { websiteId: site, day: dayBefore(0), hits: 1 });
  const page = await dashboard.open(`/websites/${site}/analytics`);
  await page.locator('.chart-day').first().waitFor();
  await page.keyboard.press('ArrowRight');
  const day = page.getByRole('slider', { name: 'Day' });
  await until(async () => /: 1 hit$/.test((await day.getAttribute('aria-valuetext')) ?? ''));
  for (let at = 0; at < 3; at++) await page.keyboard.press('ArrowLeft');
  expect(await day.getAttribute('aria-valuetext')).toMatch(/: 40 hits$/);
  expect(await page.locator('.daily-note').textContent()).toMatch(/: 40 hits$/);
  await expectAccessible(page);
  await page.keyboard.press('Home');
  expect(await day.getAttribute('aria-valuenow')).toBe('1');
  expect(await day.getAttribute('aria-valuetext')).toMatch(/: 0 hits$/);
  await page.keyboard.press('Tab');
  expect(await page.locator('.daily-note').textContent()).toMatch(/^Peak on .*: 40$/);
});

test('touching or swiping the chart shows the hits of the day', async () => {
  const site = await createSite(dashboard.owner, ['touched.example.com']);
  await websiteDay(dashboard.detour.db, { websiteId: site, day: dayBefore(6), hits: 12 });
  await websiteDay(dashboard.detour.db, { websiteId: site, day: dayBefore(0), hits: 34 });
  const page = await dashboard.open(`/websites/${site}/analytics?period=7d`, { hasTouch: true });
  const plot = page.locator('.day-plot');
  await plot.waitFor();
  const box = await plot.boundingBox();
  if (!box) throw new Error('the chart is not shown');
  const note = page.locator('.daily-note');
  await page.touchscreen.tap(box.x + box.width / 14, box.y + 50);
  await until(async () => /: 12 hits$/.test((await note.textContent()) ?? ''));
  const finger = { pointerType: 'touch', clientX: box.x + (box.width * 13) / 14, clientY: box.y + 50 };
  await plot.dispatchEvent('pointermove', finger);
  await until(async () => /: 34 hits$/.test((await note.textContent()) ?? ''));
});

test('environment and period are in the URL, and a reload keeps them', async () => {
  const site = await createSite(dashboard.owner, ['periods.example.com']);
  await websiteDay(dashboard.detour.db, { websiteId: site, day: dayBefore(60), hits: 12 });
  await websiteDay(dashboard.detour.db, {
    websiteId: site,
    day: dayBefore(0),
    hits: 5,
    environment: 'staging',
  });
  const page = await dashboard.open(`/websites/${site}/analytics`);
  await page.getByText('No hits in this period').waitFor();
  await page.getByLabel('Period', { exact: true }).selectOption('90d');
  await until(async () => (await tile(page, 'Hits').textContent()) === '12');
  await page.getByLabel('Environment', { exact: true }).selectOption('staging');
  await until(async () => (await tile(page, 'Hits').textContent()) === '5');
  expect(page.url()).toMatch(/period=90d&environment=staging/);
  await page.reload();
  await until(async () => (await tile(page, 'Hits').textContent()) === '5');
});

test('a deleted redirect is reported, and a failed request can be retried', async () => {
  const site = await createSite(dashboard.owner, ['gone.example.com']);
  const page = await dashboard.open(`/websites/${site}/analytics?redirect=999999`);
  await page.getByText('Redirect not found').waitFor();
  await page.route('**/analytics/overview*', (route) => route.abort());
  await page.goto(`/websites/${site}/analytics`);
  await page.getByText('The service cannot be reached').waitFor();
  await page.unroute('**/analytics/overview*');
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByText('No hits in this period').waitFor();
});

test('a plan without analytics names the plan that includes them', async () => {
  const free = await dashboard.detour.account('free');
  const site = await createSite(free, ['free.example.com']);
  const page = await dashboard.openAs(free, `/websites/${site}/analytics`);
  await page.getByText('Analytics require the Pro plan').waitFor();
  await expectAccessible(page);
});

test('no script errors, policy violations or requests to other hosts', () => {
  expect(dashboard.complaints).toEqual([]);
});
