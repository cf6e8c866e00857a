/** Writes numbers and bytes behind one another, and reads them in the same order. */

export type PackWriter = ReturnType<typeof createPackWriter>;
export type PackReader = ReturnType<typeof createPackReader>;

const DOUBLE_BYTES = 8;
/** of a number up to 2^53, seven bits in each byte */
const MAX_COUNT_BYTES = 8;

export function createPackWriter() {
  let buffer = Buffer.allocUnsafeSlow(1 << 20);
  let at = 0;
  function reserve(bytes: number): void {
    if (at + bytes <= buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(2 * buffer.length, at + bytes));
    buffer.copy(grown);
    buffer = grown;
  }
  function count(value: number): void {
    reserve(MAX_COUNT_BYTES);
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) buffer[at++] = (rest % 128) + 128;
    buffer[at++] = rest;
  }
  return {
    /** Writes an integer from 0 on. */
    count,
    double(value: number): void {
      reserve(DOUBLE_BYTES);
      at = buffer.writeDoubleLE(value, at);
    },
    blob(bytes: Buffer): void {
      count(bytes.length);
      reserve(bytes.length);
      at += bytes.copy(buffer, at);
    },
    bytes: (): Buffer => Buffer.from(new Uint8Array(buffer.subarray(0, at)).buffer),
  };
}

export function createPackReader(buffer: Buffer) {
  let at = 0;
  function count(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = buffer[at++] ?? 0;
      if (byte < 128) return value + byte * factor;
      value += (byte - 128) * factor;
    }
  }
  return {
    isAtEnd: (): boolean => at >= buffer.length,
    count,
    double(): number {
      at += DOUBLE_BYTES;
      return buffer.readDoubleLE(at - DOUBLE_BYTES);
    },
    blob(): Buffer {
      const length = count();
      at += length;
      return buffer.subarray(at - length, at);
    },
  };
}
