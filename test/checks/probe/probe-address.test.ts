/**
 * Connections of checks to blocked addresses, as targets, hops, siblings and robots.txt, counted on a real socket: a
 * listener there must get none. Holds the rules of src/checks/probe/follow.ts and request.ts.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { follow, type FollowDeps } from '../../../src/checks/probe/follow.ts';
import { fetchRobots, probe, type ProbeDeps } from '../../../src/checks/probe/probe.ts';
import { createClient } from '../../../src/checks/probe/request.ts';
import { NO_ROBOTS } from '../../../src/checks/probe/robots.ts';
import type { Resolve } from '../../../src/platform/network/dns.ts';
import type { Egress } from '../../../src/platform/network/egress.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';

const { signal } = new AbortController();
const BLOCKED = { state: 'error', reason: 'address_not_allowed', status: null };

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
beforeEach(() => {
  receiver.reply(200);
  receiver.requests.length = 0;
});
afterAll(() => receiver.stop());

function depsOf(egress: Egress, resolve?: Resolve): ProbeDeps {
  return {
    ...{ egress, userAgent: 'Detour-Check/0', clock: systemClock, turn: () => Promise.resolve() },
    robots: () => Promise.resolve(NO_ROBOTS),
    network: { ports: [80, 443, receiver.port], timeoutMs: 2_000, ...(resolve && { resolve }) },
  };
}

const probed = (egress: Egress, url: string, resolve?: Resolve) =>
  probe(depsOf(egress, resolve), { url, softTest: true }, signal);

const loopbacks = [
  ...['127.0.0.1', '127.1', '0x7f.1', '0x7f000001', '2130706433', '0177.0.0.1', '017700000001', '127.0.0.1.'],
  ...['①②⑦.⓪.⓪.①', '１２７．０．０．１', '127。0。0。1', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
  ...['localhost', 'LocalHost', 'localhost.', 'a.localhost'],
];
const notPublic = [...loopbacks, '[::1]', '0.0.0.0', '0', '[::]', '10.0.0.1', '169.254.169.254', '[64:ff9b::7f00:1]'];
const never = [
  ...['169.254.169.254', '0xa9fea9fe', '2852039166', '[::ffff:169.254.169.254]', '[64:ff9b::a9fe:a9fe]'],
  ...['[fd00:ec2::254]', '168.63.129.16', '100.100.100.200', '0.0.0.0', '0', '[::]', '[::ffff:0.0.0.0]'],
  ...['255.255.255.255', '224.0.0.1', '[fe80::1]', '[ff02::1]', '[2002:7f00:1::]'],
];

describe('with egress public, nothing reaches', () => {
  test.each(notPublic)('the target http://%s/', async (host) => {
    expect(await probed('public', `http://${host}:${receiver.port}/`)).toMatchObject(BLOCKED);
    expect(await probed('public', `https://${host}:${receiver.port}/`)).toMatchObject(BLOCKED);
    expect(receiver.requests).toEqual([]);
  });

  // The first hop would have to be a public host, so its response is given.
  test.each(notPublic)('a redirect to http://%s/', async (host) => {
    await using client = createClient(depsOf('public'));
    const location = `http://${host}:${receiver.port}/`;
    const send: typeof client.send = (question, aborted) =>
      question.url.hostname === 'public.example'
        ? Promise.resolve({ status: 302, location, retryAfterSeconds: null, content: null })
        : client.send(question, aborted);
    const deps: FollowDeps = { client: { ...client, send }, turn: () => Promise.resolve() };
    for (const method of ['HEAD', 'GET'] as const)
      expect(await follow(deps, 'http://public.example/', { method }, signal)).toMatchObject({
        ...{ hops: [{ status: 302 }], status: null, reason: 'address_not_allowed' },
      });
    expect(receiver.requests).toEqual([]);
  });

  test.each(notPublic)('the robots.txt of http://%s/', async (host) => {
    const origin = `http://${host}:${receiver.port}`;
    expect(await fetchRobots(depsOf('public'), origin, undefined, signal)).toEqual(NO_ROBOTS);
    expect(receiver.requests).toEqual([]);
  });

  test.each([
    [['8.8.8.8', '127.0.0.1']],
    [['127.0.0.1', '8.8.8.8']],
    [['2606:4700::1111', '::1']],
    [['8.8.8.8', '::ffff:127.0.0.1']],
    [['8.8.8.8', 'fe80::1%lo']],
  ])('a name with the addresses %j', async (addresses) => {
    const url = `http://several.example:${receiver.port}/`;
    expect(await probed('public', url, () => Promise.resolve(addresses))).toMatchObject(BLOCKED);
    expect(receiver.requests).toEqual([]);
  });
});

describe('with egress private', () => {
  test.each(loopbacks)('the target http://%s/ is reached', async (host) => {
    expect(await probed('private', `http://${host}:${receiver.port}/`)).toMatchObject({ state: 'ok', status: 200 });
    expect(receiver.requests).toHaveLength(1);
  });

  test.each(never)('nothing reaches the target http://%s/', async (host) => {
    expect(await probed('private', `http://${host}:${receiver.port}/`)).toMatchObject(BLOCKED);
    expect(receiver.requests).toEqual([]);
  });

  test.each(never)('nothing reaches a redirect to http://%s/', async (host) => {
    const location = `http://${host}:${receiver.port}/`;
    receiver.reply((response) => response.writeHead(301, { location }).end());
    const found = await probed('private', `http://127.0.0.1:${receiver.port}/a`);
    expect(found).toMatchObject({ ...BLOCKED, status: 301 });
    expect(receiver.requests).toHaveLength(1);
  });

  test.each(never)('nothing reaches a robots.txt that redirects to http://%s/', async (host) => {
    const location = `http://${host}:${receiver.port}/`;
    receiver.reply((response) => response.writeHead(301, { location }).end());
    const origin = `http://127.0.0.1:${receiver.port}`;
    expect(await fetchRobots(depsOf('private'), origin, undefined, signal)).toEqual(NO_ROBOTS);
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/robots.txt']);
  });

  test.each(['file:///etc/passwd', 'ftp://127.0.0.1/', 'data:text/plain,a', 'javascript:1', 'http://', '//[', ''])(
    'a redirect to %j is followed nowhere',
    async (location) => {
      receiver.reply((response) => response.writeHead(302, { location }).end());
      const found = await probed('private', `http://127.0.0.1:${receiver.port}/a`);
      expect(found).toMatchObject(
        location === '' ? { state: 'loop', reason: 'loop' } : { state: 'error', reason: 'bad_location' },
      );
      expect(receiver.requests).toHaveLength(1);
    },
  );

  test('other ports are not connected to, as target, hop or robots.txt', async () => {
    const other = await startReceiver();
    const url = `http://127.0.0.1:${other.port}/`;
    expect(await probed('private', url)).toMatchObject(BLOCKED);
    await fetchRobots(depsOf('private'), `http://127.0.0.1:${other.port}`, undefined, signal);
    receiver.reply((response) => response.writeHead(302, { location: url }).end());
    expect(await probed('private', `http://127.0.0.1:${receiver.port}/a`)).toMatchObject({ ...BLOCKED, status: 302 });
    expect(other.requests).toEqual([]);
    await other.stop();
  });

  test('a name that changes to a blocked address is blocked at the next connection: the sibling', async () => {
    let resolved = 0;
    receiver.reply((response) => response.writeHead(200, { connection: 'close' }).end());
    const resolve = () => Promise.resolve(++resolved === 1 ? ['127.0.0.1'] : ['169.254.169.254']);
    expect(await probed('private', `http://rebinding.example:${receiver.port}/a`, resolve)).toMatchObject({
      ...{ state: 'ok', note: null },
    });
    expect(resolved).toBeGreaterThan(1);
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/a']);
  });
});
