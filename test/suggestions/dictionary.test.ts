/** Holds the rules of src/suggestions/dictionary.ts and growing-numbers.ts. */
import { expect, test } from 'vitest';
import { Dictionary, hashOf } from '../../src/suggestions/dictionary.ts';
import { GrowingNumbers } from '../../src/suggestions/growing-numbers.ts';

test('a dictionary numbers texts in their order, also after it has grown', () => {
  const dictionary = new Dictionary();
  const hashes = Array.from({ length: 20_000 }, (_, i) => hashOf(`word ${i}`));
  expect(hashes.map((hash) => dictionary.add(hash))).toEqual(hashes.map((_, i) => i));
  expect(hashes.map((hash) => dictionary.find(hash))).toEqual(hashes.map((_, i) => i));
  expect(dictionary.add(hashes[7] ?? 0)).toBe(7);
  expect(dictionary.find(hashOf('unknown'))).toBe(-1);
});

test('a seed separates kinds of texts', () => {
  expect(hashOf('word', 1)).not.toBe(hashOf('word', 2));
});

test('a list of numbers grows and keeps all', () => {
  const numbers = new GrowingNumbers();
  for (let i = 0; i < 5_000; i++) numbers.push(i);
  expect([...numbers.finish()]).toEqual(Array.from({ length: 5_000 }, (_, i) => i));
});
