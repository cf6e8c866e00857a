import { expect, test } from 'vitest';
import { FeedFormatError, parseHead, parseLine } from '../../src/feed-client/feed-lines.ts';

const OPTIONS = {
  case_sensitive: false,
  trailing_slash: 'ignore',
  query: 'pass',
  fallback_url: null,
  allowed_target_hosts: [],
  hosts: [{ hostname: 'shop.example' }],
};
const RULE = {
  id: '42',
  old_path: '/Sale%2f?b=2&a=1',
  new_path: '/offers',
  status_code: 301,
  is_regex: false,
  active_from: null,
  active_until: null,
};

test('a head has the version, its sums and the options', () => {
  const head = { version: 3, count: 1, checksum: '0123456789abcdef', options: OPTIONS, options_checksum: 'x' };
  expect(parseHead(JSON.stringify(head))).toEqual(head);
});

test('a rule of the whole version and one of a difference are the same line, with the key of the path', () => {
  const line = {
    kind: 'put',
    rule: { id: 42, key: '/Sale%2F?a=1&b=2', isRegex: false, newPath: '/offers', statusCode: 301 },
  };
  expect(parseLine(JSON.stringify(RULE))).toEqual(line);
  expect(parseLine(JSON.stringify({ put: RULE }))).toEqual(line);
});

test('times become milliseconds, and a status without Location has no target', () => {
  const line = { ...RULE, new_path: null, status_code: 410, active_from: '2026-11-23T07:00:00Z' };
  expect(parseLine(JSON.stringify(line))).toMatchObject({
    rule: { newPath: null, statusCode: 410, window: { from: Date.UTC(2026, 10, 23, 7), until: null } },
  });
});

test('a removed rule and the end', () => {
  expect(parseLine('{"delete":"42"}')).toEqual({ kind: 'delete', id: 42 });
  expect(parseLine('{"end":true}')).toEqual({ kind: 'end' });
});

test.each(['', '[', 'null', '"end"', '{}', '{"delete":"x"}', '{"delete":"0"}', '{"put":{"id":"1"}}'])(
  'the line %j is an error',
  (text) => expect(() => parseLine(text)).toThrow(FeedFormatError),
);

test.each([
  '{"version":"3"}',
  JSON.stringify({ version: 3, count: 1, checksum: 'x', options: {} }),
  '<!doctype html><title>Sign in</title>',
])('the head %j is an error', (text) => expect(() => parseHead(text)).toThrow(FeedFormatError));
