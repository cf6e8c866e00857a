import { expect, test } from 'vitest';
import { recordTypeOf } from '../../dashboard/src/dns-record.ts';

test.each([
  ['www.example.com', 'detour.example.net', 'CNAME'],
  ['*.example.com', 'detour.example.net', 'CNAME'],
  ['shop.example.co.uk', 'detour.example.net', 'CNAME'],
  ['co.example.com', 'detour.example.net', 'CNAME'],
  ['example.com', 'detour.example.net', 'ALIAS'],
  ['xn--bcher-kva.example', 'detour.example.net', 'ALIAS'],
  ['example.co.uk', 'detour.example.net', 'ALIAS'],
  ['*.co.uk', 'detour.example.net', 'CNAME'],
  ['www.example.com', '203.0.113.7', 'A'],
  ['example.com', '[2001:db8::7]', 'AAAA'],
])('%s points to %s with %s', (hostname, service, type) => {
  expect(recordTypeOf(hostname, service)).toBe(type);
});
