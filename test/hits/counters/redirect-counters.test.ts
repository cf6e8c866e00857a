/** Compares the packed counters with plain objects in a Map, for ids of different patterns. */
import { describe, expect, test } from 'vitest';
import { RedirectCounters } from '../../../src/hits/counters/redirect-counters.ts';
import { seeded } from '../../support/random.ts';

const COUNT = 3_000;

describe.each([
  ['that are consecutive', 1, 0],
  ['of many websites', 1_009, 7],
  ['that are multiples of a power of two', 2 ** 20, 0],
  ['beyond 2^32', 2 ** 33, 5],
] as const)('ids %s', (_, step, from) => {
  test('each id has its own slot with its own counts', () => {
    const random = seeded(step);
    const counters = new RedirectCounters();
    const model = new Map<
      number,
      {
        hits: number;
        bots: number;
        micros: number;
        last: number;
        countries: Map<number, number>;
        visitors: Set<number>;
      }
    >();
    for (let i = 0; i < 4 * COUNT; i++) {
      const id = from + step * Math.floor(COUNT ** random());
      const [visitor, country] = [1 + Math.floor(random() * 3), Math.floor(random() * 3)];
      const day = model.get(id) ?? {
        hits: 0,
        bots: 0,
        micros: 0,
        last: 0,
        countries: new Map(),
        visitors: new Set(),
      };
      model.set(id, day);
      const slot = counters.slotOf(id);
      if (random() < 0.1) {
        counters.addBot(slot);
        day.bots++;
        continue;
      }
      counters.addHit(slot, i % 7, i + 1, country);
      counters.addVisitor(slot, visitor, -visitor);
      day.hits++;
      day.micros += i % 7;
      day.last = i + 1;
      day.visitors.add(visitor);
      if (country > 0) day.countries.set(country, (day.countries.get(country) ?? 0) + 1);
    }
    expect(counters.size).toBe(model.size);
    for (const [id, day] of model) {
      const slot = counters.slotOf(id);
      const stored = counters.countersAt(slot);
      expect([counters.redirectIdAt(slot), counters.lastHitAt(slot)]).toEqual([id, day.last]);
      expect(stored).toMatchObject({ hits: day.hits, botHits: day.bots, micros: day.micros });
      expect(stored.countries).toEqual(day.countries);
      expect(stored.visitors.size).toBe(day.visitors.size);
      const isSingle = day.countries.size < 2 && day.visitors.size < 2;
      expect(counters.singleVisitorAt(slot) !== undefined).toBe(isSingle);
    }
  });
});

test('the returned growth covers further countries and visitors', () => {
  const counters = new RedirectCounters();
  const slot = counters.slotOf(1);
  const bytesOf = (country: number, visitor: number): number => {
    counters.addHit(slot, 1, 1, 0);
    return counters.addHit(slot, 1, 1, country) + counters.addVisitor(slot, visitor, visitor);
  };
  expect([bytesOf(1, 1), bytesOf(1, 1)]).toEqual([0, 0]);
  expect(bytesOf(2, 1)).toBeGreaterThan(200);
  expect(bytesOf(2, 2)).toBeGreaterThan(150);
  let sum = 0;
  for (let i = 3; i < 300; i++) sum += bytesOf(i, i);
  // A sketch of 64 visitors becomes registers of 16 KiB; 297 further countries are as many Map entries.
  expect(sum).toBeGreaterThan(16_384 + 297 * 30);
});
