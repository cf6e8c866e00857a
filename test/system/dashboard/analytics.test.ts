import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { namedDay, redirectDay, websiteDay } from '../../support/hits.ts';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';

let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

const dayBefore = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

test('names assistants and crawlers, also without hits by humans', async () => {
  const site = await createSite(dashboard.owner, ['named.example.com']);
  const { db } = dashboard.detour;
  const stored = { websiteId: site, day: dayBefore(1) };
  await websiteDay(db, { ...stored, botHits: 9, assistantHits: 3 });
  await namedDay(db, { ...stored, name: 'GPTBot', hits: 5, unmatched: 2 });
  await namedDay(db, { ...stored, name: 'ChatGPT-User', hits: 3 });
  const page = await dashboard.open(`/websites/${site}/analytics`);
  await page.getByText('No hits in this period').waitFor();
  const rows = page.getByRole('region', { name: 'Assistants and crawlers' }).getByRole('listitem');
  expect(await rows.allTextContents()).toEqual([
    'GPTBot OpenAI, crawler, 2 not found758.3%',
    'ChatGPT-User OpenAI, assistant325.0%',
    'Other bots and assistants216.7%',
  ]);
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.getByRole('link', { name: 'Only assistants' }).click();
  await until(async () => (await rows.count()) === 1);
  expect(await rows.textContent()).toContain('ChatGPT-User');
});

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
  // The pressed row has gone.
  expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Remove filter Redirect: /old');
  expect(new URL(page.url()).searchParams.get('redirect')).toBe(String(id));
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.goBack();
  await page.getByText('Top redirects').waitFor();
});

test('the previous period is compared, and each table downloads as CSV', async () => {
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
  const others = ['Other websites and apps103.3%', 'This website206.7%', 'Direct or unknown18060.0%'];
  expect(await rowsOf('Referrers')).toEqual(['news.example9030.0%new', ...others]);
  expect(await rowsOf('UTM sources')).toEqual(['newsletter3010.0%new', 'Without a UTM source27090.0%']);
  await page.getByRole('link', { name: '/old' }).click();
  await page.getByRole('heading', { name: '/old' }).waitFor();
  expect(await rowsOf('Referrers')).toEqual(['news.example9030.0%', ...others]);
  expect(await csv('referrers')).toContain('\nhost,news.example,90\n');
});

test('every number filters: by keyboard, kept in the URL, and removed one by one', async () => {
  const site = await createSite(dashboard.owner, ['filtered.example.com']);
  const { db } = dashboard.detour;
  const origins = { countries: { DE: 30, SE: 6 }, referrers: { 'news.example': 9 } };
  const id = await addRedirect(dashboard.owner, site, { old_path: '/old', new_path: '/new', group_id: 'spring' });
  await websiteDay(db, { websiteId: site, day: dayBefore(2), hits: 50, botHits: 8, unmatched: 3, ...origins });
  await websiteDay(db, { websiteId: site, day: dayBefore(9), hits: 20, countries: { DE: 20 } });
  await redirectDay(db, { websiteId: site, redirectId: id, day: dayBefore(2), hits: 40, countries: { DE: 24 } });
  const page = await dashboard.open(`/websites/${site}/analytics?period=7d`);
  const hits = (count: string) => until(async () => (await tile(page, 'Hits').textContent()) === count);
  const names = () => page.locator('.tiles dt').allTextContents();
  const press = async (role: 'link' | 'button', name: string): Promise<void> => {
    await page.getByRole(role, { name, exact: true }).focus();
    await page.keyboard.press('Enter');
  };
  await press('link', 'Germany');
  await hits('30');
  expect(await names()).toEqual(['Hits']);
  expect(await page.locator('.tiles .change').textContent()).toBe('+50%');
  await page.getByText('Not stored for these filters, and not shown: visitors, response time, bots').waitFor();
  await press('link', 'spring');
  await hits('24');
  await page.reload();
  await hits('24');
  expect(new URL(page.url()).search).toBe('?period=7d&country=DE&group=spring');
  await expectAccessible(page);
  await expectFits(page, 360);
  await press('button', 'Remove filter Country: Germany');
  await hits('40');
  expect(await names()).toEqual(['Hits', 'Bots', 'Assistants', 'Response time']);
  await press('link', '/old');
  await page.getByText('Redirects to /new').waitFor();
  expect(await page.getByRole('button', { name: /^Remove filter/ }).allTextContents()).toEqual(['Redirect: /old']);
  await press('button', 'Remove filter Redirect: /old');
  await hits('50');
  await press('link', 'Only bots');
  await hits('8');
  expect(await names()).toEqual(['Hits', 'Not found']);
  await press('button', 'Remove filter Visitors: bots');
  await press('link', 'news.example');
  await hits('9');
});

