/**
 * SipHash-2-4 (Aumasson and Bernstein, 2012): a keyed 64-bit hash. Works on 32-bit words in local variables of one
 * function, which is four times as fast as an array of state.
 */
export interface SipHash {
  /** Puts the hash of the bytes into `high` and `low`, which are valid until the next call. */
  hash(bytes: Uint8Array): void;
  high: number;
  low: number;
}

/** `key` has 16 bytes. */
export function createSipHash(key: Buffer): SipHash {
  if (key.length !== 16) throw new Error(`a SipHash key has 16 bytes, not ${key.length}`);
  const words = Int32Array.from([0, 4, 8, 12], (at) => key.readInt32LE(at));
  const result: SipHash = { high: 0, low: 0, hash: (bytes) => sip24(words, bytes, result) };
  return result;
}

function sip24(key: Int32Array, bytes: Uint8Array, result: SipHash): void {
  // a, b, c, d are v0 to v3 of the paper, each as a low and a high word.
  let aLow = (key[0] ?? 0) ^ 0x70736575;
  let aHigh = (key[1] ?? 0) ^ 0x736f6d65;
  let bLow = (key[2] ?? 0) ^ 0x6e646f6d;
  let bHigh = (key[3] ?? 0) ^ 0x646f7261;
  let cLow = (key[0] ?? 0) ^ 0x6e657261;
  let cHigh = (key[1] ?? 0) ^ 0x6c796765;
  let dLow = (key[2] ?? 0) ^ 0x79746573;
  let dHigh = (key[3] ?? 0) ^ 0x74656462;
  let sum = 0;
  const whole = bytes.length & ~7;
  // The whole blocks, the last block (the rest, with the length in its highest byte), then four final rounds.
  for (let at = 0; at <= whole + 8; at += 8) {
    const isEnd = at > whole;
    const low = isEnd ? 0 : word(bytes, at);
    const high = isEnd ? 0 : word(bytes, at + 4) | (at === whole ? bytes.length << 24 : 0);
    dLow ^= low;
    dHigh ^= high;
    if (isEnd) cLow ^= 0xff;
    for (let rounds = isEnd ? 4 : 2; rounds > 0; rounds--) {
      sum = (aLow >>> 0) + (bLow >>> 0);
      aHigh = (aHigh + bHigh + (sum > 0xffffffff ? 1 : 0)) | 0;
      aLow = sum | 0;
      sum = (bLow << 13) | (bHigh >>> 19);
      bHigh = ((bHigh << 13) | (bLow >>> 19)) ^ aHigh;
      bLow = sum ^ aLow;
      sum = aLow;
      aLow = aHigh;
      aHigh = sum;
      sum = (cLow >>> 0) + (dLow >>> 0);
      cHigh = (cHigh + dHigh + (sum > 0xffffffff ? 1 : 0)) | 0;
      cLow = sum | 0;
      sum = (dLow << 16) | (dHigh >>> 16);
      dHigh = ((dHigh << 16) | (dLow >>> 16)) ^ cHigh;
      dLow = sum ^ cLow;
      sum = (aLow >>> 0) + (dLow >>> 0);
      aHigh = (aHigh + dHigh + (sum > 0xffffffff ? 1 : 0)) | 0;
      aLow = sum | 0;
      sum = (dLow << 21) | (dHigh >>> 11);
      dHigh = ((dHigh << 21) | (dLow >>> 11)) ^ aHigh;
      dLow = sum ^ aLow;
      sum = (cLow >>> 0) + (bLow >>> 0);
      cHigh = (cHigh + bHigh + (sum > 0xffffffff ? 1 : 0)) | 0;
      cLow = sum | 0;
      sum = (bLow << 17) | (bHigh >>> 15);
      bHigh = ((bHigh << 17) | (bLow >>> 15)) ^ cHigh;
      bLow = sum ^ cLow;
      sum = cLow;
      cLow = cHigh;
      cHigh = sum;
    }
    aLow ^= low;
    aHigh ^= high;
  }
  result.low = (aLow ^ bLow ^ cLow ^ dLow) >>> 0;
  result.high = (aHigh ^ bHigh ^ cHigh ^ dHigh) >>> 0;
}

/** Four bytes, little-endian, padded with zeros. */
function word(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
}
