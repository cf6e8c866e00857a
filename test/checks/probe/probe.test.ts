/** Holds the rules of src/checks/probe/follow.ts, request.ts and soft-test.ts. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fetchRobots, probe, type ProbeDeps, type ProbeTarget } from '../../../src/checks/probe/probe.ts';
import { BlockedFor } from '../../../src/checks/probe/request.ts';
import type { RobotsRules } from '../../../src/checks/probe/robots.ts';
import { type CheckWorld, KINDS, startCheckWorld, virtualTime } from '../../support/check-world.ts';
import { memoryTurns } from '../../support/host-turns.ts';
import { inSoak } from '../../support/soak.ts';

const HOSTS = inSoak(1_000, 200);
const AT_ONCE = 100;
const USER_AGENT = 'Detour-Check/0 (+https://detour.example)';
const { signal } = new AbortController();

let world: CheckWorld;
beforeAll(async () => {
  const ok = { state: 'ok', reason: null } as const;
  world = await startCheckWorld({
    cookies: {
      act: (response, { path }) => {
        const location = path === '/shop/shoes' ? '/new' : '/end';
        response.writeHead(path === '/end' ? 200 : 302, { location, 'set-cookie': 'a=1' }).end();
      },
      ...ok,
    },
    'there-and-back': {
      act: (response, { path }) => {
        if (path === '/back') response.end();
        else response.writeHead(302, { location: world.urlOf('away') }).end();
      },
      ...ok,
    },
    away: {
      act: (response) => void response.writeHead(302, { location: world.urlOf('there-and-back', 0, '/back') }).end(),
      ...ok,
    },
  });
});
beforeEach(() => {
  world.requests.length = 0;
});
afterAll(() => world.stop());

/** A checker with turns in virtual time. Robots are cached as a check caches them. */
function createChecker({ timeoutMs = 5_000, ports = world.network.ports } = {}) {
  const { clock, sleep } = virtualTime();
  const turns = memoryTurns({ clock, sleep });
  const starts: { host: string; at: number }[] = [];
  const cache = new Map<string, Promise<RobotsRules>>();
  const deps: ProbeDeps = {
    egress: 'private',
    userAgent: USER_AGENT,
    clock,
    network: { ...world.network, timeoutMs, ports },
    holdOff: turns.holdOff,
    async turn(host, aborted) {
      const end = await turns.turn(host, aborted);
      starts.push({ host, at: clock.now().getTime() });
      return end;
    },
    robots(origin) {
      const rules = cache.get(origin) ?? fetchRobots(deps, origin, undefined, signal);
      cache.set(origin, rules);
      return rules;
    },
  };
  return {
    starts,
    check: (url: string, target: Partial<ProbeTarget> = {}, aborted = signal) =>
      probe(deps, { url, softTest: true, ...target }, aborted),
  };
}

/** Requests other than those of robots.txt, as "GET /path". */
const asked = (): string[] =>
  world.requests.filter(({ path }) => path !== '/robots.txt').map(({ method, path }) => `${method} ${path}`);

describe('one host of each kind', () => {
  test.each(Object.keys(KINDS))('%s', async (name) => {
    const { state, reason, note = null } = KINDS[name] ?? {};
    const options = /hang|drip/.test(name) ? { timeoutMs: 1_000 } : {};
    expect(await createChecker(options).check(world.urlOf(name))).toMatchObject({ state, reason, note });
  });
});

