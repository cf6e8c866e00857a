import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from 'drizzle-orm';
import { startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { addRedirect, createSite } from '../support/site.ts';

let detour: TestDetour;
let owner: TestAccount;

beforeAll(async () => {
  detour = await startTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

let counter = 0;

/** A website that deploys nothing, with these rules. Exports below are of the draft. */
async function siteWith(
  rules: Record<string, unknown>[],
  options: Record<string, unknown> = {},
): Promise<{ id: number; ids: number[] }> {
  const hosts = [
    `server${++counter}.example.com`,
    { hostname: `staging${counter}.example.com`, environment: 'staging' },
  ];
  const id = await createSite(owner, hosts, { auto_deploy: false, ...options });
  const ids: number[] = [];
  for (const rule of rules) ids.push(await addRedirect(owner, id, rule as { old_path: string }));
  return { id, ids };
}

async function fetchExport(id: number, query: string): Promise<{ status: number; text: string; type: string }> {
  const response = await fetch(
    `${detour.address}/api/v1/redirects/bulk/export?website_id=${id}&version=draft&${query}`,
    {
      headers: { authorization: `Bearer ${owner.key}` },
    },
  );
  const type = response.headers.get('content-type') ?? '';
  return { status: response.status, text: await response.text(), type };
}

const SERVERS = ['nginx', 'apache', 'netlify', 'vercel', 'cloudflare', 'caddy'];

/** Lines that are no comments. */
const lines = (text: string): string[] =>
  text.split('\n').filter((line) => line !== '' && !line.trim().startsWith('#'));

describe('422', () => {
  test.each(SERVERS)(
    '%s refuses what it cannot say before the first byte, with id, path, number and remedy',
    async (format) => {
      const { id, ids } = await siteWith([
        { old_path: '/fine', new_path: '/to' },
        { old_path: '/needs?page=2&size=9', new_path: '/to' },
        { old_path: '/has?own=1&own=2', new_path: '/to' },
      ]);
      const { status, text } = await fetchExport(id, `format=${format}`);
      const body = JSON.parse(text);
      expect([status, body.code]).toEqual([422, 'VALIDATION_ERROR']);
      expect(body.error).toMatch(/^2 redirects cannot be expressed in /);
      expect(body.details).toContain('lossy=true');
      expect(body.issues).toEqual([
        {
          path: '/has?own=1&own=2',
          code: 'VALIDATION_ERROR',
          message: expect.stringContaining(`(redirect ${ids[2]})`),
        },
        {
          path: '/needs?page=2&size=9',
          code: 'VALIDATION_ERROR',
          message: expect.stringContaining(`(redirect ${ids[1]})`),
        },
      ]);
      const { rows } = await detour.db.execute(
        sql`select 1 from events where website_id = ${id} and event = 'bulk_export.completed'`,
      );
      expect(rows).toEqual([]);
    },
  );

  test('the number of offenders is exact where not all are named', async () => {
    const rules = Array.from({ length: 23 }, (_, at) => ({ old_path: `/x${at}?a=1&b=2`, new_path: '/to' }));
    const { id } = await siteWith(rules);
    const body = JSON.parse((await fetchExport(id, 'format=nginx')).text);
    expect(body.error).toBe('23 redirects cannot be expressed in nginx');
    expect(body.issues).toHaveLength(20);
    expect(body.details).toContain('and 3 more');
  });

  test.each([
    ['netlify', { query: 'drop' }],
    ['netlify', { trailing_slash: 'exact' }],
    ['netlify', { case_sensitive: false }],
    ['vercel', { query: 'exact' }],
    ['cloudflare', { query: 'exact' }],
    ['cloudflare', { case_sensitive: false }],
  ])('%s says which option of the website it does not have (%j)', async (format, options) => {
    const { id } = await siteWith([], options);
    const { status, text } = await fetchExport(id, `format=${format}&lossy=true`);
    expect([status, text]).toEqual([422, expect.stringContaining(Object.keys(options)[0] ?? '')]);
  });

  test('nginx rejects rules that differ by case alone, which would keep it from starting; others take them', async () => {
    const { id } = await siteWith([
      { old_path: '/News', new_path: '/to' },
      { old_path: '/news/', new_path: '/to' },
      { old_path: '/other', new_path: '/to' },
    ]);
    const refused = await fetchExport(id, 'format=nginx');
    expect([refused.status, JSON.parse(refused.text).error]).toEqual([422, expect.stringMatching(/^2 redirects/)]);
    const lossy = await fetchExport(id, 'format=nginx&lossy=true');
    expect(lines(lossy.text).filter((line) => /^ +"\/(news|other)/i.test(line))).toHaveLength(2);
    for (const format of ['caddy', 'apache']) expect((await fetchExport(id, `format=${format}`)).status).toBe(200);
  });

  test('cloudflare needs a host of the environment', async () => {
    const { id } = await siteWith([]);
    const { status, text } = await fetchExport(id, 'format=cloudflare&environment=development');
    expect([status, text]).toEqual([422, expect.stringContaining('has none for development')]);
  });

  test.each([
    ['a pattern whose repetitions nest', { old_path: '/(?:a+)+b', new_path: '/x', is_regex: true }],
    ['a flag', { old_path: '/a(?i)b', new_path: '/x', is_regex: true }],
    ['a class that PCRE reads otherwise', { old_path: '/[[:alpha:]]', new_path: '/x', is_regex: true }],
    ['a Unicode class', { old_path: '/\\pL', new_path: '/x', is_regex: true }],
    ['an anchor inside', { old_path: '/a\\b', new_path: '/x', is_regex: true }],
    ['a repeated group that catches', { old_path: '/(a|b)*', new_path: '/x$1', is_regex: true }],
    ['a path back to its own query', { old_path: '/self', new_path: '/self?x=1' }],
    ['a path with a zero byte', { old_path: '/zero%00', new_path: '/x' }],
  ])('nginx and apache reject %s', async (_what, rule) => {
    const { id } = await siteWith([rule], { query: 'drop' });
    for (const format of ['nginx', 'apache']) {
      expect((await fetchExport(id, `format=${format}`)).status).toBe(422);
    }
  });

  test('where case is ignored, rules that differ by case alone and letters beyond ASCII are rejected', async () => {
    const { id } = await siteWith(
      [
        { old_path: '/same', new_path: '/1' },
        { old_path: '/SAME', new_path: '/2' },
        { old_path: '/é', new_path: '/3' },
        { old_path: '/漢字', new_path: '/4' },
      ],
      { case_sensitive: false },
    );
    const body = JSON.parse((await fetchExport(id, 'format=nginx')).text);
    expect(body.issues.map((issue: { path: string }) => issue.path)).toEqual(['/é', '/SAME', '/same']);
  });
});

describe('200', () => {
  test.each(SERVERS)('%s with lossy=true has a comment of one line for what it leaves out', async (format) => {
    const { id, ids } = await siteWith([
      { old_path: '/fine', new_path: '/to' },
      { old_path: '/ü {"`$;?page=2&size=9', new_path: '/to' },
    ]);
    const { status, text } = await fetchExport(id, `format=${format}&lossy=true`);
    expect(status).toBe(200);
    const comments = text.split('\n').filter((line) => line.includes('omitted: '));
    expect(comments).toHaveLength(1);
    expect(comments[0]).toContain(`redirect ${ids[1]} `);
    expect(comments[0]).toContain('it requires a query');
    expect(text).toContain('/fine');
    const { rows } = await detour.db.execute<{ body: string }>(
      sql`select body from events where website_id = ${id} and event = 'bulk_export.completed'`,
    );
    expect(rows.map((row) => JSON.parse(row.body).data.export)).toMatchObject([{ format, total_count: 1 }]);
  });

  test.each(SERVERS)('%s has the rules of production alone, or of the environment that is named', async (format) => {
    const { id } = await siteWith([
      { old_path: '/here', new_path: '/to' },
      { old_path: '/there', new_path: '/to', target_environments: 'staging' },
      { old_path: '/draft', new_path: '/to', target_environments: '' },
    ]);
    const production = (await fetchExport(id, `format=${format}`)).text;
    const staging = (await fetchExport(id, `format=${format}&environment=staging`)).text;
    const found = (text: string) => ['/here', '/there', '/draft'].filter((path) => text.includes(path));
    expect([found(production), found(staging)]).toEqual([['/here'], ['/there']]);
  });

  test.each(SERVERS)('%s keeps to the group that is named', async (format) => {
    const { id } = await siteWith([
      { old_path: '/in', new_path: '/to', group_id: "it's" },
      { old_path: '/out', new_path: '/to' },
    ]);
    const { text } = await fetchExport(id, `format=${format}&group_id=${encodeURIComponent("it's")}`);
    expect([text.includes('/in'), text.includes('/out')]).toEqual([true, false]);
  });

  test('netlify: forced lines in plain sight', async () => {
    const { id } = await siteWith([
      { old_path: '/a', new_path: '/b' },
      { old_path: '/c', new_path: '/d e$f', status_code: 302 },
    ]);
    const { text, type } = await fetchExport(id, 'format=netlify');
    expect(type).toBe('text/plain; charset=utf-8');
    expect(lines(text)).toEqual(['/a /b 301!', '/c /d%20e$f 302!']);
  });

  test.each([
    { old_path: '/a*', new_path: '/b' },
    { old_path: '/:name', new_path: '/b' },
    { old_path: '/a', new_path: '/:splat' },
    { old_path: '/a', new_path: '/b', status_code: 308 },
    { old_path: '/a', status_code: 410 },
    { old_path: '/a', new_path: '/b#c' },
    { old_path: '/(.*)', new_path: '/b', is_regex: true },
  ])('netlify cannot say %j', async (rule) => {
    const { id } = await siteWith([rule]);
    expect((await fetchExport(id, 'format=netlify')).status).toBe(422);
  });

  test('vercel: an array of bulk redirects, each path with and without its slash', async () => {
    const { id } = await siteWith([
      { old_path: '/a"b', new_path: '/c"d', status_code: 307 },
      { old_path: '/e', new_path: '/f' },
      { old_path: '/e/', new_path: '/g' },
    ]);
    const { text, type } = await fetchExport(id, 'format=vercel');
    expect(type).toBe('application/json; charset=utf-8');
    const rest = { caseSensitive: true, query: true };
    expect(JSON.parse(text)).toEqual([
      { source: '/a%22b', destination: '/c"d', statusCode: 307, ...rest },
      { source: '/a%22b/', destination: '/c"d', statusCode: 307, ...rest },
      { source: '/e', destination: '/f', statusCode: 301, ...rest },
      { source: '/e/', destination: '/g', statusCode: 301, ...rest },
    ]);
    expect(JSON.parse((await fetchExport((await siteWith([])).id, 'format=vercel')).text)).toEqual([]);
  });

  test('cloudflare: seven columns without header, for every host, targets as addresses', async () => {
    const { id } = await siteWith([{ old_path: '/a,"b', new_path: '/c,d', status_code: 302 }], {
      trailing_slash: 'exact',
      query: 'drop',
    });
    const { text, type } = await fetchExport(id, 'format=cloudflare');
    expect(type).toBe('text/csv; charset=utf-8');
    const host = `https://server${counter}.example.com`;
    expect(text).toBe(`"${host}/a,%22b","${host}/c,d",302,FALSE,FALSE,FALSE,FALSE\n`);
  });

  test('a slash twin that is a rule of its own keeps its own target in every server', async () => {
    const { id } = await siteWith([
      { old_path: '/a', new_path: '/one' },
      { old_path: '/a-b', new_path: '/between' },
      { old_path: '/a/', new_path: '/two' },
    ]);
    const nginx = lines((await fetchExport(id, 'format=nginx')).text).filter((line) => /^ +"\/a\/"/.test(line));
    expect(nginx).toEqual([expect.stringContaining('/two')]);
    const apache = (await fetchExport(id, 'format=apache')).text;
    expect(apache.match(/"=\/a\/"/g)).toHaveLength(1);
    const caddy = (await fetchExport(id, 'format=caddy')).text;
    expect(caddy.match(/`\/a\/`/g)).toHaveLength(1);
  });

  test('patterns come after the literals, the most specific first', async () => {
    const { id } = await siteWith([
      { old_path: '/(.*)', new_path: '/x', is_regex: true },
      { old_path: '/blog/(.*)', new_path: '/y', is_regex: true },
      { old_path: '/zzz', new_path: '/literal' },
    ]);
    const { text } = await fetchExport(id, 'format=nginx');
    const order = ['/literal', ' /y', ' /x'].map((target) => text.indexOf(`${target} `));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order[0]).toBeGreaterThan(0);
  });
});

describe('400', () => {
  test.each(['json', 'csv', 'ndjson'])('%s has all environments and takes none', async (format) => {
    const { id } = await siteWith([]);
    const { status, text } = await fetchExport(id, `format=${format}&environment=staging`);
    expect([status, JSON.parse(text)]).toMatchObject([400, { code: 'INVALID_PARAMETER' }]);
  });

  test.each(['environment=live', 'lossy=1', 'lossy='])('an unknown value is rejected (%s)', async (query) => {
    const { status } = await fetchExport(1, `format=nginx&${query}`);
    expect(status).toBe(400);
  });
});
