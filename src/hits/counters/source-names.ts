/** Hits by referrer host or by `utm_source`: a limited number of names per day, so that visitors cannot invent more. */

/** Hits of names that are not stored. No host name and no source is empty. */
export const OTHER = '';

/** Names of a day. Above the limit, those with the most hits remain, and half of the room is free again. */
export const MAX_NAMES_OF_WEBSITE = 400;
export const MAX_NAMES_OF_REDIRECT = 40;

/** Measured memory of an entry of a `Map` with a short text. */
const ENTRY_BYTES = 90;

/** Counts hits. Returns by how many bytes the counters grew. */
export function addName(names: Map<string, number>, name: string, max: number, hits = 1): number {
  const before = names.size;
  const key = names.has(name) || before < max ? name : OTHER;
  names.set(key, (names.get(key) ?? 0) + hits);
  return (names.size - before) * (ENTRY_BYTES + key.length);
}

/**
 * Adds names to stored ones. Above `max`, keeps the half with the most hits and counts the others as OTHER, so that a
 * flood of invented names does not evict real ones.
 */
export function mergeNames(
  added: ReadonlyMap<string, number>,
  stored: Record<string, number>,
  max: number,
): Record<string, number> {
  if (added.size === 0) return stored;
  const sums = new Map(Object.entries(stored));
  for (const [name, hits] of added) sums.set(name, (sums.get(name) ?? 0) + hits);
  if (sums.size <= max) return Object.fromEntries(sums);
  let other = sums.get(OTHER) ?? 0;
  sums.delete(OTHER);
  const byHits = [...sums].sort((a, b) => b[1] - a[1]);
  for (const [, hits] of byHits.splice(max / 2)) other += hits;
  return Object.fromEntries([...byHits, [OTHER, other]]);
}
