import { expect, test } from 'vitest';
import {
  dayAfter,
  dayIn,
  mondayOf,
  periodAfter,
  weeksFrom,
} from '../../dashboard/src/screens/redirects/upcoming/days.ts';

test('a calendar has five weeks from Monday, over the ends of months and years', () => {
  const weeks = weeksFrom('2026-11-30');
  expect(weeks.map(([first, , , , , , last]) => [first, last])).toEqual([
    ['2026-11-30', '2026-12-06'],
    ['2026-12-07', '2026-12-13'],
    ['2026-12-14', '2026-12-20'],
    ['2026-12-21', '2026-12-27'],
    ['2026-12-28', '2027-01-03'],
  ]);
  expect(periodAfter('2026-11-30', 1)).toBe(dayAfter(weeks.at(-1)?.at(-1) ?? '', 1));
  expect(periodAfter('2027-01-04', -1)).toBe('2026-11-30');
});

test.each([
  ['2026-11-29', '2026-11-23'],
  ['2026-11-30', '2026-11-30'],
  ['2027-01-01', '2026-12-28'],
  ['2024-02-29', '2024-02-26'],
])('the Monday of %s is %s', (day, monday) => {
  expect(mondayOf(day)).toBe(monday);
});

test.each(['2026-13-01', '2026-02-30', '2026-1-1', 'x', '', '1926-01-01'])('%s is no day of an address', (text) => {
  expect(dayIn(text)).toBeUndefined();
});
