/** Holds the rules of src/hits/counters/hyperloglog.ts. */
import { describe, expect, test } from 'vitest';
import { createSipHash } from '../../../src/hits/count/sip-hash.ts';
import {
  addVisitor,
  countVisitors,
  createSketch,
  MAX_EXACT_OF_REDIRECT,
  MAX_EXACT_OF_WEBSITE,
  encodeSketch,
  mergeEncoded,
  mergeSketch,
  type VisitorSketch,
} from '../../../src/hits/counters/visitor-sketch.ts';

const sip = createSipHash(Buffer.alloc(16, 9));

/** A sketch of the visitors from `from` to `to` (excluded). */
function sketchOf(exactUpTo: number, from: number, to: number): VisitorSketch {
  const sketch = createSketch(exactUpTo);
  const bytes = Buffer.alloc(8);
  for (let visitor = from; visitor < to; visitor++) {
    bytes.writeUInt32LE(visitor);
    sip.hash(bytes);
    addVisitor(sketch, sip.high, sip.low);
  }
  return sketch;
}

const union = (sketches: VisitorSketch[]): VisitorSketch => {
  const all = createSketch(MAX_EXACT_OF_WEBSITE);
  for (const sketch of sketches) mergeEncoded(all, encodeSketch(sketch));
  return all;
};

describe('a visitor sketch', () => {
  test.each([MAX_EXACT_OF_WEBSITE, MAX_EXACT_OF_REDIRECT])('is exact up to %i, also with repeated visitors', (max) => {
    for (const count of [0, 1, 2, 3, max - 1, max]) {
      const sketch = sketchOf(max, 0, count);
      expect(mergeSketch(sketch, sketchOf(max, 0, count))).toBe(false);
      expect(countVisitors(sketch)).toBe(count);
      expect(countVisitors(union([sketch]))).toBe(count);
    }
  });

  test('is within 2 % in at least 95 of 100 cases above the limit', () => {
    let outside = 0;
    const cases: number[] = [];
    for (let i = 0; i < 100; i++) cases.push(1_001 + i * 397);
    for (const [i, count] of cases.entries()) {
      const seen = countVisitors(sketchOf(MAX_EXACT_OF_WEBSITE, i * 1_000_000, i * 1_000_000 + count));
      if (Math.abs(seen / count - 1) > 0.02) outside++;
    }
    expect(outside).toBeLessThanOrEqual(5);
  });

  test('does not depend on the order in which parts are merged', () => {
    for (const [exactUpTo, count] of [
      [MAX_EXACT_OF_WEBSITE, 900],
      [MAX_EXACT_OF_WEBSITE, 5_000],
      [MAX_EXACT_OF_REDIRECT, 60],
      [MAX_EXACT_OF_REDIRECT, 3_000],
    ] as const) {
      const whole = countVisitors(sketchOf(exactUpTo, 0, count));
      const third = Math.floor(count / 3);
      const parts = [
        sketchOf(exactUpTo, 0, 2 * third),
        sketchOf(exactUpTo, third, count),
        sketchOf(exactUpTo, 0, third),
      ];
      for (const order of [parts, parts.toReversed()]) {
        const merged = createSketch(exactUpTo);
        for (const part of order) mergeSketch(merged, part);
        expect(countVisitors(merged)).toBe(whole);
      }
    }
  });

  test('of several days is exact if each day is exact and the total is small', () => {
    const days = Array.from({ length: 30 }, (_, day) => sketchOf(MAX_EXACT_OF_REDIRECT, day * 10, day * 10 + 60));
    expect(countVisitors(union(days))).toBe(29 * 10 + 60);
  });

  test('takes 8 bytes per visitor while exact, 3 per register while sparse, and at most 16 KiB', () => {
    expect(encodeSketch(createSketch(64)).length).toBe(0);
    expect(encodeSketch(sketchOf(64, 0, 64)).length).toBe(1 + 64 * 8);
    expect(encodeSketch(sketchOf(64, 0, 65)).length).toBeLessThanOrEqual(1 + 65 * 3);
    expect(encodeSketch(sketchOf(64, 0, 50_000)).length).toBe(1 + 16_384);
  });

  test('rejects bytes that are not a sketch', () => {
    for (const bytes of [[9], [1, 0], [2, 0], [3, 0]])
      expect(() => mergeEncoded(createSketch(64), Buffer.from(bytes))).toThrow(/sketch/);
  });
});
