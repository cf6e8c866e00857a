import { expect, test } from 'vitest';
import { createPendingCounters, redirectCounters, siteCounters } from '../../../src/hits/counters/counters.ts';
import { packRedirects, redirectsOf } from '../../../src/hits/counters/packed-redirects.ts';
import type { RedirectCounters } from '../../../src/hits/counters/redirect-counters.ts';
import { countVisitors, encodeSketch } from '../../../src/hits/counters/visitor-sketch.ts';
import { seeded } from '../../support/random.ts';

/** Counts that do not depend on the order of their parts. */
function shown(redirect: RedirectCounters) {
  const { countries, referrers, utmSources, visitors, ...counts } = redirect.all();
  const maps = [countries, referrers, utmSources].map((map) => Object.fromEntries(map as Map<string | number, number>));
  const hashes = visitors.registers
    ? encodeSketch(visitors).toString('hex')
    : Array.from({ length: visitors.table.length / 2 }, (_, i) => visitors.table.slice(2 * i, 2 * i + 2).join())
        .filter((hash) => hash !== '0,0')
        .sort();
  return { ...counts, maps, hashes, visitors: countVisitors(visitors), lastHitAt: redirect.lastHitAt };
}

const runAll = (steps: Generator): void => {
  while (!steps.next().done);
};

const LARGE_ID = 2 ** 45;

test.each([
  ['never', Infinity, 0],
  ['once', 9_000, 1],
  ['24 times', 500, 24],
])('counters that are packed %s are those of a Map', (_name, every, runs) => {
  const random = seeded(every);
  const [packed, plain] = [createPendingCounters(), createPendingCounters()];
  const site = siteCounters(packed, 1, 1, 0);
  const expected = siteCounters(plain, 1, 1, 0);
  for (let i = 1; i <= 12_000; i++) {
    // Few redirects have most of the hits: 90 visitors are more than a list has.
    const id = Math.floor(random() ** 3 * 300) + (random() < 0.5 ? LARGE_ID : 1);
    const [visitor, country, name] = [300, 5, 20].map((most) => Math.floor(random() * most)) as [
      number,
      number,
      number,
    ];
    const isBot = random() < 0.1;
    const at = 1e12 + Math.floor(random() * 1e7) + 0.5;
    for (const [pending, counters] of [
      [packed, site],
      [plain, expected],
    ] as const) {
      const redirect = redirectCounters(pending, counters, id);
      if (isBot) redirect.botHits++;
      else {
        redirect.addHit(1.5, at, country);
        redirect.addVisitor(Math.imul(visitor + 1, 0x9e3779b1), visitor);
        if (name < 10) redirect.addSources(`${name}.example`, name < 3 ? `mail ü ${name}` : undefined);
      }
    }
    if (i % every === 0) {
      runAll(packRedirects(packed));
      expect([site.redirects.size, packed.bytes]).toEqual([0, 0]);
    }
  }
  expect(site.runs.length).toBe(runs);
  expect(packed.packedBytes).toBe(site.runs.reduce((sum, { length }) => sum + length, 0));
  const found = [...redirectsOf(site)];
  expect(found.length).toBe(expected.redirects.size);
  for (const redirect of found) {
    const other = expected.redirects.get(redirect.redirectId);
    expect([redirect.redirectId, shown(redirect)]).toEqual([redirect.redirectId, other && shown(other)]);
  }
  const ids = found.map(({ redirectId }) => redirectId);
  if (runs > 0) expect(ids).toEqual([...ids].sort((a, b) => a - b));
});

test('a packed redirect takes fewer than 40 bytes and 8 for each visitor', () => {
  const pending = createPendingCounters();
  const site = siteCounters(pending, 1, 1, 0);
  for (let id = 1; id <= 1_000; id++) {
    const redirect = redirectCounters(pending, site, 1_000_000 + id);
    for (let visitor = 1; visitor <= 5; visitor++) {
      redirect.addHit(0, 1e12, 1);
      redirect.addVisitor(visitor, visitor);
    }
  }
  runAll(packRedirects(pending));
  expect(pending.packedBytes).toBeLessThan(1_000 * (40 + 5 * 8));
});
