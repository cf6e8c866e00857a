import { expect, test } from 'vitest';
import { createBoundedCache } from '../../src/platform/bounded-cache.ts';

test('a bounded cache evicts the least recently used keys', () => {
  const cache = createBoundedCache<number>(4);
  cache.set('used', 0);
  for (let i = 1; i <= 100; i++) {
    cache.set(`key ${i}`, i);
    expect(cache.get('used')).toBe(0);
  }
  expect(cache.get('key 1')).toBeUndefined();
  expect(cache.get('key 100')).toBe(100);
});
