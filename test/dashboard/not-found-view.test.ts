import { expect, test } from 'vitest';
import { HEADINGS, HIT_COLUMNS, rateText, searchedName } from '../../dashboard/src/screens/not-found/view.ts';

test('the list of unmatched paths has a heading for each cell', () => {
  // The path, the time, the referrer and the actions.
  expect(HEADINGS).toHaveLength(HIT_COLUMNS.length + 4);
  expect(new Set(HEADINGS).size).toBe(HEADINGS.length);
});

test.each([
  ['2026-01-01T10:00:00Z', '2026-01-01T10:00:00Z', '9 requests in 1 day'],
  ['2026-01-01T10:00:00Z', '2026-01-04T11:00:00Z', '9 requests in 4 days'],
])('requests of all agents from %s to %s: %s', (first, last, text) => {
  const of = { hits: 4, bot_hits: 3, assistant_hits: 2, first_seen_at: first, last_seen_at: last };
  expect(rateText(of)).toBe(text);
});

test.each([
  ['/guide/first-steps.html', 'first-steps'],
  ['/shoes/', 'shoes'],
  ['/a/b', undefined],
  ['/', undefined],
  ['/a-long-path-that-is-tru…', undefined],
])('sources similar to %s are searched by %s', (path, name) => expect(searchedName(path)).toBe(name));
