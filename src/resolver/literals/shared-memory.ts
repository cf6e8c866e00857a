/**
 * Memory of rulesets, shared between threads. V8 does not count shared memory, so it would not collect rulesets that
 * are no longer in use. Each ruleset therefore holds a ballast: counted, but never touched, so it takes no memory.
 */

/** Shared memory, or memory of this thread where browsers do not offer shared memory. */
export type RulesetMemory = SharedArrayBuffer | ArrayBuffer;

const isShareable = typeof SharedArrayBuffer === 'function';

/** Smaller allocations wait for the next ballast: one takes 10 µs. */
const MIN_BALLAST_BYTES = 1 << 20;

let allocated = 0;
let uncounted = 0;

/** Allocates zeroed memory that any thread can use. */
export function allocateShared(bytes: number): RulesetMemory {
  allocated += bytes;
  return isShareable ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
}

export const allocatedBytes = (): number => allocated;

/** An object that makes V8 count `bytes` of shared memory as long as it is referenced. */
export function createBallast(bytes: number): object | undefined {
  uncounted += bytes;
  if (!isShareable || uncounted < MIN_BALLAST_BYTES) return undefined;
  const ballast = new ArrayBuffer(uncounted, { maxByteLength: uncounted });
  uncounted = 0;
  return ballast;
}
