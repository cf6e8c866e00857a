/** Filters and periods of hit analytics: what is narrowed, what is null, and what is rejected. The clock stands still. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { redirectDay, websiteDay } from '../../support/hits.ts';

const TODAY = '2030-05-15';
const dayBefore = (days: number): string => new Date(Date.parse(TODAY) - days * 86_400_000).toISOString().slice(0, 10);

let detour: TestApp;
let key: string;
let site: number;
/** /a and /b are in the group spring, /c is in none. */
const ids: Record<string, number> = {};
beforeAll(async () => {
  detour = await startTestApp();
  detour.clock.set(`${TODAY}T12:00:01Z`);
  const owner = await detour.account('business');
  ({ key } = await owner.key({ scope: 'write' }));
  const cookie = await detour.cookieOf(owner.email);
  const write = async (path: string, body: unknown) => (await detour.call('POST', path, { cookie, body })).json();
  site = (await write('/api/websites', { name: 'site', hosts: [] })).website.id;
  for (const path of ['/a', '/b', '/c']) {
    const fields = { old_path: path, new_path: '/to', ...(path !== '/c' && { group_id: "it's spring" }) };
    ids[path] = (await write('/api/redirects', { website_id: site, ...fields })).redirect.id;
  }
  const { db } = detour.database;
  const origin = { countries: { DE: 4 }, referrers: { 'news.example': 3 }, utmSources: { mail: 2 } };
  const ofDay = { websiteId: site, day: TODAY, micros: 900, ...origin };
  await redirectDay(db, { ...ofDay, redirectId: ids['/a'] ?? 0, hits: 6, botHits: 1, assistantHits: 8 });
  await redirectDay(db, { ...ofDay, redirectId: ids['/b'] ?? 0, hits: 5, botHits: 9 });
  await redirectDay(db, { websiteId: site, redirectId: ids['/c'] ?? 0, day: TODAY, hits: 7, countries: { SE: 7 } });
  const all = { countries: { DE: 8, SE: 7 }, referrers: { 'news.example': 6 }, utmSources: { mail: 4 } };
  await websiteDay(db, { ...ofDay, ...all, hits: 18, botHits: 10, assistantHits: 8, unmatched: 3 });
  const before = { websiteId: site, day: dayBefore(9), hits: 5, botHits: 4, ...origin };
  await websiteDay(db, { ...before, unmatched: 2 });
  await redirectDay(db, { ...before, redirectId: ids['/a'] ?? 0 });
  const yearAgo = { websiteId: site, day: '2029-05-15', hits: 2, countries: { DE: 1 } };
  await websiteDay(db, yearAgo);
  await redirectDay(db, { ...yearAgo, redirectId: ids['/b'] ?? 0 });
});
beforeEach(() => detour.clock.set(`${TODAY}T12:00:01Z`));
afterAll(() => detour.close());

const ask = async (path: string) => (await detour.call('GET', `/v1/analytics/${path}`, { key })).json();
const overview = (query: string) => ask(`overview?website_id=${site}&period=7d&${query}`);
const groups = (query: string) => ask(`groups?website_id=${site}&period=7d&${query}`);
const linesOf = async (query: string): Promise<string> =>
  (await detour.call('GET', `/v1/analytics/export?website_id=${site}&period=1d&${query}`, { key })).body;
const GROUP = encodeURIComponent("it's spring");

/** Numbers that no part of the hits has. */
const NOT_STORED = {
  unique_visitors: null,
  avg_response_time: null,
  bot_hits: null,
  assistant_hits: null,
  top_countries: null,
  country_hits: null,
  unknown_country_hits: null,
  top_referrers: null,
  referrer_hits: null,
  internal_referrer_hits: null,
  top_utm_sources: null,
  utm_source_hits: null,
};
const top = (counts: [path: string, hits: number, before: number][]) =>
  counts.map(([old_path, hits, previous_hits]) => ({
    redirect_id: String(ids[old_path]),
    old_path,
    hits,
    previous_hits,
  }));

