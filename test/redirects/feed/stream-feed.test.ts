/**
 * The feed of the live version: a follower that applies differences has what the service serves. Holds the rules of
 * src/redirects/feed/await-news.ts, feed-head.ts and rule-lines.ts.
 */
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FeedHead, parseLine } from '../../../src/feed-client/feed-lines.ts';
import { addToSum, checksumOf, EMPTY_SUM } from '../../../src/resolver/checksum.ts';
import { setPlan } from '../../../src/accounts/account.ts';
import { systemActor } from '../../../src/accounts/system-actor.ts';
import { promote, rollBack } from '../../deployments/publishing.ts';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { seeded } from '../../support/random.ts';
import { addRedirect, createSite, deploy } from '../../support/site.ts';
import { until } from '../../support/wait.ts';

let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

/** Requests that wait at a process. */
async function waiting(address = detour.address): Promise<number> {
  const text = await (await fetch(`${address}/metrics`)).text();
  return Number(/^detour_feed_waits (\d+)$/m.exec(text)?.[1]);
}

interface Feed {
  status: number;
  etag: string | null;
  code: string | undefined;
  head: FeedHead;
  /** between the head and the end */
  lines: string[];
}

async function feedOf(site: number, query = '', { environment = 'production', match = '' } = {}): Promise<Feed> {
  const response = await fetch(`${detour.address}/api/v1/feeds/${site}/${environment}?${query}`, {
    headers: { authorization: `Bearer ${owner.key}`, ...(match && { 'if-none-match': match }) },
  });
  const text = await response.text();
  const { status } = response;
  const etag = response.headers.get('etag');
  const [head = '{}', ...lines] = text.trimEnd().split('\n');
  if (status !== 200) return { status, etag, code: text && JSON.parse(text).code, head: {} as FeedHead, lines: [] };
  expect([response.headers.get('content-type'), lines.pop(), text.at(-1)]).toEqual([
    'application/x-ndjson; charset=utf-8',
    '{"end":true}',
    '\n',
  ]);
  return { status, etag, code: undefined, head: JSON.parse(head), lines };
}

/** The lines of rules by id, as a follower keeps them. */
type Rules = Map<string, string>;

function apply(rules: Rules, lines: string[]): void {
  let before = 0;
  for (const line of lines) {
    const { put, delete: deleted, id } = JSON.parse(line);
    const changed = Number(deleted ?? put?.id ?? id);
    expect(changed).toBeGreaterThan(before);
    before = changed;
    if (deleted !== undefined) expect(rules.delete(deleted)).toBe(true);
    else rules.set(String(changed), JSON.stringify(put ?? JSON.parse(line)));
  }
}

/** Verifies the rules of a follower as it does itself. */
function expectVerified(rules: Rules, head: FeedHead): void {
  let sum = EMPTY_SUM;
  for (const text of rules.values()) {
    const line = parseLine(text);
    if (line.kind === 'put') sum = addToSum(sum, line.rule);
  }
  expect([head.count, head.checksum]).toEqual([rules.size, checksumOf(sum)]);
}

const rulesOf = (lines: string[]): Rules => {
  const rules: Rules = new Map();
  apply(rules, lines);
  return rules;
};

