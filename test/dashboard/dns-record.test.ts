import { expect, test } from 'vitest';
import { recordTypeOf } from '../../dashboard/src/dns-record.ts';

test.each([
  ['www.example.com', false, 'detour.example.net', 'CNAME'],
  ['example.co.uk', true, 'detour.example.net', 'ALIAS'],
  ['www.example.com', false, '203.0.113.7', 'A'],
  ['example.com', true, '[2001:db8::7]', 'AAAA'],
])('%s, a domain itself: %s, points to %s with %s', (_, isApex, service, type) => {
  expect(recordTypeOf(isApex, service)).toBe(type);
});
