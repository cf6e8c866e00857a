import { describe, expect, test } from 'vitest';
import { dayRange, hitPeriods, periodOf, periodsIn } from '../../src/analytics/period.ts';

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

describe('hitPeriods', () => {
  const periods = (choice: Parameters<typeof hitPeriods>[0], now = NOW) => {
    const { days, before } = hitPeriods(choice, now);
    return [days.startDate, days.endDate, before.startDate, before.endDate];
  };

  test('compares as many days before, those of a year before, or any others', () => {
    expect(periods({})).toEqual(['2026-02-14', '2026-03-15', '2026-01-15', '2026-02-13']);
    expect(periods({ period: 1 })).toEqual(['2026-03-15', '2026-03-15', '2026-03-14', '2026-03-14']);
    const range = { startDate: '2026-03-01', endDate: '2026-03-02' };
    expect(periods({ ...range, compare: 'year' }).slice(2)).toEqual(['2025-03-01', '2025-03-02']);
    const compared = { compareStartDate: '2025-01-01', compareEndDate: '2025-01-31' };
    expect(periods({ ...range, ...compared }).slice(2)).toEqual(['2025-01-01', '2025-01-31']);
  });

  test('a year before a leap day has as many days', () => {
    const leap = new Date('2028-02-29T12:00:00Z');
    expect(periods({ period: 2, compare: 'year' }, leap)).toEqual([
      '2028-02-28',
      '2028-02-29',
      '2027-02-28',
      '2027-03-01',
    ]);
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
