import { expect, test } from 'vitest';
import { completionsOf, readLine } from '../../dashboard/src/screens/redirects/query-line.ts';

test.each([
  ['status:302 boots', { status_code: '302' }, 'boots'],
  ['group:"spring sale" ', { group: 'spring sale' }, ''],
  ['a unused:90d live:staging b', { not_followed: '90', environment: 'staging' }, 'a b'],
  ['type:pattern target:broken', { is_regex: 'true', target_state: 'broken' }, ''],
  ['status:999 boots', {}, 'status:999 boots'],
  ['https://shop.example.com/a', {}, 'https://shop.example.com/a'],
  ['two  blanks ', {}, 'two  blanks '],
])('%j', (line, parameters, text) => {
  expect(readLine(line, true)).toEqual({ text, parameters });
});

test('the last word stays text while it may grow', () => {
  expect(readLine('status:30', false)).toEqual({ text: 'status:30', parameters: {} });
  expect(readLine('group:spring', false)).toEqual({ text: 'group:spring', parameters: {} });
  expect(readLine('group:"spring sale"', false)).toEqual({ text: '', parameters: { group: 'spring sale' } });
  expect(readLine('status:301 ', false)).toEqual({ text: '', parameters: { status_code: '301' } });
});

test('names and values are completed at the end of the line', () => {
  expect(completionsOf('boots st')).toEqual(['boots status:']);
  expect(completionsOf('unused:1')).toEqual(['unused:180d ']);
  expect(completionsOf('boots ')).toEqual([]);
  expect(completionsOf('group:spr')).toEqual([]);
});
