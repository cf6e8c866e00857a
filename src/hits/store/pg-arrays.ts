/**
 * Encodes columns as arrays in PostgreSQL's binary format (picture: README.md). The driver's own array encoding took
 * half of the CPU time of a write. Loops use an index, because iterators produce garbage.
 */

/** Type oids of pg_type. */
const BYTEA = 17;
const INT8 = 20;
const INT4 = 23;
const TEXT = 25;
const TIMESTAMPTZ = 1184;

/** PostgreSQL counts microseconds since this moment. */
const EPOCH_MS = Date.UTC(2000, 0, 1);
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const HIGH = 0x1_0000_0000;

export function int4Array(values: number[]): Buffer {
  const array = newArray(INT4, values.length, values.length * (LENGTH_BYTES + 4));
  let at = HEADER_BYTES;
  for (let i = 0; i < values.length; i++) {
    at = array.writeInt32BE(4, at);
    at = array.writeInt32BE(values[i] ?? 0, at);
  }
  return array;
}

/** Encodes a `bigint[]` of integers up to 2^53. */
export function int8Array(values: number[]): Buffer {
  return int64Array(INT8, values);
}

/** Encodes a `bigint[]` of 64-bit values, each given as two words, the high one first. */
export function int8ArrayOfWords(words: number[]): Buffer {
  const length = words.length / 2;
  const array = newArray(INT8, length, length * (LENGTH_BYTES + 8));
  let at = HEADER_BYTES;
  for (let i = 0; i < words.length; i += 2) {
    at = array.writeInt32BE(8, at);
    at = array.writeInt32BE((words[i] ?? 0) | 0, at);
    at = array.writeInt32BE((words[i + 1] ?? 0) | 0, at);
  }
  return array;
}

/** Encodes a `timestamptz[]` of milliseconds since the epoch. */
export function timestamptzArray(values: number[]): Buffer {
  const micros = values.map((value) => (value - EPOCH_MS) * 1_000);
  return int64Array(TIMESTAMPTZ, micros);
}

function int64Array(type: number, values: number[]): Buffer {
  const array = newArray(type, values.length, values.length * (LENGTH_BYTES + 8));
  let at = HEADER_BYTES;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0;
    at = array.writeInt32BE(8, at);
    at = array.writeInt32BE(Math.floor(value / HIGH), at);
    at = array.writeUInt32BE(value >>> 0, at);
  }
  return array;
}

export function textArray(values: string[]): Buffer {
  let size = values.length * LENGTH_BYTES;
  for (let i = 0; i < values.length; i++) size += Buffer.byteLength(values[i] ?? '');
  const array = newArray(TEXT, values.length, size);
  let at = HEADER_BYTES;
  for (let i = 0; i < values.length; i++) {
    const written = array.write(values[i] ?? '', at + LENGTH_BYTES);
    array.writeInt32BE(written, at);
    at += LENGTH_BYTES + written;
  }
  return array;
}

export function byteaArray(values: Buffer[]): Buffer {
  let size = values.length * LENGTH_BYTES;
  for (const value of values) size += value.length;
  const array = newArray(BYTEA, values.length, size);
  let at = HEADER_BYTES;
  for (const value of values) {
    at = array.writeInt32BE(value.length, at);
    at += value.copy(array, at);
  }
  return array;
}

function newArray(type: number, length: number, size: number): Buffer {
  const array = Buffer.allocUnsafe(HEADER_BYTES + size);
  for (const [i, value] of [1, 0, type, length, 1].entries()) array.writeInt32BE(value, 4 * i);
  return array;
}
