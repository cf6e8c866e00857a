import { expect, test } from 'vitest';
import { BY_FOLD, BY_KEY, BY_PAIR, randomHashKey, tagOf } from '../../../src/resolver/literals/hash.ts';

const KEY = { low: 1, high: 2 };
const TEXTS = Array.from({ length: 20_000 }, (_, at) => `/${'a'.repeat(at % 9)}${at}`);

test('the last two bits of a tag are its type, and the others do not depend on it', () => {
  const tags = [BY_KEY, BY_FOLD, BY_PAIR].map((type) => tagOf(KEY, '/a/b', type, 0));
  expect(tags.map((tag) => tag & 3)).toEqual([BY_KEY, BY_FOLD, BY_PAIR]);
  expect(new Set(tags.map((tag) => tag >>> 2)).size).toBe(1);
});

test('similar texts of any length have different tags, up to the collisions of a random 30-bit number', () => {
  expect(new Set(TEXTS.map((text) => tagOf(KEY, text, BY_KEY, 0))).size).toBeGreaterThan(TEXTS.length - 10);
  for (let length = 1; length < 12; length++) {
    const tags = Array.from({ length }, (_, at) =>
      tagOf(KEY, 'x'.repeat(at) + 'y' + 'x'.repeat(length - at), BY_KEY, 0),
    );
    expect(new Set(tags).size).toBe(length);
  }
});

test('a tag depends on both parts of the key and on the salt', () => {
  const tags = [KEY, { ...KEY, low: 3 }, { ...KEY, high: 3 }].map((key) => tagOf(key, '/a', BY_KEY, 0));
  expect(new Set([...tags, tagOf(KEY, '/a', BY_KEY, 1)]).size).toBe(4);
  expect(randomHashKey()).not.toEqual(randomHashKey());
});
