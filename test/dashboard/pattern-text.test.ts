import { expect, test } from 'vitest';
import { capturedGroups, fixedBeginning, whyLonger } from '../../dashboard/src/screens/tester/pattern-text.ts';

test.each([
  ['^/catalog/shoes/(.+)$', '/catalog/shoes/'],
  ['/a\\.b/\\d+', '/a.b/'],
  ['/colou?r/x', '/colo'],
  ['/a|/b', ''],
  ['(/a|/b)', ''],
])('all paths of %j begin with %j', (pattern, beginning) => {
  expect(fixedBeginning(pattern)).toBe(beginning);
});

test.each([
  ['/catalog/shoes/(.+)', '/catalog/(.+)', 'the beginning /catalog/shoes/ is longer than /catalog/'],
  ['/catalog/(.+)/x', '/catalog/(.+)', 'both begin with /catalog/, and the other pattern is longer'],
  ['/a(b)', '(/a|/b)x', 'the longer fixed beginning wins, then the longer pattern'],
])('%j before %j: %s', (winner, beaten, reason) => {
  expect(whyLonger({ old_path: winner }, { old_path: beaten })).toBe(`Lower precedence: ${reason}`);
});

test('the groups of a match are named by their number', () => {
  expect(capturedGroups('^/shoes/(.+)/(\\d+)$', '/shoes/red/7', true)).toEqual(['$1 = red', '$2 = 7']);
  expect(capturedGroups('/(?P<kind>a|b)(x)?', '/A', false)).toEqual(['$1 = A']);
  expect(capturedGroups('/shoes/(.+)', '/boots', true)).toEqual([]);
  // Only the service reads or bounds these.
  expect(capturedGroups('(?i)/shoes/(.+)', '/shoes/red', true)).toEqual([]);
  expect(capturedGroups('/(a+)+', '/aaaa', true)).toEqual([]);
});
