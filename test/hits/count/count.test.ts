import { expect, test } from 'vitest';
import { countVisit } from '../../../src/hits/count/count.ts';
import { referrerHost } from '../../../src/hits/count/sources.ts';
import type { Visit } from '../../../src/hits/count/request-batch.ts';
import { createVisitors } from '../../../src/hits/count/visitor.ts';
import { createPendingCounters, siteCounters } from '../../../src/hits/counters/counters.ts';
import { DAY_MS } from '../../../src/platform/clock.ts';
import { ASSISTANT, BOT, BROWSER } from '../../support/hits.ts';

const visitors = createVisitors(Buffer.alloc(16, 1), () => '');
const human = visitors.agentOf(BROWSER);
const bot = visitors.agentOf(BOT);
const assistant = visitors.agentOf(ASSISTANT);

const visit = (fields: Partial<Visit>): Visit => ({
  websiteId: 7,
  environment: 0,
  redirectId: 12,
  path: '',
  referrer: undefined,
  referrerName: undefined,
  utmSource: undefined,
  micros: 10,
  at: 3 * DAY_MS + 1,
  agent: human,
  address: visitors.addressOf('192.0.2.1'),
  country: 5,
  ...fields,
});

/** Counts the visits and returns the counters of website 7 in production on day 3. */
function counted(visits: Visit[], limits = { bytes: 1e6, pathsOfSite: 10, paths: 10 }) {
  const pending = createPendingCounters();
  const overflow = { hits: 0, paths: 0 };
  for (const each of visits) countVisit(pending, each, { visitors, limits, overflow });
  return { pending, overflow, site: siteCounters(pending, 3, 7, 0) };
}

test('a human hit counts for the website and for the redirect, with visitor and country', () => {
  const { pending, site } = counted([visit({}), visit({}), visit({ at: 4 * DAY_MS })]);
  expect(pending).toMatchObject({ requests: 3 });
  expect(site).toMatchObject({ hits: 2, botHits: 0, micros: 20, countries: new Map([[5, 2]]) });
  expect(site.visitors.size).toBe(1);
  expect(site.redirects.get(12)?.all()).toMatchObject({ hits: 2, micros: 20 });
});

test('a hit of a domain redirect counts for the website, and for no redirect', () => {
  const { pending, site } = counted([visit({ redirectId: 0 }), visit({ redirectId: 0, agent: bot })]);
  expect(pending).toMatchObject({ requests: 2, bytes: 0 });
  expect(site).toMatchObject({ hits: 1, botHits: 1, unmatched: 0, countries: new Map([[5, 1]]) });
  expect([site.visitors.size, site.redirects.size]).toEqual([1, 0]);
});

test('a bot hit counts as nothing else', () => {
  const { pending, site } = counted([visit({ agent: bot })]);
  expect(pending.requests).toBe(1);
  expect(site).toMatchObject({ hits: 0, botHits: 1, micros: 0, countries: new Map() });
  expect(site.redirects.get(12)?.all()).toMatchObject({ hits: 0, botHits: 1 });
});

test('a hit of an assistant counts as nothing else', () => {
  const { pending, site } = counted([visit({ agent: assistant }), visit({ redirectId: 0, agent: assistant })]);
  expect(pending.requests).toBe(2);
  expect(site).toMatchObject({ hits: 0, botHits: 0, assistantHits: 2, micros: 0, countries: new Map() });
  expect(site.redirects.get(12)?.all()).toMatchObject({ hits: 0, botHits: 0, assistantHits: 1 });
  expect(site.redirects.get(12)?.lastHitAt).toBe(0);
});

test('requests of bots and assistants count by the name of their user agent', () => {
  const unnamed = visitors.agentOf('curl/8.7.1');
  const agents = [bot, bot, assistant, unnamed, human, { ...bot, class: 'person' as const }];
  const visits = agents.flatMap((agent) => [visit({ agent }), visit({ redirectId: null, path: '/a', agent })]);
  const { site } = counted([...visits, visit({ agent: bot })]);
  expect(site.named).toEqual(
    new Map([
      ['Googlebot', { hits: 3, unmatched: 2 }],
      ['ChatGPT-User', { hits: 1, unmatched: 1 }],
    ]),
  );
});

test('unmatched requests count by class, with their path and above the limit of paths', () => {
  const agents = [human, bot, assistant, assistant];
  const visits = ['/a', '/b'].flatMap((path) => agents.map((agent) => visit({ redirectId: null, path, agent })));
  const { site } = counted(visits, { bytes: 1e6, pathsOfSite: 1, paths: 10 });
  expect(site).toMatchObject({ unmatched: 2, unmatchedBots: 2, unmatchedAssistants: 4, assistantHits: 0 });
  const each = { hits: 1, botHits: 1, assistantHits: 2 };
  expect([site.paths.get('/a'), site.otherPaths]).toMatchObject([each, each]);
});

test('above the memory limit visitors and countries count for the website only', () => {
  const limits = { bytes: 0, pathsOfSite: 10, paths: 10 };
  const { overflow, site } = counted([visit({})], limits);
  expect(overflow).toEqual({ hits: 1, paths: 0 });
  expect(site.countries).toEqual(new Map([[5, 1]]));
  const redirect = site.redirects.get(12)?.all();
  expect([redirect?.hits, redirect?.countries.size, redirect?.visitors.size]).toEqual([1, 0, 0]);
});

test('above the limit of paths further paths count as other', () => {
  const paths = ['/a', '/b', '/a', '/c'].map((path, i) => visit({ redirectId: null, path, at: 3 * DAY_MS + i }));
  const { overflow, site } = counted(paths, { bytes: 1e6, pathsOfSite: 2, paths: 10 });
  expect(overflow).toEqual({ hits: 0, paths: 1 });
  expect([site.hits, site.unmatched]).toEqual([0, 4]);
  expect(site.paths.get('/a')).toMatchObject({
    hits: 2,
    firstSeenAt: 3 * DAY_MS,
    lastSeenAt: 3 * DAY_MS + 2,
  });
  expect(site.otherPaths).toEqual({ hits: 1, botHits: 0, assistantHits: 0, lastSeenAt: 3 * DAY_MS + 3 });
});

test.each([
  ['https://Example.com/private?token=1#part', 'example.com'],
  ['http://user:password@example.com:8080/', 'example.com'],
  ['https://[2001:db8::1]:8443/x', '[2001:db8::1]'],
  ['https://example.com?q=1', 'example.com'],
  ['https://example.com', 'example.com'],
  ['android-app://com.example/', null],
  ['/relative', null],
  ['https://', null],
  ['https://exa mple.com/', null],
  [`https://${'a'.repeat(300)}.example/`, null],
  ['', null],
  [undefined, null],
])('the host of referrer %s is %s', (referrer, host) => expect(referrerHost(referrer)).toBe(host));