describe('a part of the hits', () => {
  test.each([
    [
      'country=DE',
      8,
      4,
      null,
      () =>
        top([
          ['/a', 4, 4],
          ['/b', 4, 0],
        ]),
    ],
    ['country=SE', 7, 0, null, () => top([['/c', 7, 0]])],
    [
      'referrer=news.example',
      6,
      3,
      null,
      () =>
        top([
          ['/a', 3, 3],
          ['/b', 3, 0],
        ]),
    ],
    [
      'utm_source=mail',
      4,
      2,
      null,
      () =>
        top([
          ['/a', 2, 2],
          ['/b', 2, 0],
        ]),
    ],
    [
      'agents=bots',
      10,
      4,
      0,
      () =>
        top([
          ['/b', 9, 0],
          ['/a', 1, 4],
        ]),
    ],
    ['agents=assistants', 8, 0, 0, () => top([['/a', 8, 0]])],
    ['country=FR', 0, 0, null, () => []],
  ] as const)(
    '%s narrows hits, days and redirects; other numbers are null',
    async (query, hits, before, lost, rows) => {
      const report = await overview(query);
      expect(report).toMatchObject({ ...NOT_STORED, total_hits: hits, not_found: lost, top_redirects: rows() });
      expect(report.daily_hits[0]).toEqual({ date: TODAY, hits });
      const { country_hits: _, ...rest } = NOT_STORED;
      expect(report.previous_period).toMatchObject({
        total_hits: before,
        unique_visitors: rest.unique_visitors,
        not_found: lost,
      });
    },
  );

  test('the same of a redirect, of groups and in files', async () => {
    expect(await ask(`redirects/${ids['/a']}?period=7d&country=DE`)).toMatchObject({ ...NOT_STORED, total_hits: 4 });
    const spring = { group_id: "it's spring", hits: 10, previous_hits: 4 };
    expect(await groups('agents=bots')).toEqual({ groups: [spring], grouped_hits: 10 });
    expect(await groups('country=SE')).toEqual({ groups: [], grouped_hits: 0 });
    expect(await linesOf('table=days&country=DE')).toBe(`date,hits\n${TODAY},8\n`);
    expect(await linesOf('table=groups&referrer=news.example')).toBe(`group_id,hits\nit's spring,6\n`);
    expect(await linesOf('table=redirects&agents=bots')).toContain(`\n${ids['/a']},/a,it's spring,1\n`);
  });
});

describe('a group', () => {
  test('has the sums of its redirects, without visitors and unmatched paths', async () => {
    const report = await overview(`group_id=${GROUP}`);
    expect(report).toMatchObject({
      total_hits: 11,
      bot_hits: 10,
      assistant_hits: 8,
      avg_response_time: '0.16ms',
      unique_visitors: null,
      not_found: null,
      country_hits: [{ country: 'DE', hits: 8, previous_hits: 4 }],
      unknown_country_hits: 3,
      top_referrers: [{ host: 'news.example', hits: 6, previous_hits: 3 }],
      top_utm_sources: [{ source: 'mail', hits: 4, previous_hits: 2 }],
      top_redirects: top([
        ['/a', 6, 5],
        ['/b', 5, 0],
      ]),
      previous_period: { total_hits: 5, bot_hits: 4 },
    });
    expect(await overview(`group_id=${GROUP}&country=DE`)).toMatchObject({ ...NOT_STORED, total_hits: 8 });
    expect(await overview('group_id=autumn')).toMatchObject({ total_hits: 0, top_redirects: [] });
    expect(await linesOf(`table=days&group_id=${GROUP}`)).toBe(`date,hits,bot_hits,assistant_hits\n${TODAY},11,10,8\n`);
    expect(await linesOf(`table=countries&group_id=${GROUP}`)).toBe('country,hits\nDE,8\n,3\n');
    expect(await linesOf(`table=referrers&group_id=${GROUP}`)).toBe('kind,host,hits\nhost,news.example,6\ndirect,,5\n');
  });
});

