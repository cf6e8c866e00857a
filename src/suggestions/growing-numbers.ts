/** A list of unsigned 32-bit numbers that grows. */
export class GrowingNumbers {
  length = 0;
  #values = new Uint32Array(1 << 10);

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Uint32Array(this.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length++] = value;
  }

  /** The numbers without spare memory. */
  finish(): Uint32Array {
    return this.#values.slice(0, this.length);
  }
}
