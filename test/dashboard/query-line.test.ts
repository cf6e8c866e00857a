import { expect, test } from 'vitest';
import { NOT_FOUND_TOKENS } from '../../dashboard/src/screens/not-found/view.ts';
import { REDIRECT_TOKENS } from '../../dashboard/src/screens/redirects/view.ts';
import { completionsOf, readLine } from '../../dashboard/src/ui/form/query-line.ts';

test.each([
  ['status:302 boots', { status_code: '302' }, 'boots'],
  ['group:"spring sale" ', { group: 'spring sale' }, ''],
  ['a unused:90d live:staging b', { not_followed: '90', environment: 'staging' }, 'a b'],
  ['type:pattern target:broken', { is_regex: 'true', target_state: 'broken' }, ''],
  ['to:blog.acme /a', { new_path_contains: 'blog.acme' }, '/a'],
  ['live:nowhere by:bots', {}, 'live:nowhere by:bots'],
  ['status:999 boots', {}, 'status:999 boots'],
  ['To:shop Status:301', { new_path_contains: 'shop', status_code: '301' }, ''],
  ['constructor:a __proto__:b', {}, 'constructor:a __proto__:b'],
  ['https://shop.example.com/a', {}, 'https://shop.example.com/a'],
  ['two  blanks ', {}, 'two  blanks '],
])('%j', (line, parameters, text) => {
  expect(readLine(REDIRECT_TOKENS, line, true)).toEqual({ text, parameters });
});

test('the last word stays text while it may grow', () => {
  expect(readLine(REDIRECT_TOKENS, 'status:30', false)).toEqual({ text: 'status:30', parameters: {} });
  expect(readLine(REDIRECT_TOKENS, 'group:spring', false)).toEqual({ text: 'group:spring', parameters: {} });
  expect(readLine(REDIRECT_TOKENS, 'group:"spring sale"', false)).toEqual({
    text: '',
    parameters: { group: 'spring sale' },
  });
  expect(readLine(REDIRECT_TOKENS, 'status:301 ', false)).toEqual({ text: '', parameters: { status_code: '301' } });
});

test('names and values are completed at the end of the line', () => {
  expect(completionsOf(REDIRECT_TOKENS, 'boots st')).toEqual(['boots status:']);
  expect(completionsOf(REDIRECT_TOKENS, 'St')).toEqual(['status:']);
  expect(completionsOf(REDIRECT_TOKENS, '/st')).toEqual([]);
  expect(completionsOf(REDIRECT_TOKENS, 'unused:1')).toEqual(['unused:180d ']);
  expect(completionsOf(REDIRECT_TOKENS, 'boots ')).toEqual([]);
  expect(completionsOf(REDIRECT_TOKENS, 'group:spr')).toEqual([]);
});

test('each screen has its tokens', () => {
  const line = 'by:humans show:scanners live:staging sort:recent status:302 /a';
  const parameters = { agents: 'people', show: 'noise', environment: 'staging', sort: '-last_seen_at' };
  expect(readLine(NOT_FOUND_TOKENS, line, true)).toEqual({ text: 'status:302 /a', parameters });
  expect(completionsOf(NOT_FOUND_TOKENS, '/a by:')).toEqual([
    '/a by:anyone ',
    '/a by:humans ',
    '/a by:bots ',
    '/a by:assistants ',
  ]);
});
