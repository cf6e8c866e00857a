import { describe, expect, test } from 'vitest';
import type { Website } from '../../dashboard/src/api/client/wire.ts';
import {
  isAsExpected,
  ownLines,
  readLines,
  type ResolvedUrl,
  withoutLines,
} from '../../dashboard/src/screens/tester/expected-lines.ts';

const read = (text: string) =>
  readLines(text).lines.map(({ url, expected }) => [url, expected?.target, expected?.status]);

describe('a line is a URL, and what it should respond', () => {
  test.each([
    ['/a', ['/a', undefined, undefined]],
    ['/a\t/b\t301', ['/a', '/b', 301]],
    ['/a\t\t410', ['/a', undefined, 410]],
    ['/a b\t/c', ['/a b', '/c', undefined]],
    ['/a 301 /b', ['/a', '/b', 301]],
    ['/a   https://x.example/b', ['/a', 'https://x.example/b', undefined]],
    ['/a,/b,301', ['/a', '/b', 301]],
    ['"/a";"/b";302', ['/a', '/b', 302]],
    ['/a,,410', ['/a', undefined, 410]],
    ['/a, 410', ['/a', undefined, 410]],
    ['/a?ids=1,200', ['/a?ids=1,200', undefined, undefined]],
    ['/a,b', ['/a,b', undefined, undefined]],
  ])('%j', (text, expected) => {
    expect(read(text)).toEqual([expected]);
  });
});

test('headings and empty lines are ignored, and a line that cannot be read is named', () => {
  const { lines, errors } = readLines('From\tTo\n\n/a\t/b\nshop\n/c\tnews\n/d /e /f\n/g');
  expect(lines.map((each) => each.line)).toEqual([3, 7]);
  expect(errors).toEqual([
    { line: 4, message: '“shop” is not a URL or path: begin it with / or https://' },
    { line: 5, message: expect.stringMatching(/^“news” is not a target or a status: .*write/) },
    { line: 6, message: expect.stringMatching(/^“\/f” is not a target or a status/) },
  ]);
  expect(withoutLines('a\nb\n\nc', [2, 4])).toBe('a\n');
});

describe('a result is as expected', () => {
  const hop = { url: '/a', redirect_id: 1, status_code: 301, location: '/b' };
  const result: ResolvedUrl = {
    url: '/a',
    outcome: 'end',
    status_code: 301,
    location: '/b',
    redirect_id: 1,
    inactive: null,
    final_target: null,
    final_page: null,
    final_url: '/c',
    hops: [hop, hop],
  };
  const hosts = new Set(['shop.example', '*.shop.example']);
  const gone = { ...result, status_code: 410, location: null, final_url: '/a' };
  test.each([
    ['the first Location', result, '/b', undefined, true],
    ['the end of the chain', result, '/c', 301, true],
    ['its URL on an own host', result, 'https://shop.example/c', undefined, true],
    ['its URL on a host of a wildcard', result, 'http://www.shop.example/c', undefined, true],
    ['not the path on another host', result, 'https://other.example/c', undefined, false],
    ['not another query', result, '/c?x=1', undefined, false],
    ['not another status', result, '/c', 302, false],
    ['not a loop', { ...result, outcome: 'loop' as const }, '/b', undefined, false],
    ['a status without a target', gone, undefined, 410, true],
    ['not a target that is missing', gone, '/a', undefined, false],
  ])('%s', (_, given, target, status, holds) => {
    expect(isAsExpected(given, { target, status }, hosts)).toBe(holds);
  });
});

test('lines of other hosts are errors beside the others, unless the website has more hosts than are known', () => {
  const text = '/a\nhttps://shop.example/b\nhttps://other.example/c\n/d later';
  const hosts = [{ hostname: 'shop.example', environment: 'production' }];
  const website = (count: number) => ({ name: 'Shop', hosts, host_count: count }) as unknown as Website;
  const own = ownLines(readLines(text), website(1));
  expect(own.lines.map(({ url }) => url)).toEqual(['/a', 'https://shop.example/b']);
  expect(own.errors.map(({ line }) => line)).toEqual([3, 4]);
  expect(own.errors[0]?.message).toBe('other.example is not a host of Shop');
  expect(ownLines(readLines(text), website(2)).lines).toHaveLength(3);
});
