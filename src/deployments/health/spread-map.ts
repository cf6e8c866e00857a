/** As many parts as keep each below the size at which growing takes a millisecond, for the million keys that there may be. */
const PARTS = 256;

/** A map of numbers by id in many parts: one of a million entries would hold everybody up each time that it grows. */
export interface SpreadMap {
  get(id: number): number | undefined;
  set(id: number, value: number): void;
}

export function createSpreadMap(): SpreadMap {
  const parts = Array.from({ length: PARTS }, () => new Map<number, number>());
  return {
    get: (id) => parts[id % PARTS]?.get(id),
    set: (id, value) => void parts[id % PARTS]?.set(id, value),
  };
}
