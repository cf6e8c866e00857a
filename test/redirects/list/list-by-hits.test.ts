/**
 * GET /api/redirects as evidence for retiring rules: sorted and filtered by who followed them. The clock stands at
 * 2030-05-15. Holds the rules of src/redirects/list/activity.ts.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Method, startTestApp, type TestApp, type TestOwner } from '../../support/app.ts';
import { lastHit, redirectDay } from '../../support/hits.ts';
import { expectStatus } from '../../support/expect-status.ts';

interface Listed {
  id: number;
  old_path: string;
  last_hit_at?: string | null;
  hits?: number;
}

let detour: TestApp;
let owner: TestOwner;
let cookie: string;
/** redirects /r0 to /r11: /r0 was never followed, nor /r6; the others as `FOLLOWED` says */
let site: number;
let ids: number[];
beforeAll(async () => {
  detour = await startTestApp();
  owner = await detour.account('business');
  cookie = await detour.cookieOf(owner.email);
  site = await newSite();
  ids = [];
  for (let i = 0; i < 12; i++) ids.push(await newRedirect(site, `/r${i}`));
  for (const [i, time, ...days] of FOLLOWED) {
    const redirectId = ids[i] ?? 0;
    await lastHit(detour.database.db, { websiteId: site, redirectId, time });
    for (const [day, hits] of days)
      await redirectDay(detour.database.db, { websiteId: site, redirectId, day, hits, botHits: 1_000 });
  }
});
beforeEach(() => detour.clock.advance(60_000));
afterAll(() => detour.close());

type Followed = [i: number, last: string, ...days: [day: string, hits: number][]];
const FOLLOWED: Followed[] = [
  [1, '2030-05-15T11:00:00.000100Z', ['2030-05-15', 5]],
  [2, '2030-05-15T11:00:00.000200Z', ['2030-05-15', 3], ['2030-04-16', 40]],
  [3, '2030-05-15T11:00:30Z', ['2030-05-15', 5]],
  // Long ago, so of no hits in the last 30 days.
  [4, '2030-04-15T23:59:59Z', ['2030-04-15', 99]],
  [5, '2030-03-01T00:00:00Z', ['2030-03-01', 7]],
  [7, '2030-05-01T00:00:00Z', ['2030-05-01', 1]],
  [8, '2030-05-01T00:00:00Z', ['2030-05-01', 1]],
  [9, '2030-05-10T10:10:10Z', ['2030-05-10', 12]],
  // Bots alone make no activity.
  [10, '2029-12-31T23:59:59Z'],
  [11, '2030-05-14T00:00:00Z', ['2030-05-14', 2]],
];
const NEVER = [0, 6];

async function ask(method: Method, url: string, body?: unknown, as = cookie) {
  const answer = await detour.call(method, url, { cookie: as, ...(body !== undefined && { body }) });
  return { status: answer.statusCode, body: answer.json(), text: answer.body };
}

let sites = 0;
const newSite = async (): Promise<number> =>
  (await ask('POST', '/api/websites', { name: `site ${++sites}`, hosts: [] })).body.website.id;

async function newRedirect(websiteId: number, old_path: string, more: object = {}): Promise<number> {
  const { body } = await ask('POST', '/api/redirects', {
    website_id: websiteId,
    old_path,
    new_path: '/x',
    ...more,
  });
  return body.redirect.id;
}

const list = async (query: string, websiteId = site): Promise<Listed[]> => {
  const { status, body, text } = await ask('GET', `/api/redirects?website_id=${websiteId}&${query}`);
  expectStatus({ status, text }, 200);
  return body.redirects;
};
const order = async (query: string): Promise<number[]> => (await list(query)).map(({ id }) => ids.indexOf(id));

async function pages(query: string, limit: number): Promise<number[]> {
  const found: number[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const suffix: string = cursor && `&cursor=${cursor}`;
    const { status, body } = await ask('GET', `/api/redirects?website_id=${site}&${query}&limit=${limit}${suffix}`);
    expect(status).toBe(200);
    expect(body.redirects.length).toBeLessThanOrEqual(limit);
    found.push(...body.redirects.map((each: Listed) => ids.indexOf(each.id)));
    cursor = body.next_cursor;
  }
  return found;
}

