import { setImmediate } from 'node:timers/promises';
import type { Tally } from './tally.ts';
import { createSketch, encodeSketch, mergeEncoded, mergeSketch } from './visitor-sketch.ts';

/** What is stored of a day beside its counts. */
export interface StoredDay {
  countries: Record<string, number>;
  visitors: Buffer;
}

/** What is to be stored: `countries` as JSON; no `visitors` where nobody came who was not there before. */
export interface MergedDay {
  countries: string;
  visitors: Buffer;
}

const NOBODY = Buffer.alloc(0);
/** Sketches of many visitors take 0.05 ms each: after so many, others have their turn. */
const AT_ONCE = 100;

/** Adds each tally to what is stored of it (undefined: nothing). Gives way to other work from time to time. */
export async function mergeDays(
  tallies: Tally[],
  stored: (StoredDay | undefined)[],
  exactUpTo: number,
): Promise<MergedDay[]> {
  const merged: MergedDay[] = [];
  for (const [i, tally] of tallies.entries()) {
    if (i % AT_ONCE === AT_ONCE - 1) await setImmediate();
    merged.push({
      countries: JSON.stringify(addCountries(tally, stored[i]?.countries ?? {})),
      visitors: addVisitors(tally, stored[i]?.visitors ?? NOBODY, exactUpTo),
    });
  }
  return merged;
}

function addCountries(
  { country: first, countryHits, countries }: Tally,
  stored: Record<string, number>,
): Record<string, number> {
  const sums = { ...stored };
  if (first !== '') sums[first] = (sums[first] ?? 0) + countryHits;
  for (const [country, hits] of countries ?? []) sums[country] = (sums[country] ?? 0) + hits;
  return sums;
}

function addVisitors({ visitors }: Tally, stored: Buffer, exactUpTo: number): Buffer {
  if (!visitors) return NOBODY;
  if (stored.length === 0) return encodeSketch(visitors);
  const sketch = createSketch(exactUpTo);
  mergeEncoded(sketch, stored);
  return mergeSketch(sketch, visitors) ? encodeSketch(sketch) : NOBODY;
}