test('any two periods are compared, and releases are marked with their version', async () => {
  const site = await createSite(dashboard.owner, ['released.example.com']);
  await addRedirect(dashboard.owner, site, { old_path: '/old', new_path: '/new' });
  await settled(dashboard.owner, site);
  const { db } = dashboard.detour;
  for (const [ago, hits] of Object.entries({ 0: 30, 1: 10, 40: 20, 41: 60, 366: 10 }))
    await websiteDay(db, { websiteId: site, day: dayBefore(Number(ago)), hits });
  const page = await dashboard.open(`/websites/${site}/analytics?period=7d`);
  const change = (text: string) =>
    until(async () => (await page.locator('.tiles .change').first().textContent()) === text);
  await page.getByText('No data for the 7 days before.').waitFor();
  await page.getByLabel('Period', { exact: true }).selectOption('custom');
  await page.getByLabel('Period: first day').fill(dayBefore(1));
  await page.getByLabel('Compare', { exact: true }).selectOption('year');
  await change('+300%');
  await page.getByLabel('Compare', { exact: true }).selectOption('custom');
  await page.getByLabel('Compare: first day').fill(dayBefore(42));
  await page.getByLabel('Compare: last day').fill(dayBefore(40));
  await change('-50%');
  await page.getByText(/^Changes are vs\. .* \(3 days\)\.$/).waitFor();
  await page.locator('[data-released=true]').waitFor();
  const day = page.getByRole('slider', { name: 'Day' });
  await day.focus();
  await page.keyboard.press('End');
  const text = /: 30 hits \(compared: 60\), released: version 1$/;
  await until(async () => text.test((await day.getAttribute('aria-valuetext')) ?? ''));
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.getByRole('list', { name: 'Releases' }).getByRole('link', { name: 'Version 1' }).click();
  await page.waitForURL(/\/deployments\/compare\?environment=production&from=none&to=1$/);
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
  await until(async () => /: 40 hits$/.test((await day.getAttribute('aria-valuetext')) ?? ''));
  expect(await page.locator('.daily-note').textContent()).toMatch(/: 40 hits$/);
  await expectAccessible(page);
  await page.keyboard.press('Home');
  await until(async () => (await day.getAttribute('aria-valuenow')) === '1');
  expect(await day.getAttribute('aria-valuetext')).toMatch(/: 0 hits$/);
  await page.keyboard.press('Tab');
  expect(await page.locator('.daily-note').textContent()).toMatch(/^Peak on .*: 40$/);
  await page.locator('.chart-day').nth(26).click();
  await page.waitForURL(new RegExp(`start_date=${dayBefore(3)}&end_date=${dayBefore(3)}$`));
  await page.getByRole('heading', { name: 'Hits by hour' }).waitFor();
});

test('the hits of today are shown by hour, beside those of yesterday', async () => {
  const site = await createSite(dashboard.owner, ['today.example.com']);
  const { db } = dashboard.detour;
  await websiteDay(db, { websiteId: site, day: dayBefore(0), hits: 9 });
  await websiteDay(db, { websiteId: site, day: dayBefore(1), hits: 50 });
  await db.$client
    .query(`insert into website_hours values (${site}, 'production', '${dayBefore(0)}T00:00:00Z', 7, 0, 0),
    (${site}, 'production', '${dayBefore(1)}T00:00:00Z', 14, 0, 0)`);
  const page = await dashboard.open(`/websites/${site}/analytics`);
  await page.getByLabel('Period', { exact: true }).selectOption('Today');
  await page.getByRole('heading', { name: 'Hits by hour' }).waitFor();
  const hour = page.getByRole('slider', { name: 'Hour' });
  await hour.focus();
  await page.keyboard.press('Home');
  await until(async () =>
    /, 00:00 UTC: 7 hits \(compared: 14\)$/.test((await hour.getAttribute('aria-valuetext')) ?? ''),
  );
  expect(await hour.getAttribute('aria-valuemax')).toBe('24');
  await page.getByText('2 hits from logs, or earlier versions, have no hour.').waitFor();
  expect(await page.locator('.tiles .change').allTextContents()).toEqual(['-36%']);
  await expectAccessible(page);
  await expectFits(page, 360);
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
