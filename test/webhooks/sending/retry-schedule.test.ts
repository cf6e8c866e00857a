import { expect, test } from 'vitest';
import { nextDelayMs, RETRY_DELAYS_MS } from '../../../src/webhooks/sending/retry-schedule.ts';

test('the delays are 5 s, 30 s, 2 m, 10 m, 30 m, 1 h, 2 h, 4 h, 8 h, 12 h, 18 h, then six times 24 h', () => {
  const inSeconds = RETRY_DELAYS_MS.map((ms) => ms / 1000);
  const day = 86_400;
  expect(inSeconds).toEqual([
    ...[5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200, 64_800],
    ...[day, day, day, day, day, day],
  ]);
});

test('18 attempts span at least 7.9 days', () => {
  const days = RETRY_DELAYS_MS.reduce((sum, ms) => sum + ms, 0) / 86_400_000;
  expect(RETRY_DELAYS_MS.length + 1).toBe(18);
  expect(days).toBeCloseTo(7.905, 3);
});

test('a delay has a jitter from 0 to below 20 %', () => {
  RETRY_DELAYS_MS.forEach((base, i) => {
    expect(nextDelayMs(i + 1, () => 0)).toBe(base);
    expect(nextDelayMs(i + 1, () => 0.5)).toBe(Math.round(base * 1.1));
    expect(nextDelayMs(i + 1, () => 0.999_999)).toBeLessThanOrEqual(base * 1.2);
  });
});

test('by default, two deliveries that failed together are not retried together', () => {
  const delays = new Set(Array.from({ length: 20 }, () => nextDelayMs(17)));
  expect(delays.size).toBeGreaterThan(15);
});

test('after the eighteenth failure there is no next attempt', () => {
  expect(nextDelayMs(17, () => 0)).toBe(86_400_000);
  expect(nextDelayMs(18)).toBeNull();
  expect(nextDelayMs(1_000)).toBeNull();
});

test.each([0, -1, 1.5, Number.NaN])('failure number %s throws', (failures) => {
  expect(() => nextDelayMs(failures)).toThrow(RangeError);
});
