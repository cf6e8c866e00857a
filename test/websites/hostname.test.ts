import { expect, test } from 'vitest';
import { hostOfHeader } from '../../src/resolver/spelling/canonical-path.ts';
import { asciiUrl, normaliseHostname } from '../../src/websites/hostname.ts';

test.each([
  ['WWW.Example.com.', 'www.example.com'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['a_b.example.com', 'a_b.example.com'],
  ['XN--Bcher-Kva.example', 'xn--bcher-kva.example'],
])('%s is stored as %s', (text, stored) => {
  expect(normaliseHostname(text)).toBe(stored);
});

test.each([
  '',
  '.',
  'a b.com',
  'https://a.com',
  'user@a.com',
  'a.com/path',
  'a.com:80',
  '10.0.0.1',
  '0x7f.1',
  '2130706433',
  '::1',
  '[::1]',
  '1.2',
  '-a.com',
  'a..com',
  'nul\u0000.a.com',
  '\ud800.a.com',
  `${'a'.repeat(64)}.com`,
  `${'a.'.repeat(130)}com`,
  'xn--zzzzzz9999.example',
  'xn--a.com',
])('%j is not a hostname', (text) => {
  expect(normaliseHostname(text)).toBeUndefined();
});

test.each([
  ['Example.com:8080', 'example.com'],
  ['example.com.', 'example.com'],
  ['[::1]:3000', '[::1]'],
])('the Host header %s has the host %s', (header, host) => {
  expect(hostOfHeader(header)).toBe(host);
});

test.each([
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ['https://Bücher.example:8443/über/uns', 'https://xn--bcher-kva.example:8443/%C3%BCber/uns'],
  ['https://www.example.com', 'https://www.example.com'],
  ['ftp://bücher.example', 'ftp://bücher.example'],
])('the URL %s is stored as %s', (url, stored) => {
  expect(asciiUrl(url)).toBe(stored);
});
