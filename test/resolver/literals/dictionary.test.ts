import { expect, test } from 'vitest';
import {
  chooseStrings,
  createPacker,
  DICTIONARY_BYTES,
  matchesPacked,
  unpack,
  writeDictionary,
} from '../../../src/resolver/literals/dictionary.ts';
import { encodeUtf8, readUtf8 } from '../../../src/resolver/literals/byte-text.ts';
import { seeded } from '../../support/random.ts';

/** A dictionary for these texts at offset 3, with room for codes after it. */
function dictionaryFor(texts: string[]) {
  const bytes = new Uint8Array(3 + DICTIONARY_BYTES + 10_000);
  writeDictionary(bytes, 3, chooseStrings(texts.map(encodeUtf8)));
  const packer = createPacker();
  packer.load(bytes, 3);
  const start = 3 + DICTIONARY_BYTES;
  return {
    pack(text: string): number {
      const input = encodeUtf8(text);
      return packer.pack(input, 0, input.length, bytes, start, bytes.length) - start;
    },
    unpack(size: number): string {
      const output = new Uint8Array(10_000);
      return readUtf8(output, 0, unpack(bytes, 3, start, start + size, output));
    },
    isPacked: (size: number, text: string) => matchesPacked(bytes, 3, start, start + size, text),
  };
}

test('every text is unpacked as it was packed, also one that no text of the sample resembles', () => {
  const random = seeded(7);
  const below = (limit: number): number => Math.floor(random() * limit);
  const pieces = ['/blog/', 'story', '-', '2024', 'é', '€', '😀', '%C3', 'zq', '\0'];
  const piece = () => pieces[below(12)] ?? String(below(999));
  const text = () => Array.from({ length: below(12) }, piece).join('');
  const dictionary = dictionaryFor(Array.from({ length: 100 }, text));
  for (let i = 0; i < 2_000; i++) {
    const written = text();
    expect(dictionary.unpack(dictionary.pack(written))).toBe(written);
  }
});

test('packed texts are compared without unpacking them', () => {
  const dictionary = dictionaryFor(['/blog/story-1', '/blog/story-2', '/news/story-3']);
  const size = dictionary.pack('/blog/story-9~');
  expect(dictionary.isPacked(size, '/blog/story-9~')).toBe(true);
  for (const other of ['', '/blog/story-9', '/blog/story-9~~', '/blog/story-8~', '/blob/story-9~', '/news/story-9~'])
    expect(dictionary.isPacked(size, other)).toBe(false);
});

test('texts like those of the sample take less than half of their bytes', () => {
  const path = (i: number): string => `/en/news/archive/story-${i}`;
  const dictionary = dictionaryFor(Array.from({ length: 100 }, (_, i) => path(i * 37)));
  expect(dictionary.pack(path(12_345)) * 2).toBeLessThan(path(12_345).length);
});

test('without a sample every byte is escaped', () => {
  const dictionary = dictionaryFor([]);
  expect(dictionary.pack('/a')).toBe(4);
  expect(dictionary.unpack(4)).toBe('/a');
});

test('packing stops at the limit', () => {
  const packer = createPacker();
  packer.load(new Uint8Array(DICTIONARY_BYTES), 0);
  expect(packer.pack(encodeUtf8('/abc'), 0, 4, new Uint8Array(9), 0, 8)).toBe(-1);
  expect(packer.pack(encodeUtf8('/abc'), 0, 4, new Uint8Array(9), 0, 9)).toBe(8);
});
