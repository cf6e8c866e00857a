import { expect, test } from 'vitest';
import { createSipHash } from '../../../src/hits/count/sip-hash.ts';

// Appendix A of the paper (15 bytes) and the vectors of its reference implementation: key 00..0f, message 00..n-1.
test.each([
  [0, '726fdb47dd0e0e31'],
  [1, '74f839c593dc67fd'],
  [8, '93f5f5799a932462'],
  [15, 'a129ca6149be45e5'],
])('SipHash-2-4 of %i bytes equals the reference implementation', (length, expected) => {
  const hash = createSipHash(Buffer.from([...Array(16).keys()]));
  hash.hash(Buffer.from([...Array(length).keys()]));
  const hex = (word: number): string => word.toString(16).padStart(8, '0');
  expect(hex(hash.high) + hex(hash.low)).toBe(expected);
});

test('the hash differs for another key', () => {
  const [one, other] = [createSipHash(Buffer.alloc(16, 9)), createSipHash(Buffer.alloc(16, 8))];
  const bytes = Buffer.from('203.0.113.7');
  one.hash(bytes);
  other.hash(bytes);
  expect([other.high, other.low]).not.toEqual([one.high, one.low]);
});
