/**
 * Columns of a batch as arrays in PostgreSQL's binary form, which neither side has to make text of or to take apart. The driver's own way
 * with arrays looks at each value to see what it is, which cost more than all else that is done to a row here. Loops are by number:
 * the others make an object a turn, a quarter of the garbage of a writing.
 */

/** Types by their numbers in pg_type. */
const BYTEA = 17;
const INT8 = 20;
const INT4 = 23;
const TEXT = 25;
const TIMESTAMPTZ = 1184;

/** Times are told in microseconds from 2000 on. */
const EPOCH_MS = Date.UTC(2000, 0, 1);
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const HIGH = 0x1_0000_0000;

/** An `int[]`. */
export function int4Array(values: number[]): Buffer {
  const array = arrayOf(INT4, values.length, values.length * (LENGTH_BYTES + 4));
  let at = HEADER_BYTES;
  for (let i = 0; i < values.length; i++) {
    at = array.writeInt32BE(4, at);
    at = array.writeInt32BE(values[i] ?? 0, at);
  }
  return array;
}

/** A `bigint[]`, of whole numbers up to 2^53. */
export function int8Array(values: number[]): Buffer {
  return longs(INT8, values);
}

/** A `bigint[]` of values of 64 bits, each in two words, the higher one first. */
export function wordPairs(words: number[]): Buffer {
  const length = words.length / 2;
  const array = arrayOf(INT8, length, length * (LENGTH_BYTES + 8));
  let at = HEADER_BYTES;
  for (let i = 0; i < words.length; i += 2) {
    at = array.writeInt32BE(8, at);
    at = array.writeInt32BE((words[i] ?? 0) | 0, at);
    at = array.writeInt32BE((words[i + 1] ?? 0) | 0, at);
  }
  return array;
}

/** A `timestamptz[]`, from milliseconds since the epoch. */
export function times(values: number[]): Buffer {
  return longs(
    TIMESTAMPTZ,
    values.map((value) => (value - EPOCH_MS) * 1_000),
  );
}

function longs(type: number, values: number[]): Buffer {
  const array = arrayOf(type, values.length, values.length * (LENGTH_BYTES + 8));
  let at = HEADER_BYTES;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0;
    at = array.writeInt32BE(8, at);
    at = array.writeInt32BE(Math.floor(value / HIGH), at);
    at = array.writeUInt32BE(value >>> 0, at);
  }
  return array;
}

/** A `text[]`. */
export function textArray(values: string[]): Buffer {
  let size = values.length * LENGTH_BYTES;
  for (let i = 0; i < values.length; i++) size += Buffer.byteLength(values[i] ?? '');
  const array = arrayOf(TEXT, values.length, size);
  let at = HEADER_BYTES;
  for (let i = 0; i < values.length; i++) {
    const written = array.write(values[i] ?? '', at + LENGTH_BYTES);
    array.writeInt32BE(written, at);
    at += LENGTH_BYTES + written;
  }
  return array;
}

/** A `bytea[]`. */
export function bytes(values: Buffer[]): Buffer {
  let size = values.length * LENGTH_BYTES;
  for (const value of values) size += value.length;
  const array = arrayOf(BYTEA, values.length, size);
  let at = HEADER_BYTES;
  for (const value of values) {
    at = array.writeInt32BE(value.length, at);
    at += value.copy(array, at);
  }
  return array;
}

function arrayOf(type: number, length: number, size: number): Buffer {
  const array = Buffer.allocUnsafe(HEADER_BYTES + size);
  array.writeInt32BE(1, 0); // one dimension
  array.writeInt32BE(0, 4); // no nulls
  array.writeInt32BE(type, 8);
  array.writeInt32BE(length, 12);
  array.writeInt32BE(1, 16); // the first is number 1
  return array;
}
