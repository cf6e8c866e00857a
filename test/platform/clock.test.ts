import { expect, test } from 'vitest';
import { isoSeconds, systemClock } from '../../src/platform/clock.ts';

test('a fraction of a second is cut off, never rounded up', () => {
  expect(isoSeconds(new Date('2026-03-01T23:59:59.999Z'))).toBe('2026-03-01T23:59:59Z');
  expect(isoSeconds(new Date('2026-03-01T00:00:00.000Z'))).toBe('2026-03-01T00:00:00Z');
});

test('the system clock goes forward', () => {
  const before = systemClock.now().getTime();
  expect(systemClock.now().getTime()).toBeGreaterThanOrEqual(before);
});
