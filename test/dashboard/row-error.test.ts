import { expect, test } from 'vitest';
import { rowErrorText } from '../../dashboard/src/screens/import/verdict-labels.ts';

test('a missing slash is explained without names of the API, other messages stay', () => {
  const missing = 'old_path is "a"; begin it with / or import with add_slash=true';
  expect(rowErrorText(missing)).toBe('The source does not start with /.');
  expect(rowErrorText('Too many columns')).toBe('Too many columns');
});