describe('the whole version', () => {
  test('of an environment without deployment is version 0, without rules', async () => {
    const site = await createSite(owner, []);
    const { status, etag, head, lines } = await feedOf(site);
    expect([status, etag, lines]).toEqual([200, 'W/"0"', []]);
    expect([head.version, head.count]).toEqual([0, 0]);
    expectVerified(new Map(), head);
    expect((await feedOf(site, 'since=0')).lines).toEqual([]);
  });

  test('has the rules of the live version in order of id, with options and hosts of the environment', async () => {
    const hosts = [
      { hostname: 'z.example.com', environment: 'production' },
      { hostname: 'a.example.com', environment: 'production' },
      { hostname: 's.example.com', environment: 'staging' },
    ];
    const site = await createSite(owner, hosts, {
      auto_deploy: false,
      query: 'drop',
      fallback_url: 'https://f.example',
    });
    const times = { active_from: '2030-01-01T00:00:00Z', active_until: '2031-01-01T00:00:00Z' };
    const a = await addRedirect(owner, site, { old_path: '/ä "q"', new_path: '/b?x=1#é', ...times });
    const b = await addRedirect(owner, site, {
      old_path: '^/p/(.*)$',
      new_path: '/$1',
      is_regex: true,
      status_code: 307,
    });
    const c = await addRedirect(owner, site, { old_path: '/gone', new_path: null, status_code: 410 });
    await addRedirect(owner, site, { old_path: '/draft', new_path: '/x', target_environments: '' });
    await deploy(owner, site);
    await addRedirect(owner, site, { old_path: '/undeployed', new_path: '/x' });
    const { etag, head, lines } = await feedOf(site);
    const always = { active_from: null, active_until: null };
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { id: String(a), old_path: '/ä "q"', new_path: '/b?x=1#é', status_code: 301, is_regex: false, ...times },
      { id: String(b), old_path: '^/p/(.*)$', new_path: '/$1', status_code: 307, is_regex: true, ...always },
      { id: String(c), old_path: '/gone', new_path: null, status_code: 410, is_regex: false, ...always },
    ]);
    expect([etag, head.version]).toEqual([`W/"1-${head.history}"`, 1]);
    expect(head.options).toEqual({
      case_sensitive: true,
      trailing_slash: 'ignore',
      query: 'drop',
      fallback_url: 'https://f.example',
      allowed_target_hosts: [],
      hosts: [{ hostname: 'a.example.com' }, { hostname: 'z.example.com' }],
    });
    expectVerified(rulesOf(lines), head);
  });

  test('is a 304 if the client has it, unless it has other options', async () => {
    const site = await createSite(owner, []);
    const { head, etag } = await feedOf(site);
    expect(await feedOf(site, '', { match: etag ?? '' })).toMatchObject({ status: 304, etag: 'W/"0"' });
    expect((await feedOf(site, '', { match: '"7"' })).status).toBe(200);
    const mine = `options=${head.options_checksum}`;
    expect((await feedOf(site, mine, { match: '"0"' })).status).toBe(304);
    await owner.call('PUT', `/api/websites/${site}`, { case_sensitive: false });
    expect((await feedOf(site, mine, { match: '"0"' })).status).toBe(200);
  });

  test('is read by its account only, and needs a website, an environment and known parameters', async () => {
    const site = await createSite(owner, []);
    const other = await detour.account();
    const asked = async (path: string, account = owner) => {
      const { status, body } = await account.keyCall('GET', `/api/v1/feeds/${path}`);
      return [status, body.code];
    };
    expect(await asked(`${site}/production`, other)).toEqual([404, 'WEBSITE_NOT_FOUND']);
    expect(await asked(`no/production`)).toEqual([404, 'WEBSITE_NOT_FOUND']);
    expect(await asked(`${site}/live`)).toEqual([400, 'INVALID_PARAMETER']);
    expect(await asked(`${site}/production?wait=61`)).toEqual([400, 'INVALID_PARAMETER']);
    expect(await asked(`${site}/production?since=-1`)).toEqual([400, 'INVALID_PARAMETER']);
  });
});

describe('who may wait is checked again', () => {
  /** Starts a request with a new key of the account that waits for 30 s, and resolves when it waits. */
  async function hold(account: TestAccount, fields = {}, address = detour.address) {
    const site = await createSite(account, []);
    const { api_key } = (await account.call('POST', '/api/keys', { name: 'waits', scope: 'read', ...fields })).body;
    const before = await waiting(address);
    const began = performance.now();
    const path = `/api/v1/feeds/${site}/production?since=0&wait=30`;
    const response = fetch(`${address}${path}`, { headers: { authorization: `Bearer ${api_key.key}` } });
    await until(async () => (await waiting(address)) > before);
    const answer = async () => {
      const { status, headers } = await response;
      expect([headers.get('etag'), performance.now() - began < 15_000]).toEqual([
        status === 304 ? 'W/"0"' : null,
        true,
      ]);
      return status;
    };
    return { site, key: api_key.id as string, answer };
  }

  test('a revoked key gets 401 within seconds, on each process; other keys of the account go on waiting', async () => {
    const other = await detour.another();
    const account = await detour.account();
    const one = await hold(account);
    const two = await hold(account, {}, other.address);
    const remains = await hold(account, {}, other.address);
    await account.call('DELETE', `/api/keys/${one.key}`);
    expect(await one.answer()).toBe(401);
    await account.call('DELETE', `/api/keys/${two.key}`);
    expect(await two.answer()).toBe(401);
    expect(await waiting(other.address)).toBe(1);
    await other.stop();
    expect(await remains.answer()).toBe(304);
  });

  test('a key that expires gets 401 then', async () => {
    const expires_at = new Date(Date.now() + 5_000).toISOString();
    expect(await (await hold(await detour.account(), { expires_at })).answer()).toBe(401);
  });

  test('a plan without access to the API gets 403, a deleted website 404', async () => {
    const account = await detour.account();
    const { site, answer } = await hold(account);
    await account.call('DELETE', `/api/websites/${site}`);
    expect(await answer()).toBe(404);
    const again = await hold(account);
    await setPlan(detour.db, systemActor({ id: account.accountId, plan: 'pro' }), 'free');
    expect(await again.answer()).toBe(403);
  });

  test('a person whose limit no longer has the website gets 404', async () => {
    const account = await detour.account();
    const [one, two] = [await createSite(account, []), await createSite(account, [])];
    const person = { email: `limited-${one}@example.com`, password: 'correct horse battery' };
    const { user } = (await account.call('POST', '/api/users', { ...person, role: 'editor' })).body;
    const signedIn = await account.call('POST', '/api/auth/sign-in', person);
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const dashboard = { 'x-detour-dashboard': '1' };
    const limitTo = (id: number) =>
      account.call('PUT', `/api/v1/users/${user.id}/websites`, { website_roles: { [id]: 'viewer' } }, dashboard);
    expect((await limitTo(one)).status).toBe(200);
    const before = await waiting();
    const path = `${detour.address}/api/v1/feeds/${one}/production?since=0&wait=30`;
    const response = fetch(path, { headers: { cookie, ...dashboard } });
    await until(async () => (await waiting()) > before);
    expect((await limitTo(two)).status).toBe(200);
    const began = performance.now();
    expect((await response).status).toBe(404);
    expect(performance.now() - began).toBeLessThan(15_000);
  });
});