describe('periods', () => {
  const periods = async (query: string) => {
    const { total_hits, daily_hits, previous_period: before } = await ask(`overview?website_id=${site}&${query}`);
    const [last] = daily_hits;
    return [total_hits, daily_hits.at(-1).date, last.date, before?.start_date, before?.end_date, before?.total_hits];
  };

  test('any days, compared with those before, those of a year before, or any others', async () => {
    const days = 'start_date=2030-05-06&end_date=2030-05-08';
    expect(await periods(days)).toEqual([5, '2030-05-06', '2030-05-08', undefined, undefined, undefined]);
    expect(await periods('period=1d&compare=year')).toEqual([18, TODAY, TODAY, '2029-05-15', '2029-05-15', 2]);
    expect(await periods('period=1d&compare_start_date=2030-05-01&compare_end_date=2030-05-14')).toEqual([
      18,
      TODAY,
      TODAY,
      '2030-05-01',
      '2030-05-14',
      5,
    ]);
    const { top_redirects: rows } = await overview('compare=year');
    expect(rows).toContainEqual({ redirect_id: String(ids['/b']), old_path: '/b', hits: 5, previous_hits: 2 });
    const file = await detour.call('GET', `/v1/analytics/export?website_id=${site}&table=days&${days}`, { key });
    expect(file.headers['content-disposition']).toContain(`website-${site}-days-2030-05-06-to-2030-05-08.csv`);
    expect(
      file.body
        .split('\n')
        .slice(1, 4)
        .map((line) => line.split(',')[0]),
    ).toEqual(['2030-05-08', '2030-05-07', '2030-05-06']);
  });
});

test.each([
  ['country=DE&referrer=a.example', 'referrer: cannot be combined with country'],
  ['agents=bots&utm_source=x', 'utm_source: cannot be combined with agents'],
  ['agents=robots', 'agents: '],
  ['country=de', 'country: must be a two-letter country code in capitals, such as DE'],
  ['referrer=', 'referrer: must have at least 1 character'],
  ['group_id=%00', 'group_id: must not hold control characters'],
  ['start_date=2030-05-32', 'start_date: must be a calendar day'],
  ['start_date=2030-05-14&end_date=2030-05-13', 'start_date: must not be after end_date (2030-05-13)'],
  ['end_date=2030-05-16', 'end_date: must not be after today (2030-05-15)'],
  ['start_date=2029-05-14', 'start_date: the range has 367 days; at most 366 are allowed'],
  ['period=7d&start_date=2030-05-14', 'period: cannot be combined with start_date'],
  ['compare=month', 'compare: '],
  ['compare_start_date=2030-05-01', 'compare_end_date: is required with compare_start_date'],
  ['compare_end_date=2030-05-01', 'compare_start_date: is required with compare_end_date'],
  ['compare=year&compare_start_date=2030-05-01', 'compare: cannot be combined with compare_start_date'],
  [
    'compare_start_date=2030-05-02&compare_end_date=2030-05-01',
    'compare_start_date: must not be after compare_end_date',
  ],
])('%s is 400 with the field', async (query, details) => {
  const answer = await detour.call('GET', `/v1/analytics/overview?website_id=${site}&${query}`, { key });
  expect([answer.statusCode, answer.json().code]).toEqual([400, 'INVALID_PARAMETER']);
  expect(answer.json().details).toContain(details);
});

test.each([
  [`redirect_id=1&group_id=${GROUP}&table=days`, 'redirect_id: cannot be combined with group_id; omit it'],
  ['table=countries&agents=bots', 'table: countries are stored for all hits by humans only; omit the filter'],
])('an export of %s is 400', async (query, details) => {
  const answer = await detour.call('GET', `/v1/analytics/export?website_id=${site}&${query}`, { key });
  expect([answer.statusCode, answer.json().details]).toEqual([400, details]);
});
