import { createTimeSlice } from '../../platform/scheduling/time-slice.ts';
import { countryOfNumber } from '../counters/counters.ts';
import type { HitCounters } from '../counters/redirect-counters.ts';
import { mergeNames } from '../counters/source-names.ts';
import {
  createSketch,
  encodeSketch,
  HASHES,
  hashesToRegisters,
  mergeEncoded,
  mergeSketch,
} from '../counters/visitor-sketch.ts';

/** Columns of a stored day that cannot be added up in SQL. */
export interface StoredDay {
  countries: Record<string, number>;
  /** an encoded sketch (hits/counters/visitor-sketch.ts) */
  visitors: Buffer;
  referrers: Record<string, number>;
  utm_sources: Record<string, number>;
}

export interface MergedDay {
  /** JSON */
  countries: string;
  referrers: string;
  utmSources: string;
  /** empty if there is no new visitor */
  visitors: Buffer;
}

const UNCHANGED = Buffer.alloc(0);

/** Merges counters into the stored days at the same index, if any. Yields to the event loop every few milliseconds. */
export async function mergeCounters(
  added: HitCounters[],
  stored: (StoredDay | undefined)[],
  { maxExactVisitors, maxNames }: { maxExactVisitors: number; maxNames: number },
): Promise<MergedDay[]> {
  const merged: MergedDay[] = [];
  const slice = createTimeSlice();
  for (const [i, counters] of added.entries()) {
    if (slice.isOver()) await slice.yield();
    merged.push({
      countries: JSON.stringify(addCountries(counters, stored[i]?.countries ?? {})),
      referrers: JSON.stringify(mergeNames(counters.referrers, stored[i]?.referrers ?? {}, maxNames)),
      utmSources: JSON.stringify(mergeNames(counters.utmSources, stored[i]?.utm_sources ?? {}, maxNames)),
      visitors: addVisitors(counters, stored[i]?.visitors ?? UNCHANGED, maxExactVisitors),
    });
  }
  return merged;
}

/** Splits rows of these sizes into ranges [from, to) of at most `maxSize` in total; a larger row is its own range. */
export function splitBySize(sizes: number[], maxSize: number): [from: number, to: number][] {
  const ranges: [number, number][] = [];
  let [from, sum] = [0, 0];
  for (const [i, size] of sizes.entries()) {
    if (i > from && sum + size > maxSize) {
      ranges.push([from, i]);
      [from, sum] = [i, 0];
    }
    sum += size;
  }
  if (from < sizes.length) ranges.push([from, sizes.length]);
  return ranges;
}

function addCountries({ countries }: HitCounters, stored: Record<string, number>): Record<string, number> {
  const sums = { ...stored };
  for (const [number, hits] of countries) {
    const country = countryOfNumber(number);
    sums[country] = (sums[country] ?? 0) + hits;
  }
  return sums;
}

function addVisitors({ visitors }: HitCounters, stored: Buffer, maxExactVisitors: number): Buffer {
  if (stored.length === 0) {
    const encoded = encodeSketch(visitors);
    return maxExactVisitors > 0 ? encoded : withoutHashes(encoded);
  }
  const sketch = createSketch(maxExactVisitors);
  mergeEncoded(sketch, stored);
  return mergeSketch(sketch, visitors) ? encodeSketch(sketch) : UNCHANGED;
}

/** A day in the past keeps no hashes. Writing all registers of each redirect would take most of the time of a log. */
const withoutHashes = (encoded: Buffer): Buffer => (encoded[0] === HASHES ? hashesToRegisters(encoded) : encoded);