describe('the difference', () => {
  const random = seeded(5);
  const pick = (count: number): number => Math.floor(random() * count);

  /** A random edit of redirects, in any environments. */
  async function edit(site: number, ids: number[]): Promise<void> {
    const key = String(pick(1_000_000));
    const fields = {
      old_path: random() < 0.2 ? `^/${key}/(.*)` : `/${key}`,
      is_regex: false,
      new_path: `/to/${pick(3)}`,
      target_environments: ['production', 'staging', 'production,staging', ''][pick(4)],
    };
    if (fields.old_path.startsWith('^')) fields.is_regex = true;
    if (random() < 0.3) Object.assign(fields, { active_until: '2040-01-01T00:00:00Z' });
    const at = pick(ids.length);
    const action = ids.length < 5 ? 0 : pick(4);
    if (action === 0) ids.push(await addRedirect(owner, site, fields));
    else if (action === 1) await owner.call('DELETE', `/api/redirects/${ids.splice(at, 1)[0]}`);
    else await owner.call('PUT', `/api/redirects/${ids[at]}`, action === 2 ? fields : { new_path: `/to/${pick(9)}` });
  }

  test('keeps a follower equal to the service through edits, deployments, rollbacks and promotions', async () => {
    const site = await createSite(owner, [], { auto_deploy: false });
    const ids: number[] = [];
    const followers = { production: new Map<number, Rules>(), staging: new Map<number, Rules>() };
    for (const environment of ['production', 'staging'] as const) followers[environment].set(0, new Map());
    for (let round = 0; round < 12; round++) {
      const environment = random() < 0.7 ? 'production' : 'staging';
      const live = followers[environment].size - 1;
      for (let n = pick(8); n >= 0; n--) await edit(site, ids);
      const action = pick(4);
      if (action === 0 && live > 0) await rollBack(owner, site, 1 + pick(live), environment);
      else if (action === 1 && followers.staging.size > 1 && environment === 'production')
        await promote(owner, site, 'staging', 'production');
      else await deploy(owner, site, environment);
      const whole = await feedOf(site, '', { environment });
      expect(whole.head.version).toBe(live + 1);
      const expected = rulesOf(whole.lines);
      expectVerified(expected, whole.head);
      // A follower of every earlier version catches up in one step.
      for (const [since, rules] of followers[environment]) {
        const { head, lines } = await feedOf(site, `since=${since}`, { environment });
        expect(head).toEqual(whole.head);
        const patched = new Map(rules);
        apply(patched, lines);
        expect([...patched].toSorted()).toEqual([...expected].toSorted());
      }
      followers[environment].set(whole.head.version, expected);
    }
  });

  test('has no line for what did not change, and leaves out hosts that a rollback does', async () => {
    const site = await createSite(owner, [], { auto_deploy: false, allowed_target_hosts: ['x.example'] });
    const a = await addRedirect(owner, site, { old_path: '/a', new_path: '/1' });
    const b = await addRedirect(owner, site, { old_path: '/b', new_path: 'https://x.example/' });
    await deploy(owner, site);
    await owner.call('PUT', `/api/redirects/${a}`, { new_path: '/2' });
    await owner.call('PUT', `/api/redirects/${a}`, { new_path: '/1', notes: 'as before' });
    await deploy(owner, site);
    expect((await feedOf(site, 'since=1')).lines).toEqual([]);
    await owner.call('PUT', `/api/redirects/${b}`, { new_path: '/b2' });
    await deploy(owner, site);
    await owner.call('PUT', `/api/websites/${site}`, { allowed_target_hosts: [] });
    await rollBack(owner, site, 1);
    const { head, lines } = await feedOf(site, 'since=3');
    expect([head.version, head.count, lines]).toEqual([4, 1, [`{"delete":"${b}"}`]]);
    expect(rulesOf((await feedOf(site)).lines).size).toBe(1);
  });

  test('is 410 from a version that is no longer retained, and from one that does not exist yet', async () => {
    const site = await createSite(owner, [], { auto_deploy: false });
    for (let n = 0; n < 2; n++) await deploy(owner, site);
    await detour.db.$client.query(
      `update versions set deployed_at = now() - interval '91 days' where website_id = $1 and version = 1`,
      [site],
    );
    expect((await feedOf(site, 'since=1')).status).toBe(200);
    await detour.db.$client.query(
      `insert into versions (website_id, environment, version, rules_env, rules_rev, rules_max_id, redirect_count, deployed_at, behind)
       select $1, 'production', n, 'production', 0, 0, 0, now(), false from generate_series(3, 102) n`,
      [site],
    );
    await detour.db.$client.query(
      `update website_environments set live_version = 102, rules_rev = 0, rules_max_id = 0, changed_at = now()
       where website_id = $1 and environment = 'production'`,
      [site],
    );
    const expired = await feedOf(site, 'since=1');
    expect([expired.status, expired.code]).toEqual([410, 'VERSION_EXPIRED']);
    const unknown = await feedOf(site, 'since=103&wait=60');
    expect([unknown.status, unknown.code]).toEqual([410, 'VERSION_EXPIRED']);
    expect((await feedOf(site, 'since=102')).status).toBe(200);
  });
});

