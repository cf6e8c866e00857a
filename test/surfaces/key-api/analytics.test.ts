/** GET /api/v1/analytics, field by field. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { addRedirect, createSite, deploy, settled } from '../../support/site.ts';

let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account('business');
});
afterAll(() => detour.stop());

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- an answer of any shape
const ask = (websiteId: number | string, query = ''): Promise<Answer<any>> =>
  owner.keyCall('GET', `/api/v1/analytics?website_id=${websiteId}${query}`);

const DAY_MS = 86_400_000;
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Gives redirects the day of creation that they would have had. */
async function createdOn(ids: number[], time: string): Promise<void> {
  await detour.db.$client.query('update redirects set created_at = $2 where id = any($1)', [ids, time]);
}

describe('200', () => {
  test('a new website has zeros for each of the last 30 days, oldest first', async () => {
    const site = await createSite(owner, []);
    const before = Date.now();
    const { status, body } = await ask(site);
    const today = [dayOf(before), dayOf(Date.now())].find((day) => day === body.date_range.end_date);
    expect([status, today]).toEqual([200, body.date_range.end_date]);
    const end = Date.parse(body.date_range.end_date);
    const days = Array.from({ length: 30 }, (_, i) => dayOf(end - (29 - i) * DAY_MS));
    expect(body).toEqual({
      website: { id: String(site), name: 'website []' },
      date_range: { start_date: days[0], end_date: days[29] },
      analytics: {
        overview: { total_redirects: 0, deployed_redirects: 0, total_groups: 0 },
        time_series: days.map((period) => ({ period, redirect_count: 0, deployed_count: 0 })),
        top_groups: [],
        environments: { production_deployed: 0, staging_deployed: 0, development_deployed: 0 },
      },
    });
  });

  test('a redirect is counted on the UTC day on which it was created, both ends of the range included', async () => {
    const site = await createSite(owner, [], { auto_deploy: false });
    const ids: number[] = [];
    for (const path of ['/1', '/2', '/3', '/4'])
      ids.push(await addRedirect(owner, site, { old_path: path, new_path: '/x' }));
    const times = ['2026-02-27T23:59:59Z', '2026-02-28T00:00:00Z', '2026-03-01T23:59:59.999Z', '2026-03-02T00:00:00Z'];
    for (const [i, time] of times.entries()) await createdOn(ids.slice(i, i + 1), time);
    const { body } = await ask(site, '&start_date=2026-02-28&end_date=2026-03-01&group_by=day');
    expect(body.date_range).toEqual({ start_date: '2026-02-28', end_date: '2026-03-01' });
    expect(body.analytics.time_series).toEqual([
      { period: '2026-02-28', redirect_count: 1, deployed_count: 0 },
      { period: '2026-03-01', redirect_count: 1, deployed_count: 0 },
    ]);
    expect(body.analytics.overview.total_redirects).toBe(4);
  });

  test('weeks are named by their Monday, months by their first day; the range cuts the first and the last', async () => {
    const site = await createSite(owner, [], { auto_deploy: false });
    const ids = [
      await addRedirect(owner, site, { old_path: '/1', new_path: '/x' }),
      await addRedirect(owner, site, { old_path: '/2', new_path: '/x' }),
    ];
    // A Monday, and the Sunday six days after it.
    await createdOn(ids.slice(0, 1), '2026-03-30T12:00:00Z');
    await createdOn(ids.slice(1), '2026-04-05T12:00:00Z');
    const series = async (query: string) =>
      (await ask(site, query)).body.analytics.time_series.map((one: { period: string; redirect_count: number }) => [
        one.period,
        one.redirect_count,
      ]);
    expect(await series('&start_date=2026-03-29&end_date=2026-04-06&group_by=week')).toEqual([
      ['2026-03-23', 0],
      ['2026-03-30', 2],
      ['2026-04-06', 0],
    ]);
    expect(await series('&start_date=2026-03-31&end_date=2026-04-05&group_by=week')).toEqual([['2026-03-30', 1]]);
    expect(await series('&start_date=2026-03-31&end_date=2026-05-01&group_by=month')).toEqual([
      ['2026-03-01', 0],
      ['2026-04-01', 1],
      ['2026-05-01', 0],
    ]);
  });

  test('deployed is what is live anywhere in some state, environments are what is served in each', async () => {
    const site = await createSite(owner, [], { auto_deploy: false });
    const add = (path: string, target_environments: string, group_id: string) =>
      addRedirect(owner, site, { old_path: path, new_path: '/x', target_environments, group_id });
    const both = await add('/both', 'production,staging', 'a');
    const gone = await add('/gone', 'production', 'a');
    await add('/staging', 'staging', 'b');
    await add('/draft', '', 'b');
    await deploy(owner, site, 'production');
    await deploy(owner, site, 'staging');
    await owner.call('PUT', `/api/redirects/${both}`, { new_path: '/later', group_id: 'b' });
    await owner.call('DELETE', `/api/redirects/${gone}`);
    await add('/new', 'production', 'a');
    const { analytics } = (await ask(site)).body;
    expect(analytics.overview).toEqual({ total_redirects: 4, deployed_redirects: 2, total_groups: 2 });
    expect(analytics.top_groups).toEqual([
      { group_id: 'b', redirect_count: 3, deployed_count: 2 },
      { group_id: 'a', redirect_count: 1, deployed_count: 0 },
    ]);
    expect(analytics.environments).toEqual({
      production_deployed: 2,
      staging_deployed: 2,
      development_deployed: 0,
    });
    expect(analytics.time_series.at(-1)).toMatchObject({ redirect_count: 4, deployed_count: 2 });
  });

  test('the ten largest groups, equal ones by name; redirects without a group are in none', async () => {
    const site = await createSite(owner, [], { auto_deploy: false });
    const groups = ['k', 'j', 'i', 'h', 'g', 'f', 'e', 'd', 'c', 'b', 'a', 'B', 'a', ''];
    for (const [i, group_id] of groups.entries()) {
      await addRedirect(owner, site, { old_path: `/${i}`, new_path: '/x', ...(group_id && { group_id }) });
    }
    const { overview, top_groups } = (await ask(site)).body.analytics;
    expect(overview).toMatchObject({ total_redirects: 14, total_groups: 12 });
    expect(top_groups.map((one: { group_id: string }) => one.group_id).join('')).toBe('aBbcdefghi');
  });

  test('what is deployed by itself is counted as soon as it is live', async () => {
    const site = await createSite(owner, []);
    await addRedirect(owner, site, { old_path: '/a', new_path: '/b' });
    await settled(owner, site);
    const { overview, environments } = (await ask(site)).body.analytics;
    expect([overview.deployed_redirects, environments.production_deployed]).toEqual([1, 1]);
  });

  test('the longest range has 3,660 days', async () => {
    const site = await createSite(owner, []);
    const { body } = await ask(site, '&start_date=2016-01-01&end_date=2026-01-07');
    expect(body.analytics.time_series).toHaveLength(3_660);
    expect((await ask(site, '&start_date=2016-01-01&end_date=2026-01-08')).status).toBe(400);
  });

  test.each([
    ['&end_date=2026-03-01', '2026-01-31', '2026-03-01'],
    ['&start_date=2024-02-29&end_date=2024-02-29', '2024-02-29', '2024-02-29'],
  ])('%s asks for %s to %s', async (query, start_date, end_date) => {
    const site = await createSite(owner, []);
    expect((await ask(site, query)).body.date_range).toEqual({ start_date, end_date });
  });

  test('a read key is enough', async () => {
    const site = await createSite(owner, []);
    const made = await owner.call('POST', '/api/keys', { name: 'reader', scope: 'read' });
    const answer = await fetch(`${detour.address}/api/v1/analytics?website_id=${site}`, {
      headers: { authorization: `Bearer ${made.body.api_key.key}` },
    });
    expect(answer.status).toBe(200);
  });
});

