import { detachString } from '../../platform/detach-string.ts';

/** Gives texts small numbers, so that one that comes again and again need not be sent, nor looked at, again. */
export interface Interner {
  /** The number of a text, from 0 to `most`; `most` itself for one that is too long to be kept. */
  intern(text: string): number;
  /** whether the text was not known by the number that `intern` just gave it */
  readonly isNew: boolean;
}

/** Keeps `most` texts of at most `longest` characters, in one byte each; then the oldest one's number is given to the next. */
export function createInterner(most: number, longest: number): Interner {
  const numbers = new Map<string, number>();
  const texts: string[] = [];
  let next = 0;
  let isNew = false;

  function keep(text: string): number {
    const oldest = texts[next];
    if (oldest !== undefined) numbers.delete(oldest);
    const own = detachString(text);
    texts[next] = own;
    numbers.set(own, next);
    const number = next;
    next = (next + 1) % most;
    return number;
  }

  return {
    intern(text) {
      const known = numbers.get(text);
      isNew = known === undefined;
      if (known !== undefined) return known;
      return text.length > longest ? most : keep(text);
    },
    get isNew() {
      return isNew;
    },
  };
}
