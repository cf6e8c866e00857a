import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import {
  compareUtf8,
  encodeUtf8,
  readAscii,
  readUint16,
  readUint32,
  readUtf8,
  utf8Length,
  writeAscii,
  writeUint,
} from '../../../src/resolver/literals/byte-text.ts';

const text = fc.string({ unit: 'binary', maxLength: 40 });
const shared = (): Uint8Array => new Uint8Array(new SharedArrayBuffer(256));

test('an ASCII text is read as it was written, at any offset and length', () => {
  const ascii = fc.string({ unit: 'binary-ascii', maxLength: 60 });
  fc.assert(
    fc.property(ascii, fc.nat(100), (written, at) => {
      const bytes = shared();
      const end = writeAscii(bytes, at, written);
      expect(readAscii(bytes, at, end)).toBe(written);
      expect(Buffer.from(bytes).toString('latin1', at, end)).toBe(written);
    }),
  );
});

test('an ASCII text is read the same outside of Node', async () => {
  vi.resetModules();
  vi.stubGlobal('Buffer', undefined);
  const elsewhere = await import('../../../src/resolver/literals/byte-text.ts').finally(() => vi.unstubAllGlobals());
  const bytes = shared();
  const written = '/a/path/of/more/than/two/eights?x=%C3%A4';
  for (let length = 0; length <= written.length; length++) {
    const end = writeAscii(bytes, 5, written.slice(0, length));
    expect(elsewhere.readAscii(bytes, 5, end)).toBe(written.slice(0, length));
  }
});

test('UTF-8 has the bytes and the length that Node gives it, and is read back from shared memory', () => {
  fc.assert(
    fc.property(text, (written) => {
      const encoded = encodeUtf8(written);
      const bytes = shared();
      bytes.set(encoded, 3);
      expect([...encoded]).toEqual([...Buffer.from(written)]);
      expect(utf8Length(written)).toBe(Buffer.byteLength(written));
      expect(readUtf8(bytes, 3, 3 + encoded.length)).toBe(written);
    }),
  );
});

test('a byte order mark is part of a text', () => {
  const encoded = encodeUtf8('\ufeffa');
  expect(readUtf8(encoded, 0, encoded.length)).toBe('\ufeffa');
});

test('texts are compared by their UTF-8 bytes', () => {
  expect(compareUtf8('\uffff', '\u{10000}')).toBeLessThan(0);
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(Math.sign(compareUtf8(one, other))).toBe(Buffer.compare(Buffer.from(one), Buffer.from(other)));
    }),
  );
});

test('numbers have their lowest byte first', () => {
  const bytes = shared();
  expect(writeUint(bytes, 1, 0xfedcba98, 4)).toBe(5);
  expect([...bytes.subarray(0, 6)]).toEqual([0, 0x98, 0xba, 0xdc, 0xfe, 0]);
  expect([readUint16(bytes, 1), readUint32(bytes, 1)]).toEqual([0xba98, 0xfedcba98]);
});
