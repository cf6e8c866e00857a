import { expect, test } from 'vitest';
import { RedirectCounters } from '../../../src/hits/counters/redirect-counters.ts';
import { seeded } from '../../support/random.ts';

test.each([1, 2, 3, 50])('the counts of %i hits are those of plain Maps', (hits) => {
  const random = seeded(hits);
  for (let round = 0; round < 200; round++) {
    const counters = new RedirectCounters(7);
    const [countries, referrers, visitors] = [new Map<number, number>(), new Map<string, number>(), new Set<number>()];
    for (let i = 1; i <= hits; i++) {
      const [visitor, country, referrer] = [1, 0, 1].map((from) => from + Math.floor(random() * 3)) as [
        number,
        number,
        1,
      ];
      counters.addHit(2, i, country);
      counters.addVisitor(visitor, -visitor);
      counters.addSources(`${referrer}.example`, undefined);
      if (country > 0) countries.set(country, (countries.get(country) ?? 0) + 1);
      referrers.set(`${referrer}.example`, (referrers.get(`${referrer}.example`) ?? 0) + 1);
      visitors.add(visitor);
    }
    const all = counters.all();
    expect(all).toMatchObject({ hits, botHits: 0, micros: 2 * hits });
    expect([all.countries, all.referrers, all.utmSources]).toEqual([countries, referrers, new Map()]);
    expect([all.visitors.size, counters.lastHitAt]).toEqual([visitors.size, hits]);
    expect(counters.isSingle()).toBe(countries.size < 2 && referrers.size < 2 && visitors.size < 2);
  }
});

test('the returned growth covers further countries and visitors', () => {
  const counters = new RedirectCounters(1);
  const bytesOf = (country: number, visitor: number): number => {
    counters.addHit(1, 1, 0);
    return counters.addHit(1, 1, country) + counters.addVisitor(visitor, visitor);
  };
  expect([bytesOf(1, 1), bytesOf(1, 1)]).toEqual([0, 0]);
  expect(bytesOf(2, 1)).toBeGreaterThan(200);
  expect(bytesOf(2, 2)).toBeGreaterThan(150);
  let sum = 0;
  for (let i = 3; i < 300; i++) sum += bytesOf(i, i);
  // A sketch of 64 visitors becomes registers of 16 KiB; 297 further countries are as many Map entries.
  expect(sum).toBeGreaterThan(16_384 + 297 * 30);
});
