/** Tallies in a block of memory: against objects in a map, whatever ids redirects have. */
import { describe, expect, test } from 'vitest';
import { RedirectCounters } from '../../../src/hits/count/redirect-counters.ts';
import { seeded } from '../../support/hit-traffic.ts';

const COUNT = 3_000;

describe.each([
  ['one after the other', 1, 0],
  ['of many websites', 1_009, 7],
  ['that are multiples of a power of two', 2 ** 20, 0],
  ['beyond 2^32', 2 ** 33, 5],
] as const)('ids %s', (_, step, from) => {
  test('each has a place of its own, with what was counted of it', () => {
    const random = seeded(step);
    const tallies = new RedirectCounters();
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
      const place = tallies.placeOf(id);
      if (random() < 0.1) {
        tallies.addBot(place);
        day.bots++;
        continue;
      }
      tallies.addHit(place, i % 7, i + 1, country);
      tallies.addVisitor(place, visitor, -visitor);
      day.hits++;
      day.micros += i % 7;
      day.last = i + 1;
      day.visitors.add(visitor);
      if (country > 0) day.countries.set(country, (day.countries.get(country) ?? 0) + 1);
    }
    expect(tallies.size).toBe(model.size);
    for (const [id, day] of model) {
      const place = tallies.placeOf(id);
      const tally = tallies.tallyAt(place);
      expect([tallies.redirectIdAt(place), tallies.lastHitAt(place)]).toEqual([id, day.last]);
      expect(tally).toMatchObject({ hits: day.hits, botHits: day.bots, micros: day.micros });
      expect(tally.countries).toEqual(day.countries);
      expect(tally.visitors.size).toBe(day.visitors.size);
      const isPlain = day.countries.size < 2 && day.visitors.size < 2;
      expect(tallies.plainAt(place) !== undefined).toBe(isPlain);
    }
  });
});

test('what one tally has more than a country and a visitor is told as memory', () => {
  const tallies = new RedirectCounters();
  const place = tallies.placeOf(1);
  const bytesOf = (country: number, visitor: number): number => {
    tallies.addHit(place, 1, 1, 0);
    return tallies.addHit(place, 1, 1, country) + tallies.addVisitor(place, visitor, visitor);
  };
  expect([bytesOf(1, 1), bytesOf(1, 1)]).toEqual([0, 0]);
  expect(bytesOf(2, 1)).toBeGreaterThan(200);
  expect(bytesOf(2, 2)).toBeGreaterThan(150);
  let sum = 0;
  for (let i = 3; i < 300; i++) sum += bytesOf(i, i);
  // A sketch of 64 visitors becomes registers of 16 KiB; 300 countries are as many entries of a map.
  expect(sum).toBeGreaterThan(16_384 + 297 * 30);
});
