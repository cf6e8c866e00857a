const CHUNK = 1 << 16;

/** A list of unsigned 32-bit numbers that grows by chunks, because copies of a long list cost time and memory. */
export class GrowingNumbers {
  length = 0;
  #chunks: Uint32Array[] = [];
  #last = new Uint32Array(0);

  push(value: number): void {
    const at = this.length++ % CHUNK;
    if (at === 0) this.#chunks.push((this.#last = new Uint32Array(CHUNK)));
    this.#last[at] = value;
  }

  /** The numbers without spare memory. */
  finish(): Uint32Array {
    const values = new Uint32Array(this.length);
    this.#chunks.forEach((chunk, i) => values.set(chunk.subarray(0, this.length - i * CHUNK), i * CHUNK));
    return values;
  }
}
