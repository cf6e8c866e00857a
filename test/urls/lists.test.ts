/** Lists of living URLs against a running service. Holds the rules of src/urls. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { utcDay } from '../../src/platform/clock.ts';
import { startTestDetour, type TestAccount, type TestDetour, visitAt } from '../support/detour.ts';
import { missingPath, redirectDay } from '../support/hits.ts';
import { addRedirect, createSite } from '../support/site.ts';
import { until } from '../support/wait.ts';

let detour: TestDetour;
let owner: TestAccount;

beforeAll(async () => {
  detour = await startTestDetour({ WEBHOOK_EGRESS: 'private' });
  owner = await detour.account();
});
afterAll(() => detour.stop());

/** Its hits add to no weight. */
const bot = { headers: { 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' } };

let hosts = 0;
const newHost = (): string => `urls-${++hosts}.example`;

interface UrlRow {
  url: string;
  state: string;
  answered: string;
  weight: number;
  sources: string[];
}

interface ListRow {
  list: string;
  total: number;
  problem: string | null;
  versions: { list_version: number }[];
}

/** Sends a body as it is, by key. */
async function send(
  method: string,
  path: string,
  body: string | Buffer,
): Promise<Pick<Awaited<ReturnType<typeof call>>, 'status' | 'body'>> {
  const response = await fetch(`${detour.address}/api/v1/websites/${path}`, {
    method,
    headers: { authorization: `Bearer ${owner.key}` },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
  return { status: response.status, body: await response.json() };
}

const call = (method: string, path: string, body?: unknown) => owner.keyCall(method, `/api/v1/websites/${path}`, body);
const push = (site: number, urls: unknown[], query = '') =>
  send('PUT', `${site}/urls/living${query}`, JSON.stringify(urls));
const states = async (site: number, query = ''): Promise<Record<string, string>> => {
  const { body } = await call('GET', `${site}/urls?limit=1000${query}`);
  return Object.fromEntries((body.urls as UrlRow[]).map(({ url, state }) => [url, state]));
};
const counts = { added: 0, revived: 0, removed: 0, unchanged: 0, merged: 0, ignored: 0, invalid: 0, not_living: 0 };

describe('a push', () => {
  test('counts every row, and says why rows are not in the list', async () => {
    const host = newHost();
    const moved = newHost();
    const site = await createSite(owner, [
      host,
      { hostname: moved, environment: 'production', redirect_to: { url: `https://${host}` } } as never,
    ]);
    await call('PUT', `${site}`, { page_parameters: ['id'] });
    const rows = [
      '/a',
      `https://${host}/a?utm=1`,
      '/b?utm=2&id=7',
      '/b?id=7#top',
      'https://other.example/x',
      `https://${moved}/y`,
      'no address',
      { url: '/hidden', status: 404 },
    ];
    const { status, body } = await push(site, rows);
    expect(status).toBe(200);
    expect(body.urls).toEqual({ ...counts, total: 2, added: 2, merged: 2, ignored: 2, invalid: 1, not_living: 1 });
    expect(body.list_version).toBe(1);
    expect(body.merged_examples).toEqual(['/a', '/b?id=7']);
    expect(body.merged_parameters).toEqual(['utm']);
    expect(body.ignored_hosts).toEqual([
      { host: 'other.example', rows: 1, reason: 'other_host' },
      { host: moved, rows: 1, reason: 'domain_redirect' },
    ]);
    expect(body.invalid_examples).toEqual([{ line: 6, value: 'no address', code: 'VALIDATION_ERROR' }]);
    expect(await states(site)).toEqual({ '/a': 'living', '/b?id=7': 'living', '/hidden': 'known' });
  });

  test('removes, revives and keeps, and lists are independent', async () => {
    const site = await createSite(owner, [newHost()]);
    await push(site, ['/a', '/b']);
    await push(site, ['/b', '/docs'], '?list=docs');
    expect((await push(site, ['/a'])).body.urls).toEqual({ ...counts, total: 1, unchanged: 1, removed: 1 });
    // /b lives in the other list.
    expect(await states(site)).toEqual({ '/a': 'living', '/b': 'living', '/docs': 'living' });
    await push(site, ['/docs'], '?list=docs');
    expect(await states(site)).toMatchObject({ '/b': 'removed' });
    const again = await push(site, ['/a', '/b', '/c']);
    expect(again.body.urls).toEqual({ ...counts, total: 3, unchanged: 1, revived: 1, added: 1 });
    expect((await push(site, ['/a', '/b', '/c'])).body).toMatchObject({ urls: { unchanged: 3 }, list_version: 3 });
  });

  test('is guarded, conditional and dry on request', async () => {
    const site = await createSite(owner, [newHost()]);
    const many = Array.from({ length: 40 }, (_, index) => `/p/${index}`);
    await push(site, many);
    const gone = await push(site, many.slice(11));
    expect(gone).toMatchObject({
      status: 409,
      body: { code: 'TOO_MANY_GONE', removed: 11, total: 40, max_removed: 10 },
    });
    expect(gone.body.details).toContain('send max_removed=11');
    expect((await push(site, many.slice(11), '?max_removed=20%25')).status).toBe(409);
    expect((await push(site, [])).body).toMatchObject({ code: 'TOO_MANY_GONE' });
    expect((await push(site, [], '?max_removed=39')).status).toBe(409);
    expect((await push(site, ['/new'], '?dry_run=true&max_removed=40')).body.urls).toMatchObject({
      added: 1,
      removed: 40,
    });
    expect((await push(site, many, '?if_list_version=7')).body).toMatchObject({
      code: 'REVISION_CHANGED',
      list_version: 1,
    });
    expect(Object.keys(await states(site))).toHaveLength(40);
    expect((await push(site, [], '?max_removed=100%25')).body.urls).toMatchObject({ total: 0, removed: 40 });
  });

  test('refuses what it cannot use, and changes nothing', async () => {
    const site = await createSite(owner, [newHost()]);
    await push(site, ['/a']);
    const code = async (body: string | Buffer) => (await send('PUT', `${site}/urls/living`, body)).body.code;
    expect(await code('')).toBe('EMPTY_BODY');
    expect(await code('["https://other.example/"]')).toBe('NO_OWN_URL');
    expect(await code('<!DOCTYPE x><urlset></urlset>')).toBe('DTD_NOT_ALLOWED');
    expect(await code('<urlset xmlns="x"><url><loc>/a</loc></url>')).toBe('INVALID_XML');
    expect(await code('<sitemapindex xmlns="x"></sitemapindex>')).toBe('SITEMAP_INDEX');
    const reader = await detour.account();
    expect((await reader.keyCall('GET', `/api/v1/websites/${site}/urls`)).status).toBe(404);
    expect(await states(site)).toEqual({ '/a': 'living' });
  });

  test('counts living pages of any environment, own hosts and from_hosts', async () => {
    const [live, staging] = [newHost(), newHost()];
    const site = await createSite(owner, [live, { hostname: staging, environment: 'staging' }]);
    const body = `https://${staging}/a\nhttps://old.example/b\n`;
    const pushed = await send('PUT', `${site}/urls/living?from_hosts=old.example`, gzipSync(body));
    expect(pushed.body.urls).toMatchObject({ total: 2, ignored: 0 });
    // Staging has no lists, so it has the states of production.
    expect(await states(site, '&environment=staging')).toEqual({ '/a': 'living', '/b': 'living' });
    expect(Object.keys(await states(site, '&environment=staging&list=main'))).toEqual(['/a', '/b']);
    await push(site, ['/a'], '?max_removed=1');
    const [production, inherited] = await Promise.all(
      ['production', 'staging'].map((name) => call('GET', `${site}/urls?environment=${name}`)),
    );
    expect(production?.body.urls[1]).toMatchObject({ state: 'removed', removed_at: expect.any(String), lists: [] });
    expect(inherited?.body).toEqual(production?.body);
    await push(site, ['/a', '/b']);
    await push(site, ['/a'], '?environment=staging');
    expect(await states(site, '&environment=staging')).toEqual({ '/a': 'living', '/b': 'known' });
    expect(await states(site)).toEqual({ '/a': 'living', '/b': 'living' });
  });
});

describe('room', () => {
  test('URLs that only rules name give way to those of a list; then the maximum holds', async () => {
    const site = await createSite(owner, [newHost()]);
    await push(site, ['/a']);
    await detour.db.$client.query(`insert into urls (website_id, url, sources) values (${site}, '/implied', 8)`);
    const fill = () => detour.db.$client.query(`update url_counts set urls = 1000000 where website_id = ${site}`);
    await fill();
    expect((await push(site, ['/a', '/b'])).body.urls).toMatchObject({ total: 2, added: 1 });
    expect(await states(site)).toEqual({ '/a': 'living', '/b': 'living' });
    await fill();
    expect(await push(site, ['/a', '/b', '/c'])).toMatchObject({ status: 413, body: { code: 'TOO_MANY_URLS' } });
  });

  test('an account has at most 20 open uploads, and one that is not committed changes nothing', async () => {
    const other = await detour.account();
    const site = await createSite(other, [newHost()]);
    const open = () => other.keyCall('POST', `/api/v1/websites/${site}/urls/uploads`, {});
    for (let n = 0; n < 20; n++) expect((await open()).status).toBe(201);
    expect(await open()).toMatchObject({ status: 422, body: { code: 'TOO_MANY_ITEMS' } });
  });

  test('an export is a body again, without an invalid row', async () => {
    const [from, to] = [await createSite(owner, [newHost()]), await createSite(owner, [newHost()])];
    const { website } = (await call('GET', `${from}`)).body;
    await push(from, [
      { url: '/a?x=1', title: 'A "title"' },
      '/b',
      `https://${website.hosts[0].hostname}//two/slashes`,
    ]);
    for (const format of ['ndjson', 'csv', 'sitemap']) {
      const file = await fetch(`${detour.address}/api/v1/websites/${from}/urls/export?format=${format}`, {
        headers: { authorization: `Bearer ${owner.key}` },
      });
      const copied = await send('PUT', `${to}/urls/living?list=${format}`, await exported(file, to));
      expect(copied.body.urls, format).toMatchObject({ total: 3, invalid: 0, ignored: 0 });
    }
    expect(Object.keys(await states(to))).toContain('//two/slashes');
  });
});

/** The file, with the first host of the other website. */
async function exported(file: Response, site: number): Promise<string> {
  const { website } = (await call('GET', `${site}`)).body;
  return (await file.text()).replaceAll(/https:\/\/urls-\d+\.example/g, `https://${website.hosts[0].hostname}`);
}

describe('uploads, restores and deletions', () => {
  test('an upload merges its parts in order, once', async () => {
    const site = await createSite(owner, [newHost()]);
    const { body } = await call('POST', `${site}/urls/uploads`, { list: 'shop' });
    const upload = `${site}/urls/uploads/${body.upload.id}`;
    expect((await call('POST', `${upload}/commit`)).body.code).toBe('EMPTY_BODY');
    await send('POST', `${upload}/parts`, '/a\n/b\n');
    await send('POST', `${upload}/parts?part=2`, '/wrong\n');
    expect((await send('POST', `${upload}/parts?part=2`, '/b\n/c\n')).body).toMatchObject({ part: 2, rows: 2 });
    expect(await states(site)).toEqual({});
    const dry = await call('POST', `${upload}/commit?dry_run=true`);
    expect(dry.body.urls).toEqual({ ...counts, total: 3, added: 3, merged: 1 });
    expect((await call('POST', `${upload}/commit`, { dry_run: true })).body).toEqual(dry.body);
    expect((await call('POST', `${upload}/commit`, { if_list_version: 7 })).body.code).toBe('REVISION_CHANGED');
    expect((await call('POST', `${upload}/commit`, { max_gone: 7 })).body.code).toBe('UNKNOWN_FIELD');
    const both = await Promise.all([1, 2].map(() => call('POST', `${upload}/commit`)));
    expect(both.find(({ status }) => status === 200)?.body.urls).toEqual(dry.body.urls);
    expect(both.find(({ status }) => status !== 200)?.body.code).toBe('UPLOAD_NOT_FOUND');
    expect(await states(site, '&list=shop')).toEqual({ '/a': 'living', '/b': 'living', '/c': 'living' });
  });

  test('a URL keeps the address that its file wrote, pushed or uploaded', async () => {
    const host = newHost();
    const written = { '/page': `https://${host}/page`, '/~a': '/%7Ea', '/plain': '/plain', '/': `http://${host}/` };
    const rawUrls = async (site: number): Promise<Record<string, string>> => {
      const { body } = await call('GET', `${site}/urls`);
      return Object.fromEntries((body.urls as (UrlRow & { raw_url: string })[]).map((row) => [row.url, row.raw_url]));
    };
    const site = await createSite(owner, [host]);
    await push(site, Object.values(written));
    expect(await rawUrls(site)).toEqual(written);
    await call('POST', `${site}/urls/delete`, { urls: Object.keys(written) });
    const { body } = await call('POST', `${site}/urls/uploads`, {});
    const upload = `${site}/urls/uploads/${body.upload.id}`;
    await send('POST', `${upload}/parts`, Object.values(written).join('\n'));
    await call('POST', `${upload}/commit`);
    expect(await rawUrls(site)).toEqual(written);
  });

  test('a restore brings a former state back, and a deletion leaves every list', async () => {
    const site = await createSite(owner, [newHost()]);
    await push(site, ['/a', '/b']);
    await push(site, ['/b', '/c'], '?max_removed=1');
    await push(site, ['/c', '/d'], '?max_removed=1');
    const { body } = await call('POST', `${site}/urls/restore`, { list_version: 1 });
    expect(body).toEqual({ urls: { total: 2, added: 2, removed: 2 }, list_version: 4 });
    expect(await states(site)).toEqual({ '/a': 'living', '/b': 'living', '/c': 'removed', '/d': 'removed' });
    expect((await call('POST', `${site}/urls/restore`, { list_version: 9 })).body.code).toBe('LIST_NOT_FOUND');
    await push(site, ['/b'], '?list=docs');
    expect((await call('POST', `${site}/urls/delete`, { filter: { q: '/b' } })).body).toEqual({ deleted: 1 });
    expect(Object.keys(await states(site)).sort()).toEqual(['/a', '/c', '/d']);
    const { lists } = (await call('GET', `${site}/urls/lists`)).body;
    expect((lists as ListRow[]).map(({ list, total, versions }) => [list, total, versions.length])).toEqual([
      ['docs', 0, 2],
      ['main', 1, 5],
    ]);
  });

  test('only the last ten states are kept', async () => {
    const site = await createSite(owner, [newHost()]);
    for (let n = 0; n < 12; n++) await push(site, [`/page-${n}`], '?max_removed=1');
    const { lists } = (await call('GET', `${site}/urls/lists`)).body;
    expect((lists as ListRow[])[0]?.versions.map((version) => version.list_version)).toEqual([
      12, 11, 10, 9, 8, 7, 6, 5, 4, 3,
    ]);
    expect((await call('POST', `${site}/urls/restore`, { list_version: 3 })).body.urls).toMatchObject({ added: 1 });
    expect(await states(site, '&state=living')).toEqual({ '/page-2': 'living' });
  });
});

describe('the list', () => {
  test('have the hits of each class in 30 days, of the literal redirect and of the unmatched path', async () => {
    const site = await createSite(owner, [newHost()]);
    await push(site, ['/both', '/never']);
    const redirectId = await addRedirect(owner, site, { old_path: '/both', new_path: '/' });
    const counted = { websiteId: site, redirectId, hits: 1, botHits: 2, assistantHits: 3 };
    for (const ago of [0, 29, 30]) await redirectDay(detour.db, { ...counted, day: utcDay(new Date(), -ago) });
    await missingPath(detour.db, { websiteId: site, path: '/both', hits: 10, botHits: 20, assistantHits: 30 });
    const { body } = await call('GET', `${site}/urls`);
    expect(body.urls).toMatchObject([
      { url: '/both', hits: 12, bot_hits: 24, assistant_hits: 36, weight: 12 },
      { url: '/never', hits: null, bot_hits: null, assistant_hits: null, weight: 0 },
    ]);
  });

  test('filters, sorts and pages, and says what answers', async () => {
    const host = newHost();
    const site = await createSite(owner, [host]);
    await push(site, ['/a', '/img/x.png', '/doc.pdf?x', '/hidden', '/old']);
    await push(site, ['/a', '/img/x.png', '/doc.pdf', '/hidden'], '?max_removed=1');
    await send(
      'POST',
      `${site}/urls`,
      JSON.stringify([
        { url: '/old', links: 3, title: 'Old page' },
        { url: '/linked', clicks: 9 },
      ]),
    );
    const hidden = await addRedirect(owner, site, { old_path: '/hidden', new_path: '/a' });
    await until(async () => (await visitAt(detour.address, host, '/hidden', bot)).status === 301);
    const { body } = await call('GET', `${site}/urls`);
    expect((body.urls as UrlRow[]).map((row) => [row.url, row.answered, row.weight])).toEqual([
      ['/old', 'lost', 30],
      ['/linked', 'none', 9],
      ['/a', 'living', 0],
      ['/doc.pdf', 'living', 0],
      ['/hidden', 'shadowed', 0],
      ['/img/x.png', 'living', 0],
    ]);
    expect((body.urls as UrlRow[]).find((row) => row.url === '/hidden')).toMatchObject({
      redirect_id: String(hidden),
      lists: ['main'],
    });
    const found = async (query: string) =>
      ((await call('GET', `${site}/urls?${query}`)).body.urls as UrlRow[]).map((row) => row.url);
    expect(await found('answered=lost')).toEqual(['/old']);
    expect(await found('answered=shadowed')).toEqual(['/hidden']);
    const file = await fetch(`${detour.address}/api/v1/websites/${site}/urls/export?answered=shadowed&format=sitemap`, {
      headers: { authorization: `Bearer ${owner.key}` },
    });
    expect((await file.text()).match(/<loc>.*<\/loc>/g)).toEqual([`<loc>https://${host}/hidden</loc>`]);
    expect(await found('type=image')).toEqual(['/img/x.png']);
    expect(await found('type=document')).toEqual(['/doc.pdf']);
    expect(await found('q=old%20page')).toEqual(['/old']);
    expect(await found('source=file&sort=clicks')).toEqual(['/old', '/linked']);
    const pages: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { urls: UrlRow[]; next_cursor: string | null } = (
        await call('GET', `${site}/urls?limit=2${cursor && `&cursor=${cursor}`}`)
      ).body;
      pages.push(...page.urls.map((row) => row.url));
      cursor = page.next_cursor;
    }
    expect(pages).toEqual((body.urls as UrlRow[]).map((row) => row.url));
    const { next_cursor: second } = (await call('GET', `${site}/urls?limit=2`)).body;
    for (const query of ['sort=url', 'sort=clicks', 'answered=lost', 'environment=staging', 'q=a'])
      expect((await call('GET', `${site}/urls?${query}&cursor=${second}`)).status, query).toBe(400);
    expect((await call('GET', `${site}/urls?cursor=${body.next_cursor ?? 'x'}`)).body.code).toBe('INVALID_PARAMETER');
  });

  test('suggests pages that lost URLs may have become, on request', async () => {
    const site = await createSite(owner, [newHost()]);
    await push(site, ['/guides/setup', '/guides/setup.html', '/xyzzy']);
    await push(site, ['/guides/setup']);
    const list = async (query: string) => (await call('GET', `${site}/urls?sort=-weight${query}`)).body;
    await until(async () => (await list('&suggest=true')).pending === false);
    const { urls } = await list('&suggest=true');
    expect(urls).toMatchObject([
      { url: '/guides/setup', answered: 'living' },
      {
        url: '/guides/setup.html',
        suggested: 'redirect',
        confidence: 'sure',
        suggestions: [{ target: '/guides/setup' }],
      },
      { url: '/xyzzy', suggestions: [] },
    ]);
    expect(urls[0]).not.toHaveProperty('suggestions');
    const plain = await list('');
    expect([plain.pending, plain.urls[1].suggestions]).toEqual([undefined, undefined]);
  });

  test('says on request what answers lost URLs after the next deployment; those get no suggestions', async () => {
    const site = await createSite(owner, [newHost()], { auto_deploy: false });
    await push(site, ['/guides/setup', '/guides/setup.html', '/old.html']);
    await push(site, ['/guides/setup']);
    const id = await addRedirect(owner, site, { old_path: '/guides/setup.html', new_path: '/guides/setup' });
    const list = async (query: string) =>
      (await call('GET', `${site}/urls?answered=lost${query}`)).body as {
        urls: { draft?: unknown; suggestions?: unknown }[];
        pending?: boolean;
      };
    await until(async () => (await list('&suggest=true')).pending === false);
    const { urls } = await list('&draft=true&suggest=true');
    expect(urls).toMatchObject([
      { url: '/guides/setup.html', redirect_id: null, draft: { answered: 'redirected', redirect_id: String(id) } },
      { url: '/old.html', draft: { answered: 'lost', redirect_id: null }, suggestions: [] },
    ]);
    expect(urls[0]).not.toHaveProperty('suggestions');
    expect((await list('')).urls[0]).not.toHaveProperty('draft');
  });
});

describe('URLs that no client sends', () => {
  test('come from rules and visitors within a minute', async () => {
    const host = newHost();
    const browser = { headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/126.0 Safari/537.36' } };
    const site = await createSite(owner, [host]);
    const id = await addRedirect(owner, site, { old_path: '/gone-rule', new_path: `https://${host}/target?x=1` });
    await addRedirect(owner, site, { old_path: '/other', new_path: '/target-2' });
    await until(async () => (await visitAt(detour.address, host, '/other', bot)).status === 301);
    await owner.call('DELETE', `/api/redirects/${id}`);
    for (const path of ['/missed', '/missed', '/once', '/a@b', '/a@b'])
      await visitAt(detour.address, host, path, browser);
    const rows = await until(async () => {
      const { urls } = (await call('GET', `${site}/urls?sort=last_seen_at`)).body;
      return urls.length >= 3 && urls;
    }, 60_000);
    const known = Object.fromEntries((rows as UrlRow[]).map((row) => [row.url, row.sources]));
    expect(known).toEqual({ '/gone-rule': ['redirect'], '/target-2': ['target'], '/missed': ['visitors'] });
  });
});

describe('sitemaps of a website', () => {
  const files = new Map<string, string>();
  let server: Server;
  let origin: string;
  beforeAll(async () => {
    server = createServer(({ url = '' }, response) => {
      const text = files.get(url);
      if (url === '/circle.xml') response.writeHead(302, { location: url }).end();
      else response.writeHead(text === undefined ? 404 : 200).end(text);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    origin = `http://shop.localhost:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  const sitemap = (...urls: string[]) =>
    `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`;

  test('are fetched with the children of an index, and a failure changes nothing', async () => {
    const site = await createSite(owner, ['shop.localhost']);
    const other = await call('PUT', `${site}`, { sitemap_urls: ['https://elsewhere.example/sitemap.xml'] });
    expect(other).toMatchObject({ status: 422 });
    files.set(
      '/index.xml',
      `<sitemapindex xmlns="x"><sitemap><loc>${origin}/1.xml</loc></sitemap><sitemap><loc>${origin}/2.xml</loc></sitemap></sitemapindex>`,
    );
    files.set('/1.xml', sitemap(`${origin}/a`, `${origin}/b`));
    files.set('/2.xml', sitemap(`${origin}/c`));
    const names = ['index', 'missing', 'circle'];
    await call('PUT', `${site}`, { sitemap_urls: names.map((name) => `${origin}/${name}.xml`) });
    const { body } = await call('POST', `${site}/urls/fetch`);
    expect((body.lists as ListRow[]).map(({ list, total, problem }) => [list, total, problem])).toEqual([
      ['sitemap:1', 3, null],
      ['sitemap:2', 0, `${origin}/missing.xml answers 404`],
      ['sitemap:3', 0, `${origin}/circle.xml: a redirect loop`],
    ]);
    files.delete('/2.xml');
    files.set('/1.xml', sitemap(`${origin}/a`));
    const failed = await call('POST', `${site}/urls/fetch`);
    expect(failed.body.lists[0]).toMatchObject({ total: 3, list_version: 1, problem: `${origin}/2.xml answers 404` });
    expect(await states(site)).toEqual({ '/a': 'living', '/b': 'living', '/c': 'living' });
  });

  test('that lose too many URLs name the call that allows it', async () => {
    const site = await createSite(owner, ['large.localhost']);
    const large = origin.replace('shop', 'large');
    files.set('/large.xml', sitemap(...Array.from({ length: 20 }, (_, n) => `${large}/page-${n}`)));
    await call('PUT', `${site}`, { sitemap_urls: [`${large}/large.xml`] });
    await call('POST', `${site}/urls/fetch`);
    files.set('/large.xml', sitemap(`${large}/page-0`));
    const { body } = await call('POST', `${site}/urls/fetch`);
    expect((body.lists as ListRow[])[0]?.problem).toMatch(/push it once to list=sitemap:1 with max_removed=19$/);
    const pushed = await push(site, ['/page-0'], '?list=sitemap:1&max_removed=19');
    expect(pushed.body.urls).toMatchObject({ total: 1, removed: 19 });
  });
});
