/** The inbox of unmatched paths: GET /api/websites/{id}/not-found, POST .../not-found/ignore. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { missingPath } from '../../support/hits.ts';
import { addRedirect, createSite, deploy, settled } from '../../support/site.ts';
import { until } from '../../support/wait.ts';
import { expectRefusal } from '../session-api/site.ts';

interface Entry {
  path: string;
  hits: number;
  bot_hits: number;
  assistant_hits: number;
  first_seen_at: string;
  last_seen_at: string;
  referrer_host: string | null;
  noise: boolean;
  suggestions: { new_path: string; similarity: number; target: string; score: number; reasons: string[] }[];
  redirect: object | null;
}

/** An index of an earlier deployment is used for ten times the duration of its build. */
const POLL = { timeout: 20_000 };

let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account('business');
});
afterAll(() => detour.stop());

const ask = (site: number | string, query = '', who = owner) =>
  who.call<{ paths: Entry[]; pending: boolean; next_cursor: string | null; other: object }>(
    'GET',
    `/api/websites/${site}/not-found${query}`,
  );
const pathsOf = async (site: number, query = ''): Promise<string[]> =>
  (await ask(site, query)).body.paths.map(({ path }) => path);
const ignore = (site: number, body: unknown, who = owner) =>
  who.call('POST', `/api/websites/${site}/not-found/ignore`, body);

