import { expect, test } from 'vitest';
import { stopwatch } from '../../../src/platform/clock.ts';
import { createTimeSlice, runInSlices } from '../../../src/platform/scheduling/time-slice.ts';

function computeFor(ms: number): void {
  const startedAt = stopwatch();
  while (stopwatch() - startedAt <= ms);
}

test('a slice is over after its time, and the next one begins when the event loop had its turn', async () => {
  const slice = createTimeSlice(200);
  expect(slice.isOver()).toBe(false);
  computeFor(201);
  expect(slice.isOver()).toBe(true);
  let hadTurn = false;
  setImmediate(() => (hadTurn = true));
  await slice.yield();
  expect([hadTurn, slice.isOver()]).toEqual([true, false]);
});

test('cheap items share a look at the clock, and the next ones are bounded if they are expensive', () => {
  const slice = createTimeSlice(20);
  for (let item = 0; item < 100; item++) slice.isOver();
  let expensive = 0;
  while (!slice.isOver()) computeFor(++expensive && 2);
  expect(expensive).toBeLessThanOrEqual(16 + 10);
});

test('an expensive first item is followed by a look at the clock', () => {
  const slice = createTimeSlice(5);
  expect(slice.isOver()).toBe(false);
  computeFor(6);
  expect(slice.isOver()).toBe(true);
});

test('a generator yields to the event loop between its slices, and its result is returned', async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  function* steps(): Generator<undefined, string> {
    for (let step = 0; step < 20; step++) yield void computeFor(2);
    return 'done';
  }
  expect(await runInSlices(steps())).toBe('done');
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
});
