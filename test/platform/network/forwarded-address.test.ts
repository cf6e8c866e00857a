import { expect, test } from 'vitest';
import { withoutPort } from '../../../src/platform/network/forwarded-address.ts';

test.each([
  ['203.0.113.7:4711', '203.0.113.7'],
  ['[2001:db8::7]:4711', '2001:db8::7'],
  ['[2001:db8::7]', '2001:db8::7'],
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8::7', '2001:db8::7'],
  ['unknown', 'unknown'],
])('the address of %s is %s', (written, address) => expect(withoutPort(written)).toBe(address));