describe('the list', () => {
  test('is empty if every request matched', async () => {
    const { status, body } = await ask(await createSite(owner, []));
    expect([status, body]).toEqual([
      200,
      { paths: [], pending: false, next_cursor: null, other: { hits: 0, bot_hits: 0, assistant_hits: 0 } },
    ]);
  });

  test('since lists what is new, and format=csv is the whole list', async () => {
    const websiteId = await createSite(owner, []);
    const row = { websiteId, botHits: 0, assistantHits: 3, lastSeenAt: '2026-11-20T10:00:00Z' };
    await missingPath(detour.db, { ...row, path: '/before', hits: 9 });
    await missingPath(detour.db, { ...row, path: '/new,1', hits: 2, lastSeenAt: '2026-11-24T10:00:00Z' });
    await detour.db.$client.query(`update not_found set last_seen_at = '2026-11-25' where path = '/before'`);
    const since = '&since=2026-11-24T10:00:00Z';
    expect(await pathsOf(websiteId, `?limit=10${since}`)).toEqual(['/new,1']);
    const csv = (query: string) => owner.call('GET', `/api/websites/${websiteId}/not-found?format=csv${query}`);
    const header = 'path,hits,bot_hits,assistant_hits,first_seen_at,last_seen_at,referrer_host,noise\n';
    const line = '"/new,1",2,0,3,2026-11-24T10:00:00Z,2026-11-24T10:00:00Z,,false\n';
    const whole = await csv('');
    expect(whole.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(whole.text).toBe(`${header}/before,9,0,3,2026-11-20T10:00:00Z,2026-11-25T00:00:00Z,,false\n${line}`);
    expect((await csv(since)).text).toBe(header + line);
    expectRefusal(await csv('&limit=5'), 400, 'INVALID_PARAMETER');
    expectRefusal(await csv('&since=yesterday'), 400, 'INVALID_PARAMETER');
  });

  test('tells of each path what is known of it', async () => {
    const websiteId = await createSite(owner, []);
    const row = {
      websiteId,
      path: '/old/page',
      hits: 7,
      botHits: 2,
      assistantHits: 4,
      lastSeenAt: '2026-11-20T10:11:12.345Z',
    };
    await missingPath(detour.db, { ...row, referrerHost: 'news.example.com' });
    expect((await ask(websiteId)).body.paths).toEqual([
      {
        path: '/old/page',
        hits: 7,
        bot_hits: 2,
        assistant_hits: 4,
        first_seen_at: '2026-11-20T10:11:12Z',
        last_seen_at: '2026-11-20T10:11:12Z',
        referrer_host: 'news.example.com',
        noise: false,
        suggested: null,
        confidence: null,
        suggestions: [],
        redirect: null,
      },
    ]);
  });

  test('names the redirect of a path that is not live there; a pattern is not one', async () => {
    const websiteId = await createSite(owner, []);
    for (const path of ['/draft', '/staged', '/(pattern)', '/free']) {
      await missingPath(detour.db, { websiteId, path, hits: 1 });
    }
    const window = { active_from: '2041-01-02T10:00:00Z', active_until: null };
    const fields = { new_path: '/to', status_code: 302, ...window };
    const staged = await addRedirect(owner, websiteId, {
      ...fields,
      old_path: '/staged',
      target_environments: 'staging,development',
    });
    const draft = await addRedirect(owner, websiteId, { ...fields, old_path: '/draft', target_environments: '' });
    await addRedirect(owner, websiteId, { ...fields, old_path: '/(pattern)', is_regex: true, target_environments: '' });
    const { body } = await ask(websiteId);
    expect(Object.fromEntries(body.paths.map(({ path, redirect }) => [path, redirect]))).toEqual({
      '/draft': { ...fields, id: draft, target_environments: '' },
      '/staged': { ...fields, id: staged, target_environments: 'staging,development' },
      '/(pattern)': null,
      '/free': null,
    });
  });

  test('finds paths by text in any case; wildcards of SQL are text', async () => {
    const websiteId = await createSite(owner, []);
    for (const path of ['/Sale_1', '/sale%202', '/other']) await missingPath(detour.db, { websiteId, path, hits: 1 });
    expect(await pathsOf(websiteId, '?q=sale')).toEqual(['/Sale_1', '/sale%202']);
    expect(await pathsOf(websiteId, '?q=e_')).toEqual(['/Sale_1']);
    expect(await pathsOf(websiteId, '?q=%25')).toEqual(['/sale%202']);
  });

  test('goes by hits, then by path; noise stands behind everything else, or apart', async () => {
    const websiteId = await createSite(owner, []);
    const add = (path: string, hits: number, noise = false) => missingPath(detour.db, { websiteId, path, hits, noise });
    await add('/b', 5);
    await add('/.env', 900, true);
    await add('/a', 5);
    await add('/only-bots', 0);
    await add('/most', 70);
    await add('/wp-login.php', 901, true);
    const real = ['/most', '/a', '/b', '/only-bots'];
    const noise = ['/wp-login.php', '/.env'];
    expect(await pathsOf(websiteId)).toEqual([...real, ...noise]);
    expect(await pathsOf(websiteId, '?noise=false')).toEqual(real);
    expect(await pathsOf(websiteId, '?noise=true')).toEqual(noise);
  });

  test('goes by the last request, by hits of assistants or by path if asked, page by page, noise last; a cursor is of one order', async () => {
    const websiteId = await createSite(owner, []);
    const add = (path: string, hits: number, minute: number, noise = false) =>
      missingPath(detour.db, {
        websiteId,
        path,
        hits,
        assistantHits: 10 - hits,
        noise,
        lastSeenAt: `2026-11-20T10:0${minute}:00.001Z`,
      });
    await add('/b', 5, 1);
    await add('/a', 1, 3);
    await add('/c', 9, 3);
    await add('/.env', 10, 9, true);
    for (const [sort, expected] of [
      ['path', '/a /b /c /.env'],
      ['-last_seen_at', '/a /c /b /.env'],
      ['-hits', '/c /b /a /.env'],
      ['-assistant_hits', '/a /b /c /.env'],
    ]) {
      const found: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const { body } = await ask(websiteId, `?limit=1&sort=${sort}${cursor && `&cursor=${cursor}`}`);
        found.push(...body.paths.map(({ path }) => path));
        cursor = body.next_cursor;
      }
      expect(found.join(' ')).toBe(expected);
    }
    const { body } = await ask(websiteId, '?limit=1&sort=path');
    expect((await ask(websiteId, `?limit=1&cursor=${body.next_cursor}`)).status).toBe(400);
    expect((await ask(websiteId, '?sort=hits')).status).toBe(400);
  });

  test('has only the paths that a class of agents requested, if asked', async () => {
    const websiteId = await createSite(owner, []);
    const add = (path: string, hits: number, botHits: number, assistantHits: number) =>
      missingPath(detour.db, { websiteId, path, hits, botHits, assistantHits });
    await add('/all', 3, 3, 3);
    await add('/assistants', 0, 0, 5);
    await add('/bots', 0, 5, 0);
    await add('/people', 2, 0, 0);
    expect(await pathsOf(websiteId, '?agents=people')).toEqual(['/all', '/people']);
    expect(await pathsOf(websiteId, '?agents=bots')).toEqual(['/all', '/bots']);
    expect(await pathsOf(websiteId, '?agents=assistants&sort=-assistant_hits')).toEqual(['/assistants', '/all']);
    const csv = await owner.call('GET', `/api/websites/${websiteId}/not-found?format=csv&agents=bots`);
    expect(csv.text.split('\n').map((line) => line.split(',')[0])).toEqual(['path', '/all', '/bots', '']);
    expectRefusal(await ask(websiteId, '?agents=robots'), 400, 'INVALID_PARAMETER');
  });

  test('is of production unless another environment is named', async () => {
    const websiteId = await createSite(owner, []);
    await missingPath(detour.db, { websiteId, path: '/p', hits: 1 });
    await missingPath(detour.db, { websiteId, path: '/s', hits: 1, environment: 'staging' });
    expect(await pathsOf(websiteId)).toEqual(['/p']);
    expect(await pathsOf(websiteId, '?environment=staging')).toEqual(['/s']);
    expect(await pathsOf(websiteId, '?environment=development')).toEqual([]);
  });

  test('comes in pages that together are the list, whatever their size', async () => {
    const websiteId = await createSite(owner, []);
    for (let i = 0; i < 11; i++)
      await missingPath(detour.db, { websiteId, path: `/p${i}`, hits: i % 3, noise: i % 4 === 0 });
    const whole = await pathsOf(websiteId);
    expect(whole).toHaveLength(11);
    for (const limit of [1, 2, 5, 10, 11]) {
      const found: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const { body } = await ask(websiteId, `?limit=${limit}${cursor && `&cursor=${cursor}`}`);
        expect(body.paths.length).toBeLessThanOrEqual(limit);
        found.push(...body.paths.map(({ path }) => path));
        cursor = body.next_cursor;
      }
      expect([limit, found]).toEqual([limit, whole]);
    }
  });

  test('reports how many were counted without their path', async () => {
    const websiteId = await createSite(owner, []);
    await detour.db.$client.query(
      `insert into not_found_other (website_id, environment, hits, bot_hits, assistant_hits, last_seen_at)
       values ($1, 'production', 12, 34, 56, now()), ($1, 'staging', 5, 6, 7, now())`,
      [websiteId],
    );
    expect((await ask(websiteId)).body.other).toEqual({ hits: 12, bot_hits: 34, assistant_hits: 56 });
    expect((await ask(websiteId, '?environment=staging')).body.other).toEqual({
      hits: 5,
      bot_hits: 6,
      assistant_hits: 7,
    });
  });
});

