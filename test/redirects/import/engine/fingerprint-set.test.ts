import { expect, test } from 'vitest';
import { createFingerprintSet } from '../../../../src/redirects/import/engine/fingerprint-set.ts';

test('reports a key as repeated from its second time on', () => {
  const set = createFingerprintSet();
  expect([set.add('/a'), set.add('/b'), set.add('/a'), set.add('/a'), set.add('/b')]).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
});

test('tells the empty key, prefixes, and keys that differ in one character apart', () => {
  const set = createFingerprintSet();
  const keys = ['', '/', '//', '/a', '/A', '/ab', '/ba', '/é', '/e\u0301', '/\ud83d\ude00', 'a'.repeat(2_048)];
  expect(keys.map((key) => set.add(key))).toEqual(keys.map(() => false));
  expect(keys.map((key) => set.add(key))).toEqual(keys.map(() => true));
});

test('keeps 200,000 similar keys apart and finds all of them again after growing', () => {
  const set = createFingerprintSet();
  const repeated = (): number => {
    let count = 0;
    for (let n = 0; n < 200_000; n++) if (set.add(`/shop/item-${n}`)) count++;
    return count;
  };
  expect(repeated()).toBe(0);
  expect(repeated()).toBe(200_000);
});

test('does not share keys with another set', () => {
  createFingerprintSet().add('/a');
  expect(createFingerprintSet().add('/a')).toBe(false);
});
