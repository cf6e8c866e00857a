/** Numbers for texts: an open hash table of 32-bit hashes. Two texts with one hash are taken for one text. */
export class Dictionary {
  size = 0;
  #bits = 12;
  /** number of each hash and the hash, side by side: most look-ups miss the processor's cache, once */
  #slots = new Uint32Array(2 << this.#bits);

  get bytes(): number {
    return this.#slots.byteLength;
  }

  /** The number of a hash, from 0; -1 if it is unknown. */
  find(hash: number): number {
    return (this.#slots[this.#slotOf(hash)] ?? 0) - 1;
  }

  /** The number of a hash, which is the former size if the hash is new. */
  add(hash: number): number {
    const slot = this.#slotOf(hash);
    const number = this.#slots[slot] ?? 0;
    if (number > 0) return number - 1;
    this.#slots[slot] = ++this.size;
    this.#slots[slot + 1] = hash;
    if (this.size * 3 > this.#slots.length) this.#grow();
    return this.size - 1;
  }

  #slotOf(hash: number): number {
    const slots = this.#slots;
    let slot = (Math.imul(hash, 0x9e3779b1) >>> (32 - this.#bits)) * 2;
    while (slots[slot] !== 0 && slots[slot + 1] !== hash) slot = (slot + 2) & (slots.length - 1);
    return slot;
  }

  #grow(): void {
    const slots = this.#slots;
    this.#bits++;
    this.#slots = new Uint32Array(2 << this.#bits);
    for (let i = 0; i < slots.length; i += 2) {
      if (slots[i] === 0) continue;
      const slot = this.#slotOf(slots[i + 1] ?? 0);
      this.#slots[slot] = slots[i] ?? 0;
      this.#slots[slot + 1] = slots[i + 1] ?? 0;
    }
  }
}

/** FNV-1a of the characters; the seed separates kinds of texts. */
export function hashOf(text: string, seed = 0): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
