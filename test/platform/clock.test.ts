import { expect, test } from 'vitest';
import { isAsSeen } from '../../src/platform/changed-since.ts';
import { changeTime, isoSeconds, stopwatch, systemClock } from '../../src/platform/clock.ts';

test('a fraction of a second is cut off, never rounded up', () => {
  expect(isoSeconds(new Date('2026-03-01T23:59:59.999Z'))).toBe('2026-03-01T23:59:59Z');
  expect(isoSeconds(new Date('2026-03-01T00:00:00.000Z'))).toBe('2026-03-01T00:00:00Z');
});

test('the system clock goes forward', () => {
  const before = systemClock.now().getTime();
  expect(systemClock.now().getTime()).toBeGreaterThanOrEqual(before);
});

test('a change has a later second than the previous one', () => {
  const at = (text: string) => new Date(`2030-01-01T${text}Z`);
  expect(changeTime(at('00:00:02.100'), at('00:00:01.900'))).toEqual(at('00:00:02.100'));
  expect(changeTime(at('00:00:01.900'), at('00:00:01.100'))).toEqual(at('00:00:02'));
  expect(changeTime(at('00:00:01.950'), at('00:00:02'))).toEqual(at('00:00:03'));
});

test('a time that a client has seen is compared by seconds', () => {
  const stored = new Date('2030-01-01T00:00:01.250Z');
  const isSeen = (text: string) => isAsSeen(new Date(text), stored);
  expect(isSeen('2030-01-01T00:00:01Z')).toBe(true);
  expect(isSeen('2030-01-01T00:00:01.250Z')).toBe(true);
  expect(isSeen('2030-01-01T00:00:02Z')).toBe(false);
  expect(isSeen('2030-01-01T00:00:00Z')).toBe(false);
});

test('the stopwatch is the monotonic clock of the machine, which does not follow adjustments of the time of day', () => {
  const before = Number(process.hrtime.bigint()) / 1e6;
  const read = stopwatch();
  expect(read).toBeGreaterThanOrEqual(before - 1);
  expect(read).toBeLessThan(Number(process.hrtime.bigint()) / 1e6 + 1);
});
