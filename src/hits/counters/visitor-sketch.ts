/**
 * A set of visitors that can be counted and merged: the keyed hashes themselves while there are few, then a
 * HyperLogLog. Sketches merge in any order, and merging one twice changes nothing. README.md has the encoded form.
 */
import { addToRegisters, estimate, packHashes, packRegisters, REGISTERS, unpackInto } from './hyperloglog.ts';

/** Visitors per day that are counted exactly. */
export const MAX_EXACT_OF_WEBSITE = 1_000;
export const MAX_EXACT_OF_REDIRECT = 64;

/** Cells of the smallest table, two for each slot, and the factor by which it grows: powers of two. */
const MIN_CELLS = 16;
const GROWTH = 4;
export const HASH_BYTES = 8;

/** The first byte of an encoded sketch. */
export const HASHES = 1;
const SPARSE = 2;
const DENSE = 3;

export interface VisitorSketch {
  /** above this the sketch is an estimate */
  exactUpTo: number;
  /** while exact: hashes as pairs of words in an open-addressing table by their low word; two zeros are a free slot */
  table: Int32Array;
  size: number;
  /** null while exact */
  registers: Uint8Array | null;
}

export function createSketch(exactUpTo: number): VisitorSketch {
  return { exactUpTo, table: newTable(MIN_CELLS), size: 0, registers: null };
}

/** Small tables share pages: an ArrayBuffer takes more memory and time of the garbage collector than its table. */
let page = new Int32Array(0);
let used = 0;
const PAGE_CELLS = 4_096;

function newTable(cells: number): Int32Array {
  if (cells > PAGE_CELLS / 4) return new Int32Array(cells);
  if (used + cells > page.length) [page, used] = [new Int32Array(PAGE_CELLS), 0];
  const table = new Int32Array(page.buffer, used * page.BYTES_PER_ELEMENT, cells);
  used += cells;
  return table;
}

/** Adds a visitor by a hash of 64 uniform bits in two words. True if the sketch changed. */
export function addVisitor(sketch: VisitorSketch, high: number, low: number): boolean {
  if (sketch.registers) return addToRegisters(sketch.registers, high, low);
  // Two zeros would be a free slot, so that one hash of 2^64 is replaced by another.
  if (!insert(sketch.table, high | 0, high === 0 && low === 0 ? 1 : low | 0)) return false;
  sketch.size++;
  if (sketch.size > sketch.exactUpTo) convertToRegisters(sketch);
  else if (4 * sketch.size > sketch.table.length) grow(sketch);
  return true;
}

/** False if the table has the hash. */
function insert(table: Int32Array, high: number, low: number): boolean {
  const last = table.length - 1;
  for (let at = (low << 1) & last; ; at = (at + 2) & last) {
    const slotHigh = table[at];
    const slotLow = table[at + 1];
    if (slotHigh === high && slotLow === low) return false;
    if (slotHigh === 0 && slotLow === 0) {
      table[at] = high;
      table[at + 1] = low;
      return true;
    }
  }
}

function grow(sketch: VisitorSketch): void {
  const table = newTable(sketch.table.length * GROWTH);
  eachHash(sketch, (high, low) => insert(table, high, low));
  sketch.table = table;
}

function convertToRegisters(sketch: VisitorSketch): Uint8Array {
  const registers = new Uint8Array(REGISTERS);
  eachHash(sketch, (high, low) => addToRegisters(registers, high, low));
  sketch.registers = registers;
  sketch.table = new Int32Array(0);
  sketch.size = 0;
  return registers;
}

function eachHash({ table }: VisitorSketch, take: (high: number, low: number) => void): void {
  for (let at = 0; at < table.length; at += 2) {
    const high = table[at] ?? 0;
    const low = table[at + 1] ?? 0;
    if (high !== 0 || low !== 0) take(high, low);
  }
}

/** Adds the visitors of `other`. True if the sketch changed. */
export function mergeSketch(sketch: VisitorSketch, other: VisitorSketch): boolean {
  if (other.registers) {
    return unpackInto(sketch.registers ?? convertToRegisters(sketch), false, other.registers);
  }
  let changed = false;
  eachHash(other, (high, low) => (changed = addVisitor(sketch, high, low) || changed));
  return changed;
}

/** Adds the visitors of an encoded sketch. Throws if the bytes are not a sketch. */
export function mergeEncoded(sketch: VisitorSketch, bytes: Buffer): void {
  const format = bytes[0];
  if (format === undefined) return;
  const rest = bytes.subarray(1);
  if (format === HASHES && rest.length % HASH_BYTES === 0) {
    for (let at = 0; at < rest.length; at += HASH_BYTES)
      addVisitor(sketch, rest.readUInt32BE(at), rest.readUInt32BE(at + 4));
    return;
  }
  const isRegisters = format === SPARSE ? rest.length % 3 === 0 : format === DENSE && rest.length === REGISTERS;
  if (!isRegisters) throw new Error(`not a visitor sketch: first byte ${format}, ${bytes.length} bytes`);
  unpackInto(sketch.registers ?? convertToRegisters(sketch), format === SPARSE, rest);
}

/** The stored form of the sketch. */
export function encodeSketch(sketch: VisitorSketch): Buffer {
  if (sketch.registers) {
    const { sparse, bytes } = packRegisters(sketch.registers);
    return Buffer.concat([Buffer.from([sparse ? SPARSE : DENSE]), bytes]);
  }
  if (sketch.size === 0) return Buffer.alloc(0);
  const encoded = Buffer.alloc(1 + sketch.size * HASH_BYTES);
  encoded[0] = HASHES;
  let at = 1;
  eachHash(sketch, (high, low) => {
    encoded.writeInt32BE(high, at);
    encoded.writeInt32BE(low, at + 4);
    at += HASH_BYTES;
  });
  return encoded;
}

/** Returns an encoded list of hashes as encoded sparse registers. */
export function hashesToRegisters(list: Buffer): Buffer {
  const words = new Uint32Array((list.length - 1) / 4);
  for (let i = 0; i < words.length; i++) words[i] = list.readUInt32BE(1 + 4 * i);
  return Buffer.concat([Buffer.from([SPARSE]), packHashes(words)]);
}

/** The number of visitors: exact up to `exactUpTo`, then within 2 % in 95 of 100 cases. */
export function countVisitors(sketch: VisitorSketch): number {
  return sketch.registers ? estimate(sketch.registers) : sketch.size;
}

/** Memory of its arrays, in bytes. */
export function sketchBytes(sketch: VisitorSketch): number {
  return sketch.table.byteLength + (sketch.registers?.byteLength ?? 0);
}