const LATEST_FIRST = [3, 2, 1, 11, 9, 8, 7, 4, 5, 10, 6, 0];
const MOST_FIRST = [2, 9, 3, 1, 11, 8, 7, 10, 6, 5, 4, 0];

describe('sorting', () => {
  test('by last_hit_at to the microsecond, never followed counts as longest ago, equal ones by id', async () => {
    expect(await order('sort=-last_hit_at')).toEqual(LATEST_FIRST);
    expect(await order('sort=last_hit_at')).toEqual(LATEST_FIRST.toReversed());
  });

  test('by hits of the last 30 days, none counts least, equal ones by id', async () => {
    expect(await order('sort=-hits')).toEqual(MOST_FIRST);
    expect(await order('sort=hits')).toEqual(MOST_FIRST.toReversed());
  });

  test('by hits since as many days as are asked for, today the first of them', async () => {
    expect((await order('sort=-hits&hits_since=1d')).slice(0, 4)).toEqual([3, 1, 2, 11]);
    expect((await order('sort=-hits&hits_since=31d')).slice(0, 2)).toEqual([4, 2]);
    expect((await order('sort=-hits&hits_since=365d')).slice(0, 5)).toEqual([4, 2, 9, 5, 3]);
  });

  test.each(['-last_hit_at', 'last_hit_at', '-hits', 'hits', '-hits&hits_since=1d', 'hits&hits_since=200d'])(
    'pages sorted by %s are together the whole list, whatever their size',
    async (sort) => {
      const whole = await order(`sort=${sort}`);
      expect(whole.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
      for (const limit of [1, 2, 3, 5, 10, 11, 12, 13])
        expect([limit, await pages(`sort=${sort}`, limit)]).toEqual([limit, whole]);
    },
  );

  test('over several websites it is one order', async () => {
    const one = await detour.account('pro');
    const as = await detour.cookieOf(one.email);
    const made: { website: number; id: number }[] = [];
    for (let i = 0; i < 4; i++) {
      const website = (await ask('POST', '/api/websites', { name: `w${i % 2}`, hosts: [] }, as)).body.website.id;
      const body = { website_id: website, old_path: '/a', new_path: '/x' };
      made.push({ website, id: (await ask('POST', '/api/redirects', body, as)).body.redirect.id });
    }
    for (const [i, { website, id }] of made.slice(0, 3).entries()) {
      const time = `2030-05-0${[5, 7, 6][i]}T00:00:00Z`;
      await lastHit(detour.database.db, { websiteId: website, redirectId: id, time });
      await redirectDay(detour.database.db, {
        websiteId: website,
        redirectId: id,
        day: '2030-05-10',
        hits: i + 1,
      });
    }
    const listed = async (query: string): Promise<number[]> =>
      (await ask('GET', `/api/redirects?${query}`, undefined, as)).body.redirects.map((each: Listed) =>
        made.findIndex(({ id }) => id === each.id),
      );
    for (const paging of ['', '&limit=10']) {
      expect(await listed(`sort=-last_hit_at${paging}`)).toEqual([1, 2, 0, 3]);
      expect(await listed(`sort=-hits${paging}`)).toEqual([2, 1, 0, 3]);
    }
  });

  test('filters hold in both parts of the list', async () => {
    const websiteId = await newSite();
    const made: number[] = [];
    for (let i = 0; i < 8; i++)
      made.push(await newRedirect(websiteId, `/g${i}`, { group_id: i % 2 === 0 ? 'even' : 'odd' }));
    for (const i of [0, 1, 2, 3]) {
      const redirectId = made[i] ?? 0;
      await lastHit(detour.database.db, { websiteId, redirectId, time: `2030-05-1${i}T00:00:00Z` });
      await redirectDay(detour.database.db, { websiteId, redirectId, day: '2030-05-10', hits: i + 1 });
    }
    for (const sort of ['-last_hit_at', '-hits'])
      for (const paging of ['', '&limit=10']) {
        const found = await list(`sort=${sort}&group=even${paging}`, websiteId);
        expect(found.map(({ id }) => made.indexOf(id))).toEqual([2, 0, 6, 4]);
      }
  });
});

describe('fields', () => {
  const of = async (query: string, i: number): Promise<Listed | undefined> =>
    (await list(query)).find(({ id }) => id === ids[i]);

  test('last_hit_at and hits are in the response only if a parameter concerns hits', async () => {
    for (const query of [
      'sort=hits',
      'sort=-last_hit_at',
      'hits_since=30d',
      'daily_hits=true',
      'last_hit_before=2031-01-01',
    ]) {
      for (const paging of ['', '&limit=100']) {
        expect(await of(query + paging, 2)).toMatchObject({ last_hit_at: '2030-05-15T11:00:00Z', hits: 43 });
        expect(await of(query + paging, 0)).toMatchObject({ last_hit_at: null, hits: 0 });
      }
    }
    for (const query of ['', 'sort=id', 'limit=100']) {
      const listed = await of(query, 2);
      expect(Object.keys(listed ?? {})).not.toContain('hits');
      expect(Object.keys(listed ?? {})).not.toContain('last_hit_at');
    }
  });

  test('hits are those of the days asked for, last_hit_at is of any time', async () => {
    expect(await of('hits_since=1d', 2)).toMatchObject({ hits: 3 });
    expect(await of('hits_since=1d', 4)).toMatchObject({ hits: 0, last_hit_at: '2030-04-15T23:59:59Z' });
    expect(await of('hits_since=365d', 4)).toMatchObject({ hits: 99 });
    expect(await of('daily_hits=true&hits_since=7d', 9)).toMatchObject({
      hits: 12,
      daily_hits: [0, 12, 0, 0, 0, 0, 0],
    });
    expect(await of('daily_hits=true&hits_since=2d', 0)).toMatchObject({ hits: 0, daily_hits: [0, 0] });
    expect(await of('hits_since=7d', 9)).not.toHaveProperty('daily_hits');
  });

  test('they are of production, or of the environment that the list is filtered by', async () => {
    const websiteId = await newSite();
    const redirectId = await newRedirect(websiteId, '/a', { target_environments: 'production,staging' });
    const { db } = detour.database;
    await lastHit(db, { websiteId, redirectId, time: '2030-05-02T00:00:00Z', environment: 'staging' });
    await redirectDay(db, { websiteId, redirectId, day: '2030-05-02', hits: 4, environment: 'staging' });
    const told = async (query: string) => (await list(`hits_since=30d${query}`, websiteId))[0];
    expect(await told('')).toMatchObject({ hits: 0, last_hit_at: null });
    expect(await told('&environment=staging')).toMatchObject({
      hits: 4,
      last_hit_at: '2030-05-02T00:00:00Z',
    });
    expect(await list('last_hit_before=2030-05-01', websiteId)).toHaveLength(1);
    expect(await list('last_hit_before=2030-05-01&environment=staging', websiteId)).toHaveLength(0);
  });

  test('may be sent back in a write, and are ignored', async () => {
    const answer = await ask('PUT', `/api/redirects/${ids[2]}`, {
      notes: 'kept',
      hits: 9,
      last_hit_at: null,
    });
    expect([answer.status, Object.keys(answer.body.redirect)]).toEqual([200, ['id', 'notes', 'updated_at']]);
  });
});

describe('last_hit_before', () => {
  test('finds redirects without hits since that time, those without any included, the time itself excluded', async () => {
    expect(await order('last_hit_before=2030-03-01T00:00:00Z')).toEqual([10, 6, 0]);
    expect(await order('last_hit_before=2030-03-01T00:00:01Z')).toEqual([10, 6, 5, 0]);
    expect(await order('last_hit_before=2030-05-01')).toEqual([10, 6, 5, 4, 0]);
    const all = (await order('')).length;
    expect(await order('last_hit_since=2030-05-01')).toHaveLength(all - 5);
    expect(await order('last_hit_since=2030-03-01T00:00:01Z&last_hit_before=2030-05-01')).toEqual([4]);
    expect(await order('last_hit_before=1990-01-01')).toEqual(NEVER.toReversed());
  });

  test('with every sort, in pages and in the whole list', async () => {
    for (const sort of ['id', '-id', 'old_path', '-last_hit_at', 'last_hit_at', 'hits', '-hits']) {
      const query = `sort=${sort}&last_hit_before=2030-05-14`;
      const whole = await order(query);
      expect(whole.toSorted((a, b) => a - b)).toEqual([0, 4, 5, 6, 7, 8, 9, 10]);
      expect(await pages(query, 3)).toEqual(whole);
    }
    expect(await order('sort=-last_hit_at&last_hit_before=2030-05-14')).toEqual([9, 8, 7, 4, 5, 10, 6, 0]);
  });

  test('is a filter of bulk calls as well', async () => {
    const websiteId = await newSite();
    const kept = await newRedirect(websiteId, '/kept');
    const old = await newRedirect(websiteId, '/old');
    await newRedirect(websiteId, '/never');
    const { db } = detour.database;
    await lastHit(db, { websiteId, redirectId: kept, time: '2030-05-14T00:00:00Z' });
    await lastHit(db, { websiteId, redirectId: old, time: '2030-01-14T00:00:00Z' });
    const filter = { website_id: websiteId, last_hit_before: '2030-05-01' };
    expect((await ask('DELETE', '/api/redirects/bulk-delete', { filter })).body.deleted).toBe(2);
    expect((await list('', websiteId)).map(({ id }) => id)).toEqual([kept]);
  });
});

describe('errors', () => {
  test.each([
    'hits_since=0d',
    'hits_since=366d',
    'hits_since=30',
    'hits_since=',
    'last_hit_before=30d',
    'last_hit_before=',
    'last_hit_before=2030-13-01',
    'last_hit_before=0000-01-01',
    'last_hit_before=0000-12-31T23:59:59Z',
    'sort=last_hit',
    'sort=--hits',
  ])('%s is 400 and names the parameter', async (query) => {
    const { status, body, text } = await ask('GET', `/api/redirects?${query}`);
    expect([status, body.code]).toEqual([400, 'INVALID_PARAMETER']);
    expect(text).toContain(query.split('=')[0]);
  });

  test('a cursor of another sort, another period or another environment is 400', async () => {
    const { next_cursor: cursor } = (await ask('GET', '/api/redirects?sort=-hits&limit=1')).body;
    expect(cursor).toEqual(expect.any(String));
    for (const query of [
      'sort=hits',
      'sort=-hits&hits_since=7d',
      'sort=-hits&environment=staging',
      'sort=id',
      'sort=-last_hit_at',
    ]) {
      const { status, body } = await ask('GET', `/api/redirects?${query}&limit=1&cursor=${cursor}`);
      expect([query, status, body.code]).toEqual([query, 400, 'INVALID_PARAMETER']);
    }
  });

  test('403 on a plan without analytics, and the list without hits as ever', async () => {
    const free = await detour.account('free');
    const as = await detour.cookieOf(free.email);
    for (const query of [
      'sort=hits',
      'sort=-last_hit_at&limit=1',
      'hits_since=30d',
      'last_hit_before=2030-01-01',
      'last_hit_before=2030-01-01&limit=1',
    ]) {
      const { status, body } = await ask('GET', `/api/redirects?${query}`, undefined, as);
      expect([query, status, body.code]).toEqual([query, 403, 'PLAN_REQUIRED']);
    }
    const filter = { last_hit_before: '2030-01-01' };
    expect((await ask('DELETE', '/api/redirects/bulk-delete', { filter }, as)).status).toBe(403);
    expect((await ask('GET', '/api/redirects', undefined, as)).status).toBe(200);
  });
});
