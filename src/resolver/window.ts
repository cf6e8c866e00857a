/** Windows of rules. Times are milliseconds since 1970; the resolver gets the present one from its caller. */
import { readUint16, readUint32, writeUint } from './literals/byte-text.ts';

/** Outside of `from`, inclusive, to `until`, exclusive, a rule does not exist. Null leaves an end open. */
export interface Window {
  from: number | null;
  until: number | null;
}

/** Bytes of a stored window: two times of six bytes. */
export const WINDOW_BYTES = 12;
const TIME_BYTES = 6;
const NO_END = 2 ** 48 - 1;

/** The bounds as numbers. A start of 0 is an open one: no request is older. */
export function windowBounds({ from, until }: Window): [from: number, until: number] {
  return [from ?? 0, until ?? NO_END];
}

/** Returns the offset after the window. */
export function writeWindow(bytes: Uint8Array, at: number, window: Window): number {
  const [from, until] = windowBounds(window);
  return writeUint(bytes, writeUint(bytes, at, from, TIME_BYTES), until, TIME_BYTES);
}

export function readWindow(bytes: Uint8Array, at: number): Window {
  const from = readTime(bytes, at);
  const until = readTime(bytes, at + TIME_BYTES);
  return { from: from === 0 ? null : from, until: until === NO_END ? null : until };
}

const readTime = (bytes: Uint8Array, at: number): number => readUint32(bytes, at) + readUint16(bytes, at + 4) * 2 ** 32;

export function isActive({ from, until }: Window, at: number): boolean {
  return (from === null || at >= from) && (until === null || at < until);
}

/** When the rule next begins or ceases to exist; Infinity if it never does again. */
export function nextChange({ from, until }: Window, at: number): number {
  if (from !== null && at < from) return from;
  return until !== null && at < until ? until : Infinity;
}

/** True if two rules exist at the same times. Undefined: always. */
export function isSameWindow(a: Window | undefined, b: Window | undefined): boolean {
  return (a?.from ?? null) === (b?.from ?? null) && (a?.until ?? null) === (b?.until ?? null);
}
