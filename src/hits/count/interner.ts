import { detachString } from '../../platform/detach-string.ts';

/**
 * Gives strings small numbers, so that a repeated string is sent as its number. Stores `capacity` strings of at most
 * `maxLength` latin1 characters. A full interner reuses the number of the oldest string.
 */
export function createInterner(capacity: number, maxLength: number) {
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
    /** The number of the text, from 0 to `capacity - 1`; `capacity` if the text is too long to be stored. */
    intern(text: string): number {
      const existing = numbers.get(text);
      isNew = existing === undefined;
      if (existing !== undefined) return existing;
      return text.length > maxLength ? capacity : store(text);
    },
    /** True if the last `intern` gave the text a new number, or none. */
    get isNew() {
      return isNew;
    },
  };
}