describe('suggestions', () => {
  /** The list with suggestions, which a busy machine has later. */
  const askReady = (site: number | string) =>
    until(async () => {
      const answer = await ask(site);
      return !answer.body.pending && answer;
    });

  test('are up to three targets of the website that are live there and look alike; none for noise', async () => {
    const websiteId = await createSite(owner, ['inbox.example.com']);
    const targets = [
      '/shop/summer-sale',
      '/shop/summer-sales/men',
      '/shop/summer-sales/women',
      '/shop/summer',
      '/about',
    ];
    for (const [i, new_path] of targets.entries())
      await addRedirect(owner, websiteId, { old_path: `/x${i}`, new_path });
    await addRedirect(owner, websiteId, {
      old_path: '/draft',
      new_path: '/shop/sumer-sale-draft',
      target_environments: '',
    });
    await settled(owner, websiteId);
    await missingPath(detour.db, { websiteId, path: '/shop/sumer-sale', hits: 3 });
    await missingPath(detour.db, { websiteId, path: '/shop/summer-sale.sql', hits: 9, noise: true });
    await missingPath(detour.db, { websiteId, path: '/nothing-like-it', hits: 1 });
    const [first, second, noise] = (await askReady(websiteId)).body.paths;
    expect(first?.path).toBe('/shop/sumer-sale');
    expect(first?.suggestions.map(({ new_path }) => new_path)).toEqual([
      '/shop/summer-sale',
      '/shop/summer',
      '/shop/summer-sales/men',
    ]);
    expect(first).toMatchObject({ suggested: 'redirect' });
    for (const each of first?.suggestions ?? []) {
      expect(each).toMatchObject({ target: each.new_path, score: each.similarity });
      expect([each.score >= 0 && each.score <= 1, each.reasons.length > 0]).toEqual([true, true]);
    }
    // The targets of rules are not all pages, so nothing says that the page is gone.
    expect(second).toMatchObject({ path: '/nothing-like-it', suggested: null, suggestions: [] });
    expect(noise).toMatchObject({ noise: true, suggested: null, suggestions: [] });
  });

  test('are living pages by address and title, once the website has a list of them', async () => {
    const websiteId = await createSite(owner, ['inbox3.example.com']);
    const pages = [
      { url: '/help/returning-goods', title: 'How to return a garden chair' },
      { url: '/help/opening-hours', title: 'Opening hours of our shops' },
    ];
    const put = (body: unknown, query = '') =>
      owner.keyCall('PUT', `/api/v1/websites/${websiteId}/urls/living${query}`, body);
    expect((await put([...pages, { url: '/faq/item-7', title: 'Opening hours of our shops' }])).status).toBe(200);
    expect((await put(pages)).status).toBe(200);
    await missingPath(detour.db, { websiteId, path: '/faq/item-7', hits: 2 });
    await missingPath(detour.db, { websiteId, path: '/xq/zzz-9', hits: 1 });
    expect((await askReady(websiteId)).body.paths).toMatchObject([
      { path: '/faq/item-7', suggested: 'redirect', suggestions: [{ target: '/help/opening-hours' }] },
      { path: '/xq/zzz-9', suggested: 'gone', confidence: 'guess', suggestions: [] },
    ]);
  });

  test('follow what is live: a target that is deployed later is suggested, one that is gone is not', async () => {
    const websiteId = await createSite(owner, ['inbox2.example.com']);
    const id = await addRedirect(owner, websiteId, { old_path: '/a', new_path: '/guides/painting-fences' });
    await missingPath(detour.db, { websiteId, path: '/guide/painting-fence', hits: 1 });
    await settled(owner, websiteId);
    const suggested = async () => (await askReady(websiteId)).body.paths[0]?.suggestions.map((each) => each.new_path);
    await expect.poll(suggested, POLL).toEqual(['/guides/painting-fences']);
    await addRedirect(owner, websiteId, { old_path: '/b', new_path: '/guide/painting-a-fence' });
    await owner.call('DELETE', `/api/redirects/${id}`);
    await settled(owner, websiteId);
    await expect.poll(suggested, POLL).toEqual(['/guide/painting-a-fence']);
  });
});

