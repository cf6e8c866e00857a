/** REDIRECT_LOOP: a single write never closes a loop of literal rules, and no other write is rejected. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import {
  expectRefusal,
  importFile,
  newHost,
  newRedirect,
  newWebsite,
  readRedirect,
  redirectsOf,
} from '../../surfaces/session-api/site.ts';

let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

interface Site {
  id: number;
  create(old_path: string, new_path: string, more?: object): ReturnType<typeof importFile>;
  /** the id of a rule that is taken */
  rule(old_path: string, new_path: string, more?: object): Promise<number>;
  put(id: number, fields: object): ReturnType<typeof importFile>;
  /** rules without the check of a single write */
  bulk(rules: [string, string][]): Promise<void>;
}

async function site(options: object = {}): Promise<Site> {
  const id = await newWebsite(owner, options);
  const fields = (old_path: string, new_path: string, more: object) => ({
    website_id: id,
    old_path,
    new_path,
    ...more,
  });
  return {
    id,
    create: (from, to, more = {}) => owner.call('POST', '/api/redirects', fields(from, to, more)),
    rule: async (from, to, more = {}) => (await newRedirect(owner, fields(from, to, more))).id,
    put: (redirect, change) => owner.call('PUT', `/api/redirects/${redirect}`, change),
    async bulk(rules) {
      const file = ['old_path,new_path', ...rules.map((rule) => rule.join(','))].join('\n');
      const answer = await importFile(owner, file, { website_id: String(id) });
      expect(answer.body).toMatchObject({ imported: rules.length, error_count: 0 });
    },
  };
}

const loop = (answer: Awaited<ReturnType<typeof importFile>>) => expectRefusal(answer, 422, 'REDIRECT_LOOP');

describe('a pattern', () => {
  test('that leads to ever longer paths is rejected, and check says so', async () => {
    const { id, create, put } = await site();
    const grows = { is_regex: true };
    loop(await create('/p/(.*)', '/p/x/$1', grows));
    const check = { website_id: id, old_path: '/p/(.*)', new_path: '/p/x/$1', is_regex: true };
    const checked = await owner.call('POST', '/api/redirects/check', check);
    expect(checked.body.issues).toEqual([
      expect.objectContaining({
        path: 'new_path',
        code: 'REDIRECT_LOOP',
        message: expect.stringContaining('/p/x/x -> /p/x/x/x'),
      }),
    ]);
    const created = await create('/p/(.*)', '/q/$1', grows);
    expect(created.status).toBe(201);
    loop(await put(created.body.redirect.id, { new_path: '/p/$1/more' }));
    expect((await create('/p/2/(.*)', '/p/2/x/$1', { ...grows, target_environments: '' })).status).toBe(201);
  });
});

describe('a rule that leads to itself', () => {
  test.each([
    ['/a', '/a'],
    ['/%7ea', '/~a'],
    ['/ä', '/%c3%a4'],
    ['/a b', '/a%20b'],
    ['/a/./b', '/a/b'],
    ['/a', '/a#fragment'],
    ['/a?x=1&y=2', '/a?x=1&y=2'],
    ['/', '/'],
  ])('%s to %s is a loop', async (from, to) => {
    const { id, create } = await site();
    loop(await create(from, to));
    expect(await redirectsOf(owner, id)).toEqual([]);
  });

  test.each([
    ['/a', '/a/'],
    ['/a/', '/a'],
    ['/foo-Bar', '/foo-bar'],
    ['/a?x=1', '/a'],
    ['/a', '/b#a'],
    ['/a%2Fb', '/a/b'],
  ])('%s to %s is not a loop', async (from, to) => {
    for (const options of [{}, { trailing_slash: 'exact' }, { case_sensitive: false }]) {
      const { create } = await site(options);
      expect([options, (await create(from, to)).status]).toEqual([options, 201]);
    }
  });

  test('an update of either path that makes them the same is rejected', async () => {
    const { rule, put } = await site();
    const id = await rule('/a', '/b');
    loop(await put(id, { new_path: '/%61' }));
    loop(await put(id, { old_path: '/b' }));
    loop(await put(id, { old_path: '/c', new_path: '/c' }));
    expect(await readRedirect(owner, id)).toMatchObject({ old_path: '/a', new_path: '/b' });
    expect((await put(id, { old_path: '/b', new_path: '/a' })).status).toBe(200);
  });
});

