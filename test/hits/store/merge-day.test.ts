/** What is merged with what is stored, when sketches are large: nobody waits for it, and no statement grows with it. */
import { expect, test } from 'vitest';
import { mergeDays, partsOf, type StoredDay } from '../../../src/hits/store/merge-day.ts';
import type { HitCounters } from '../../../src/hits/count/redirect-counters.ts';
import {
  addVisitor,
  createSketch,
  encodeSketch,
  EXACT_OF_REDIRECT,
} from '../../../src/hits/count/visitor-sketch.ts';

const hash = (i: number): number => Math.imul(i + 1, 0x9e3779b1) ^ (i << 7);

function visitedBy(from: number, to: number) {
  const visitors = createSketch(EXACT_OF_REDIRECT);
  for (let i = from; i < to; i++) addVisitor(visitors, hash(i), hash(i * 31));
  const tally: HitCounters = {
    hits: to - from,
    botHits: 0,
    micros: 0,
    countries: new Map(),
    visitors,
  };
  return tally;
}

test('a thousand large sketches leave the event loop a turn every few milliseconds', async () => {
  const { visitors } = visitedBy(0, 5_000);
  const stored: StoredDay = { countries: {}, visitors: encodeSketch(visitors) };
  const tallies = Array.from({ length: 1_000 }, (_, i) => visitedBy(10_000 + i, 10_020 + i));
  let [turns, isDone] = [0, false];
  const turn = (): void => {
    turns++;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  const began = process.threadCpuUsage();
  const merged = await mergeDays(
    tallies,
    tallies.map(() => stored),
    EXACT_OF_REDIRECT,
  );
  isDone = true;
  const { user, system } = process.threadCpuUsage(began);
  expect(merged.length).toBe(1_000);
  expect((user + system) / 1_000 / turns).toBeLessThan(6);
});

test('rows are parted so that no part is larger than it may be, but for one row alone', () => {
  expect(partsOf([], 10)).toEqual([]);
  expect(partsOf([3, 3, 3, 3], 10)).toEqual([
    [0, 3],
    [3, 4],
  ]);
  expect(partsOf([0, 0, 25, 10, 1], 10)).toEqual([
    [0, 2],
    [2, 3],
    [3, 4],
    [4, 5],
  ]);
});
