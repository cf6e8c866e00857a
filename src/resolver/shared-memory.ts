/**
 * Memory of rulesets, shared between threads. V8 does not count shared memory, so it would not collect rulesets that
 * are no longer in use. Each ruleset therefore holds a ballast: counted, but never touched, so it takes no memory.
 */

/** Smaller allocations wait for the next ballast: one takes 10 µs. */
const MIN_BALLAST_BYTES = 1 << 20;

let allocated = 0;
let uncounted = 0;

/** Allocates zeroed memory that any thread can use. */
export function allocateShared(bytes: number): SharedArrayBuffer {
  allocated += bytes;
  return new SharedArrayBuffer(bytes);
}

/** Bytes that this thread has allocated so far. */
export const allocatedBytes = (): number => allocated;

/** An object that makes V8 count `bytes` of shared memory as long as it is referenced. */
export function createBallast(bytes: number): object | undefined {
  uncounted += bytes;
  if (uncounted < MIN_BALLAST_BYTES) return undefined;
  const ballast = new ArrayBuffer(uncounted, { maxByteLength: uncounted });
  uncounted = 0;
  return ballast;
}
