/**
 * The follower against a feed on a real socket. Holds the rules of src/feed-client/read-feed.ts and request-feed.ts.
 */
import { afterEach, describe, expect, test } from 'vitest';
import { createFeedRules, type FeedRules } from '../../src/feed-client/feed-rules.ts';
import { type Follower, followFeed, type FollowOptions } from '../../src/feed-client/follow-feed.ts';
import { createSlices, pauseByTimer } from '../../src/feed-client/slices.ts';
import { feedRule, type FeedServer, startFeedServer } from '../support/feed-server.ts';
import { until } from '../support/wait.ts';

interface Following {
  follower: Follower;
  /** everything that the target has published */
  published: FeedRules[];
  problems: { message: string; isDenied: boolean; retryInMs: number }[];
  /** responses that confirmed the rules */
  confirmed(): number;
}

const servers: FeedServer[] = [];
const followers: Follower[] = [];

async function serve(): Promise<FeedServer> {
  const server = await startFeedServer();
  servers.push(server);
  return server;
}

function follow(server: Pick<FeedServer, 'url'>, initial?: FeedRules, options: Partial<FollowOptions> = {}): Following {
  const following: Following = {
    follower: { stop: async () => {} },
    published: [],
    problems: [],
    confirmed: () => count,
  };
  let count = 0;
  const onRules = (rules: FeedRules): void => void following.published.push(rules);
  following.follower = followFeed({
    source: {
      url: server.url,
      apiKey: 'dtr_key',
      websiteId: '7',
      environment: 'production',
      agent: { name: 'web-1', kind: 'edge' },
      fetch,
    },
    target: createFeedRules({ initial, slices: createSlices(pauseByTimer), onRules }),
    onCurrent: () => void count++,
    onProblem: ({ error, ...problem }) => void following.problems.push({ message: error.message, ...problem }),
    ...options,
  });
  followers.push(following.follower);
  return following;
}

/** Waits until the last published rules are these targets by path. */
const serves = ({ published }: Following, targets: Record<string, string | null>): Promise<unknown> =>
  until(async () => {
    const rules = [...(published.at(-1)?.ruleset.rules() ?? [])].map(({ key, newPath }) => [key, newPath] as const);
    return (
      published.length > 0 && JSON.stringify(Object.fromEntries(rules.toSorted())) === JSON.stringify(sorted(targets))
    );
  });

const sorted = (targets: Record<string, string | null>) => Object.fromEntries(Object.entries(targets).toSorted());

