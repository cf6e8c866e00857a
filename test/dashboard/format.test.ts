import { expect, test } from 'vitest';
import {
  ago,
  capitalized,
  counted,
  duration,
  fileSize,
  isoTime,
  localTime,
  number,
  relativeDay,
} from '../../dashboard/src/format.ts';

const NOW = Date.parse('2030-03-10T12:00:00Z');

test.each([
  ['2030-03-10T11:59:57Z', 'just now'],
  ['2030-03-10T12:00:30Z', 'just now'],
  ['2030-03-10T11:59:30Z', '30 sec ago'],
  ['2030-03-10T11:57:00Z', '3 min ago'],
  ['2030-03-09T11:00:00Z', 'yesterday'],
  ['2030-03-05T11:00:00Z', '5 days ago'],
])('the relative time of %s is %s', (time, text) => {
  expect(ago(time, NOW)).toBe(text);
});

test('after a week a time is shown as its date', () => {
  expect(ago('2030-03-01T12:00:00Z', NOW)).toMatch(/2030/);
});

test.each([
  [0, '0 redirects'],
  [1, '1 redirect'],
  [2_000, `${number(2_000)} redirects`],
])('%d is counted as %s', (value, text) => expect(counted(value, 'redirect')).toBe(text));

test.each([
  [-5, '0 ms'],
  [999.4, '999 ms'],
  [1_200, `${(1.2).toLocaleString()} s`],
  [90_000, `${(1.5).toLocaleString()} min`],
])('a duration of %d ms is %s', (ms, text) => expect(duration(ms)).toBe(text));

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_500, `${(1.5).toLocaleString()} kB`],
  [2_000_000, '2 MB'],
  [3_000_000_000_000, `${number(3_000)} GB`],
])('%d bytes are %s', (bytes, text) => expect(fileSize(bytes)).toBe(text));

test.each(['', '2030-03-10T12:00:00Z', '2030-03-10T12:00:59Z', '2030-10-27T00:30:00Z', '0099-01-01T12:00:00Z'])(
  'the time %j survives a field in the local time zone',
  (time) => expect(isoTime(localTime(time))).toBe(time),
);

test('a field shows seconds only if a time has them, and an empty field is no time', () => {
  expect(localTime('2030-03-10T12:00:00Z')).toMatch(/T\d\d:00$/);
  expect(localTime('2030-03-10T12:00:07Z')).toMatch(/T\d\d:00:07$/);
  expect(isoTime('')).toBe('');
});

test('a sentence begins with a capital letter, a name does not', () => {
  expect(capitalized('must begin with "/"')).toBe('Must begin with "/"');
  for (const text of ['shop.example.com is not a host', '/old is used', 'me@example.com has no access'])
    expect(capitalized(text)).toBe(text);
});

test('a day near today is named, and a later one has its weekday', () => {
  const now = new Date(2026, 10, 28, 12).getTime();
  const daysAgo = (days: number): string => relativeDay(new Date(now - days * 86_400_000).toISOString(), now);
  expect([daysAgo(0), daysAgo(1)]).toEqual(['Today', 'Yesterday']);
  expect(daysAgo(2)).toMatch(/2026/);
  expect([daysAgo(-1), daysAgo(-4)]).toEqual(['Tomorrow', expect.stringMatching(/^Wed, .*2026/)]);
  expect(daysAgo(-9)).toMatch(/^Mon, .*2026/);
});