describe('the wait', () => {
  test('ends with a newer version, with changed options, or as a 304', async () => {
    const site = await createSite(owner, [], { auto_deploy: false });
    const { head } = await feedOf(site);
    expect((await feedOf(site, 'since=0&wait=0')).status).toBe(304);
    const options = `options=${head.options_checksum}`;
    const held = [feedOf(site, `since=0&wait=60&${options}`), feedOf(site, 'since=0&wait=60')];
    const tagged = feedOf(site, 'wait=60', { match: '"0"' });
    await owner.call('PUT', `/api/websites/${site}`, { trailing_slash: 'exact' });
    const other = await held[0];
    expect([other?.status, other?.head.options.trailing_slash, other?.lines]).toEqual([200, 'exact', []]);
    const id = await addRedirect(owner, site, { old_path: '/new', new_path: '/to' });
    await deploy(owner, site);
    const [, newer] = await Promise.all(held);
    expect([newer?.head.version, newer?.lines.map((line) => JSON.parse(line).put.id)]).toEqual([1, [String(id)]]);
    expect((await tagged).lines.map((line) => JSON.parse(line).id)).toEqual([String(id)]);
  });

  test('holds no connection of the database, and a client that leaves frees its place', async () => {
    const site = await createSite(owner, []);
    const { hostname, port } = new URL(detour.address);
    const options = { hostname, port, headers: { authorization: `Bearer ${owner.key}` }, agent: false };
    const path = `/api/v1/feeds/${site}/production?since=0&wait=60`;
    // More than the service has connections.
    const held = Array.from({ length: 60 }, () =>
      httpRequest({ ...options, path })
        .on('error', () => {})
        .end(),
    );
    await until(async () => (await waiting()) === held.length);
    expect((await owner.call('GET', '/api/websites')).status).toBe(200);
    for (const request of held) request.destroy();
    await until(async () => (await waiting()) === 0);
  });

  test('ends with a 304 when the process stops', async () => {
    const site = await createSite(owner, []);
    const other = await detour.another();
    const headers = { authorization: `Bearer ${owner.key}` };
    const held = fetch(`${other.address}/api/v1/feeds/${site}/production?since=0&wait=60`, { headers });
    await until(async () => (await waiting(other.address)) === 1);
    await other.stop();
    expect((await held).status).toBe(304);
  });
});
