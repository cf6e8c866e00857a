/**
 * Surface B at both prefixes, field by field. The clock stands at 2030-05-15. Holds the rules of
 * src/surfaces/analytics-api/plugin.ts and hits-wire.ts.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Method, startTestApp, type TestApp, type TestOwner } from '../../support/app.ts';
import { namedDay, redirectDay, websiteDay } from '../../support/hits.ts';

const PREFIXES = ['/api/v1/analytics', '/v1/analytics'];
const TODAY = '2030-05-15';

let detour: TestApp;
let owner: TestOwner;
let cookie: string;
let key: string;
beforeAll(async () => {
  detour = await startTestApp();
  owner = await detour.account('business');
  cookie = await detour.cookieOf(owner.email);
  ({ key } = await owner.key({ scope: 'read' }));
});
beforeEach(() => detour.clock.set(`${TODAY}T12:00:01Z`));
afterAll(() => detour.close());

const ask = (path: string, credential: { key?: string } = { key }) => detour.call('GET', path, credential);
const overview = async (websiteId: number | string, query = '', prefix = '/api/v1/analytics') =>
  (await ask(`${prefix}/overview?website_id=${websiteId}${query}`)).json();
const ofRedirect = async (id: number | string, query = '', prefix = '/api/v1/analytics') =>
  (await ask(`${prefix}/redirects/${id}${query}`)).json();

async function write(method: Method, path: string, body?: unknown) {
  return (await detour.call(method, path, { cookie, ...(body !== undefined && { body }) })).json();
}

let sites = 0;
async function newSite(): Promise<number> {
  return (await write('POST', '/api/websites', { name: `site ${++sites}`, hosts: [] })).website.id;
}

async function newRedirect(websiteId: number, path: string): Promise<number> {
  const body = { website_id: websiteId, old_path: path, new_path: '/target' };
  return (await write('POST', '/api/redirects', body)).redirect.id;
}

const dayBefore = (days: number): string => new Date(Date.parse(TODAY) - days * 86_400_000).toISOString().slice(0, 10);
const NO_SOURCES = {
  top_referrers: [],
  referrer_hits: 0,
  internal_referrer_hits: 0,
  top_utm_sources: [],
  utm_source_hits: 0,
};
const zeros = (count: number) => Array.from({ length: count }, (_, i) => ({ date: dayBefore(i), hits: 0 }));

describe.each(PREFIXES)('%s', (prefix) => {
  test('a website without hits has all fields, thirty days of zeros, today first', async () => {
    expect(await overview(await newSite(), '', prefix)).toEqual({
      total_hits: 0,
      unique_visitors: 0,
      avg_response_time: '0ms',
      top_countries: [],
      country_hits: [],
      unknown_country_hits: 0,
      ...NO_SOURCES,
      daily_hits: zeros(30),
      bot_hits: 0,
      assistant_hits: 0,
      previous_period: null,
      not_found: 0,
      named_agents: [],
      unnamed_requests: 0,
      hourly_hits: null,
      top_redirects: [],
    });
  });

  test('a redirect without hits has the five fields and bot_hits', async () => {
    const id = await newRedirect(await newSite(), '/a');
    expect(await ofRedirect(id, '?period=2d', prefix)).toEqual({
      total_hits: 0,
      unique_visitors: 0,
      avg_response_time: '0ms',
      top_countries: [],
      country_hits: [],
      unknown_country_hits: 0,
      ...NO_SOURCES,
      daily_hits: zeros(2),
      bot_hits: 0,
      assistant_hits: 0,
      previous_period: null,
    });
  });

  test('every answer says what is left of the budget, an unknown address included', async () => {
    for (const path of ['/overview', '/redirects/1', '/overview/x', '/', '/nothing']) {
      const { headers } = await ask(prefix + path);
      expect([path, headers['x-ratelimit-limit']]).toEqual([path, '5000']);
      expect(headers['x-ratelimit-reset']).toBe(String(Date.parse(`${TODAY}T12:01:00Z`) / 1000));
    }
  });
});

test('what is not there under /v1 is a 404 in the one body, with the headers', async () => {
  for (const path of ['/v1', '/v1/', '/v1/redirects/bulk', '/v1/analytics', '/api/v1/analytics/none']) {
    const answer = await ask(path);
    expect([path, answer.statusCode, answer.json().code]).toEqual([path, 404, 'NOT_FOUND']);
    expect(answer.headers['x-ratelimit-remaining']).toMatch(/^\d+$/);
  }
});

test('the analytics of surface A stand beside it as before', async () => {
  const answer = await ask(`/api/v1/analytics?website_id=${await newSite()}`);
  expect([answer.statusCode, Object.keys(answer.json())]).toEqual([200, ['website', 'date_range', 'analytics']]);
});

describe('numbers', () => {
  test('a period is today and the days before it, each with its hits, the day before the period with none', async () => {
    const websiteId = await newSite();
    const { db } = detour.database;
    await websiteDay(db, { websiteId, day: TODAY, hits: 5, botHits: 2, assistantHits: 4, micros: 1_000, unmatched: 3 });
    await websiteDay(db, {
      websiteId,
      day: dayBefore(2),
      hits: 7,
      botHits: 1,
      assistantHits: 2,
      micros: 3_800,
      unmatched: 4,
    });
    await websiteDay(db, {
      websiteId,
      day: dayBefore(3),
      hits: 100,
      botHits: 100,
      micros: 9_999,
      unmatched: 100,
    });
    const body = await overview(websiteId, '&period=3d');
    expect(body).toMatchObject({
      total_hits: 12,
      bot_hits: 3,
      assistant_hits: 6,
      not_found: 7,
      avg_response_time: '0.4ms',
    });
    expect(body.daily_hits).toEqual([
      { date: TODAY, hits: 5 },
      { date: dayBefore(1), hits: 0 },
      { date: dayBefore(2), hits: 7 },
    ]);
    expect((await overview(websiteId, '&period=4d')).total_hits).toBe(112);
    expect((await overview(websiteId, '&period=1d')).daily_hits).toEqual([{ date: TODAY, hits: 5 }]);
  });

  test('the day is the clock’s day in UTC', async () => {
    const websiteId = await newSite();
    await websiteDay(detour.database.db, { websiteId, day: '2030-12-31', hits: 1 });
    detour.clock.set('2030-12-31T23:59:59.999Z');
    expect((await overview(websiteId, '&period=1d')).total_hits).toBe(1);
    detour.clock.set('2031-01-01T00:00:00Z');
    expect(await overview(websiteId, '&period=1d')).toMatchObject({
      total_hits: 0,
      daily_hits: [{ date: '2031-01-01', hits: 0 }],
    });
  });

  test('365 days reach from today to 364 days ago, over a leap day', async () => {
    detour.clock.set('2029-02-01T00:00:00Z');
    const days = (await overview(await newSite(), '&period=365d')).daily_hits;
    expect([days.length, days[0].date, days[364].date]).toEqual([365, '2029-02-01', '2028-02-03']);
    expect(days.filter((day: { date: string }) => day.date === '2028-02-29')).toHaveLength(1);
  });

  test('at most ten countries, most hits of the period first, equal ones by code', async () => {
    const websiteId = await newSite();
    const { db } = detour.database;
    const twelve = { AA: 3, BB: 3, CC: 9, DD: 1, EE: 2, FF: 4, GG: 5, HH: 6, II: 7, JJ: 8, KK: 1, LL: 2 };
    await websiteDay(db, { websiteId, day: TODAY, hits: 100, countries: twelve });
    await websiteDay(db, { websiteId, day: dayBefore(1), hits: 9, countries: { LL: 9 } });
    const { top_countries } = await overview(websiteId);
    expect(top_countries).toEqual(['LL', 'CC', 'JJ', 'II', 'HH', 'GG', 'FF', 'AA', 'BB', 'EE']);
  });

  test('the previous period has the sums of as many days, and the lists have up to `limit` rows', async () => {
    const websiteId = await newSite();
    const redirectId = await newRedirect(websiteId, '/a');
    const { db } = detour.database;
    const before = { hits: 4, botHits: 2, assistantHits: 3, micros: 1_600 };
    await websiteDay(db, { websiteId, day: TODAY, hits: 9, countries: { DE: 3, SE: 2, FI: 1 } });
    await websiteDay(db, { websiteId, day: dayBefore(3), ...before, unmatched: 5 });
    await websiteDay(db, { websiteId, day: dayBefore(6), hits: 100 });
    await redirectDay(db, { websiteId, redirectId, day: dayBefore(3), ...before });
    const previous = {
      start_date: dayBefore(5),
      end_date: dayBefore(3),
      total_hits: 4,
      unique_visitors: 0,
      avg_response_time: '0.4ms',
      daily_hits: [4, 0, 0].map((hits, i) => ({ date: dayBefore(3 + i), hits })),
      bot_hits: 2,
      assistant_hits: 3,
    };
    const body = await overview(websiteId, '&period=3d&limit=2');
    expect(body).toMatchObject({ total_hits: 9, previous_period: { ...previous, not_found: 5 } });
    expect(body.country_hits).toEqual([
      { country: 'DE', hits: 3, previous_hits: 0 },
      { country: 'SE', hits: 2, previous_hits: 0 },
    ]);
    expect(body.unknown_country_hits).toBe(3);
    const { previous_period } = await ofRedirect(redirectId, '?period=3d');
    expect(previous_period).toEqual({ ...previous, not_found: 0 });
  });

  test('assistants and crawlers have their requests by name, most first, and the others are one number', async () => {
    const websiteId = await newSite();
    const { db } = detour.database;
    await websiteDay(db, { websiteId, day: TODAY, hits: 5, botHits: 9, assistantHits: 6, unmatched: 3 });
    await websiteDay(db, { websiteId, day: dayBefore(1), botHits: 2, assistantHits: 1 });
    await namedDay(db, { websiteId, day: TODAY, name: 'GPTBot', hits: 4 });
    await namedDay(db, { websiteId, day: dayBefore(1), name: 'GPTBot', hits: 1, unmatched: 2 });
    await namedDay(db, { websiteId, day: TODAY, name: 'ChatGPT-User', hits: 6 });
    await namedDay(db, { websiteId, day: dayBefore(2), name: 'ChatGPT-User', hits: 100 });
    await namedDay(db, { websiteId, day: TODAY, name: 'ClaudeBot', hits: 100, environment: 'staging' });
    // A name that a later version has removed from the list.
    await namedDay(db, { websiteId, day: TODAY, name: 'FormerBot', hits: 1 });
    const bot = { name: 'GPTBot', operator: 'OpenAI', class: 'bot', requests: 7, not_found: 2 };
    const assistant = { name: 'ChatGPT-User', operator: 'OpenAI', class: 'assistant', requests: 6, not_found: 0 };
    const named = async (query: string) => {
      const { named_agents, unnamed_requests } = await overview(websiteId, `&period=2d${query}`);
      return [named_agents, unnamed_requests];
    };
    expect(await named('')).toEqual([[bot, assistant], 5]);
    expect(await named('&agents=bots')).toEqual([[bot], 4]);
    expect(await named('&agents=assistants')).toEqual([[assistant], 1]);
    for (const query of ['&country=DE', '&group_id=x']) expect(await named(query)).toEqual([null, null]);
  });

  test('a previous period with days that are no longer retained is null', async () => {
    const websiteId = await newSite();
    const { db } = detour.database;
    for (const ago of [0, 300]) await websiteDay(db, { websiteId, day: dayBefore(ago), hits: 1 });
    expect((await overview(websiteId, '&period=200d')).previous_period).toMatchObject({ total_hits: 1 });
    expect((await overview(websiteId, '&period=201d')).previous_period).toBeNull();
  });

  test('a group has the hits of its redirects as they are now, most hits first, at most `limit` groups', async () => {
    const websiteId = await newSite();
    const { db } = detour.database;
    const ids: number[] = [];
    for (let i = 0; i < 6; i++) ids.push(await newRedirect(websiteId, `/old/${i}`));
    for (const [i, redirectId] of ids.entries()) {
      await redirectDay(db, { websiteId, redirectId, day: dayBefore(1), hits: 10 ** i });
      await redirectDay(db, { websiteId, redirectId, day: dayBefore(9), hits: 7 });
    }
    const groups = async (query: string) =>
      (await ask(`/v1/analytics/groups?website_id=${websiteId}&period=2d${query}`)).json();
    expect(await groups('')).toEqual({ groups: [], grouped_hits: 0 });
    for (const [group_id, at] of Object.entries({ spring: [0, 2], autumn: [1], none: [] as number[], gone: [5] })) {
      const redirectIds = at.map((i) => ids[i]);
      if (at.length > 0) await write('POST', '/api/redirects/bulk-update', { redirectIds, updates: { group_id } });
    }
    await write('DELETE', `/api/redirects/${ids[5]}`);
    const spring = { group_id: 'spring', hits: 101, previous_hits: 0 };
    const autumn = { group_id: 'autumn', hits: 10, previous_hits: 0 };
    expect(await groups('')).toEqual({ groups: [spring, autumn], grouped_hits: 111 });
    expect(await groups('&limit=1')).toEqual({ groups: [spring], grouped_hits: 111 });
    expect(await groups('&environment=staging')).toEqual({ groups: [], grouped_hits: 0 });
  });

  test('the average has two digits that count', async () => {
    const { db } = detour.database;
    for (const [micros, hits, text] of [
      [37, 1, '0.037ms'],
      [1, 1_000, '0ms'],
      [400, 1, '0.4ms'],
      [1_234, 1, '1.2ms'],
      [12_345, 1, '12ms'],
      [123_456, 1, '123ms'],
    ] as const) {
      const websiteId = await newSite();
      await websiteDay(db, { websiteId, day: TODAY, hits, micros });
      expect((await overview(websiteId)).avg_response_time).toBe(text);
    }
  });

  test('production is counted unless another environment is named', async () => {
    const websiteId = await newSite();
    const redirectId = await newRedirect(websiteId, '/a');
    const { db } = detour.database;
    for (const [environment, hits] of [
      ['production', 1],
      ['staging', 20],
      ['development', 300],
    ] as const) {
      await websiteDay(db, { websiteId, day: TODAY, environment, hits });
      await redirectDay(db, { websiteId, redirectId, day: TODAY, environment, hits: hits + 1 });
    }
    expect((await overview(websiteId)).total_hits).toBe(1);
    expect((await ofRedirect(redirectId)).total_hits).toBe(2);
    for (const [environment, hits] of [
      ['production', 1],
      ['staging', 20],
      ['development', 300],
    ] as const) {
      const body = await overview(websiteId, `&environment=${environment}`);
      expect([body.total_hits, body.top_redirects[0].hits]).toEqual([hits, hits + 1]);
      expect((await ofRedirect(redirectId, `?environment=${environment}`)).total_hits).toBe(hits + 1);
    }
  });

  test('the ten most followed redirects of the period, most hits first, those that are deleted left out', async () => {
    const websiteId = await newSite();
    const { db } = detour.database;
    const ids: number[] = [];
    for (let i = 0; i < 13; i++) ids.push(await newRedirect(websiteId, `/old/${i}`));
    for (const [i, redirectId] of ids.entries()) {
      await redirectDay(db, { websiteId, redirectId, day: dayBefore(1), hits: i });
      await redirectDay(db, { websiteId, redirectId, day: dayBefore(40), hits: 1_000 - i });
    }
    await redirectDay(db, { websiteId, redirectId: ids[1] ?? 0, day: TODAY, hits: 50 });
    for (const ago of [0, 1, 40]) await websiteDay(db, { websiteId, day: dayBefore(ago), hits: 1 });
    await write('DELETE', `/api/redirects/${ids[12]}`);
    const { top_redirects } = await overview(websiteId);
    expect(top_redirects).toEqual(
      [1, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((i) => ({
        redirect_id: String(ids[i]),
        old_path: `/old/${i}`,
        hits: i === 1 ? 51 : i,
        previous_hits: 1_000 - i,
      })),
    );
  });

  test('a redirect’s answer holds its own hits alone', async () => {
    const websiteId = await newSite();
    const one = await newRedirect(websiteId, '/one');
    const two = await newRedirect(websiteId, '/two');
    const { db } = detour.database;
    const countries = { SE: 2, DE: 1 };
    await redirectDay(db, {
      websiteId,
      redirectId: one,
      day: TODAY,
      hits: 3,
      botHits: 4,
      assistantHits: 5,
      micros: 90,
      countries,
    });
    await redirectDay(db, { websiteId, redirectId: two, day: TODAY, hits: 50, micros: 50_000 });
    expect(await ofRedirect(one, '?period=1d')).toEqual({
      total_hits: 3,
      unique_visitors: 0,
      avg_response_time: '0.03ms',
      top_countries: ['SE', 'DE'],
      country_hits: [
        { country: 'SE', hits: 2, previous_hits: null },
        { country: 'DE', hits: 1, previous_hits: null },
      ],
      unknown_country_hits: 0,
      ...NO_SOURCES,
      daily_hits: [{ date: TODAY, hits: 3 }],
      bot_hits: 4,
      assistant_hits: 5,
      previous_period: null,
    });
  });
});

describe('refusals', () => {
  test('an invalid period is 400 with the field and the valid values', async () => {
    const site = await newSite();
    for (const period of ['', '0d', '366d', '30', '30h', 'd', '-1d', '01d', '1.5d', ' 30d', '30D', '1000d']) {
      for (const path of [`overview?website_id=${site}&`, 'redirects/1?']) {
        const answer = await ask(`/v1/analytics/${path}period=${encodeURIComponent(period)}`);
        expect([period, answer.statusCode, answer.json().code]).toEqual([period, 400, 'INVALID_PARAMETER']);
        expect(answer.json().details).toBe('period: must be from 1d to 365d');
      }
    }
  });

  test('400 for a website_id that is missing, an unknown environment, an unknown parameter', async () => {
    expect((await ask('/v1/analytics/overview')).json().code).toBe('MISSING_PARAMETER');
    const site = await newSite();
    for (const query of ['&environment=prod', '&environment=', '&days=3']) {
      const answer = await ask(`/v1/analytics/overview?website_id=${site}${query}`);
      expect([query, answer.statusCode, answer.json().code]).toEqual([query, 400, 'INVALID_PARAMETER']);
    }
  });

  test('404 for what is another account’s, deleted, or no id', async () => {
    const site = await newSite();
    const redirect = await newRedirect(site, '/a');
    const stranger = await (await detour.account('pro')).key();
    const gone = await newRedirect(site, '/b');
    await write('DELETE', `/api/redirects/${gone}`);
    const missing: [path: string, key: string, code: string][] = [
      [`overview?website_id=${site}`, stranger.key, 'WEBSITE_NOT_FOUND'],
      ['overview?website_id=999999', key, 'WEBSITE_NOT_FOUND'],
      ['overview?website_id=abc', key, 'WEBSITE_NOT_FOUND'],
      ['overview?website_id=', key, 'WEBSITE_NOT_FOUND'],
      ['overview?website_id=99999999999', key, 'WEBSITE_NOT_FOUND'],
      [`redirects/${redirect}`, stranger.key, 'REDIRECT_NOT_FOUND'],
      [`redirects/${gone}`, key, 'REDIRECT_NOT_FOUND'],
      ['redirects/999999', key, 'REDIRECT_NOT_FOUND'],
      ['redirects/99999999999999999999', key, 'REDIRECT_NOT_FOUND'],
      ['redirects/abc', key, 'REDIRECT_NOT_FOUND'],
    ];
    for (const [path, credential, code] of missing) {
      const answer = await ask(`/api/v1/analytics/${path}`, { key: credential });
      expect([path, answer.statusCode, answer.json().code]).toEqual([path, 404, code]);
    }
  });

  test('403 PLAN_REQUIRED on a plan without analytics, by key and by the dashboard’s session', async () => {
    const free = await detour.account('free');
    const { key: freeKey } = await free.key();
    const freeCookie = await detour.cookieOf(free.email);
    const headers = { 'sec-fetch-site': 'same-origin' };
    for (const credential of [{ key: freeKey }, { cookie: freeCookie, headers }]) {
      const answer = await detour.call('GET', '/v1/analytics/overview?website_id=1', credential);
      expect([answer.statusCode, answer.json().code]).toEqual([403, 'PLAN_REQUIRED']);
    }
  });

  test('the session counts from the dashboard’s own pages only', async () => {
    const url = `/v1/analytics/overview?website_id=${await newSite()}`;
    const from = (site: string) => detour.call('GET', url, { cookie, headers: { 'sec-fetch-site': site } });
    expect((await from('same-origin')).statusCode).toBe(200);
    expect((await from('cross-site')).statusCode).toBe(401);
    expect((await detour.call('GET', url, { cookie })).statusCode).toBe(401);
  });
});
