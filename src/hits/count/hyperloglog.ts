/**
 * HyperLogLog (Flajolet and others, 2007) of precision 14: how many different visitors there were, from 16,384 registers. The estimate is
 * Ertl's ("New cardinality estimation algorithms for HyperLogLog sketches", 2017, algorithm 6): no bias at any size, so that no
 * table of corrections is needed. Its standard error is 0.81 %, so it is within 2 % in 98 of 100 cases.
 */
const PRECISION = 14;
export const REGISTERS = 1 << PRECISION;
/** Bits of a hash that do not choose the register. */
const REST = 64 - PRECISION;
const REST_HIGH = REST - 32;
const BYTES_OF_ENTRY = 3;
const RANK_BITS = 6;

/** Takes one hash of 64 uniform bits, in two words; true when it changed a register. */
export function addToRegisters(registers: Uint8Array, high: number, low: number): boolean {
  const register = high >>> REST_HIGH;
  const rest = high << PRECISION;
  const rank = rest === 0 ? REST_HIGH + Math.clz32(low) + 1 : Math.clz32(rest) + 1;
  return raise(registers, register, rank);
}

function raise(registers: Uint8Array, register: number, rank: number): boolean {
  if ((registers[register] ?? 0) >= rank) return false;
  registers[register] = rank;
  return true;
}

/** How many different hashes the registers have seen, about. */
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

/** The part of registers that are still empty, as a series; infinite when all are. */
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

/** The part of registers that are full. */
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

/** As few bytes as will do: three for each register that is not empty (14 bits of its number, 6 of its rank), or one for each register. */
export function packRegisters(registers: Uint8Array): { sparse: boolean; bytes: Uint8Array } {
  const bytes = new Uint8Array(REGISTERS);
  let at = 0;
  // Four at a time: most are empty in a sketch of a second, and this is done for each that was followed in it.
  const fours = new Uint32Array(registers.buffer, registers.byteOffset, REGISTERS / 4);
  for (let four = 0; four < fours.length; four++) {
    if (fours[four] === 0) continue;
    for (let i = four * 4; i < four * 4 + 4; i++) {
      const rank = registers[i] ?? 0;
      if (rank === 0) continue;
      if (at + BYTES_OF_ENTRY > REGISTERS) return { sparse: false, bytes: registers };
      const entry = (i << RANK_BITS) | rank;
      bytes[at++] = entry >>> 16;
      bytes[at++] = entry >>> 8;
      bytes[at++] = entry;
    }
  }
  return { sparse: true, bytes: bytes.subarray(0, at) };
}

/** Raises the registers to what was packed; true when any of them changed. */
export function unpackInto(registers: Uint8Array, sparse: boolean, bytes: Uint8Array): boolean {
  let changed = false;
  if (!sparse) {
    for (let i = 0; i < REGISTERS; i++) changed = raise(registers, i, bytes[i] ?? 0) || changed;
    return changed;
  }
  for (let at = 0; at < bytes.length; at += BYTES_OF_ENTRY) {
    const entry = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    changed = raise(registers, entry >>> RANK_BITS, entry & ((1 << RANK_BITS) - 1)) || changed;
  }
  return changed;
}
