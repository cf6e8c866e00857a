import { describe, expect, test } from 'vitest';
import { createHostTable, hostNames, wildcardsAbove } from '../../src/resolver/host-table.ts';

const tableOf = (...names: string[]) => {
  const table = createHostTable<string>();
  for (const name of names) table.set(name, name);
  return table;
};

describe('a lookup', () => {
  const table = tableOf('example.com', 'a.example.com', '*.example.com', '*.b.example.com', '*.b.b.example.com');

  test.each([
    ['example.com', 'example.com'],
    ['a.example.com', 'a.example.com'],
    ['c.example.com', '*.example.com'],
    ['x.y.z.example.com', '*.example.com'],
    ['x.a.example.com', '*.example.com'],
    ['b.example.com', '*.example.com'],
    ['x.b.example.com', '*.b.example.com'],
    ['b.b.example.com', '*.b.example.com'],
    ['x.y.b.b.example.com', '*.b.b.example.com'],
    ['_dmarc.example.com', '*.example.com'],
    ['*.example.com', '*.example.com'],
    ['*.x.example.com', '*.example.com'],
  ])('of %s finds %s', (host, found) => {
    expect(table.find(host)).toBe(found);
  });

  test.each([
    'com',
    'anexample.com',
    'example.com.evil.test',
    '.example.com',
    'a..example.com',
    '*example.com',
    'a.*.example.com',
    'a b.example.com',
    'a.example.com:80',
    '',
    '.',
    `${'a.'.repeat(122)}example.com`,
  ])('of %j finds nothing', (host) => {
    expect(table.find(host)).toBeUndefined();
  });
});

test('a wildcard and the name above it are set and deleted apart', () => {
  const table = tableOf('example.com', '*.example.com');
  table.delete('example.com');
  expect([table.find('example.com'), table.find('a.example.com')]).toEqual([undefined, '*.example.com']);
  expect([table.get('example.com'), table.get('*.example.com')]).toEqual([undefined, '*.example.com']);
  table.delete('*.example.com');
  expect(table.find('a.example.com')).toBeUndefined();
});

test('names of hosts include those below a wildcard', () => {
  const names = hostNames([{ hostname: 'example.com' }, { hostname: '*.example.org' }]);
  expect(['example.com', 'a.example.com', 'a.example.org'].map(names.has)).toEqual([true, false, true]);
});

test('the wildcards above a name, the longest first', () => {
  expect(wildcardsAbove('a.b.example.com')).toEqual(['*.b.example.com', '*.example.com', '*.com']);
  expect(wildcardsAbove('*.b.example.com')).toEqual(['*.example.com', '*.com']);
  expect(wildcardsAbove('com')).toEqual([]);
});
