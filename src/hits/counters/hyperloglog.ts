/**
 * HyperLogLog (Flajolet and others, 2007) of precision 14: estimates the number of different visitors from 16,384
 * registers. The estimate is Ertl's ("New cardinality estimation algorithms for HyperLogLog sketches", 2017, algorithm
 * 6), which is unbiased at any size and needs no correction table. Its standard error is 0.81 %.
 */
const PRECISION = 14;
export const REGISTERS = 1 << PRECISION;
/** Bits of a hash that do not choose the register, and how many of them are in its high word. */
const REST = 64 - PRECISION;
const REST_HIGH = REST - 32;
const ENTRY_BYTES = 3;
const RANK_BITS = 6;

/** Adds a hash of 64 uniform bits in two words. True if it changed a register. */
export function addToRegisters(registers: Uint8Array, high: number, low: number): boolean {
  return raise(registers, high >>> REST_HIGH, rankOf(high, low));
}

function rankOf(high: number, low: number): number {
  const rest = high << PRECISION;
  return rest === 0 ? REST_HIGH + Math.clz32(low) + 1 : Math.clz32(rest) + 1;
}

/** Packs up to 5,000 hashes, as pairs of words, like packRegisters does: without its cost per register. */
export function packHashes(words: Uint32Array): Uint8Array {
  const entries = new Uint32Array(words.length / 2);
  for (let i = 0; i < entries.length; i++) {
    const high = words[2 * i] ?? 0;
    entries[i] = ((high >>> REST_HIGH) << RANK_BITS) | rankOf(high, words[2 * i + 1] ?? 0);
  }
  entries.sort();
  const bytes = new Uint8Array(entries.length * ENTRY_BYTES);
  let at = 0;
  for (const [i, entry] of entries.entries()) {
    // The entries of a register are neighbours, and the last one has its rank.
    if ((entries[i + 1] ?? Infinity) >>> RANK_BITS === entry >>> RANK_BITS && i + 1 < entries.length) continue;
    bytes[at++] = entry >>> 16;
    bytes[at++] = entry >>> 8;
    bytes[at++] = entry;
  }
  return bytes.subarray(0, at);
}

function raise(registers: Uint8Array, register: number, rank: number): boolean {
  if ((registers[register] ?? 0) >= rank) return false;
  registers[register] = rank;
  return true;
}

/** Estimates the number of different hashes. */
export function estimate(registers: Uint8Array): number {
  const counts = new Uint32Array(REST + 2);
  for (let i = 0; i < REGISTERS; i++) {
    const rank = registers[i] ?? 0;
    counts[rank] = (counts[rank] ?? 0) + 1;
  }
  const count = (rank: number): number => counts[rank] ?? 0;
  let z = REGISTERS * tau(1 - count(REST + 1) / REGISTERS);
  for (let rank = REST; rank >= 1; rank--) z = (z + count(rank)) / 2;
  z += REGISTERS * sigma(count(0) / REGISTERS);
  return Math.round(REGISTERS ** 2 / (2 * Math.LN2 * z));
}

/** Correction for the share of empty registers (a series); infinite if all are empty. */
function sigma(share: number): number {
  if (share === 1) return Infinity;
  let power = share;
  let weight = 1;
  let sum = share;
  for (;;) {
    power *= power;
    const before = sum;
    sum += power * weight;
    weight += weight;
    if (sum === before) return sum;
  }
}

/** Correction for registers at the highest rank; `share` is the share of the others. */
function tau(share: number): number {
  if (share === 0 || share === 1) return 0;
  let root = share;
  let weight = 1;
  let sum = 1 - share;
  for (;;) {
    root = Math.sqrt(root);
    const before = sum;
    weight /= 2;
    sum -= (1 - root) ** 2 * weight;
    if (sum === before) return sum / 3;
  }
}

/** The shorter form: sparse, 3 bytes per used register (14 bits number, 6 bits rank), or dense, 1 byte per register. */
export function packRegisters(registers: Uint8Array): { sparse: boolean; bytes: Uint8Array } {
  const bytes = new Uint8Array(REGISTERS);
  let at = 0;
  // Four registers at a time: most are empty in a sketch of one second.
  const fours = new Uint32Array(registers.buffer, registers.byteOffset, REGISTERS / 4);
  for (let four = 0; four < fours.length; four++) {
    if (fours[four] === 0) continue;
    for (let i = four * 4; i < four * 4 + 4; i++) {
      const rank = registers[i] ?? 0;
      if (rank === 0) continue;
      if (at + ENTRY_BYTES > REGISTERS) return { sparse: false, bytes: registers };
      const entry = (i << RANK_BITS) | rank;
      bytes[at++] = entry >>> 16;
      bytes[at++] = entry >>> 8;
      bytes[at++] = entry;
    }
  }
  return { sparse: true, bytes: bytes.subarray(0, at) };
}

/** Raises the registers to the packed ranks. True if any of them changed. */
export function unpackInto(registers: Uint8Array, sparse: boolean, bytes: Uint8Array): boolean {
  let changed = false;
  if (!sparse) {
    for (let i = 0; i < REGISTERS; i++) changed = raise(registers, i, bytes[i] ?? 0) || changed;
    return changed;
  }
  for (let at = 0; at < bytes.length; at += ENTRY_BYTES) {
    const entry = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    changed = raise(registers, entry >>> RANK_BITS, entry & ((1 << RANK_BITS) - 1)) || changed;
  }
  return changed;
}
