import { expect, test } from 'vitest';
import { createPendingCounters, redirectCounters, siteCounters } from '../../../src/hits/counters/counters.ts';
import { redirectKey, splitIntoBatches } from '../../../src/hits/counters/write-batches.ts';

test('every counter is in exactly one batch, of one day and of limited size', () => {
  const pending = createPendingCounters();
  for (const day of [0, 1])
    for (let websiteId = 1; websiteId <= 3; websiteId++) {
      const site = siteCounters(pending, day, websiteId, 0);
      for (let id = 1; id <= 9_000; id++) redirectCounters(pending, site, id);
      for (let i = 0; i < 700; i++) {
        const times = { firstSeenAt: 0, lastSeenAt: 0 };
        site.paths.set(`/${i}`, { hits: 1, botHits: 0, assistantHits: 0, noise: false, referrerHost: null, ...times });
      }
    }
  const seen = new Set<string>();
  let rows = 0;
  for (const { day, sites, redirects, paths } of splitIntoBatches(pending)) {
    expect(sites.length).toBeLessThanOrEqual(100);
    expect(redirects.length).toBeLessThanOrEqual(10_000);
    expect(paths.length).toBeLessThanOrEqual(1_000);
    rows += sites.length + redirects.length + paths.length;
    for (const { websiteId } of sites) seen.add(`${day} ${websiteId}`);
    for (const { site, redirect } of redirects) seen.add(`${day} ${site.websiteId} ${redirect.redirectId}`);
    for (const { site, path } of paths) seen.add(`${day} ${site.websiteId} ${path}`);
  }
  expect(rows).toBe(2 * 3 * (1 + 9_000 + 700));
  expect(seen.size).toBe(rows);
  expect(seen.has('1970-01-02 3 9000')).toBe(true);
});

test('nothing pending is no batch', () => {
  expect([...splitIntoBatches(createPendingCounters())]).toEqual([]);
});

test('the key of a redirect differs between redirects and environments', () => {
  const pending = createPendingCounters();
  const keys = [0, 1, 2].flatMap((environment) => {
    const site = siteCounters(pending, 0, 1, environment);
    return [1, 2, 3].map((id) => redirectKey({ site, redirect: redirectCounters(pending, site, id) }));
  });
  expect(new Set(keys).size).toBe(9);
});
