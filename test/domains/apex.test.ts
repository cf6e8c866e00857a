import { expect, test } from 'vitest';
import { isApex } from '../../src/domains/dns-state.ts';

test.each(['example.com', 'example.co.uk', 'example.com.au', 'xn--bcher-kva.example', 'co.example', 'a.xn--55qx5d.cn'])(
  '%s is a domain itself',
  (hostname) => {
    expect(isApex(hostname)).toBe(true);
  },
);

test.each([
  ['a name below a domain', 'www.example.com'],
  ['a name below a domain', 'a.blog.example.co.uk'],
  ['a name below a domain', 'co.example.com'],
  ['a public suffix', 'co.uk'],
  ['a wildcard', '*.example.com'],
  ['a wildcard', '*.co.uk'],
  ['a name below a host of customers', 'shop.github.io'],
  ['a name of this machine', 'shop.localhost'],
  ['a single label', 'localhost'],
])('%s, %s, is not', (_, hostname) => {
  expect(isApex(hostname)).toBe(false);
});