describe('a path that got a redirect', () => {
  test('is omitted as soon as the redirect is live there, and is back without it', async () => {
    const site = await createSite(owner, ['served.example.com'], { auto_deploy: false });
    for (const path of ['/Moved', '/moved', '/old/page', '/asked', '/missed'])
      await missingPath(detour.db, { websiteId: site, path, hits: 1 });
    await missingPath(detour.db, { websiteId: site, path: '/moved', hits: 1, environment: 'staging' });
    const id = await addRedirect(owner, site, { old_path: '/moved/', new_path: '/here' });
    await addRedirect(owner, site, { old_path: '/old/(.*)', new_path: '/new/$1', is_regex: true });
    await addRedirect(owner, site, { old_path: '/asked?id=1', new_path: '/one' });
    expect(await pathsOf(site)).toHaveLength(5);
    await deploy(owner, site);
    // Not one that differs by case, nor one that gets a certain query alone.
    expect(await pathsOf(site)).toEqual(['/Moved', '/asked', '/missed']);
    expect(await pathsOf(site, '?environment=staging')).toEqual(['/moved']);
    await owner.call('DELETE', `/api/redirects/${id}`);
    await deploy(owner, site);
    expect(await pathsOf(site)).toEqual(['/Moved', '/asked', '/missed', '/moved']);
  });

  test('is still listed among ignored paths', async () => {
    const site = await createSite(owner, ['aside.example.com']);
    await missingPath(detour.db, { websiteId: site, path: '/a', hits: 1 });
    await ignore(site, { paths: ['/a'] });
    await addRedirect(owner, site, { old_path: '/a', new_path: '/b' });
    await settled(owner, site);
    expect(await pathsOf(site, '?ignored=true')).toEqual(['/a']);
  });

  test('stays if the path was truncated, or if the query of the request decides', async () => {
    const site = await createSite(owner, ['exact.example.com']);
    for (const path of ['/x/a', '/x/cut…']) await missingPath(detour.db, { websiteId: site, path, hits: 1 });
    await addRedirect(owner, site, { old_path: '/x/(.*)', new_path: '/y', is_regex: true });
    await settled(owner, site);
    expect(await pathsOf(site)).toEqual(['/x/cut…']);
    await owner.call('PUT', `/api/websites/${site}`, { query: 'exact' });
    await until(async () => (await pathsOf(site)).length === 2);
  });

  test('takes no room on a page: pages are as long as asked for, however many are omitted between', async () => {
    const site = await createSite(owner, ['pages.example.com']);
    await detour.db.$client.query(
      `insert into not_found (website_id, environment, path, hits, bot_hits, noise, first_seen_at, last_seen_at)
       select $1, 'production', case when i % 500 = 7 then '/missed/' || i else '/served/' || i end, 5000 - i, 0, false, now(), now()
       from generate_series(1, 4000) i`,
      [site],
    );
    await addRedirect(owner, site, { old_path: '/served/(.*)', new_path: '/s', is_regex: true });
    await settled(owner, site);
    const missed = Array.from({ length: 8 }, (_, i) => `/missed/${i * 500 + 7}`);
    for (const limit of [1, 3, 4, 8, 9]) {
      const pages: string[][] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const { body } = await ask(site, `?limit=${limit}${cursor && `&cursor=${cursor}`}`);
        pages.push(body.paths.map(({ path }) => path));
        cursor = body.next_cursor;
      }
      expect([limit, pages.flat()]).toEqual([limit, missed]);
      expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
      expect(pages.at(-1)?.length).toBeGreaterThan(0);
    }
  });
});