test(`${HOSTS} hosts at once are classed as one, none is dead that is not, and none is asked too often`, async () => {
  const { check, starts } = createChecker({ timeoutMs: 3_000 });
  const names = Object.keys(KINDS);
  const targets = Array.from({ length: HOSTS }, (_, i) => ({ name: names[i % names.length] ?? '', number: i }));
  const wrong: string[] = [];
  const next = targets.values();
  const run = async (): Promise<void> => {
    for (const { name, number } of next) {
      const { state, reason, note } = await check(world.urlOf(name, number));
      const expected = { note: null, ...KINDS[name] };
      const isRight = state === expected.state && reason === expected.reason && note === expected.note;
      if (!isRight) wrong.push(`${name}: ${state} ${reason} ${note}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
  expect(wrong).toEqual([]);

  const byHost = Map.groupBy(starts, ({ host }) => host);
  expect(byHost.size).toBe(HOSTS);
  for (const times of byHost.values())
    for (const [i, { at }] of times.entries())
      expect(at - (times[i - 2]?.at ?? -Infinity)).toBeGreaterThanOrEqual(1_000);
});

describe('the result', () => {
  test('has the first response, and the end of the chain', async () => {
    const url = world.urlOf('moved-chain');
    const { origin } = new URL(url);
    expect(await createChecker().check(url)).toEqual({
      ...{ state: 'moved', reason: null, status: 308, location: `${origin}/a`, end: `${origin}/end`, note: null },
      ...{ retryAfterSeconds: null, durationMs: expect.any(Number) },
    });
  });

  test('has no end without a redirect, and no status without a response', async () => {
    const { check } = createChecker();
    expect(await check(world.urlOf('not-found'))).toMatchObject({ status: 404, location: null, end: null });
    expect(await check(world.urlOf('no-such-name'))).toMatchObject({ status: null, location: null, end: null });
  });

  test('says how long the host asks to wait', async () => {
    const { check } = createChecker();
    expect(await check(world.urlOf('429-for-an-hour'))).toMatchObject({ status: 429, retryAfterSeconds: 3_600 });
    expect(await check(world.urlOf('429-for-an-hour'))).toMatchObject({ reason: 'retry_after', status: null });
    expect(await check(world.urlOf('maintenance'))).toMatchObject({ status: 503, retryAfterSeconds: 7_200 });
  });

  test('of a source is its first response alone', async () => {
    const { check } = createChecker();
    const url = world.urlOf('moved-to-dead');
    expect(await check(url, { softTest: false, firstOnly: true })).toMatchObject({ state: 'ok', status: 301 });
    expect(asked()).toEqual(['HEAD /shop/shoes']);
  });
});

describe('the requests', () => {
  test.each([
    ['plain', ['HEAD /shop/shoes', 'HEAD /shop/*', 'GET /shop/*']],
    ['soft-404', ['HEAD /shop/shoes', 'HEAD /shop/*', 'GET /shop/shoes', 'GET /shop/*', 'GET /']],
    ['not-found', ['HEAD /shop/shoes', 'GET /shop/shoes']],
    ['start-page', ['HEAD /']],
    ['robots-forbid', []],
  ])('to %s are %j', async (name, expected) => {
    await createChecker().check(world.urlOf(name));
    expect(asked().map((line) => line.replace(/[0-9a-f]{16}/, '*'))).toEqual(expected);
  });

  test('name the checker, and send no cookies', async () => {
    await createChecker().check(world.urlOf('cookies'));
    expect(asked().slice(0, 3)).toEqual(['HEAD /shop/shoes', 'HEAD /new', 'HEAD /end']);
    for (const { headers } of world.requests) {
      expect(headers['user-agent']).toBe(USER_AGENT);
      expect(headers.cookie).toBeUndefined();
    }
  });

  test('end when the check stops, and the result says nothing about the target', async () => {
    const controller = new AbortController();
    const pending = createChecker().check(world.urlOf('hangs'), {}, controller.signal);
    const timer = setInterval(() => {
      if (asked().length > 0) controller.abort();
    }, 10);
    expect(await pending).toMatchObject({ state: 'error', reason: 'interrupted' });
    clearInterval(timer);
    expect(asked()).toHaveLength(1);
  });
});

describe('a robots.txt that could not be requested', () => {
  const deps = { egress: 'private', userAgent: USER_AGENT, clock: virtualTime().clock } as const;

  test('because the host asks to wait blocks the target, and is not taken for an empty one', async () => {
    const turn = () => Promise.reject(new BlockedFor(900));
    const robots = (origin: string) => fetchRobots({ ...deps, turn }, origin, undefined, signal);
    await expect(robots('http://a.example')).rejects.toMatchObject({ seconds: 900 });
    const target = { url: 'http://a.example/', softTest: false };
    expect(await probe({ ...deps, turn: () => Promise.resolve(), robots }, target, signal)).toMatchObject({
      ...{ state: 'blocked', reason: 'retry_after', retryAfterSeconds: 900 },
    });
  });

  test('because the check stopped, or the database is away, is not taken for an empty one', async () => {
    const turn = () => Promise.reject(new Error('no database'));
    await expect(fetchRobots({ ...deps, turn }, 'http://a.example', undefined, signal)).rejects.toThrow('internal');
    const aborted = AbortSignal.abort();
    await expect(fetchRobots({ ...deps, turn }, 'http://a.example', undefined, aborted)).rejects.toThrow('interrupted');
  });
});

describe('an own host', () => {
  const headers = { 'x-nonce': 'secret' };
  const withNonce = (): string[] =>
    world.requests.filter((request) => request.headers['x-nonce'] === 'secret').map(({ path }) => path);
  const ownOf = (url: string) => ({ own: { origin: new URL(url).origin, headers }, softTest: false });

  test('gets its headers at every hop within its origin', async () => {
    const url = world.urlOf('moved-chain');
    await createChecker().check(url, ownOf(url));
    expect(withNonce()).toEqual(['/shop/shoes', '/a', '/b?c=1', '/end']);
  });

  test('gets them no more once the chain has left it, and no other host gets them', async () => {
    const url = world.urlOf('there-and-back');
    expect(await createChecker().check(url, ownOf(url))).toMatchObject({ state: 'ok', status: 302 });
    expect(asked()).toEqual(['HEAD /shop/shoes', 'HEAD /shop/shoes', 'HEAD /back']);
    expect(withNonce()).toEqual(['/shop/shoes']);
  });

  test('is the only one with a port other than 80 and 443', async () => {
    const { check } = createChecker({ ports: [80, 443] });
    const url = world.urlOf('there-and-back');
    expect(await check(url)).toMatchObject({ state: 'error', reason: 'address_not_allowed' });
    expect(asked()).toEqual([]);
    expect(await check(url, ownOf(url))).toMatchObject({ state: 'error', reason: 'address_not_allowed', status: 302 });
    expect(asked()).toEqual(['HEAD /shop/shoes']);
    const plain = world.urlOf('plain');
    expect(await check(plain, ownOf(plain))).toMatchObject({ state: 'ok' });
  });
});
