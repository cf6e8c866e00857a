import { describe, expect, test } from 'vitest';
import { dayRange, periodOf, periodsIn } from '../../src/analytics/period.ts';

const NOW = new Date('2026-03-15T23:59:59.999Z');

describe('dayRange', () => {
  test('is the last 30 days, today included, by default', () => {
    expect(dayRange({}, NOW)).toEqual({ startDate: '2026-02-14', endDate: '2026-03-15' });
  });

  test('ends today if only a start is given, and has 30 days if only an end is given', () => {
    expect(dayRange({ startDate: '2026-01-01' }, NOW)).toEqual({
      startDate: '2026-01-01',
      endDate: '2026-03-15',
    });
    expect(dayRange({ endDate: '2024-03-01' }, NOW)).toEqual({
      startDate: '2024-02-01',
      endDate: '2024-03-01',
    });
  });

  test('rejects a start after the end, and more than 3,660 days', () => {
    expect(() => dayRange({ startDate: '2026-03-16' }, NOW)).toThrow(
      expect.objectContaining({ code: 'INVALID_PARAMETER' }),
    );
    expect(dayRange({ startDate: '0001-01-01', endDate: '0011-01-07' }, NOW).startDate).toBe('0001-01-01');
    expect(() => dayRange({ startDate: '0001-01-01', endDate: '0011-01-09' }, NOW)).toThrow();
  });
});

describe('periodOf', () => {
  test.each([
    ['2026-03-30', '2026-03-30'],
    ['2026-04-05', '2026-03-30'],
    ['2026-04-06', '2026-04-06'],
    ['2024-12-31', '2024-12-30'],
    ['2025-01-01', '2024-12-30'],
    ['2024-02-29', '2024-02-26'],
  ])('the week of %s begins on Monday %s', (day, monday) => expect(periodOf(day, 'week')).toBe(monday));

  test('the month of a day begins on its first', () => expect(periodOf('2024-02-29', 'month')).toBe('2024-02-01'));
});

test('periodsIn has each period once, oldest first', () => {
  const range = { startDate: '2025-12-30', endDate: '2026-02-01' };
  expect(periodsIn(range, 'month')).toEqual(['2025-12-01', '2026-01-01', '2026-02-01']);
  expect(periodsIn(range, 'day')).toHaveLength(34);
  expect(periodsIn(range, 'week')).toEqual(['2025-12-29', '2026-01-05', '2026-01-12', '2026-01-19', '2026-01-26']);
});
