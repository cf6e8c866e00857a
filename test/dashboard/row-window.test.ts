import { describe, expect, test } from 'vitest';
import type { Redirect } from '../../dashboard/src/api/client/wire.ts';
import {
  extended,
  lengthOf,
  numberOf,
  opened,
  rowAt,
  rowsBetween,
  rowsOf,
  type RowWindow,
  shiftOf,
  sideToLoad,
} from '../../dashboard/src/ui/list/row-window.ts';

/** Rows `from` to `to - 1` of a list whose ids count up. */
const rows = (from: number, to: number): Redirect[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, at) => ({ id: from + at }) as Redirect);
const page = (from: number, to: number, total: number) => ({
  rows: rows(from, to),
  isLast: from === 0 || to === total,
  total,
});
const firstOf = (total: number): RowWindow<Redirect> =>
  opened({ ...page(0, Math.min(100, total), total), isLast: total <= 100 });
const idAt = (window: RowWindow<Redirect>, place: number) => rowAt(window, place)?.id;

test('a list of one page has no gap; a longer one has a place for each missing row, up to 2,000', () => {
  expect(lengthOf(firstOf(80))).toBe(80);
  expect(lengthOf(firstOf(4_000))).toBe(2_100);
  expect(lengthOf(firstOf(900))).toBe(900);
  expect(lengthOf(opened({ rows: rows(0, 100), isLast: false, total: undefined }))).toBe(2_100);
});

test('a gap loads from its nearer end, and rows far from it load nothing', () => {
  const first = firstOf(200_000);
  expect(sideToLoad(first, 0, 20)).toBeUndefined();
  expect(sideToLoad(first, 30, 50)).toBe('head');
  expect(sideToLoad(first, 300, 320)).toBe('head');
  expect(sideToLoad(first, 2_080, 2_100)).toBe('tail');
  const both = extended(first, 'tail', { rows: rows(199_500, 200_000), isLast: false, total: 200_000 });
  expect(sideToLoad(both, lengthOf(both) - 20, lengthOf(both))).toBeUndefined();
  expect(sideToLoad(firstOf(80), 0, 20)).toBeUndefined();
});

test('the last rows fill the last places, so that what is shown there does not move', () => {
  const first = firstOf(200_000);
  const ended = extended(first, 'tail', { rows: rows(199_900, 200_000), isLast: false, total: 200_000 });
  expect(lengthOf(ended)).toBe(lengthOf(first));
  expect(idAt(ended, lengthOf(ended) - 1)).toBe(199_999);
  expect(rowAt(ended, 500)).toBeUndefined();
  expect(numberOf(ended, lengthOf(ended) - 1, { total: 200_000, above: 0 })).toBe(199_999);
  expect(rowsBetween(ended, lengthOf(ended) - 2, lengthOf(ended) + 9).map(({ row }) => row.id)).toEqual([
    199_998, 199_999,
  ]);
});

describe.each(['head', 'tail'] as const)('loading all of a list from its %s', (side) => {
  test('shows each row once, in order, and the rows after the gap move as reported', () => {
    const total = 12_345;
    let window = extended(firstOf(total), 'tail', { rows: rows(total - 100, total), isLast: false, total });
    let [low, high] = [100, total - 100];
    for (let turn = 0; window.gap > 0; turn++) {
      expect(turn).toBeLessThan(30);
      const before = window;
      if (side === 'head') {
        window = extended(window, 'head', page(low, Math.min(total, low + 500), total));
        low += 500;
      } else {
        window = extended(window, 'tail', page(Math.max(0, high - 500), high, total));
        high -= 500;
      }
      const { from, by } = shiftOf(before, window);
      expect(idAt(window, from + by)).toBe(idAt(before, from));
      expect(idAt(window, lengthOf(window) - 1)).toBe(total - 1);
    }
    expect(rowsOf(window).map(({ id }) => id)).toEqual(rows(0, total).map(({ id }) => id));
  });
});

test('a part that reaches the other end of the list without meeting the rest replaces it', () => {
  const window = extended(firstOf(5_000), 'tail', { rows: rows(4_900, 5_000), isLast: false, total: 5_000 });
  const all = extended(window, 'head', { rows: rows(100, 300), isLast: true, total: 300 });
  expect([all.head.length, all.gap, all.tail.length]).toEqual([300, 0, 0]);
});