describe('ignoring', () => {
  test('takes paths off the list in every environment, and puts them back', async () => {
    const websiteId = await createSite(owner, []);
    for (const path of ['/a', '/b', '/c']) await missingPath(detour.db, { websiteId, path, hits: 1 });
    await missingPath(detour.db, { websiteId, path: '/a', hits: 1, environment: 'staging' });
    const { status, body } = await ignore(websiteId, { paths: ['/a', '/b', '/unknown'] });
    expect([status, body]).toEqual([200, { ignored: 2, message: '2 paths are no longer listed' }]);
    expect(await pathsOf(websiteId)).toEqual(['/c']);
    expect(await pathsOf(websiteId, '?ignored=true')).toEqual(['/a', '/b']);
    expect(await pathsOf(websiteId, '?environment=staging')).toEqual([]);
    const back = await ignore(websiteId, { paths: ['/a'], environment: 'staging', ignored: false });
    expect(back.body).toEqual({ ignored: 1, message: '1 path is listed again' });
    expect(await pathsOf(websiteId, '?environment=staging')).toEqual(['/a']);
    expect(await pathsOf(websiteId)).toEqual(['/c']);
  });

  test('twice is the same as once, and touches no other website', async () => {
    const websiteId = await createSite(owner, []);
    const another = await createSite(owner, []);
    for (const site of [websiteId, another]) await missingPath(detour.db, { websiteId: site, path: '/a', hits: 1 });
    await ignore(websiteId, { paths: ['/a'] });
    const since = 'select ignored_at from not_found where website_id = $1';
    const before = (await detour.db.$client.query(since, [websiteId])).rows;
    expect((await ignore(websiteId, { paths: ['/a'] })).body.ignored).toBe(1);
    expect((await detour.db.$client.query(since, [websiteId])).rows).toEqual(before);
    expect(await pathsOf(another)).toEqual(['/a']);
  });

  test('400, 422 for a body that names no paths, too many, or no texts', async () => {
    const site = await createSite(owner, []);
    expectRefusal(await ignore(site, {}), 400, 'MISSING_PARAMETER');
    expectRefusal(await ignore(site, { paths: [] }), 400, 'INVALID_PARAMETER');
    expectRefusal(await ignore(site, { paths: '/a' }), 400, 'INVALID_PARAMETER');
    expectRefusal(await ignore(site, { paths: [1] }), 400, 'INVALID_PARAMETER');
    expectRefusal(await ignore(site, { paths: ['/a'], path: '/a' }), 400, 'UNKNOWN_FIELD');
    expectRefusal(await ignore(site, { paths: Array(1_001).fill('/a') }), 422, 'TOO_MANY_ITEMS');
    expectRefusal(await ignore(site, { paths: ['/a\u0000'] }), 422, 'VALIDATION_ERROR');
  });
});

describe('errors', () => {
  test('404 for what is another account’s or none', async () => {
    const site = await createSite(owner, []);
    const stranger = await detour.account('pro');
    expectRefusal(await ask(site, '', stranger), 404, 'WEBSITE_NOT_FOUND');
    expectRefusal(await ignore(site, { paths: ['/a'] }, stranger), 404, 'WEBSITE_NOT_FOUND');
    for (const id of [0, 999_999, 'x', '99999999999']) expectRefusal(await ask(id), 404, 'WEBSITE_NOT_FOUND');
  });

  test('403 on a plan without analytics', async () => {
    const free = await detour.account('free');
    const site = await createSite(free, []);
    expectRefusal(await ask(site, '', free), 403, 'PLAN_REQUIRED');
    expectRefusal(await ignore(site, { paths: ['/a'] }, free), 403, 'PLAN_REQUIRED');
  });

  test.each([
    'limit=0',
    'limit=1001',
    'limit=x',
    'cursor=x',
    'cursor=bnVsbA',
    'noise=1',
    'environment=prod',
    'ignored=',
    'search=1',
  ])('%s is 400 and names the parameter', async (query) => {
    const answer = await ask(await createSite(owner, []), `?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(query.split('=')[0]);
  });
});
