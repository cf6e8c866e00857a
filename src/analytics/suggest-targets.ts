/**
 * Suggests existing targets of a website that resemble an unmatched path, by trigram similarity. Searches the rules in
 * memory, in one pass for all paths. A trigram index in the database would make imports many times slower, and the
 * extension pg_trgm may be unavailable on a managed server.
 */
import { createTimeSlice, type TimeSlice } from '../platform/scheduling/time-slice.ts';
import type { ListedTarget, Ruleset } from '../resolver/ruleset.ts';
import { collectTrigrams, HASH_BITS, similarityOf, trigramsOf, wordsOf } from './trigrams.ts';

export interface Suggestion {
  newPath: string;
  /** 0 to 1; 1 if both have the same words */
  similarity: number;
}

const MAX_SUGGESTIONS = 3;
/** The default threshold of pg_trgm. */
const MIN_SIMILARITY = 0.3;
/** Number of trigrams by which candidates for a path are found: the rarest ones that targets have. */
const MAX_RARE_TRIGRAMS = 12;
/** A candidate shares at least 1 in 3 of them. */
const RARE_SHARE = 3;
/** Number of rules whose targets determine which trigrams are rare. */
const SAMPLE_SIZE = 2_000;
/** In a large ruleset a trigram of 1 in 4 targets is too common to find candidates by. */
const COMMON_SHARE = 4;
/** After this many comparisons with a path, candidates must share one more rare trigram. */
const COMPARISONS_PER_STEP = 500;

/**
 * Returns up to three targets of literal rules for each path, in the given order, most similar first. A path is never
 * suggested for itself. Yields to the event loop every few milliseconds.
 */
export async function suggestTargets(ruleset: Ruleset, paths: readonly string[]): Promise<Suggestion[][]> {
  if (paths.length === 0 || ruleset.size === 0) return paths.map(() => []);
  const slice = createTimeSlice();
  const searches: Search[] = [];
  for (const path of paths) {
    searches.push(startSearch(path));
    if (slice.isOver()) await slice.yield();
  }
  const index = await indexRareTrigrams(ruleset, searches, slice);
  for (const target of ruleset.targets()) {
    for (const search of candidateSearches(target, index)) {
      compare(search, target);
      if (slice.isOver()) await slice.yield();
    }
    if (slice.isOver()) await slice.yield();
  }
  return searches.map(({ found }) => found);
}

/** Cached paths per ruleset. */
const MAX_CACHED = 5_000;
/** By ruleset: each edit creates a new ruleset, and the cache of the old one becomes garbage. */
const cache = new WeakMap<Ruleset, Map<string, Suggestion[]>>();

/** As `suggestTargets`, with a cache per ruleset. */
export async function suggestTargetsOnce(ruleset: Ruleset, paths: readonly string[]) {
  const cached = cache.get(ruleset);
  const known = !cached || cached.size > MAX_CACHED ? new Map<string, Suggestion[]>() : cached;
  cache.set(ruleset, known);
  const unknown = paths.filter((path) => !known.has(path));
  const suggested = await suggestTargets(ruleset, unknown);
  for (const [i, path] of unknown.entries()) known.set(path, suggested[i] ?? []);
  return new Map(paths.map((path) => [path, known.get(path) ?? []]));
}

type Search = ReturnType<typeof startSearch>;

function startSearch(path: string) {
  const words = wordsOf(path);
  return {
    words,
    trigrams: trigramsOf(words),
    /** number of rare trigrams */
    rareCount: 0,
    /** rare trigrams of the current target; may count one twice */
    shared: 0,
    /** minimum of `shared` for a comparison; grows, so that a path that resembles every target costs little */
    required: 1,
    compared: 0,
    found: [] as Suggestion[],
  };
}

/** Index of the rare trigrams of all paths, by hash. */
interface RareTrigrams {
  /** 1 for each rare trigram of any path */
  wanted: Uint8Array;
  searches: Map<number, Search[]>;
}

