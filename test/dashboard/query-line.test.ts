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
  ['schedule:ended', { schedule: 'expired' }, ''],
  ['group:"spring sa', { group: 'spring sa' }, ''],
  ['/a-status:301 b', {}, '/a-status:301 b'],
  ['To:shop Status:301', { new_path_contains: 'shop', status_code: '301' }, ''],
  ['status:301,302 a', { status_code: ['301', '302'] }, 'a'],
  ['group:a group:b -to:a -to:b', { group: ['a', 'b'], not_new_path_contains: ['a', 'b'] }, ''],
  ['status:4xx,301', { status_code: ['410', '451', '301'] }, ''],
  ['-group:legal,news !live:staging', { not_group: ['legal', 'news'], not_environment: 'staging' }, ''],
  ['group:"a, b"', { group: 'a, b' }, ''],
  ['from:/blog -to:a,b', { old_path_contains: '/blog', not_new_path_contains: 'a,b' }, ''],
  [
    'updated:7d created:2030-01-31 schedule:none',
    { updated_since: '7d', created_since: '2030-01-31', schedule: 'none' },
    '',
  ],
  ['unused:30 used:7d sort:hits', { not_followed: '30', last_hit_since: '7d', sort: '-hits' }, ''],
  ['constructor:a __proto__:b', {}, 'constructor:a __proto__:b'],
  ['https://shop.example.com/a', {}, 'https://shop.example.com/a'],
  ['two  blanks ', {}, 'two  blanks '],
])('%j', (line, parameters, text) => {
  const search = text.replace(/\s+/g, ' ').trim();
  expect(readLine(REDIRECT_TOKENS, line, true)).toEqual({ text, search, parameters, problem: undefined });
});

const NO_OPPOSITE = 'is not supported: this filter has no opposite.';
const STATUSES = 'status takes 301, 302, 303, 307, 308, 410, 451';

test.each([
  ['-notes:legal boots', 'boots', `“-notes:” ${NO_OPPOSITE}`],
  ['!Type:path', '', `“!Type:” ${NO_OPPOSITE}`],
  ['live:nowhere by:bots', 'by:bots', 'live takes production, staging, development, not “nowhere”.'],
  ['status:999 boots', 'boots', `${STATUSES}, not “999”.`],
  ['status:301,30', '', `${STATUSES}, not “30”.`],
  ['-status:301,,302', '', `${STATUSES}.`],
  ['updated:week', '', 'updated takes 1d, 7d, 30d, 90d, not “week”.'],
  ['/a status:2xx b', '/a b', `${STATUSES}, not “2xx”.`],
  ['status:', '', `${STATUSES}.`],
  ['unused:0d', '', 'unused takes 90d, 180d, 365d, not “0d”.'],
  ['group:', '', 'group takes a text.'],
])('%j is not searched for, and a message says what the filter takes', (line, search, problem) => {
  expect(readLine(REDIRECT_TOKENS, line, true)).toEqual({ text: line, search, parameters: {}, problem });
});

test('an invalid filter stays in the line beside those that apply', () => {
  expect(readLine(REDIRECT_TOKENS, 'status:302 -notes:legal live:staging boots', true)).toEqual({
    text: '-notes:legal boots',
    search: 'boots',
    parameters: { status_code: '302', environment: 'staging' },
    problem: `“-notes:” ${NO_OPPOSITE}`,
  });
});

test('the last word does not apply while it may grow, and is not searched for', () => {
  const typing = (line: string) => readLine(REDIRECT_TOKENS, line, false);
  const nothing = { search: 'a', parameters: {}, problem: undefined };
  for (const text of [
    'a status:',
    'a status:30',
    'a status:301',
    'a status:301,',
    'a -status:301,30',
    'a group:spring',
    'a group:"spring sa',
  ])
    expect(typing(text)).toEqual({ text, ...nothing });
  expect(typing('a status:301,9').problem).toBe(`${STATUSES}, not “9”.`);
  expect(typing('-notes:').problem).toBe(`“-notes:” ${NO_OPPOSITE}`);
  expect(typing('group:"spring sale"')).toMatchObject({ text: '', parameters: { group: 'spring sale' } });
  expect(typing('status:301 ')).toMatchObject({ text: '', parameters: { status_code: '301' } });
});

test('names and values are completed at the end of the line', () => {
  expect(completionsOf(REDIRECT_TOKENS, 'boots st')).toEqual(['boots status:']);
  expect(completionsOf(REDIRECT_TOKENS, 'boots -s')).toEqual(['boots -status:']);
  expect(completionsOf(REDIRECT_TOKENS, '-live:st')).toEqual(['-live:staging ']);
  expect(completionsOf(REDIRECT_TOKENS, 'status:301,302,4')).toEqual(['status:301,302,410 ', 'status:301,302,451 ']);
  expect(completionsOf(REDIRECT_TOKENS, 'St')).toEqual(['status:']);
  expect(completionsOf(REDIRECT_TOKENS, '/st')).toEqual([]);
  expect(completionsOf(REDIRECT_TOKENS, 'unused:1')).toEqual(['unused:180d ']);
  expect(completionsOf(REDIRECT_TOKENS, 'boots ')).toEqual([]);
  expect(completionsOf(REDIRECT_TOKENS, 'group:spr')).toEqual([]);
});

test('each screen has its tokens', () => {
  const line = 'by:humans show:scanners live:staging sort:recent status:302 /a';
  const parameters = { agents: 'people', show: 'noise', environment: 'staging', sort: '-last_seen_at' };
  expect(readLine(NOT_FOUND_TOKENS, line, true)).toMatchObject({ text: 'status:302 /a', parameters });
  expect(completionsOf(NOT_FOUND_TOKENS, '/a by:')).toEqual([
    '/a by:anyone ',
    '/a by:humans ',
    '/a by:bots ',
    '/a by:assistants ',
  ]);
});
