import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSecretBox } from '../../src/platform/secret-box.ts';

const box = createSecretBox({ secretKey: Buffer.alloc(32, 7), previousSecretKey: null });

test.each(['whsec_abc', '', 'ü 🔑'])('what is sealed opens again: %j', (text) => {
  expect(box.open(box.seal(text, 'webhook 1'), 'webhook 1')).toBe(text);
});

test('the same text is sealed differently every time and does not show', () => {
  const [one, other] = [box.seal('whsec_abc', ''), box.seal('whsec_abc', '')];
  expect(one.equals(other)).toBe(false);
  expect(one.includes('whsec_abc')).toBe(false);
});

test('a change of any bit is noticed', () => {
  const sealed = box.seal('secret', 'webhook 1');
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const changed = Buffer.from(sealed);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(() => box.open(changed, 'webhook 1'), `bit ${bit}`).toThrow();
  }
});

test('a sealed secret cut at any length does not open', () => {
  const sealed = box.seal('secret', '');
  for (let length = 0; length < sealed.length; length++)
    expect(() => box.open(sealed.subarray(0, length), '')).toThrow();
});

test('a sealed secret does not open for another row', () => {
  expect(() => box.open(box.seal('secret', 'webhook 1'), 'webhook 2')).toThrow();
});

test('another key is refused by name, so that the operator knows what to look for', () => {
  const other = createSecretBox({ secretKey: randomBytes(32), previousSecretKey: null });
  expect(() => other.open(box.seal('secret', ''), '')).toThrow('another SECRET_KEY');
});