async function indexRareTrigrams(ruleset: Ruleset, searches: Search[], slice: TimeSlice): Promise<RareTrigrams> {
  const frequencies = await sampleTrigrams(ruleset, slice);
  const index: RareTrigrams = { wanted: new Uint8Array(2 ** HASH_BITS), searches: new Map() };
  const isSampled = ruleset.size > SAMPLE_SIZE;
  const maxFrequency = isSampled ? SAMPLE_SIZE / COMMON_SHARE : Infinity;
  for (const search of searches) {
    const [rarest, unseen] = rarestOf(search.trigrams, frequencies, maxFrequency);
    search.rareCount = rarest.length;
    search.required = Math.max(1, Math.floor(rarest.length / RARE_SHARE));
    // Targets beyond the sample may have an unseen trigram, but a candidate need not have it.
    for (const hash of isSampled ? [...rarest, ...unseen] : rarest) {
      index.wanted[hash] = 1;
      const others = index.searches.get(hash);
      if (others) others.push(search);
      else index.searches.set(hash, [search]);
    }
    if (slice.isOver()) await slice.yield();
  }
  return index;
}

/**
 * The rarest trigrams below the maximum frequency, at least three at any frequency, and some that no target of the
 * sample has. Words that no target has would otherwise count as the rarest, and a path of such words finds nothing.
 */
function rarestOf(trigrams: Set<number>, frequencies: Map<number, number>, maxFrequency: number): [number[], number[]] {
  const frequency = (hash: number): number => frequencies.get(hash) ?? 0;
  const sorted = [...trigrams].sort((a, b) => frequency(a) - frequency(b));
  const seen = sorted.filter((hash) => frequency(hash) > 0).slice(0, MAX_RARE_TRIGRAMS);
  const rarest = seen.filter((hash, i) => i < RARE_SHARE || frequency(hash) < maxFrequency);
  return [rarest, sorted.filter((hash) => frequency(hash) === 0).slice(0, MAX_RARE_TRIGRAMS)];
}

/** Counts in how many targets of the sample each trigram is. */
async function sampleTrigrams(ruleset: Ruleset, slice: TimeSlice): Promise<Map<number, number>> {
  const frequencies = new Map<number, number>();
  let left = SAMPLE_SIZE;
  for (const { newPath } of ruleset.rules()) {
    for (const hash of trigramsOf(wordsOf(newPath ?? ''))) frequencies.set(hash, (frequencies.get(hash) ?? 0) + 1);
    if (--left === 0) break;
    if (slice.isOver()) await slice.yield();
  }
  return frequencies;
}

const NO_SEARCHES: Search[] = [];

/** The searches whose path shares enough rare trigrams with the target. */
function candidateSearches(target: ListedTarget, { wanted, searches }: RareTrigrams): Search[] {
  const shared: number[] = [];
  if (!collectTrigrams(target.newPath, wanted, shared)) shared.push(...trigramsOf(wordsOf(target.newPath)));
  if (shared.length === 0) return NO_SEARCHES;
  const touched: Search[] = [];
  for (const hash of shared)
    for (const search of searches.get(hash) ?? NO_SEARCHES) if (search.shared++ === 0) touched.push(search);
  const candidates = touched.filter((search) => search.shared >= search.required);
  for (const search of touched) search.shared = 0;
  return candidates;
}

function compare(search: Search, target: ListedTarget): void {
  search.compared++;
  if (search.compared % COMPARISONS_PER_STEP === 0)
    search.required = search.required < search.rareCount ? search.required + 1 : Infinity;
  const words = wordsOf(target.newPath);
  if (search.words !== words) addSuggestion(search, target, similarityOf(search.trigrams, trigramsOf(words)));
}

function addSuggestion({ found }: Search, { newPath, isCurrent }: ListedTarget, similarity: number): void {
  const threshold = found[MAX_SUGGESTIONS - 1]?.similarity ?? MIN_SIMILARITY;
  if (similarity < threshold || found.some((other) => other.newPath === newPath) || !isCurrent()) return;
  found.push({ newPath, similarity });
  found.sort((a, b) => b.similarity - a.similarity || (a.newPath < b.newPath ? -1 : 1));
  found.length = Math.min(found.length, MAX_SUGGESTIONS);
}
