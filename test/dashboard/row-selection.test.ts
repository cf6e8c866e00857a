import { expect, test } from 'vitest';
import { rangeOf, toggled } from '../../dashboard/src/ui/list/use-selection.ts';

test('a toggle selects rows, or none of them if all were selected', () => {
  expect([...toggled(new Set(['a']), ['b'])]).toEqual(['a', 'b']);
  expect([...toggled(new Set(['a', 'b']), ['b'])]).toEqual(['a']);
  expect([...toggled(new Set(['b']), ['a', 'b', 'c'])]).toEqual(['b', 'a', 'c']);
  expect([...toggled(new Set(['a', 'b', 'c', 'd']), ['a', 'b', 'c'])]).toEqual(['d']);
});

test('a range has the rows from the anchor on, in either direction', () => {
  const order = ['a', 'b', 'c', 'd', 'e'];
  expect(rangeOf(order, 'b', ['d'])).toEqual(['b', 'c', 'd']);
  expect(rangeOf(order, 'd', ['b'])).toEqual(['b', 'c', 'd']);
  expect(rangeOf(order, 'a', ['c', 'd'])).toEqual(['a', 'b', 'c', 'd']);
  expect(rangeOf(order, 'b', ['b'])).toEqual(['b']);
});

test('without its anchor, a range has only its last row', () => {
  expect(rangeOf(['a', 'b', 'c'], 'gone', ['c'])).toEqual(['c']);
});
