import { expect, test } from 'vitest';
import { createBackoff, spread } from '../../src/vocabulary/backoff.ts';

test('each failure in a row doubles the pause up to the maximum, and a success starts again', () => {
  const backoff = createBackoff(100, 500);
  expect([1, 2, 3, 4, 5].map(() => backoff.next())).toEqual([100, 200, 400, 500, 500]);
  backoff.reset();
  expect(backoff.next()).toBe(100);
});

test('a spread pause is between a half and all of it', () => {
  const pauses = Array.from({ length: 1_000 }, () => spread(100));
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(50);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(100);
  expect(new Set(pauses).size).toBeGreaterThan(100);
});
