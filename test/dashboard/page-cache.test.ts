import { expect, test } from 'vitest';
import { rangesOf, type VerdictCounts } from '../../dashboard/src/screens/import/page-cache.ts';

const counts: VerdictCounts = { new: 300, replaces: 5, unchanged: 10, skipped: 0, repeated: 2, invalid: 3 };

test('a page begins with the rows that need a decision', () => {
  expect(rangesOf(counts, undefined, 0, 200)).toEqual([
    { verdict: 'invalid', offset: 0, limit: 3 },
    { verdict: 'repeated', offset: 0, limit: 2 },
    { verdict: 'replaces', offset: 0, limit: 5 },
    { verdict: 'new', offset: 0, limit: 190 },
  ]);
});

test('the pages after it have the rest, each row once', () => {
  expect(rangesOf(counts, undefined, 200, 400)).toEqual([
    { verdict: 'new', offset: 190, limit: 110 },
    { verdict: 'unchanged', offset: 0, limit: 10 },
  ]);
  expect(rangesOf(counts, undefined, 400, 600)).toEqual([]);
});

test('with a filter, a page has the rows of one verdict', () => {
  expect(rangesOf(counts, 'new', 200, 400)).toEqual([{ verdict: 'new', offset: 200, limit: 100 }]);
  expect(rangesOf(counts, 'skipped', 0, 200)).toEqual([]);
});
