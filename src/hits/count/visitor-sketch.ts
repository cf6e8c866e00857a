/**
 * Who came, as far as it has to be known to count them: the keyed hashes of the visitors themselves while they are few, then a
 * HyperLogLog. Sketches of several processes, days or redirects merge into that of all of them, in any order and as often as one likes.
 */
import { addToRegisters, estimate, packRegisters, REGISTERS, unpackInto } from './hyperloglog.ts';

/** Up to so many visitors a day are counted exactly. */
export const EXACT_OF_WEBSITE = 1_000;
export const EXACT_OF_REDIRECT = 64;

/** Places of the smallest table, and how many times larger the next one is. */
const SMALLEST_TABLE = 8;
const GROWTH = 4;
export const BYTES_OF_HASH = 8;

/** The first byte of an encoded sketch: what follows. No byte at all: nobody. */
export const HASHES = 1;
const SPARSE = 2;
const DENSE = 3;

export interface VisitorSketch {
  /** how many are told apart exactly */
  exactUpTo: number;
  /** While exact: hashes in pairs of words, found by their low word; two zeros are a free place. */
  table: Int32Array;
  size: number;
  /** once there were more */
  registers: Uint8Array | null;
}

/** A sketch of nobody. */
export function createSketch(exactUpTo: number): VisitorSketch {
  return { exactUpTo, table: freeTable(SMALLEST_TABLE), size: 0, registers: null };
}

/** Takes the hash of a visitor, 64 uniform bits in two words; true when the sketch changed, so it had not seen that visitor. */
export function addVisitor(sketch: VisitorSketch, high: number, low: number): boolean {
  if (sketch.registers) return addToRegisters(sketch.registers, high, low);
  // Two zeros would be a free place; one visitor of 2^64 is taken for another.
  if (!place(sketch.table, high | 0, high === 0 && low === 0 ? 1 : low | 0)) return false;
  sketch.size++;
  if (sketch.size > sketch.exactUpTo) estimateFromNowOn(sketch);
  else if (4 * sketch.size > sketch.table.length) grow(sketch);
  return true;
}

/** A table of so many free places, a power of two. */
function freeTable(places: number): Int32Array {
  return new Int32Array(2 * places);
}

function place(table: Int32Array, high: number, low: number): boolean {
  const last = table.length - 1;
  for (let at = (low << 1) & last; ; at = (at + 2) & last) {
    const thereHigh = table[at];
    const thereLow = table[at + 1];
    if (thereHigh === high && thereLow === low) return false;
    if (thereHigh === 0 && thereLow === 0) {
      table[at] = high;
      table[at + 1] = low;
      return true;
    }
  }
}

function grow(sketch: VisitorSketch): void {
  const table = freeTable(sketch.table.length * (GROWTH / 2));
  eachHash(sketch, (high, low) => place(table, high, low));
  sketch.table = table;
}

function estimateFromNowOn(sketch: VisitorSketch): void {
  const registers = new Uint8Array(REGISTERS);
  eachHash(sketch, (high, low) => addToRegisters(registers, high, low));
  sketch.registers = registers;
  sketch.table = freeTable(0);
  sketch.size = 0;
}

function eachHash({ table }: VisitorSketch, take: (high: number, low: number) => void): void {
  for (let at = 0; at < table.length; at += 2) {
    const high = table[at] ?? 0;
    const low = table[at + 1] ?? 0;
    if (high !== 0 || low !== 0) take(high, low);
  }
}

/** Adds whoever `other` has seen; true when the sketch changed. */
export function mergeSketch(sketch: VisitorSketch, other: VisitorSketch): boolean {
  if (other.registers) {
    if (!sketch.registers) estimateFromNowOn(sketch);
    return unpackInto(registersOf(sketch), false, other.registers);
  }
  let changed = false;
  eachHash(other, (high, low) => (changed = addVisitor(sketch, high, low) || changed));
  return changed;
}

/** Adds whoever an encoded sketch has seen. Throws on bytes that no sketch was encoded to. */
export function mergeEncoded(sketch: VisitorSketch, bytes: Buffer): void {
  const kind = bytes[0];
  if (kind === undefined) return;
  const rest = bytes.subarray(1);
  if (kind === HASHES && rest.length % BYTES_OF_HASH === 0) {
    for (let at = 0; at < rest.length; at += BYTES_OF_HASH)
      addVisitor(sketch, rest.readUInt32BE(at), rest.readUInt32BE(at + 4));
    return;
  }
  const isRegisters = kind === SPARSE ? rest.length % 3 === 0 : kind === DENSE && rest.length === REGISTERS;
  if (!isRegisters) throw new Error(`not a sketch of visitors: kind ${kind}, ${bytes.length} bytes`);
  if (!sketch.registers) estimateFromNowOn(sketch);
  unpackInto(registersOf(sketch), kind === SPARSE, rest);
}

function registersOf(sketch: VisitorSketch): Uint8Array {
  if (!sketch.registers) throw new Error('the sketch is exact');
  return sketch.registers;
}

/** The sketch as it is stored; of nobody: no bytes. */
export function encodeSketch(sketch: VisitorSketch): Buffer {
  if (sketch.registers) {
    const { sparse, bytes } = packRegisters(sketch.registers);
    return Buffer.concat([Buffer.from([sparse ? SPARSE : DENSE]), bytes]);
  }
  if (sketch.size === 0) return Buffer.alloc(0);
  const encoded = Buffer.alloc(1 + sketch.size * BYTES_OF_HASH);
  encoded[0] = HASHES;
  let at = 1;
  eachHash(sketch, (high, low) => {
    encoded.writeInt32BE(high, at);
    encoded.writeInt32BE(low, at + 4);
    at += BYTES_OF_HASH;
  });
  return encoded;
}

/** How many visitors: exactly while the sketch is exact, else within 2 % in 95 of 100 cases. */
export function countVisitors(sketch: VisitorSketch): number {
  return sketch.registers ? estimate(sketch.registers) : sketch.size;
}

/** About how many bytes of memory it takes. */
export function sketchBytes(sketch: VisitorSketch): number {
  return sketch.table.byteLength + (sketch.registers?.byteLength ?? 0);
}
