import { expect, test } from 'vitest';
import { hostOfHeader } from '../../src/resolver/canonical-path.ts';
import { normaliseHostname } from '../../src/websites/hostname.ts';

test.each([
  ['WWW.Example.com.', 'www.example.com'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['a_b.example.com', 'a_b.example.com'],
])('%s is stored as %s', (text, stored) => {
  expect(normaliseHostname(text)).toBe(stored);
});

test.each(['', 'a b.com', 'https://a.com', 'a.com:80', '10.0.0.1', '[::1]', '1.2', '-a.com', 'a..com'])(
  '%j is not a hostname',
  (text) => {
    expect(normaliseHostname(text)).toBeUndefined();
  },
);

test.each([
  ['Example.com:8080', 'example.com'],
  ['example.com.', 'example.com'],
  ['[::1]:3000', '[::1]'],
])('the Host header %s has the host %s', (header, host) => {
  expect(hostOfHeader(header)).toBe(host);
});