describe('a rule that closes a loop', () => {
  test.each([2, 3, 25])('of %i rules is rejected at its creation, and the hops are shown', async (length) => {
    const { id, rule, create } = await site();
    for (let step = 1; step < length; step++) await rule(`/p${step}`, `/p${step + 1}`);
    const answer = await create(`/p${length}`, '/p1');
    loop(answer);
    const hops = (answer.body.details.match(/\/p\d+/g) ?? []) as string[];
    expect(hops.slice(0, 3)).toEqual([`/p${length}`, '/p1', '/p2']);
    expect(hops.length).toBeLessThanOrEqual(20);
    if (length < 20) expect(hops).toHaveLength(length + 1);
    expect(await redirectsOf(owner, id)).toHaveLength(length - 1);
    expect((await create(`/p${length}`, '/elsewhere')).status).toBe(201);
  });

  test('is rejected when an update of its target closes it', async () => {
    const { rule, put } = await site();
    await rule('/a', '/b');
    const id = await rule('/b', '/c');
    loop(await put(id, { new_path: '/a' }));
    expect((await readRedirect(owner, id)).new_path).toBe('/c');
  });

  test('is rejected when an update of its path closes it', async () => {
    const { rule, put } = await site();
    await rule('/a', '/b');
    const id = await rule('/c', '/a');
    loop(await put(id, { old_path: '/b' }));
    expect((await readRedirect(owner, id)).old_path).toBe('/c');
  });

  test('is rejected when an update of its environments closes it', async () => {
    const { rule, put } = await site();
    await rule('/a', '/b', { target_environments: 'staging' });
    const id = await rule('/b', '/a', { target_environments: 'production,development' });
    loop(await put(id, { target_environments: 'production,staging' }));
    expect((await readRedirect(owner, id)).target_environments).toBe('production,development');
  });

  test('is rejected when a pattern becomes the literal that closes it', async () => {
    const { rule, put } = await site();
    await rule('/a', '/b');
    const id = await rule('/b', '/a', { is_regex: true });
    loop(await put(id, { is_regex: false }));
    expect((await readRedirect(owner, id)).is_regex).toBe(true);
  });

  test('is one only in an environment that both are targeted at', async () => {
    const { rule, create } = await site();
    await rule('/a', '/b', { target_environments: 'staging,development' });
    expect((await create('/b', '/a', { target_environments: 'production' })).status).toBe(201);
    await rule('/c', '/d', { target_environments: '' });
    expect((await create('/d', '/c')).status).toBe(201);
    await rule('/e', '/f');
    expect((await create('/f', '/e', { target_environments: '' })).status).toBe(201);
  });

  test('may go over queries and fragments', async () => {
    const { rule, create } = await site();
    await rule('/a', '/b?x=1#top');
    loop(await create('/b', '/a'));
    await rule('/c', '/d');
    loop(await create('/d', '/c?x=1'));
  });

  test('may go over the hosts of the website itself', async () => {
    const hostname = newHost();
    const { rule, create } = await site({
      hosts: [{ hostname, environment: 'production' }],
      allowed_target_hosts: [hostname, 'elsewhere.example.org'],
    });
    await rule('/a', `https://${hostname}/b`);
    loop(await create('/b', '/a'));
    await rule('/c', 'https://elsewhere.example.org/d');
    expect((await create('/d', '/c')).status).toBe(201);
  });

  test('does not exist if the other rule belongs to another website', async () => {
    const [first, second] = [await site(), await site()];
    await first.rule('/a', '/b');
    expect((await second.create('/b', '/a')).status).toBe(201);
  });
});

describe("the website's options say what a loop is", () => {
  test('with the slash ignored /b/ is answered by /b, exactly it is not', async () => {
    const [ignore, exact] = [await site(), await site({ trailing_slash: 'exact' })];
    for (const { rule } of [ignore, exact]) await rule('/a', '/b/');
    loop(await ignore.create('/b', '/a/'));
    expect((await exact.create('/b', '/a/')).status).toBe(201);
  });

  test('with case ignored /B is answered by /b, else it is not', async () => {
    const [strict, loose] = [await site(), await site({ case_sensitive: false })];
    for (const { rule } of [strict, loose]) await rule('/a', '/B');
    loop(await loose.create('/b', '/A'));
    expect((await strict.create('/b', '/A')).status).toBe(201);
    const umlaut = await site({ case_sensitive: false });
    await umlaut.rule('/ä', '/Ö');
    loop(await umlaut.create('/ö', '/Ä'));
  });

  test('a rule for a required query leaves a loop that only other queries would have had', async () => {
    const { rule, create } = await site();
    await rule('/a?x=1', '/b');
    expect((await create('/b', '/a')).status).toBe(201);
    loop(await create('/c', '/c#f'));
  });
});

describe('a loop that is there already', () => {
  test('does not block writes that neither close nor touch it', async () => {
    const { id, rule, create, put, bulk } = await site();
    await bulk([
      ['/a', '/b'],
      ['/b', '/a'],
    ]);
    expect((await create('/into', '/a')).status).toBe(201);
    const other = await rule('/x', '/y');
    expect((await put(other, { new_path: '/b' })).status).toBe(200);
    const inLoop = (await redirectsOf(owner, id)).find((each: { old_path: string }) => each.old_path === '/a');
    expect((await put(inLoop.id, { notes: 'known', status_code: 302 })).status).toBe(200);
    expect((await put(inLoop.id, { target_environments: 'production,staging' })).status).toBe(200);
    expect((await put(inLoop.id, { new_path: '/out' })).status).toBe(200);
    loop(await put(inLoop.id, { new_path: '/b' }));
  });

  test('a long chain without a loop is no loop', async () => {
    const { create, bulk } = await site();
    await bulk(Array.from({ length: 120 }, (_, index) => [`/s${index}`, `/s${index + 1}`]));
    expect((await create('/s120', '/end')).status).toBe(201);
    expect((await create('/begin', '/s0')).status).toBe(201);
  });
});
