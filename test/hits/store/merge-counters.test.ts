/** Merging large sketches neither blocks the event loop nor makes statements larger. */
import { expect, test } from 'vitest';
import { mergeCounters, splitBySize, type StoredDay } from '../../../src/hits/store/merge-counters.ts';
import type { HitCounters } from '../../../src/hits/counters/redirect-counters.ts';
import {
  addVisitor,
  createSketch,
  encodeSketch,
  MAX_EXACT_OF_REDIRECT,
  mergeSketch,
} from '../../../src/hits/counters/visitor-sketch.ts';

const hash = (i: number): number => Math.imul(i + 1, 0x9e3779b1) ^ (i << 7);

function countersOf(from: number, to: number) {
  const visitors = createSketch(MAX_EXACT_OF_REDIRECT);
  for (let i = from; i < to; i++) addVisitor(visitors, hash(i), hash(i * 31));
  const counters: HitCounters = {
    hits: to - from,
    botHits: 0,
    assistantHits: 0,
    micros: 0,
    countries: new Map(),
    visitors,
    referrers: new Map(),
    utmSources: new Map(),
  };
  return counters;
}

test('merging a thousand large sketches yields to the event loop every few milliseconds', async () => {
  const { visitors } = countersOf(0, 5_000);
  const stored: StoredDay = { countries: {}, visitors: encodeSketch(visitors), referrers: {}, utm_sources: {} };
  const added = Array.from({ length: 1_000 }, (_, i) => countersOf(10_000 + i, 10_020 + i));
  let [turns, isDone] = [0, false];
  const turn = (): void => {
    turns++;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  const began = process.threadCpuUsage();
  const merged = await mergeCounters(
    added,
    added.map(() => stored),
    { maxExactVisitors: MAX_EXACT_OF_REDIRECT, maxNames: 40 },
  );
  isDone = true;
  const { user, system } = process.threadCpuUsage(began);
  expect(merged.length).toBe(1_000);
  expect((user + system) / 1_000 / turns).toBeLessThan(6);
});

test('a day that is over keeps registers instead of hashes, the same as those of all registers', async () => {
  const counters = [countersOf(0, 0), countersOf(0, 1), countersOf(0, 50), countersOf(0, 500)];
  const merged = await mergeCounters(counters, [], { maxExactVisitors: 0, maxNames: 40 });
  const expected = counters.map(({ visitors }) => {
    const sketch = createSketch(0);
    return mergeSketch(sketch, visitors) ? encodeSketch(sketch) : Buffer.alloc(0);
  });
  expect(merged.map(({ visitors }) => visitors)).toEqual(expected);
});

test('no range is above the maximum size, except for a single larger row', () => {
  expect(splitBySize([], 10)).toEqual([]);
  expect(splitBySize([3, 3, 3, 3], 10)).toEqual([
    [0, 3],
    [3, 4],
  ]);
  expect(splitBySize([0, 0, 25, 10, 1], 10)).toEqual([
    [0, 2],
    [2, 3],
    [3, 4],
    [4, 5],
  ]);
});
