import { expect, test } from 'vitest';
import { placeRows } from '../../dashboard/src/ui/list/viewport.ts';

const ROW = 44;
const VIEW = 480;

test('a list within the height limit has its own height, and rows at their position', () => {
  const { height, first, end, topOf } = placeRows(10_000, ROW, { top: 44_000, height: VIEW });
  expect([height, first, end]).toEqual([440_000, 988, 1_023]);
  expect(topOf(1_000)).toBe(44_000);
});

test('a short list renders all rows', () => {
  expect(placeRows(3, ROW, { top: 0, height: VIEW })).toMatchObject({ height: 132, first: 0, end: 3 });
  expect(placeRows(0, ROW, { top: 0, height: VIEW })).toMatchObject({ height: 0, first: 0, end: 0 });
});

test('the scroll bar spans a million rows', () => {
  const total = 1_000_000;
  const start = placeRows(total, ROW, { top: 0, height: VIEW });
  expect([start.height, start.first, start.topOf(0)]).toEqual([12_000_000, 0, 0]);
  const bottom = 12_000_000 - VIEW;
  const { end, topOf } = placeRows(total, ROW, { top: bottom, height: VIEW });
  expect(end).toBe(total);
  expect(topOf(total - 1) + ROW).toBeCloseTo(bottom + VIEW, 3);
});

test('rendered rows fill the view at every position of a million rows', () => {
  for (const top of [1, 1_234_567, 6_000_000, 11_999_000]) {
    const { first, end, topOf } = placeRows(1_000_000, ROW, { top: top, height: VIEW });
    expect(topOf(first)).toBeLessThanOrEqual(top);
    expect(topOf(end - 1) + ROW).toBeGreaterThanOrEqual(top + VIEW);
    expect(end - first).toBeLessThan(40);
  }
});
