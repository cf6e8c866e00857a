import { expect, test } from 'vitest';
import { effectLines } from '../../dashboard/src/screens/redirects/bulk/bulk-changes.ts';

const effect = { matched: 2_003, changed: 4, unchanged: 1_999, invalid: 0, problems: [] };
const replace_in_new_path = { find: '/shop', replace_with: '/store' };

test('a replacement says how many targets do not contain its text', () => {
  expect(effectLines(effect, { replace_in_new_path })).toEqual([
    '4 redirects will change.',
    '1,999 targets do not contain “/shop”.',
  ]);
});

test('a replacement in sources says how many do not contain its text', () => {
  expect(effectLines(effect, { replace_in_old_path: replace_in_new_path })[1]).toBe(
    '1,999 sources do not contain “/shop”.',
  );
});

test.each([[{ status_code: 302 }], [{ status_code: 302, replace_in_new_path }], [undefined]])(
  'with %j, redirects may have the values already',
  (updates) => {
    expect(effectLines(effect, updates)[1]).toBe('1,999 redirects have these values already.');
  },
);
