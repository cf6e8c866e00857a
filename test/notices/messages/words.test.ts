import { expect, test } from 'vitest';
import { changeText, counted, duration, figure, text, utcMinute } from '../../../src/notices/messages/words.ts';

test('figures have separators, and words their number', () => {
  expect([figure(0), figure(1_234_567)]).toEqual(['0', '1,234,567']);
  expect([counted(1, 'hit'), counted(0, 'hit'), counted(1_000, 'hit')]).toEqual(['1 hit', '0 hits', '1,000 hits']);
});

test.each([
  [150, 100, '+50%'],
  [1, 3, '-67%'],
  [12_345, 100, '+12,245%'],
  [5, 5, 'same as before'],
  [0, 0, 'same as before'],
  [5, 0, 'before: 0'],
])('%i after %i: %s', (value, before, change) => expect(changeText(value, before)).toBe(change));

test.each([
  [59, '59 seconds'],
  [60, '1 minute'],
  [7_199, '1 hour'],
  [172_800, '2 days'],
])('%i seconds are %s', (seconds, words) => expect(duration(seconds)).toBe(words));

test('a time has minutes, in UTC', () => expect(utcMinute('2026-12-01T08:00:59Z')).toBe('2026-12-01 08:00 UTC'));

test('in a text, strings are of others, numbers have separators, and texts are inserted', () => {
  const website = 'Shop';
  expect(text`a ${website} b ${1_234}${['c', { foreign: 'd' }]}`).toEqual([
    'a ',
    { foreign: 'Shop' },
    ' b ',
    '1,234',
    '',
    'c',
    { foreign: 'd' },
    '',
  ]);
});