describe('400', () => {
  test.each([
    ['a range that ends before it starts', '&start_date=2026-03-02&end_date=2026-03-01', 'start_date'],
    ['a start in the future without an end', '&start_date=2999-01-01', 'start_date'],
    ['a day that no calendar has', '&start_date=2026-02-30', 'start_date'],
    ['a leap day in another year', '&end_date=2026-02-29', 'end_date'],
    ['a month that does not exist', '&end_date=2026-13-01', 'end_date'],
    ['the year 0', '&start_date=0000-12-31&end_date=0001-01-01', 'start_date'],
    ['a time', '&start_date=2026-03-01T00:00:00Z', 'start_date'],
    ['a short form', '&start_date=2026-3-1', 'start_date'],
    ['an empty date', '&start_date=', 'start_date'],
    ['another period', '&group_by=hour', 'group_by'],
    ['an unknown parameter', '&period=30d', 'period'],
  ])('%s', async (_name, query, field) => {
    const site = await createSite(owner, []);
    const { status, body } = await ask(site, query);
    expect([status, body.code]).toEqual([400, 'INVALID_PARAMETER']);
    expect(body.details).toContain(field);
  });

  test('a missing website_id is MISSING_PARAMETER', async () => {
    const { status, body } = await owner.keyCall('GET', '/api/v1/analytics');
    expect([status, body.code]).toEqual([400, 'MISSING_PARAMETER']);
  });
});

test('403 for an account of the free plan', async () => {
  const free = await detour.account('free');
  const { status, body } = await free.keyCall('GET', '/api/v1/analytics?website_id=1');
  expect([status, body.code]).toEqual([403, 'PLAN_REQUIRED']);
});

test('404 for a website that is another account’s, deleted, or could not be', async () => {
  const stranger = await detour.account();
  const theirs = await createSite(stranger, []);
  const deleted = await createSite(owner, []);
  await owner.call('DELETE', `/api/websites/${deleted}`);
  for (const id of [theirs, deleted, 'shop', 0, -1, '1.5', 99_999_999_999, '']) {
    const { status, body } = await ask(id);
    expect([id, status, body.code]).toEqual([id, 404, 'WEBSITE_NOT_FOUND']);
  }
});
