/** Numbers for texts: an open hash table of 32-bit hashes. Two texts with one hash are taken for one text. */
export class Dictionary {
  size = 0;
  #bits = 12;
  #hashes = new Uint32Array(1 << this.#bits);
  #numbers = new Uint32Array(1 << this.#bits);

  get bytes(): number {
    return this.#hashes.byteLength + this.#numbers.byteLength;
  }

  /** The number of a hash, from 0; -1 if it is unknown. */
  find(hash: number): number {
    return (this.#numbers[this.#slotOf(hash)] ?? 0) - 1;
  }

  /** The number of a hash, which is the former size if the hash is new. */
  add(hash: number): number {
    const slot = this.#slotOf(hash);
    const number = this.#numbers[slot] ?? 0;
    if (number > 0) return number - 1;
    this.#hashes[slot] = hash;
    this.#numbers[slot] = ++this.size;
    if (this.size * 1.5 > this.#hashes.length) this.#grow();
    return this.size - 1;
  }

  #slotOf(hash: number): number {
    const mask = this.#hashes.length - 1;
    let slot = Math.imul(hash, 0x9e3779b1) >>> (32 - this.#bits);
    while (this.#numbers[slot] !== 0 && this.#hashes[slot] !== hash) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [hashes, numbers] = [this.#hashes, this.#numbers];
    this.#bits++;
    this.#hashes = new Uint32Array(1 << this.#bits);
    this.#numbers = new Uint32Array(1 << this.#bits);
    for (let i = 0; i < numbers.length; i++) {
      if (numbers[i] === 0) continue;
      const slot = this.#slotOf(hashes[i] ?? 0);
      this.#hashes[slot] = hashes[i] ?? 0;
      this.#numbers[slot] = numbers[i] ?? 0;
    }
  }
}

/** FNV-1a of the characters; the seed separates kinds of texts. */
export function hashOf(text: string, seed = 0): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
