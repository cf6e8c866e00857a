import { detachString } from '../../platform/detach-string.ts';

/** Gives strings small numbers, so that a repeated string is sent as its number. */
export interface Interner {
  /** The number of the text, from 0 to `capacity - 1`; `capacity` if the text is too long to be stored. */
  intern(text: string): number;
  /** True if the last `intern` gave the text a new number. */
  readonly isNew: boolean;
}

/**
 * Stores `capacity` strings of at most `maxLength` latin1 characters. A full interner reuses the number of the oldest
 * string.
 */
export function createInterner(capacity: number, maxLength: number): Interner {
  const numbers = new Map<string, number>();
  const texts: string[] = [];
  let next = 0;
  let isNew = false;

  function store(text: string): number {
    const oldest = texts[next];
    if (oldest !== undefined) numbers.delete(oldest);
    const detached = detachString(text);
    texts[next] = detached;
    numbers.set(detached, next);
    const number = next;
    next = (next + 1) % capacity;
    return number;
  }

  return {
    intern(text) {
      const existing = numbers.get(text);
      isNew = existing === undefined;
      if (existing !== undefined) return existing;
      return text.length > maxLength ? capacity : store(text);
    },
    get isNew() {
      return isNew;
    },
  };
}
