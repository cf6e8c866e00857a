/**
 * GET /api/redirects: everything or a page at a time, filtered, searched and sorted; and the tester. Holds the rules of
 * src/redirects/list/find.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { until } from '../../support/wait.ts';
import { expectRefusal, importFile, newHost, newRedirect, newWebsite } from '../../surfaces/session-api/site.ts';

interface Listed {
  id: number;
  website_id: number;
  old_path: string;
  new_path: string | null;
  updated_at: string;
  deployed_to_prod: string | null;
  deployed_to_staging: string | null;
}

const LARGE = 2_500;

let detour: TestDetour;
let owner: TestAccount;
let other: TestAccount;
/** a website of eight different rules */
let small: number;
/** one of 2,500 */
let large: number;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
  other = await detour.account();
  small = await newWebsite(owner);
  for (const rule of RULES) await newRedirect(owner, { website_id: small, ...rule });
  large = await newWebsite(owner);
  const rows = Array.from({ length: LARGE }, (_, index) => `/item/${index},/thing/${index}`);
  const answer = await importFile(owner, `old_path,new_path\n${rows.join('\n')}\n`, {
    website_id: String(large),
  });
  expect(answer.body.imported).toBe(LARGE);
  const foreign = await newWebsite(other);
  await newRedirect(other, { website_id: foreign, old_path: '/theirs', new_path: '/x' });
});
afterAll(() => detour.stop());

const RULES = [
  { old_path: '/Shop/100%25', new_path: '/sale', group_id: 'spring', status_code: 302 },
  { old_path: '/shop/a_b', new_path: '/under_score', group_id: 'spring', target_environments: 'staging' },
  { old_path: '/back\\slash', new_path: '/x', target_environments: '' },
  { old_path: '/zebra', new_path: '/SHOP/target', target_environments: 'production,development' },
  { old_path: '/gone', status_code: 410 },
  { old_path: '/blog/(\\d+)', new_path: '/posts/$1', is_regex: true },
  { old_path: '/Ärger', new_path: '/x', group_id: 'spring sale' },
  { old_path: '/axb', new_path: '/100 percent' },
];

const list = (query: Record<string, string | number> | string = {}) => {
  const text = typeof query === 'string' ? query : String(new URLSearchParams(query as Record<string, string>));
  return owner.call<{ redirects: Listed[]; next_cursor: string | null }>('GET', `/api/redirects?${text}`);
};
const pathsOf = async (query: Record<string, string | number>) =>
  (await list({ website_id: small, ...query })).body.redirects.map((each) => each.old_path);

describe('the whole list', () => {
  test('is all redirects of the account, newest first, with every field', async () => {
    const { status, headers, body } = await list();
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(/^application\/json/)]);
    expect(Object.keys(body)).toEqual(['redirects']);
    expect(body.redirects).toHaveLength(LARGE + RULES.length);
    const ids = body.redirects.map((each) => each.id);
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    expect(new Set(ids).size).toBe(ids.length);
    expect(body.redirects.at(-1)).toEqual({
      id: expect.any(Number),
      website_id: small,
      old_path: '/Shop/100%25',
      new_path: '/sale',
      status_code: 302,
      is_regex: false,
      group_id: 'spring',
      notes: null,
      target_environments: 'production',
      active_from: null,
      active_until: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      deployed_to_prod: null,
      deployed_to_staging: null,
      deployed_to_dev: null,
      target_state: null,
      target_checked_at: null,
    });
  });

  test('is an empty list for an account without redirects', async () => {
    const stranger = await detour.account();
    expect((await stranger.call('GET', '/api/redirects')).body).toEqual({ redirects: [] });
    const id = await newWebsite(stranger);
    expect((await stranger.call('GET', `/api/redirects?website_id=${id}`)).body).toEqual({ redirects: [] });
  });

  test('reports since when a rule is live, and null if it is not', async () => {
    const id = await newWebsite(owner, { auto_deploy: true });
    const live = await newRedirect(owner, {
      website_id: id,
      old_path: '/live',
      new_path: '/x',
      target_environments: 'production,staging',
    });
    const listed = await until(async () => {
      const [redirect] = (await list({ website_id: id })).body.redirects;
      return redirect?.deployed_to_prod != null && redirect.deployed_to_staging !== null && redirect;
    });
    expect(listed).toMatchObject({
      id: live.id,
      deployed_to_prod: expect.stringMatching(/Z$/),
      deployed_to_dev: null,
    });
    expect((await owner.call('GET', `/api/redirects/${live.id}`)).body.redirect).toEqual(listed);
    await owner.call('DELETE', `/api/websites/${id}?force=true`);
  });
});

