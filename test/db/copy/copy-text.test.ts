import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseCopyText } from '../../../src/db/copy/copy-rows.ts';
import { createCopyText } from '../../../src/db/copy/copy-text.ts';

const PIECE_BYTES = 64 * 1024;

test('Rows of any text, NULL, numbers and booleans are read back as they were, in the order given', () => {
  const cell = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', '\\', '\t', '\n', '\r', 'N', 'é', '中', '😀') }),
    fc.constantFrom(null, 7, -1, 2 ** 40, true, false),
  );
  fc.assert(
    fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1 }), (rows) => {
      const text = createCopyText();
      for (const cells of rows) text.add(cells);
      const written = rows.map((cells) => cells.map((value) => (value === null ? null : String(value))));
      expect(parseCopyText(Buffer.concat(text.take()))).toEqual(written);
    }),
  );
});

test('Pieces are at most 64 KB, or one cell; the count is that of all bytes that were not taken', () => {
  const text = createCopyText();
  const long = '中'.repeat(PIECE_BYTES);
  const sizes = Array.from({ length: 5_000 }, (_, at) => text.add([at, '/a/path/of/some/length', null]));
  const last = text.add([1, long, 'after']);
  const pieces = text.take();
  expect(last).toBe(pieces.reduce((sum, { length }) => sum + length, 0));
  expect(sizes[0]).toBe('0\t/a/path/of/some/length\t\\N\n'.length);
  expect(pieces.filter(({ length }) => length > PIECE_BYTES)).toHaveLength(1);
  expect(Buffer.concat(pieces).toString().endsWith(`${long}\tafter\n`)).toBe(true);
  expect(text.take()).toEqual([]);
  expect(text.add(['x'])).toBe(2);
});
