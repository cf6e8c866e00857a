import { readAscii } from '../../../resolver/literals/byte-text.ts';
import { randomHashKey, tagOf } from '../../../resolver/literals/hash.ts';
import type { UrlState } from '../../../vocabulary/urls.ts';

const PAGE_BYTES = 1 << 20;
const MIN_CAPACITY = 1 << 10;
const LENGTH_BYTES = 2;
/** of a UTF-16 code unit in UTF-8 */
const MAX_CHARACTER_BYTES = 3;

const STATES = ['living', 'removed', 'known'] as const satisfies UrlState[];

/** Texts with a state and a weight, by index in the order of addition. */
export type UrlSet = ReturnType<typeof createUrlSet>;

/**
 * Creates an exact set of URLs outside of the heap: their bytes, and 30 to 60 bytes each. 1,000,000 URLs of 50
 * characters take 90 MB. Texts have at most 64 KiB. It grows; `expected` saves that for so many.
 */
export function createUrlSet(expected = 0) {
  const hashKey = randomHashKey();
  const arena = createArena();
  const capacity = 2 ** Math.ceil(Math.log2(Math.max(expected, MIN_CAPACITY)));
  let size = 0;
  let starts = new Float64Array(capacity);
  let tags = new Uint32Array(capacity);
  let weights = new Float64Array(capacity);
  let states = new Uint8Array(capacity);
  /** indexes plus 1 by tag, open addressing; half of them are free */
  let slots = new Uint32Array(2 * capacity);
  const read = (index: number): string => arena.read(starts[index] ?? 0);

  /** The slot of the text, or the free one where it belongs. */
  function slotOf(tag: number, text: string | undefined): number {
    const mask = slots.length - 1;
    // The last two bits of a tag are its type.
    for (let slot = (tag >>> 2) & mask; ; slot = (slot + 1) & mask) {
      const index = (slots[slot] ?? 0) - 1;
      if (index < 0 || (text !== undefined && tags[index] === tag && arena.has(starts[index] ?? 0, text))) return slot;
    }
  }

  /** The index of a text; -1 if the set does not have it. */
  const indexOf = (text: string): number => (slots[slotOf(tagOf(hashKey, text, 0, 0), text)] ?? 0) - 1;

  function grow(): void {
    const capacity = 2 * starts.length;
    starts = grown(starts, new Float64Array(capacity));
    tags = grown(tags, new Uint32Array(capacity));
    weights = grown(weights, new Float64Array(capacity));
    states = grown(states, new Uint8Array(capacity));
    slots = new Uint32Array(2 * capacity);
    for (let index = 0; index < size; index++) slots[slotOf(tags[index] ?? 0, undefined)] = index + 1;
  }

  return {
    get size() {
      return size;
    },
    /** Adds a text, or changes the state of one that it has. */
    put(text: string, state: UrlState, weight: number): void {
      const tag = tagOf(hashKey, text, 0, 0);
      let slot = slotOf(tag, text);
      let index = (slots[slot] ?? 0) - 1;
      if (index < 0) {
        if (size === starts.length) {
          grow();
          slot = slotOf(tag, text);
        }
        index = size++;
        slots[slot] = index + 1;
        starts[index] = arena.write(text);
        tags[index] = tag;
        weights[index] = weight;
      }
      states[index] = STATES.indexOf(state);
    },
    text: read,
    isAfter: (index: number, text: string): boolean => arena.isAfter(starts[index] ?? 0, text),
    weight: (index: number): number => weights[index] ?? 0,
    state: (index: number): UrlState => STATES[states[index] ?? 0] ?? 'known',
    indexOf,
    /** The state of a text; undefined if the set does not have it. */
    stateOf(text: string): UrlState | undefined {
      const index = indexOf(text);
      return index < 0 ? undefined : STATES[states[index] ?? 0];
    },
  };
}

/** Texts behind one another, in pages of bytes outside of the heap. */
function createArena() {
  const pages: Buffer[] = [];
  /** of the last page */
  let free = PAGE_BYTES;
  let isAscii = true;

  function find(position: number) {
    const at = position % PAGE_BYTES;
    const page = pages[(position - at) / PAGE_BYTES];
    if (!page) throw new Error(`no text is at ${position}`);
    return { page, start: at + LENGTH_BYTES, length: page.readUInt16LE(at) };
  }

  return {
    /** Returns the position of the text. */
    write(text: string): number {
      let page = pages.at(-1);
      if (!page || free + LENGTH_BYTES + MAX_CHARACTER_BYTES * text.length > PAGE_BYTES) {
        page = Buffer.allocUnsafeSlow(PAGE_BYTES);
        pages.push(page);
        free = 0;
      }
      const at = free;
      const length = page.write(text, at + LENGTH_BYTES);
      if (length !== text.length) isAscii = false;
      page.writeUInt16LE(length, at);
      free += LENGTH_BYTES + length;
      return (pages.length - 1) * PAGE_BYTES + at;
    },
    read(position: number): string {
      const { page, start, length } = find(position);
      return isAscii ? readAscii(page, start, start + length) : page.toString('utf8', start, start + length);
    },
    /** Whether the text there is behind this one. Nearly always the first characters tell, without reading it. */
    isAfter(position: number, text: string): boolean {
      if (!isAscii) return this.read(position) > text;
      const { page, start, length } = find(position);
      let i = 0;
      while (i < length && page[start + i] === text.charCodeAt(i)) i++;
      return i < length && (i === text.length || (page[start + i] ?? 0) > text.charCodeAt(i));
    },
    /** Whether this text is there. A text with as many bytes as characters is ASCII. */
    has(position: number, text: string): boolean {
      const { page, start, length } = find(position);
      if (length !== text.length) return length > text.length && page.toString('utf8', start, start + length) === text;
      for (let i = 0; i < length; i++) if (page[start + i] !== text.charCodeAt(i)) return false;
      return true;
    },
  };
}

function grown<Numbers extends Float64Array | Uint32Array | Uint8Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}