describe('filters', () => {
  test('website_id and group', async () => {
    expect(await pathsOf({})).toHaveLength(RULES.length);
    expect(await pathsOf({ group: 'spring' })).toEqual(['/shop/a_b', '/Shop/100%25']);
    expect(await pathsOf({ group: 'Spring' })).toEqual([]);
    expect(await pathsOf({ group: 'nobody' })).toEqual([]);
    expect((await list({ group: 'spring sale' })).body.redirects.map((each) => each.old_path)).toEqual(['/Ärger']);
  });

  test('environment, status_code and is_regex', async () => {
    expect(await pathsOf({ environment: 'staging' })).toEqual(['/shop/a_b']);
    expect(await pathsOf({ environment: 'development' })).toEqual(['/zebra']);
    expect(await pathsOf({ status_code: 410 })).toEqual(['/gone']);
    expect(await pathsOf({ is_regex: 'true' })).toEqual(['/blog/(\\d+)']);
    expect(await pathsOf({ is_regex: 'false' })).toHaveLength(RULES.length - 1);
    expect(await pathsOf({ environment: 'production', status_code: 302, group: 'spring' })).toEqual(['/Shop/100%25']);
  });

  test('q is a case-insensitive substring of either path, and nothing in it is a wildcard', async () => {
    expect(await pathsOf({ q: 'shop' })).toEqual(['/zebra', '/shop/a_b', '/Shop/100%25']);
    expect(await pathsOf({ q: '%' })).toEqual(['/Shop/100%25']);
    expect(await pathsOf({ q: 'a_b' })).toEqual(['/shop/a_b']);
    expect(await pathsOf({ q: '\\' })).toEqual(['/blog/(\\d+)', '/back\\slash']);
    expect(await pathsOf({ q: 'ä' })).toEqual(['/Ärger']);
    expect(await pathsOf({ q: '100 per' })).toEqual(['/axb']);
    expect(await pathsOf({ q: "' or 1=1 --" })).toEqual([]);
    expect(await pathsOf({ q: '' })).toHaveLength(RULES.length);
    expect(await pathsOf({ q: '.*' })).toEqual([]);
  });

  test("a website that is not the account's is 404", async () => {
    const foreign = (await other.call('GET', '/api/websites')).body.websites[0].id;
    for (const id of [foreign, 0, -1, 2_000_000_000, 2_147_483_648, '99999999999999999999']) {
      expectRefusal(await list({ website_id: id }), 404, 'WEBSITE_NOT_FOUND');
      expectRefusal(await list({ website_id: id, limit: 1 }), 404, 'WEBSITE_NOT_FOUND');
    }
  });

  test.each([
    'website_id=abc',
    'website_id=1.5',
    'website_id=',
    'website_id=1&website_id=2',
    'environment=test',
    'environment=',
    'status_code=abc',
    'status_code=200',
    'is_regex=1',
    'is_regex=yes',
    'sort=name',
    'sort=',
    'sort=--id',
    'limit=0',
    'limit=-1',
    'limit=1001',
    'limit=1e2',
    'limit=1.5',
    'limit=',
    'cursor=',
    'cursor=nonsense',
    'cursor=bnVsbA',
    'unknown=1',
    'q=a&q=b',
    'q[]=a',
  ])('%s is 400 and names the parameter', async (query) => {
    const answer = await list(query);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(query.split(/[=[]/)[0]);
    expect(['INVALID_PARAMETER', 'UNKNOWN_FIELD']).toContain((answer.body as unknown as { code: string }).code);
  });

  test('a NUL in a filter is 400, a broken escape an answer like any other', async () => {
    for (const query of ['q=%00', 'group=a%00b', 'cursor=%00'])
      expect([query, (await list(query)).status]).toEqual([query, 400]);
    for (const query of ['q=%ED%A0%80', 'group=%FF', 'q=%zz'])
      expect([query, (await list(query)).status]).toEqual([query, 200]);
  });
});

describe('pages', () => {
  async function walk(query: Record<string, string | number>): Promise<Listed[]> {
    const found: Listed[] = [];
    let cursor: string | null = null;
    do {
      const { status, body } = await list({ ...query, ...(cursor !== null && { cursor }) });
      expect(status).toBe(200);
      expect(body.redirects.length).toBeLessThanOrEqual(Number(query['limit'] ?? 1_000));
      found.push(...body.redirects);
      cursor = body.next_cursor;
    } while (cursor !== null);
    return found;
  }

  test('together are the list, whatever the size of a page', async () => {
    const whole = (await list({ website_id: large })).body.redirects;
    for (const limit of [999, 1_000, 500]) expect(await walk({ website_id: large, limit })).toEqual(whole);
    const short = (await list({ website_id: small })).body.redirects;
    for (const limit of [1, 3, 8, 9]) expect(await walk({ website_id: small, limit })).toEqual(short);
  });

  test('the last page says so: next_cursor is null', async () => {
    expect((await list({ website_id: small, limit: 8 })).body.next_cursor).toBeNull();
    expect((await list({ website_id: small, limit: 7 })).body.next_cursor).toEqual(expect.any(String));
    const none = await list({ website_id: small, limit: 5, q: 'nothing like it' });
    expect(none.body).toEqual({ redirects: [], next_cursor: null });
  });

  test.each(['id', '-id', 'old_path', '-old_path', 'updated_at', '-updated_at'])(
    'sorted by %s every redirect comes once, in pages as in the whole list',
    async (sort) => {
      const whole = (await list({ website_id: small, sort })).body.redirects;
      expect(whole).toHaveLength(RULES.length);
      expect((await walk({ website_id: small, sort, limit: 3 })).map((each) => each.id)).toEqual(
        whole.map((each) => each.id),
      );
    },
  );

  test('sort goes by bytes, by number and backwards', async () => {
    const ascending = await pathsOf({ sort: 'old_path' });
    expect(await pathsOf({ sort: '-old_path' })).toEqual([...ascending].reverse());
    expect(ascending.indexOf('/Shop/100%25')).toBeLessThan(ascending.indexOf('/axb'));
    expect(await pathsOf({ sort: 'id' })).toEqual(RULES.map((rule) => rule.old_path));
  });

  test('filters hold on every page', async () => {
    const found = await walk({ website_id: large, q: 'item/1', limit: 100 });
    expect(found).toHaveLength(1_000 + 100 + 10 + 1);
    expect(found.every((each) => each.old_path.startsWith('/item/1'))).toBe(true);
  });

  test('rows that come or go between two pages neither repeat nor hide others', async () => {
    const id = await newWebsite(owner);
    for (let index = 0; index < 6; index++)
      await newRedirect(owner, { website_id: id, old_path: `/r${index}`, new_path: '/x' });
    const first = (await list({ website_id: id, limit: 3 })).body;
    await newRedirect(owner, { website_id: id, old_path: '/late', new_path: '/x' });
    await owner.call('DELETE', `/api/redirects/${first.redirects[2]?.id}`);
    const second = (await list({ website_id: id, limit: 3, cursor: first.next_cursor ?? '' })).body;
    expect(second.redirects.map((each) => each.old_path)).toEqual(['/r2', '/r1', '/r0']);
    await owner.call('DELETE', `/api/websites/${id}?force=true`);
  });

  test.each(['2020', 'Jan 1 2020 (x)', '0000-01-01T00:00:00.000Z', '-000001-01-01T00:00:00.000Z'])(
    'a forged cursor with the time %s is 400',
    async (time) => {
      const cursor = Buffer.from(JSON.stringify(['updated_at', time, 1])).toString('base64url');
      expectRefusal(await list({ sort: 'updated_at', limit: 2, cursor }), 400, 'INVALID_PARAMETER', 'cursor');
    },
  );

  test('a cursor of another sort is rejected, and one of another account shows nothing of it', async () => {
    const { next_cursor } = (await list({ website_id: small, limit: 2 })).body;
    expectRefusal(
      await list({ website_id: small, limit: 2, sort: 'old_path', cursor: next_cursor ?? '' }),
      400,
      'INVALID_PARAMETER',
      'cursor',
    );
    const theirs = await other.call('GET', `/api/redirects?limit=10&cursor=${next_cursor}`);
    expect(theirs.body.redirects.every((each: Listed) => each.old_path === '/theirs')).toBe(true);
  });
});

describe('the tester', () => {
  test('tells the rule that wins, those it beat, the Location and the hops', async () => {
    const hostname = newHost();
    const id = await newWebsite(owner, {
      auto_deploy: true,
      hosts: [{ hostname, environment: 'production' }],
    });
    const rules = [
      { old_path: '/start', new_path: '/middle' },
      { old_path: '/middle', new_path: '/end?x=1', status_code: 302 },
      { old_path: '/st.*', new_path: '/pattern', is_regex: true },
    ];
    const made = [];
    for (const rule of rules) made.push(await newRedirect(owner, { website_id: id, ...rule }));
    await until(async () => (await detour.visit(hostname, '/stop')).status === 301);
    const probe = (url: string) =>
      owner.call('POST', '/api/redirects/test', { website_id: id, environment: 'production', url });
    for (const url of ['/start?q=1', `https://${hostname}/start?q=1`]) {
      const { status, body } = await probe(url);
      const visit = await detour.visit(hostname, '/start?q=1');
      expect([status, body.status_code, body.location]).toEqual([200, visit.status, visit.location]);
      expect(body.match.redirect_id).toBe(made[0].id);
      expect(body.beaten.map((each: { redirect_id: number }) => each.redirect_id)).toEqual([made[2].id]);
      expect(body.hops.map((each: { location: string }) => each.location)).toEqual(['/middle?q=1', '/end?x=1&q=1']);
    }
    expect((await probe('/nothing')).body).toMatchObject({
      match: null,
      status_code: 404,
      location: null,
      hops: [],
    });
    for (const [body, status] of [
      [{ website_id: id, environment: 'test', url: '/' }, 422],
      [{ website_id: id, environment: 'production', url: 'start' }, 422],
      [{ website_id: id, environment: 'production', url: 'https://other.example.org/start' }, 422],
      [{ website_id: id, environment: 'production', url: 1 }, 400],
      [{ website_id: id, environment: 'production' }, 400],
      [{ environment: 'production', url: '/' }, 400],
      [{ website_id: 2_000_000_000, environment: 'production', url: '/' }, 404],
    ] as const) {
      expect([body, (await owner.call('POST', '/api/redirects/test', body)).status]).toEqual([body, status]);
    }
    expectRefusal(
      await other.call('POST', '/api/redirects/test', {
        website_id: id,
        environment: 'production',
        url: '/start',
      }),
      404,
      'WEBSITE_NOT_FOUND',
    );
  });
});
