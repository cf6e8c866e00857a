/**
 * SipHash-2-4 (Aumasson and Bernstein, 2012): a keyed hash of 64 bits that tells nobody without the key what was hashed, nor lets anybody
 * steer it. In words of 32 bits, as numbers of JavaScript have it. All in one function, its state in local variables: with the state
 * in an array and a function a round it took four times as long (docs/adr/0007).
 */
export interface SipHash {
  /** Hashes the bytes; the result is in `high` and `low` until the next call. */
  hash(bytes: Uint8Array): void;
  high: number;
  low: number;
}

/** `key` has 16 bytes. */
export function createSipHash(key: Buffer): SipHash {
  if (key.length !== 16) throw new Error(`a key of SipHash has 16 bytes, not ${key.length}`);
  const words = Int32Array.of(
    key.readInt32LE(0),
    key.readInt32LE(4),
    key.readInt32LE(8),
    key.readInt32LE(12),
  );
  const result: SipHash = { high: 0, low: 0, hash: (bytes) => sip24(words, bytes, result) };
  return result;
}

function sip24(key: Int32Array, bytes: Uint8Array, result: SipHash): void {
  // v0 to v3 of the paper: a, b, c, d, each a low and a high word.
  let aLow = (key[0] ?? 0) ^ 0x70736575;
  let aHigh = (key[1] ?? 0) ^ 0x736f6d65;
  let bLow = (key[2] ?? 0) ^ 0x6e646f6d;
  let bHigh = (key[3] ?? 0) ^ 0x646f7261;
  let cLow = (key[0] ?? 0) ^ 0x6e657261;
  let cHigh = (key[1] ?? 0) ^ 0x6c796765;
  let dLow = (key[2] ?? 0) ^ 0x79746573;
  let dHigh = (key[3] ?? 0) ^ 0x74656462;
  let kept = 0;
  const whole = bytes.length & ~7;
  // Each block, then the last one (what is left, and the length in its highest byte), then the end of four rounds.
  for (let at = 0; at <= whole + 8; at += 8) {
    const isEnd = at > whole;
    const low = isEnd ? 0 : word(bytes, at);
    const high = isEnd ? 0 : word(bytes, at + 4) | (at === whole ? bytes.length << 24 : 0);
    dLow ^= low;
    dHigh ^= high;
    if (isEnd) cLow ^= 0xff;
    for (let rounds = isEnd ? 4 : 2; rounds > 0; rounds--) {
      kept = (aLow >>> 0) + (bLow >>> 0);
      aHigh = (aHigh + bHigh + (kept > 0xffffffff ? 1 : 0)) | 0;
      aLow = kept | 0;
      kept = (bLow << 13) | (bHigh >>> 19);
      bHigh = ((bHigh << 13) | (bLow >>> 19)) ^ aHigh;
      bLow = kept ^ aLow;
      kept = aLow;
      aLow = aHigh;
      aHigh = kept;
      kept = (cLow >>> 0) + (dLow >>> 0);
      cHigh = (cHigh + dHigh + (kept > 0xffffffff ? 1 : 0)) | 0;
      cLow = kept | 0;
      kept = (dLow << 16) | (dHigh >>> 16);
      dHigh = ((dHigh << 16) | (dLow >>> 16)) ^ cHigh;
      dLow = kept ^ cLow;
      kept = (aLow >>> 0) + (dLow >>> 0);
      aHigh = (aHigh + dHigh + (kept > 0xffffffff ? 1 : 0)) | 0;
      aLow = kept | 0;
      kept = (dLow << 21) | (dHigh >>> 11);
      dHigh = ((dHigh << 21) | (dLow >>> 11)) ^ aHigh;
      dLow = kept ^ aLow;
      kept = (cLow >>> 0) + (bLow >>> 0);
      cHigh = (cHigh + bHigh + (kept > 0xffffffff ? 1 : 0)) | 0;
      cLow = kept | 0;
      kept = (bLow << 17) | (bHigh >>> 15);
      bHigh = ((bHigh << 17) | (bLow >>> 15)) ^ cHigh;
      bLow = kept ^ cLow;
      kept = cLow;
      cLow = cHigh;
      cHigh = kept;
    }
    aLow ^= low;
    aHigh ^= high;
  }
  result.low = (aLow ^ bLow ^ cLow ^ dLow) >>> 0;
  result.high = (aHigh ^ bHigh ^ cHigh ^ dHigh) >>> 0;
}

/** Four bytes, the lowest first; zeros behind the end. */
function word(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] ?? 0) |
    ((bytes[at + 1] ?? 0) << 8) |
    ((bytes[at + 2] ?? 0) << 16) |
    ((bytes[at + 3] ?? 0) << 24)
  );
}
