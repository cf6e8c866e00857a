import { setImmediate } from 'node:timers/promises';
import { stopwatch } from '../../platform/clock.ts';
import { countryOfNumber } from '../count/country.ts';
import type { HitCounters } from '../count/redirect-counters.ts';
import { createSketch, encodeSketch, mergeEncoded, mergeSketch } from '../count/visitor-sketch.ts';

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
/** Sketches of thousands of visitors take 0.1 ms and more each: after so long, others have their turn. */
const AT_ONCE_MS = 3;

/** Adds each tally to what is stored of it (undefined: nothing). Gives way to other work from time to time. */
export async function mergeDays(
  tallies: HitCounters[],
  stored: (StoredDay | undefined)[],
  exactUpTo: number,
): Promise<MergedDay[]> {
  const merged: MergedDay[] = [];
  let began = stopwatch();
  for (const [i, tally] of tallies.entries()) {
    if (stopwatch() - began > AT_ONCE_MS) {
      await setImmediate();
      began = stopwatch();
    }
    merged.push({
      countries: JSON.stringify(addCountries(tally, stored[i]?.countries ?? {})),
      visitors: addVisitors(tally, stored[i]?.visitors ?? NOBODY, exactUpTo),
    });
  }
  return merged;
}

/** Parts of rows of these sizes, each from its first row up to the one behind its last, that have at most `most` together. */
export function partsOf(sizes: number[], most: number): [from: number, to: number][] {
  const parts: [number, number][] = [];
  let [from, sum] = [0, 0];
  for (const [i, size] of sizes.entries()) {
    if (i > from && sum + size > most) {
      parts.push([from, i]);
      [from, sum] = [i, 0];
    }
    sum += size;
  }
  if (from < sizes.length) parts.push([from, sizes.length]);
  return parts;
}

function addCountries({ countries }: HitCounters, stored: Record<string, number>): Record<string, number> {
  const sums = { ...stored };
  for (const [number, hits] of countries) {
    const country = countryOfNumber(number);
    sums[country] = (sums[country] ?? 0) + hits;
  }
  return sums;
}

function addVisitors({ visitors }: HitCounters, stored: Buffer, exactUpTo: number): Buffer {
  if (stored.length === 0) return encodeSketch(visitors);
  const sketch = createSketch(exactUpTo);
  mergeEncoded(sketch, stored);
  return mergeSketch(sketch, visitors) ? encodeSketch(sketch) : NOBODY;
}
