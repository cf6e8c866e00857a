/**
 * Deployments as resources: asked for, listed and read on surfaces A and C. Holds the rules of
 * src/deployments/publish/deployment.ts, queue.ts, deploy.ts and rules-against.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { addRedirect, createSite, deploy, deploymentsOf, ended } from '../../support/site.ts';
import { expectStatus } from '../../support/expect-status.ts';
import { until } from '../../support/wait.ts';
import { hold, release } from '../publishing.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

let detour: TestDetour;
let owner: TestAccount;
let stranger: TestAccount;
let site: number;
let foreign: number;

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
  stranger = await detour.account();
  site = await createSite(owner, ['call.example'], { auto_deploy: false });
  foreign = await createSite(stranger, ['foreign.example'], { auto_deploy: false });
});

afterAll(() => detour.stop());

describe('asking for a deployment', () => {
  test('on surface C: 202 with the deployment, ids as integers, and its whole life', async () => {
    const id = await createSite(owner, [], { auto_deploy: false });
    await addRedirect(owner, id, { old_path: '/a', new_path: '/b', target_environments: 'staging' });
    const { status, body } = await owner.call('POST', '/api/deployments', {
      website_id: id,
      environment: 'staging',
    });
    expect(status).toBe(202);
    expect(body.deployment).toMatchObject({
      website_id: id,
      environment: 'staging',
      version: null,
      error: null,
    });
    expect(body.deployment.id).toMatch(/^dep_/);
    expect(['queued', 'running']).toContain(body.deployment.status);
    expect([body.deployment.deployed_at, body.deployment.redirect_count]).toEqual([null, null]);
    const done = await ended(owner, body.deployment.id);
    expect(done).toMatchObject({
      id: body.deployment.id,
      website_id: id,
      environment: 'staging',
      status: 'completed',
      version: 1,
      redirect_count: 1,
      changes: { added: 1, changed: 0, removed: 0 },
      warnings: [],
      created_at: body.deployment.created_at,
      error: null,
    });
    for (const time of [done.created_at, done.started_at, done.deployed_at]) expect(time).toMatch(TIME);
    expect(done.created_at <= (done.started_at ?? '')).toBe(true);
    expect((done.started_at ?? '') <= (done.deployed_at ?? '')).toBe(true);
  });

  test('on surface A: 202 with the deployment, ids as strings', async () => {
    const asked = { website_id: String(site), environment: 'production' };
    const { status, body } = await owner.keyCall('POST', '/api/v1/deployments', asked);
    expect([status, body.deployment.website_id]).toEqual([202, String(site)]);
    const done = await until(async () => {
      const { deployment } = (await owner.keyCall('GET', `/api/v1/deployments/${body.deployment.id}`)).body;
      return deployment.status === 'completed' && deployment;
    });
    expect(done.website_id).toBe(String(site));
    expect(await ended(owner, body.deployment.id)).toEqual({ ...done, website_id: site });
  });

  test('of an environment without redirects publishes an empty version', async () => {
    expect(await deploy(owner, site, 'development')).toMatchObject({
      status: 'completed',
      redirect_count: 0,
      changes: { added: 0, changed: 0, removed: 0 },
    });
  });

  test('many times at once queues few, and all of them end', async () => {
    const asked = await Promise.all(
      Array.from({ length: 20 }, () =>
        owner.call('POST', '/api/deployments', { website_id: site, environment: 'staging' }),
      ),
    );
    expect(asked.every(({ status }) => status === 202)).toBe(true);
    const ids = [...new Set<string>(asked.map(({ body }) => body.deployment.id))];
    const done = await Promise.all(ids.map((id) => ended(owner, id)));
    expect(done.map(({ version }) => version).toSorted((a, b) => (a ?? 0) - (b ?? 0))).toEqual(
      ids.map((_, i) => i + 1),
    );
  });
});

describe('a note', () => {
  test('and the actor are shown by a deployment, a rollback and a promotion, on both surfaces', async () => {
    const id = await createSite(owner, [], { auto_deploy: false });
    const website_id = id;
    const production = { website_id, environment: 'production' };
    const user = { type: 'user', id: expect.any(String), name: owner.email };
    const asked = [
      ['', { ...production, note: ' Sale of June\n\tand July ' }, 'Sale of June\n\tand July'],
      ['/rollback', { ...production, version: 1, note: 'back' }, 'back'],
      [
        '/promote',
        { website_id, from: 'production', to: 'staging', note: '\u{1f600}'.repeat(500) },
        '\u{1f600}'.repeat(500),
      ],
      ['', { ...production, note: '  ' }, null],
      ['', { ...production, note: null }, null],
    ] as const;
    for (const [path, body, note] of asked) {
      const { status, text, body: answer } = await owner.call('POST', `/api/deployments${path}`, body);
      expectStatus({ status, text }, 202);
      const done = await ended(owner, answer.deployment.id);
      expect(done).toMatchObject({ status: 'completed', note, actor: user, requested_by: user });
    }
    const body = { website_id: String(id), environment: 'production', note: 'by key' };
    const { deployment } = (await owner.keyCall('POST', '/api/v1/deployments', body)).body;
    expect(deployment).toMatchObject({ note: 'by key', actor: { type: 'key', id: expect.stringMatching(/^key_/) } });
    await ended(owner, deployment.id);
    expect((await deploymentsOf(owner, id)).map(({ note }) => note?.slice(0, 8) ?? null)).toEqual([
      'by key',
      null,
      null,
      '\u{1f600}'.repeat(4),
      'back',
      'Sale of ',
    ]);
  });

  test.each([
    ['x'.repeat(501), 'TOO_LONG'],
    ['bell\u0007', 'CONTROL_CHARACTER'],
    ['\ud800', 'CONTROL_CHARACTER'],
  ])('that cannot be stored is rejected, and nothing is deployed', async (note, code) => {
    const id = await createSite(owner, []);
    const bodies = { '': { environment: 'staging' }, '/rollback': { environment: 'staging', version: 1 } };
    for (const [path, body] of Object.entries(bodies)) {
      const answer = await owner.call('POST', `/api/deployments${path}`, { website_id: id, ...body, note });
      expect([answer.status, answer.text]).toEqual([422, expect.stringContaining(code)]);
    }
    const wrong = { website_id: id, environment: 'staging', note: 5 };
    expect((await owner.call('POST', '/api/deployments', wrong)).status).toBe(400);
    expect(await deploymentsOf(owner, id)).toEqual([]);
  });

  test('keeps its deployment apart from those that wait already', async () => {
    const id = await createSite(owner, [], { auto_deploy: false });
    const lock = await hold(detour, id, 'production');
    const ask = async (note?: string) =>
      (await owner.call('POST', '/api/deployments', { website_id: id, environment: 'production', note })).body
        .deployment;
    const [plain, noted, later] = [await ask(), await ask('mine'), await ask()];
    await release(lock);
    expect(later.id).toBe(noted.id);
    expect(noted.id).not.toBe(plain.id);
    expect([await ended(owner, plain.id), await ended(owner, noted.id)]).toMatchObject([
      { note: null, version: 1 },
      { note: 'mine', version: 2 },
    ]);
  });
});

describe('versions', () => {
  test('count from 1 for each website and environment, and say what each changed', async () => {
    const id = await createSite(owner, [], { auto_deploy: false });
    const both = 'production,staging';
    const a = await addRedirect(owner, id, { old_path: '/a', new_path: '/1', target_environments: both });
    const b = await addRedirect(owner, id, { old_path: '/b', new_path: '/1' });
    await addRedirect(owner, id, { old_path: '/c', new_path: '/1' });
    const outcome = async (environment?: string) => {
      const { version, redirect_count, changes } = await deploy(owner, id, environment);
      return [version, redirect_count, changes];
    };
    expect(await outcome()).toEqual([1, 3, { added: 3, changed: 0, removed: 0 }]);
    expect(await outcome('staging')).toEqual([1, 1, { added: 1, changed: 0, removed: 0 }]);
    await owner.call('PUT', `/api/redirects/${a}`, { new_path: '/2' });
    await owner.call('DELETE', `/api/redirects/${b}`);
    await addRedirect(owner, id, { old_path: '/d', new_path: '/1' });
    await addRedirect(owner, id, { old_path: '/e', new_path: '/1', target_environments: '' });
    expect(await outcome()).toEqual([2, 3, { added: 1, changed: 1, removed: 1 }]);
    expect(await outcome()).toEqual([3, 3, { added: 0, changed: 0, removed: 0 }]);
    expect(await outcome('staging')).toEqual([2, 1, { added: 0, changed: 1, removed: 0 }]);
  });
});

describe('the list', () => {
  test('has the newest first, by website and environment', async () => {
    const id = await createSite(owner, [], { auto_deploy: false });
    const made: string[] = [];
    for (const environment of ['production', 'staging', 'production'])
      made.push((await deploy(owner, id, environment)).id);
    expect((await deploymentsOf(owner, id)).map((each) => each.id)).toEqual(made.toReversed());
    expect((await deploymentsOf(owner, id, 'staging')).map((each) => each.id)).toEqual([made[1]]);
    expect(await deploymentsOf(owner, id, 'development')).toEqual([]);
    const onA = (await owner.keyCall('GET', `/api/v1/deployments?website_id=${id}&environment=production`)).body;
    expect(onA.deployments.map((each: { id: string }) => each.id)).toEqual([made[2], made[0]]);
    expect(onA.deployments[0].website_id).toBe(String(id));
    const at = Date.parse(onA.deployments[0].created_at);
    const created = async (name: string, ms: number) => {
      const time = new Date(ms).toISOString().replace(/\.\d+/, '');
      const path = `/api/deployments?website_id=${id}&environment=production&${name}=${time}`;
      return (await owner.call('GET', path)).body.deployments.length;
    };
    expect(await created('created_since', at - 60_000)).toBe(2);
    expect(await created('created_since', at + 60_000)).toBe(0);
    expect(await created('created_before', at + 60_000)).toBe(2);
    expect(await created('created_before', at - 60_000)).toBe(0);
  });

  test("without website_id has those of all the account's websites and no other", async () => {
    const mine = await deploy(owner, site);
    const other = await deploy(stranger, foreign);
    const ids = (await owner.call('GET', '/api/deployments')).body.deployments.map((each: { id: string }) => each.id);
    expect([ids.includes(mine.id), ids.includes(other.id)]).toEqual([true, false]);
  });
});

describe('errors', () => {
  test.each([
    ['POST', '/api/deployments', {}, 400, 'MISSING_PARAMETER'],
    ['POST', '/api/deployments', { environment: 'production' }, 400, 'MISSING_PARAMETER'],
    ['POST', '/api/deployments', { website_id: 1 }, 400, 'MISSING_PARAMETER'],
    ['POST', '/api/deployments', { website_id: '1', environment: 'production' }, 400, 'INVALID_PARAMETER'],
    ['POST', '/api/deployments', { website_id: 999_999, environment: 'production' }, 404, 'WEBSITE_NOT_FOUND'],
    ['POST', '/api/deployments', { website_id: 1, environment: 3 }, 400, 'INVALID_PARAMETER'],
    ['POST', '/api/deployments', '{', 400, 'INVALID_JSON'],
    ['GET', '/api/deployments?environment=live', undefined, 400, 'INVALID_PARAMETER'],
    ['GET', '/api/deployments?created_since=yesterday', undefined, 400, 'INVALID_PARAMETER'],
    ['GET', '/api/deployments?website_id=x', undefined, 400, 'INVALID_PARAMETER'],
    ['GET', '/api/deployments?website_id=999999', undefined, 404, 'WEBSITE_NOT_FOUND'],
    ['GET', '/api/deployments/dep_unknown', undefined, 404, 'DEPLOYMENT_NOT_FOUND'],
  ])('C: %s %s %j is %i %s', async (method, path, body, status, code) => {
    const answer = await owner.call(method, path, body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  test.each([
    ['POST', '/api/v1/deployments', {}, 400, 'MISSING_PARAMETER'],
    ['POST', '/api/v1/deployments', { website_id: 1, environment: 'production' }, 400, 'INVALID_PARAMETER'],
    ['POST', '/api/v1/deployments', { website_id: 'x', environment: 'production' }, 404, 'WEBSITE_NOT_FOUND'],
    ['POST', '/api/v1/deployments', { website_id: '999999', environment: 'staging' }, 404, 'WEBSITE_NOT_FOUND'],
    ['GET', '/api/v1/deployments?environment=live', undefined, 400, 'INVALID_PARAMETER'],
    ['GET', '/api/v1/deployments?website_id=x', undefined, 404, 'WEBSITE_NOT_FOUND'],
    ['GET', '/api/v1/deployments/dep_unknown', undefined, 404, 'DEPLOYMENT_NOT_FOUND'],
  ])('A: %s %s %j is %i %s', async (method, path, body, status, code) => {
    const answer = await owner.keyCall(method, path, body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  test('an unknown environment in a body is 422, an unknown field 400, and nothing is deployed', async () => {
    const id = await createSite(owner, []);
    const body = { website_id: id, environment: 'live' };
    expect((await owner.call('POST', '/api/deployments', body)).status).toBe(422);
    expect((await owner.keyCall('POST', '/api/v1/deployments', { ...body, website_id: String(id) })).status).toBe(422);
    const unknown = await owner.call('POST', '/api/deployments', {
      website_id: id,
      environment: 'staging',
      forced: true,
    });
    expect([unknown.status, unknown.body.code]).toEqual([400, 'UNKNOWN_FIELD']);
    expect(unknown.text).toContain('forced');
    expect(await deploymentsOf(owner, id)).toEqual([]);
  });

  test("another account's website and deployment are not there", async () => {
    const { id } = await deploy(stranger, foreign);
    expect((await owner.call('GET', `/api/deployments/${id}`)).status).toBe(404);
    expect((await owner.keyCall('GET', `/api/v1/deployments/${id}`)).status).toBe(404);
    const asked = await owner.call('POST', '/api/deployments', {
      website_id: foreign,
      environment: 'production',
    });
    expect([asked.status, asked.body.code]).toEqual([404, 'WEBSITE_NOT_FOUND']);
    expect((await owner.call('GET', `/api/deployments?website_id=${foreign}`)).status).toBe(404);
  });
});

test('many URLs are tested against the live rules, the current ones or a version', async () => {
  const id = await createSite(owner, ['urls.example'], { auto_deploy: false });
  const first = await addRedirect(owner, id, { old_path: '/a', new_path: '/b' });
  await deploy(owner, id);
  const second = await addRedirect(owner, id, { old_path: '/b', new_path: '/c' });
  await deploy(owner, id);
  await addRedirect(owner, id, { old_path: '/c', new_path: '/d' });
  const urls = ['/a', '/x', 'https://urls.example/b?q=1'];
  const testUrls = (more: object) =>
    owner.keyCall('POST', '/api/v1/redirects/test', { website_id: String(id), urls, ...more });
  const endsOf = async (more: object): Promise<string[]> =>
    (await testUrls(more)).body.results.map((result: { final_url: string }) => result.final_url);
  await until(async () => (await endsOf({}))[0] === '/c');
  const UNCHECKED = { inactive: null, final_target: null, final_page: null };
  const NOTHING = { ...UNCHECKED, outcome: 'end', status_code: 404, location: null, redirect_id: null, hops: [] };
  expect((await testUrls({})).body.results).toEqual([
    {
      url: '/a',
      outcome: 'end',
      status_code: 301,
      location: '/b',
      redirect_id: String(first),
      ...UNCHECKED,
      final_url: '/c',
      hops: [
        { url: '/a', redirect_id: String(first), status_code: 301, location: '/b' },
        { url: '/b', redirect_id: String(second), status_code: 301, location: '/c' },
      ],
    },
    { ...NOTHING, url: '/x', final_url: '/x' },
    expect.objectContaining({ url: 'https://urls.example/b?q=1', location: '/c?q=1', final_url: '/c?q=1' }),
  ]);
  expect(await endsOf({ version: 1 })).toEqual(['/b', '/x', '/b?q=1']);
  expect(await endsOf({ against: 'draft' })).toEqual(['/d', '/x', '/d?q=1']);
  expect(await endsOf({ against: 'draft', environment: 'staging', urls: ['/a'] })).toEqual(['/a']);

  const one = { website_id: id, url: '/a' };
  const single = async (more: object) => (await owner.call('POST', '/api/redirects/test', { ...one, ...more })).body;
  expect(await single({ version: 1 })).toMatchObject({ version: 1, final_url: '/b', match: { redirect_id: first } });
  expect(await single({ against: 'draft' })).toMatchObject({ version: null, final_url: '/d' });

  const refused = [
    await testUrls({ version: 3 }),
    await testUrls({ version: 1, against: 'live' }),
    await testUrls({ url: '/a' }),
    await testUrls({ urls: [] }),
    await testUrls({ urls: Array(5_001).fill('/a') }),
    await testUrls({ urls: ['/a', 'https://foreign.example/'] }),
    await testUrls({ urls: undefined }),
  ];
  expect(refused.map(({ status, body }) => [status, body.code])).toEqual([
    [404, 'VERSION_NOT_FOUND'],
    [400, 'INVALID_PARAMETER'],
    [400, 'INVALID_PARAMETER'],
    [400, 'INVALID_PARAMETER'],
    [422, 'TOO_MANY_ITEMS'],
    [422, 'VALIDATION_ERROR'],
    [400, 'MISSING_PARAMETER'],
  ]);
});