afterEach(async () => {
  await Promise.all(followers.splice(0).map((follower) => follower.stop()));
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

describe('a follower', () => {
  test('takes the whole version, then differences by long-poll, and says who follows', async () => {
    const server = await serve();
    server.publish([feedRule(1, '/a'), feedRule(2, '/b/(.*)', '/c/$1'), feedRule(5, '/gone', null)]);
    const following = follow(server);
    await serves(following, { '/a': '/to-1', '/b/(.*)': '/c/$1', '/gone': null });
    await until(async () => server.requests.length === 2);
    server.publish([feedRule(1, '/a', '/new'), feedRule(5, '/gone', null), feedRule(9, '/d')]);
    await serves(following, { '/a': '/new', '/gone': null, '/d': '/to-9' });
    await until(async () => server.requests.length === 3);
    const who = { agent: 'web-1', kind: 'edge' };
    const poll = { wait: '50', options: expect.any(String), ...who };
    expect(server.requests.map(({ query }) => query)).toEqual([
      who,
      { since: '1', serving: '1', ...poll },
      { since: '2', serving: '2', ...poll },
    ]);
    expect(server.requests[0]).toMatchObject({ path: '/api/v1/feeds/7/production', key: 'Bearer dtr_key' });
    expect(following.problems).toEqual([]);
  });

  test('follows rules whose paths are exchanged, moved and freed', async () => {
    const server = await serve();
    server.publish([feedRule(1, '/a'), feedRule(2, '/b'), feedRule(3, '/c')]);
    const following = follow(server);
    await serves(following, { '/a': '/to-1', '/b': '/to-2', '/c': '/to-3' });
    server.publish([feedRule(1, '/b', '/to-1'), feedRule(2, '/a', '/to-2'), feedRule(4, '/c', '/to-4')]);
    await serves(following, { '/b': '/to-1', '/a': '/to-2', '/c': '/to-4' });
    server.publish([feedRule(4, '/b', '/to-4'), feedRule(5, '/a', '/to-5')]);
    await serves(following, { '/b': '/to-4', '/a': '/to-5' });
    expect(server.requests.filter(({ query }) => query['since'] === undefined)).toHaveLength(1);
  });

  test('learns of changed options without a new version', async () => {
    const server = await serve();
    const rules = [feedRule(1, '/a')];
    server.publish(rules);
    const following = follow(server);
    await serves(following, { '/a': '/to-1' });
    const [before] = following.published;
    server.publish(rules, { fallback_url: 'https://fallback.example' });
    await until(async () => following.published.length === 2);
    expect(following.published[1]?.head.options.fallback_url).toBe('https://fallback.example');
    expect(following.published[1]?.ruleset).toBe(before?.ruleset);
  });

  test('continues from what a former process stored', async () => {
    const server = await serve();
    server.publish([feedRule(1, '/a'), feedRule(2, '/b')]);
    const former = follow(server);
    await serves(former, { '/a': '/to-1', '/b': '/to-2' });
    await former.follower.stop();
    server.publish([feedRule(2, '/moved', '/to-2')]);
    const following = follow(server, former.published[0]);
    await serves(following, { '/moved': '/to-2' });
    expect(server.requests.filter(({ query }) => query['since'] === undefined)).toHaveLength(1);
    expect([...(former.published[0]?.ruleset.rules() ?? [])]).toHaveLength(2);
  });

  test('takes the whole version when its own has expired, or a difference leads to other rules', async () => {
    const server = await serve();
    server.publish([feedRule(1, '/a')]);
    const following = follow(server);
    await serves(following, { '/a': '/to-1' });
    await until(async () => server.requests.length === 2);
    server.faults.push({ checksum: '0000000000000' });
    // The waiting request has no fault; the one after it has.
    server.publish([feedRule(2, '/b')]);
    await serves(following, { '/b': '/to-2' });
    server.publish([feedRule(3, '/c')]);
    await serves(following, { '/c': '/to-3' });
    expect(following.problems.map(({ message }) => message)).toEqual([expect.stringContaining('0000000000000')]);
    server.oldest = 99;
    server.publish([feedRule(4, '/d')], { query: 'drop' });
    server.faults.push({ status: 410 });
    await serves(following, { '/d': '/to-4' });
    expect(following.published.every(({ head, ruleset }) => head.checksum === ruleset.checksum)).toBe(true);
  });

  test.each([
    ['a status', { status: 503 }],
    ['a limit', { status: 429, headers: { 'retry-after': '0.2' } }],
    ['a broken connection', { cutAfter: 300 }],
    ['a page of a proxy', { body: '<!doctype html>' }],
    ['a feed without its end', { body: '{"version":1' }],
  ])('retries after %s', async (_name, fault) => {
    const server = await serve();
    server.publish([feedRule(1, '/a'), feedRule(2, '/b')]);
    server.faults.push(fault);
    const following = follow(server);
    await serves(following, { '/a': '/to-1', '/b': '/to-2' });
    expect(following.problems).toHaveLength(1);
    expect(following.problems[0]?.isDenied).toBe(false);
  });

  test('serves its rules while the service is away, and catches up', async () => {
    const server = await serve();
    server.publish([feedRule(1, '/a')]);
    const following = follow(server);
    await serves(following, { '/a': '/to-1' });
    await server.close();
    await until(async () => following.problems.length >= 2);
    expect(following.published).toHaveLength(1);
    const back = await startFeedServer(Number(new URL(server.url).port));
    servers.push(back);
    back.publish([feedRule(1, '/a')]);
    back.publish([feedRule(1, '/a', '/later')]);
    await serves(following, { '/a': '/later' });
  });

  test.each([401, 403, 404])('says what to do after %i, and retries rarely', async (status) => {
    const server = await serve();
    server.faults.push({ status, body: '{"error":"Not allowed","details":"the key"}' });
    const { problems } = follow(server);
    await until(async () => problems.length === 1);
    expect(problems[0]).toMatchObject({ isDenied: true });
    expect(problems[0]?.message).toMatch(/Not allowed: the key; .*(key|website)/);
    expect(problems[0]?.retryInMs).toBeGreaterThanOrEqual(30_000);
  });

  test('does not poll without a pause if the service does not wait', async () => {
    const server = await serve();
    server.publish([feedRule(1, '/a')]);
    const following = follow(server, undefined, { waitSeconds: 0 });
    await until(async () => following.confirmed() === 3);
    expect(server.requests.length).toBe(3);
  });

  test('waits at least as long as Retry-After says', async () => {
    const server = await serve();
    server.faults.push({ status: 503, headers: { 'retry-after': '40' } });
    const { problems } = follow(server);
    await until(async () => problems.length === 1);
    expect(problems[0]?.retryInMs).toBe(40_000);
  });
});
