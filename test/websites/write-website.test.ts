/**
 * Websites over the session API, with their hosts and options. Holds the rules of src/websites/store-hosts.ts,
 * store.ts, website.ts, domain-loops.ts and check-hosts.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { until } from '../support/wait.ts';
import { expectRefusal, newHost, newWebsite } from '../surfaces/session-api/site.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

let detour: TestDetour;
let owner: TestAccount;
let other: TestAccount;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
  other = await detour.account();
});
afterAll(() => detour.stop());

const create = (body: unknown) => owner.call('POST', '/api/websites', body);
const read = async (id: number) => (await owner.call('GET', `/api/websites/${id}`)).body.website;

describe('creating a website', () => {
  test('an unknown parameter beside a valid body creates nothing', async () => {
    for (const path of ['/api/websites', '/api/v1/websites']) {
      const call = path.includes('v1') ? owner.keyCall : owner.call;
      const answer = await call('POST', `${path}?dry_run=true`, { name: 'Unwanted' });
      expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_PARAMETER']);
      expect(answer.body.details).toContain('dry_run');
    }
    const { websites } = (await owner.call('GET', '/api/websites')).body;
    expect(websites.map(({ name }: { name: string }) => name)).not.toContain('Unwanted');
  });

  test('a name is enough; everything else takes its default', async () => {
    const answer = await create({ name: 'Plain' });
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        website: {
          id: expect.any(Number),
          name: 'Plain',
          hosts: [],
          host_count: 0,
          case_sensitive: true,
          trailing_slash: 'ignore',
          query: 'pass',
          fallback_url: null,
          allowed_target_hosts: [],
          auto_deploy: true,
          held_environments: [],
          on_loop: 'warn',
          gated_environments: [],
          url_gate: [],
          page_parameters: [],
          sitemap_urls: [],
          check_schedule: { every: 'off', hour: 3, weekday: 1, time_zone: 'UTC' },
          check_after_deployment: false,
          revision: 0,
          history: null,
          created_at: TIME,
          updated_at: TIME,
        },
      },
    ]);
    expect(await read(answer.body.website.id)).toEqual(answer.body.website);
    expect((await owner.call('GET', '/api/websites')).body.websites).toContainEqual(answer.body.website);
  });

  test('every option is stored as given', async () => {
    const options = {
      name: 'Everything',
      hosts: [
        { hostname: newHost(), environment: 'production' },
        { hostname: newHost(), environment: 'staging' },
      ],
      case_sensitive: false,
      trailing_slash: 'exact',
      query: 'drop',
      fallback_url: 'https://www.example.org/base',
      allowed_target_hosts: ['shop.example.com'],
      auto_deploy: false,
      on_loop: 'fail',
      check_schedule: { every: 'weekly', hour: 0, weekday: 7, time_zone: 'Asia/Kathmandu' },
      check_after_deployment: true,
    };
    const { status, body } = await create(options);
    expect([status, body]).toMatchObject([201, { website: options }]);
    expect(await read(body.website.id)).toEqual(body.website);
  });

  test('creating deploys nothing', async () => {
    const { body } = await create({
      name: 'Quiet',
      hosts: [{ hostname: newHost(), environment: 'production' }],
    });
    const deployments = await owner.call('GET', `/api/deployments?website_id=${body.website.id}`);
    expect(deployments.body.deployments).toEqual([]);
  });

  test('a hostname is kept in lower-case IDNA ASCII, without final dot', async () => {
    const host = newHost();
    const hosts = [
      { hostname: host.toUpperCase(), environment: 'production' },
      { hostname: `Bücher.${host}.`, environment: 'staging' },
    ];
    const { body } = await create({ name: 'Names', hosts });
    expect(body.website.hosts.map((each: { hostname: string }) => each.hostname)).toEqual([
      host,
      `xn--bcher-kva.${host}`,
    ]);
  });

  test('a name has 1 to 200 characters', async () => {
    expect((await create({ name: 'n'.repeat(200) })).status).toBe(201);
    expectRefusal(await create({ name: 'n'.repeat(201) }), 422, 'VALIDATION_ERROR', 'name');
    expectRefusal(await create({ name: '' }), 422, 'VALIDATION_ERROR', 'name');
  });

  test('at most 10,000 hosts and 100 allowed_target_hosts', async () => {
    const hosts = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ hostname: `h${at}.many.example`, environment: 'production' }));
    const targets = (count: number) => Array.from({ length: count }, () => newHost());
    expect((await create({ name: 'Many', hosts: hosts(3), allowed_target_hosts: targets(100) })).status).toBe(201);
    expectRefusal(await create({ name: 'Many', hosts: hosts(10_001) }), 422, 'TOO_MANY_ITEMS', 'hosts');
    expectRefusal(
      await create({ name: 'Many', allowed_target_hosts: targets(101) }),
      422,
      'TOO_MANY_ITEMS',
      'allowed_target_hosts',
    );
  });

  test('a hostname belongs to one website in the whole service', async () => {
    const hostname = newHost();
    const hosts = [{ hostname, environment: 'production' }];
    expect((await create({ name: 'First', hosts })).status).toBe(201);
    const again = { name: 'Second', hosts: [{ hostname: hostname.toUpperCase(), environment: 'staging' }] };
    expectRefusal(await create(again), 409, 'CONFLICT', hostname);
    expectRefusal(await other.call('POST', '/api/websites', again), 409, 'CONFLICT', hostname);
    expect((await other.call('GET', '/api/websites')).body.websites).toEqual([]);
  });

  test('of 20 websites that want one hostname at once, one gets it', async () => {
    const hosts = [{ hostname: newHost(), environment: 'production' }];
    const answers = await Promise.all(Array.from({ length: 20 }, () => create({ name: 'Race', hosts })));
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
  });

  test('a rejected website is not there, and its hosts are free', async () => {
    const before = (await owner.call('GET', '/api/websites')).body.websites.length;
    const hostname = newHost();
    const good = { hostname, environment: 'production' };
    await create({ name: 'Half', hosts: [good, { hostname: '127.0.0.1', environment: 'production' }] });
    expect((await owner.call('GET', '/api/websites')).body.websites).toHaveLength(before);
    expect((await create({ name: 'Whole', hosts: [good] })).status).toBe(201);
  });

  test.each(['localhost', 'LOCALHOST', '127.0.0.1', 'http://example.com'])('%j is no hostname', async (hostname) => {
    const answer = await create({ name: 'Odd', hosts: [{ hostname, environment: 'production' }] });
    expectRefusal(answer, 422, 'VALIDATION_ERROR', 'hosts');
  });

  test.each([
    [{ name: 1 }, 400, 'INVALID_PARAMETER', 'name'],
    [{ name: null }, 400, 'INVALID_PARAMETER', 'name'],
    [{ name: ['Shop'] }, 400, 'INVALID_PARAMETER', 'name'],
    [{}, 400, 'MISSING_PARAMETER', 'name'],
    [{ name: 'a\u0000b' }, 422, 'VALIDATION_ERROR', 'name'],
    [{ name: 'Shop', hosts: null }, 400, 'INVALID_PARAMETER', 'hosts'],
    [{ name: 'Shop', hosts: 'example.com' }, 400, 'INVALID_PARAMETER', 'hosts'],
    [{ name: 'Shop', hosts: ['example.com'] }, 400, 'INVALID_PARAMETER', 'hosts'],
    [{ name: 'Shop', hosts: [{ hostname: 'w.example.com' }] }, 400, 'MISSING_PARAMETER', 'environment'],
    [{ name: 'Shop', hosts: [{ environment: 'production' }] }, 400, 'MISSING_PARAMETER', 'hostname'],
    [{ name: 'Shop', hosts: [{ hostname: 'w.example.com', environment: 'test' }] }, 422, 'VALIDATION_ERROR', 'hosts'],
    [
      { name: 'Shop', hosts: [{ hostname: 'w.example.com', environment: 'production', x: 1 }] },
      400,
      'UNKNOWN_FIELD',
      'x',
    ],
    [
      {
        name: 'Shop',
        hosts: [
          { hostname: 'twice.example.com', environment: 'production' },
          { hostname: 'TWICE.example.com', environment: 'staging' },
        ],
      },
      422,
      'VALIDATION_ERROR',
      'hosts',
    ],
    [{ name: 'Shop', case_sensitive: 'true' }, 400, 'INVALID_PARAMETER', 'case_sensitive'],
    [{ name: 'Shop', case_sensitive: null }, 400, 'INVALID_PARAMETER', 'case_sensitive'],
    [{ name: 'Shop', trailing_slash: 'sometimes' }, 422, 'VALIDATION_ERROR', 'trailing_slash'],
    [{ name: 'Shop', trailing_slash: 1 }, 400, 'INVALID_PARAMETER', 'trailing_slash'],
    [{ name: 'Shop', query: 'keep' }, 422, 'VALIDATION_ERROR', 'query'],
    [{ name: 'Shop', on_loop: 'ignore' }, 422, 'VALIDATION_ERROR', 'on_loop'],
    [{ name: 'Shop', auto_deploy: 1 }, 400, 'INVALID_PARAMETER', 'auto_deploy'],
    [{ name: 'Shop', fallback_url: '/relative' }, 422, 'VALIDATION_ERROR', 'fallback_url'],
    [{ name: 'Shop', fallback_url: 'javascript:alert(1)' }, 422, 'VALIDATION_ERROR', 'fallback_url'],
    [{ name: 'Shop', fallback_url: 'https://a\r\nSet-Cookie: x' }, 422, 'VALIDATION_ERROR', 'fallback_url'],
    [{ name: 'Shop', fallback_url: 7 }, 400, 'INVALID_PARAMETER', 'fallback_url'],
    [{ name: 'Shop', allowed_target_hosts: 'a.example.com' }, 400, 'INVALID_PARAMETER', 'allowed_target_hosts'],
    [{ name: 'Shop', allowed_target_hosts: [1] }, 400, 'INVALID_PARAMETER', 'allowed_target_hosts'],
    [
      { name: 'Shop', allowed_target_hosts: ['https://a.example.com'] },
      422,
      'VALIDATION_ERROR',
      'allowed_target_hosts',
    ],
    [{ name: 'Shop', check_schedule: 'daily' }, 400, 'INVALID_PARAMETER', 'check_schedule'],
    [{ name: 'Shop', check_schedule: null }, 400, 'INVALID_PARAMETER', 'check_schedule'],
    [{ name: 'Shop', check_schedule: { hour: 3 } }, 400, 'MISSING_PARAMETER', 'every'],
    [{ name: 'Shop', check_schedule: { every: 'hourly' } }, 422, 'VALIDATION_ERROR', 'every'],
    [{ name: 'Shop', check_schedule: { every: 'daily', hour: 24 } }, 422, 'VALIDATION_ERROR', 'hour'],
    [{ name: 'Shop', check_schedule: { every: 'daily', hour: -1 } }, 422, 'VALIDATION_ERROR', 'hour'],
    [{ name: 'Shop', check_schedule: { every: 'daily', hour: '3' } }, 400, 'INVALID_PARAMETER', 'hour'],
    [{ name: 'Shop', check_schedule: { every: 'weekly', weekday: 0 } }, 422, 'VALIDATION_ERROR', 'weekday'],
    [{ name: 'Shop', check_schedule: { every: 'weekly', weekday: 8 } }, 422, 'VALIDATION_ERROR', 'weekday'],
    [{ name: 'Shop', check_schedule: { every: 'daily', time_zone: 'Mars' } }, 422, 'VALIDATION_ERROR', 'time_zone'],
    [{ name: 'Shop', check_schedule: { every: 'daily', time_zone: '+01:00' } }, 422, 'VALIDATION_ERROR', 'time_zone'],
    [{ name: 'Shop', check_schedule: { every: 'daily', minute: 1 } }, 400, 'UNKNOWN_FIELD', 'minute'],
    [{ name: 'Shop', check_after_deployment: 1 }, 400, 'INVALID_PARAMETER', 'check_after_deployment'],
    [{ name: 'Shop', unknown: 1 }, 400, 'UNKNOWN_FIELD', 'unknown'],
    [{ name: 'Shop', account_id: 1 }, 400, 'UNKNOWN_FIELD', 'account_id'],
    [[], 400, 'INVALID_PARAMETER', ''],
    ['"text"', 400, 'INVALID_PARAMETER', ''],
    ['null', 400, 'MISSING_PARAMETER', 'name'],
    ['{"name":', 400, 'INVALID_JSON', ''],
  ])('rejects %j', async (body, status, code, field) => {
    const before = (await owner.call('GET', '/api/websites')).body.websites;
    expectRefusal(await create(body), status, code, field);
    expect((await owner.call('GET', '/api/websites')).body.websites).toEqual(before);
  });

  test('an empty body is no body, and a website needs one', async () => {
    expect(await create('')).toMatchObject({ status: 400, body: { code: 'MISSING_PARAMETER' } });
  });

  test('a prototype in the body changes nothing and is no field', async () => {
    for (const text of ['{"name":"P","__proto__":{"hosts":[]}}', '{"name":"P","constructor":{"prototype":{"x":1}}}']) {
      expect([text, (await create(text)).status]).toEqual([text, 400]);
    }
  });

  test('a body of 100,000 nested arrays is rejected and does no harm', async () => {
    const deep = `{"name":"Deep","hosts":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expectRefusal(await create(deep), 413, 'BODY_TOO_LARGE');
  });

  test('a body over 1 MiB is 413, another content type 415', async () => {
    expectRefusal(await create({ name: 'n'.repeat(3_000_000) }), 413, 'BODY_TOO_LARGE');
    const text = await owner.call('POST', '/api/websites', 'name=Shop', { 'content-type': 'text/plain' });
    expectRefusal(text, 415, 'UNSUPPORTED_MEDIA_TYPE');
  });
});

describe('changing a website', () => {
  test('changes what it names and nothing else', async () => {
    const id = await newWebsite(owner, { fallback_url: 'https://old.example.org' });
    const before = await read(id);
    const answer = await owner.call('PUT', `/api/websites/${id}`, { query: 'exact' });
    expect([answer.status, answer.body]).toEqual([200, { website: { ...before, query: 'exact', updated_at: TIME } }]);
    const cleared = await owner.call('PUT', `/api/websites/${id}`, { fallback_url: null });
    expect(cleared.body.website.fallback_url).toBeNull();
  });

  test('a schedule of checks is replaced as a whole, and counts from when it was set, in both surfaces', async () => {
    const id = await newWebsite(owner, { check_schedule: { every: 'weekly', hour: 5, weekday: 2 } });
    const setAt = async () =>
      (await detour.db.$client.query<{ at: Date }>(`select at from check_starts where website_id = $1`, [id])).rows[0]
        ?.at;
    const first = await setAt();
    expect(first).toBeInstanceOf(Date);
    const put = (check_schedule: object) => owner.keyCall('PUT', `/api/v1/websites/${id}`, { check_schedule });
    const answer = await put({ every: 'daily', time_zone: 'Europe/Berlin' });
    const check_schedule = { every: 'daily', hour: 3, weekday: 1, time_zone: 'Europe/Berlin' };
    expect(answer.body.website).toMatchObject({ check_schedule });
    expect((await read(id)).check_schedule).toEqual(check_schedule);
    const second = await setAt();
    expect(second?.getTime()).toBeGreaterThan(first?.getTime() ?? Infinity);
    await put(check_schedule);
    expect(await setAt()).toEqual(second);
  });

  test('takes a whole website back, read-only fields ignored', async () => {
    const id = await newWebsite(owner, { hosts: [{ hostname: newHost(), environment: 'production' }] });
    const website = await read(id);
    const answer = await owner.call('PUT', `/api/websites/${id}`, {
      ...website,
      id: 1,
      held_environments: ['staging'],
      name: 'Round',
    });
    expect([answer.status, answer.body.website]).toEqual([200, { ...website, name: 'Round', updated_at: TIME }]);
  });

  test('a body without a writable field is 400', async () => {
    const id = await newWebsite(owner);
    for (const body of [{}, { id }, { held_environments: ['production'] }, { created_at: '2030-01-01T00:00:00Z' }]) {
      expectRefusal(await owner.call('PUT', `/api/websites/${id}`, body), 400, 'MISSING_PARAMETER');
    }
    expectRefusal(await owner.call('PUT', `/api/websites/${id}`, ''), 400, 'MISSING_PARAMETER');
    expect((await read(id)).held_environments).toEqual([]);
  });

  test('what changes nothing keeps updated_at', async () => {
    const id = await newWebsite(owner);
    await detour.db.$client.query(`update websites set updated_at = '2020-01-01' where id = $1`, [id]);
    const same = await owner.call('PUT', `/api/websites/${id}`, { name: 'Shop', query: 'pass', hosts: [] });
    expect([same.status, same.body.website.updated_at]).toEqual([200, '2020-01-01T00:00:00Z']);
    const changed = await owner.call('PUT', `/api/websites/${id}`, { name: 'Shop 2' });
    expect(changed.body.website.updated_at).not.toBe('2020-01-01T00:00:00Z');
  });

  test('with if_updated_at, of two changes at once one is applied; the other gets who changed it', async () => {
    const id = await newWebsite(owner);
    const { updated_at: if_updated_at } = await read(id);
    const put = (body: object) => owner.call('PUT', `/api/websites/${id}`, { ...body, if_updated_at });
    const answers = await Promise.all([put({ name: 'One' }), put({ name: 'Two' })]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const lost = answers.find(({ status }) => status === 409);
    expect(lost?.body).toMatchObject({
      code: 'CHANGED_SINCE',
      changed_by: { type: 'user', name: owner.email },
      changed_at: TIME,
      website: await read(id),
    });
    expectRefusal(await owner.call('PUT', `/api/websites/${id}`, { if_updated_at }), 400, 'MISSING_PARAMETER');
    const again = await owner.call('PUT', `/api/websites/${id}`, {
      name: 'Three',
      if_updated_at: lost?.body.website.updated_at,
    });
    expect([again.status, again.body.website.name]).toEqual([200, 'Three']);
  });

  test('a rejected change leaves everything as it was', async () => {
    const hostname = newHost();
    const id = await newWebsite(owner, { hosts: [{ hostname, environment: 'production' }] });
    const taken = newHost();
    await newWebsite(other, { hosts: [{ hostname: taken, environment: 'production' }] });
    const before = await read(id);
    const put = (body: object) => owner.call('PUT', `/api/websites/${id}`, body);
    const own = { hostname: newHost(), environment: 'staging' };
    expectRefusal(
      await put({ name: 'New', hosts: [own, { hostname: taken, environment: 'production' }] }),
      409,
      'CONFLICT',
    );
    expectRefusal(await put({ name: 'New', query: 'x' }), 422, 'VALIDATION_ERROR', 'query');
    expectRefusal(await put({ name: 'New', query: 1 }), 400, 'INVALID_PARAMETER', 'query');
    expectRefusal(await put({ name: 'New', nonsense: 1 }), 400, 'UNKNOWN_FIELD', 'nonsense');
    expectRefusal(await put({ name: '' }), 422, 'VALIDATION_ERROR', 'name');
    expect(await read(id)).toEqual(before);
    expect((await newWebsite(other, { hosts: [own] })) > 0).toBe(true);
  });

  test('hosts take effect within a second, and a host that is given up is free', async () => {
    const [first, second] = [newHost(), newHost()];
    const id = await newWebsite(owner, { hosts: [{ hostname: first, environment: 'production' }] });
    const isEdge = async (host: string) => (await detour.visit(host, '/api/websites')).status === 404;
    await until(() => isEdge(first), 1_000);
    await owner.call('PUT', `/api/websites/${id}`, {
      hosts: [{ hostname: second, environment: 'production' }],
    });
    await until(async () => (await isEdge(second)) && !(await isEdge(first)), 1_000);
    expect(await newWebsite(other, { hosts: [{ hostname: first, environment: 'staging' }] })).toBeGreaterThan(0);
  });

  test('a fallback takes effect within 5 seconds', async () => {
    const hostname = newHost();
    const id = await newWebsite(owner, { hosts: [{ hostname, environment: 'production' }] });
    expect((await detour.visit(hostname, '/x?y=1')).status).toBe(404);
    await owner.call('PUT', `/api/websites/${id}`, { fallback_url: 'https://fallback.example.org' });
    const answer = await until(async () => {
      const visit = await detour.visit(hostname, '/x?y=1');
      return visit.status === 302 && visit;
    }, 5_000);
    expect(answer.location).toBe('https://fallback.example.org/x?y=1');
  });
});

describe('hosts', () => {
  const at = (hostname: string, redirect_to?: object) => ({ hostname, environment: 'production', redirect_to });
  const locationAt = async (host: string, path = '/x') => (await detour.visit(host, path)).location;
  const fallbackTo = (name: string) => ({ fallback_url: `https://${name}.test` });

  test('an exact host takes precedence, then the longest wildcard, across websites', async () => {
    const base = newHost();
    await newWebsite(owner, { hosts: [at(`*.${base}`)], ...fallbackTo('far') });
    await newWebsite(owner, { hosts: [at(`*.a.${base}`)], ...fallbackTo('near') });
    const exact = await newWebsite(owner, { hosts: [at(`b.a.${base}`)], ...fallbackTo('exact') });
    expect(await Promise.all([`x.${base}`, `a.${base}`, `y.x.${base}`].map((host) => locationAt(host, '/')))).toEqual(
      Array(3).fill('https://far.test/'),
    );
    expect(await locationAt(`c.a.${base}`, '/')).toBe('https://near.test/');
    expect(await locationAt(`b.a.${base}`, '/')).toBe('https://exact.test/');
    expect((await detour.visit(base, '/')).status).toBe(421);
    await owner.call('DELETE', `/api/websites/${exact}`);
    await until(async () => (await locationAt(`b.a.${base}`, '/')) === 'https://near.test/');
  });

  test('a wildcard protects the names below it from other accounts, and not those they had before', async () => {
    const base = newHost();
    await newWebsite(other, { hosts: [at(`early.${base}`)] });
    await newWebsite(owner, { hosts: [at(`*.${base}`)] });
    for (const name of [`late.${base}`, `*.late.${base}`, `*.${base}`]) {
      const rejected = await other.call('POST', '/api/websites', { name: 'Taker', hosts: [at(name)] });
      expectRefusal(rejected, 409, 'CONFLICT', name);
    }
    expect((await create({ name: 'Own', hosts: [at(`late.${base}`), at(`early.x.${base}`)] })).status).toBe(201);
  });

  test('a host that redirects as a whole needs no deployment, and answers before the rules', async () => {
    const [old, fixed] = [newHost(), newHost()];
    const id = await newWebsite(owner, {
      hosts: [
        at(old, { url: 'https://new.test/base' }),
        at(`*.${old}`, { url: 'http://new.test', status_code: 302 }),
        at(fixed, { url: 'https://new.test/landing', status_code: 308, keep_path: false }),
      ],
    });
    const { hosts } = await read(id);
    expect(hosts[0].redirect_to).toEqual({ url: 'https://new.test/base', status_code: 301, keep_path: true });
    const visit = await detour.visit(old, '/a?b=c', { method: 'POST' });
    expect([visit.status, visit.location, visit.headers['cache-control']]).toEqual([
      301,
      'https://new.test/base/a?b=c',
      'private, max-age=90',
    ]);
    expect(await locationAt(`x.y.${old}`)).toBe('http://new.test/x');
    expect(await locationAt(fixed, '/a?b=c')).toBe('https://new.test/landing');

    const tested = await owner.call('POST', '/api/redirects/test', { website_id: id, url: `https://${old}/a?b=c` });
    expect(tested.body).toMatchObject({
      match: null,
      status_code: 301,
      location: 'https://new.test/base/a?b=c',
      hops: [{ url: `https://${old}/a?b=c`, redirect_id: null, status_code: 301 }],
      outcome: 'external',
      final_url: 'https://new.test/base/a?b=c',
    });
    const many = await owner.call('POST', '/api/redirects/test', { website_id: id, urls: [`https://${fixed}/a`] });
    expect(many.body.results[0]).toMatchObject({ redirect_id: null, status_code: 308, outcome: 'external' });
    const expectation = { url: `https://${old}/a`, status_code: 301, location: 'https://new.test/base/a' };
    await owner.call('POST', `/api/websites/${id}/expectations`, { expectations: [expectation] });
    const run = await owner.call('POST', `/api/websites/${id}/expectations/run`, { environment: 'production' });
    expect(run.body.run).toMatchObject({ passed: 1, failed: 0 });

    // Replacing the list without redirect_to ends the redirect.
    await owner.call('PUT', `/api/websites/${id}`, { hosts: [at(old)] });
    await until(async () => (await detour.visit(old, '/')).status === 404);
  });

  test('hits of domain redirects count for the website, and their paths are not unmatched', async () => {
    const host = newHost();
    const id = await newWebsite(owner, { hosts: [at(host, { url: 'https://new.test' })] });
    for (const path of ['/a', '/b'])
      await detour.visit(host, path, { headers: { 'user-agent': 'Mozilla/5.0 Firefox/130.0' } });
    const report = await until(async () => {
      const { body } = await owner.keyCall('GET', `/v1/analytics/overview?website_id=${id}&period=2d`);
      return body.total_hits >= 2 && body;
    });
    expect(report).toMatchObject({ total_hits: 2, not_found: 0, top_redirects: [] });
    expect((await owner.call('GET', `/api/websites/${id}/not-found`)).body.paths).toEqual([]);
  });

  test.each([
    ['to itself', (host: string) => [at(host, { url: `https://${host}` })]],
    [
      'over another host',
      (host: string) => [at(host, { url: `http://b.${host}/x` }), at(`b.${host}`, { url: `https://${host}` })],
    ],
    ['below its own wildcard', (host: string) => [at(`*.${host}`, { url: `https://www.${host}` })]],
  ])('a domain redirect %s is rejected', async (_, hostsOf) => {
    const answer = await create({ name: 'Loop', hosts: hostsOf(newHost()) });
    expect(answer.status).toBe(422);
    expect(answer.body.issues[0]).toMatchObject({ path: 'hosts[0].redirect_to.url', code: 'REDIRECT_LOOP' });
  });

  test('a domain redirect over a host of another website that returns is rejected, and one to a plain host is not', async () => {
    const [a, b, c] = [newHost(), newHost(), newHost()];
    const id = await newWebsite(owner, { hosts: [at(a, { url: `https://${b}` })] });
    expectRefusal(await create({ name: 'Loop', hosts: [at(b, { url: `https://${a}` })] }), 422, 'REDIRECT_LOOP', a);
    const hosts = [at(`*.${c}`, { url: `https://www.${c}` }), at(`www.${c}`)];
    expect((await owner.call('PUT', `/api/websites/${id}`, { hosts })).status).toBe(200);
  });

  test('10,000 hosts are stored and changed by their difference', async () => {
    const base = newHost();
    const hosts = Array.from({ length: 10_000 }, (_, index) => at(`h${index}.${base}`));
    const id = await newWebsite(owner, { hosts });
    const stored = async () =>
      (
        await detour.db.$client.query<{ name: string; xmin: string }>(
          'select hostname as name, xmin from website_hosts where website_id = $1 order by position',
          [id],
        )
      ).rows;
    const before = await stored();
    const changed = [...hosts.slice(1, 5_000), ...hosts.slice(5_001), at(`*.${base}`)];
    const { body } = await owner.call('PUT', `/api/websites/${id}`, { hosts: changed });
    const nameOf = ({ hostname }: { hostname: string }) => hostname;
    expect(body.website.hosts.map(nameOf)).toEqual(changed.map(nameOf));
    const after = await stored();
    expect(after.map(({ name }) => name)).toEqual(changed.map(nameOf));
    const written = new Set(after.map(({ xmin }) => xmin)).size;
    expect([new Set(before.map(({ xmin }) => xmin)).size, written]).toEqual([1, 2]);
    const listed = (await owner.call('GET', '/api/websites')).body.websites.find(
      (each: { id: number }) => each.id === id,
    );
    expect([listed.hosts.length, listed.host_count]).toEqual([100, 9_999]);
    const late = `h9999.${base}`;
    for (const [query, first] of [
      [`q=${late.toUpperCase()}`, late],
      [`host=${late}`, late],
      [`host=deep.any.${base}`, `*.${base}`],
    ]) {
      const { websites } = (await owner.call('GET', `/api/websites?${query}`)).body;
      const found = websites.map((each: { id: number; hosts: { hostname: string }[] }) => [
        each.id,
        each.hosts[0]?.hostname,
      ]);
      expect(found).toEqual([[id, first]]);
    }
    expect((await owner.call('GET', '/api/websites?q=%25')).body.websites).toEqual([]);
    const { body: audit } = await owner.call('GET', '/api/audit?action=website.hosts_changed');
    expect(audit.entries[0].details).toMatchObject({
      removed_count: 2,
      added_count: 1,
      after: [{ hostname: `*.${base}` }],
    });
    await until(async () => (await detour.visit(`any.${base}`, '/')).status === 404);
  });
});
