import type { TimeSlice } from '../../../platform/scheduling/time-slice.ts';

/** A place in a list of URLs, worst first: by weight, ties by URL. */
export interface Rank {
  weight: number;
  url: string;
}

export interface RankedUrl extends Rank {
  index: number;
}

/** Texts with weights, by index. */
export interface RankedTexts {
  readonly size: number;
  text(index: number): string;
  weight(index: number): number;
  /** Whether the text of the index is behind this one. */
  isAfter(index: number, text: string): boolean;
}

const compare = (one: Rank, other: Rank): number =>
  other.weight - one.weight || (one.url < other.url ? -1 : Number(one.url > other.url));

/** Returns the first `limit` wanted URLs after a place, worst first. Holds at most twice as many at a time. */
export async function firstUrls(
  urls: RankedTexts,
  isWanted: (index: number) => boolean,
  { limit, after }: { limit: number; after?: Rank | undefined },
  slice: TimeSlice,
): Promise<RankedUrl[]> {
  const found: RankedUrl[] = [];
  let bound: Rank | undefined;
  const cut = (): void => {
    found.sort(compare);
    if (found.length > limit) found.length = limit;
    if (found.length === limit) bound = found.at(-1);
  };
  for (let index = 0; index < urls.size; index++) {
    if (slice.isOver()) await slice.yield();
    if (!isWanted(index)) continue;
    const weight = urls.weight(index);
    if ((bound && weight < bound.weight) || (after && weight > after.weight)) continue;
    if (bound && weight === bound.weight && urls.isAfter(index, bound.url)) continue;
    const ranked = { index, weight, url: urls.text(index) };
    if ((after && compare(ranked, after) <= 0) || (bound && compare(ranked, bound) >= 0)) continue;
    if (found.push(ranked) >= 2 * limit) cut();
  }
  cut();
  return found;
}
