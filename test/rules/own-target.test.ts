import { expect, test } from 'vitest';
import { withoutOwnHost } from '../../src/rules/own-target.ts';

const HOSTS = {
  allowedTargetHosts: ['blog.example'],
  servesRules: (host: string) => ['shop.example', 'blog.example', 'xn--mller-kva.example'].includes(host),
};

test.each([
  ['https://shop.example/new', '/new'],
  ['http://SHOP.example:8080/new?a=1#b', '/new?a=1#b'],
  ['https://shop.example.', '/'],
  ['https://shop.example?a=1', '/?a=1'],
  ['https://müller.example/x', '/x'],
  ['https://shop.example/$1', '/$1'],
  // Allowed as a target, so it was meant; of another website; the source on another host; no address.
  ['https://blog.example/new', 'https://blog.example/new'],
  ['https://other.example/new', 'https://other.example/new'],
  ['https://shop.example/old', 'https://shop.example/old'],
  ['//shop.example/new', '//shop.example/new'],
  ['/new', '/new'],
])('the target %s is stored as %s', (target, stored) => {
  expect(withoutOwnHost(target, '/old', HOSTS)).toBe(stored);
});

test.each([
  ['^/(.*)$', 'https://shop.example/$1', 'https://shop.example/$1'],
  ['^/a(/.*)?$', 'https://shop.example/a$1', 'https://shop.example/a$1'],
  ['/a\\.b/(\\d+)', 'https://shop.example/a.b/$1', 'https://shop.example/a.b/$1'],
  ['^/a/(.*)$', 'https://shop.example/b/$1', '/b/$1'],
  ['^/a/.*$', 'https://shop.example/b', '/b'],
])('the pattern %s to %s is stored with %s: as a path it could be the source', (source, target, stored) => {
  expect(withoutOwnHost(target, source, HOSTS)).toBe(stored);
});
