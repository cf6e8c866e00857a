/**
 * Targets that a website has already and that look like a path nobody serves: a typing error, a moved page. By the trigrams of their
 * words, in this process over the rules that it holds anyway: an index in the database would make an import many times as dear, and
 * pg_trgm may be refused on a managed server. All paths are looked up in one pass, which costs about 0.4 s on a million rules.
 */
import { createTimeSlice, type TimeSlice } from '../platform/time-slice.ts';
import type { ListedTarget, Ruleset } from '../resolver/ruleset.ts';
import { HASH_BITS, meetTrigrams, similarityOf, trigramsOf, wordsOf } from './trigrams.ts';

export interface Suggestion {
  newPath: string;
  /** 0 to 1; 1 where both have the same words */
  similarity: number;
}

export const MAX_SUGGESTIONS = 3;
/** Below this two paths share little more than how paths are made; the default of pg_trgm too. */
const MIN_SIMILARITY = 0.3;
/** Trigrams by which a path's candidates are found: those that the fewest targets have. What shares none of them is like all others. */
const TELLING = 12;
/** A candidate has one in so many of them. */
const TELLING_SHARE = 3;
/** Rules, picked by their hashes, that tell which trigrams are rare. */
const SAMPLE = 2_000;
/** A trigram that one target in so many has tells nothing, where there are many targets. */
const COMMON_SHARE = 4;
/** Targets that are compared with a path before a candidate must share one more of the telling trigrams. */
const PATIENCE = 500;

interface Looked {
  words: string;
  trigrams: Set<number>;
  /** of its telling trigrams, how many the target at hand has; may count one twice */
  met: number;
  /** how many it must have to be compared; more after each few hundred that were, so that a path like every target costs little */
  needed: number;
  telling: number;
  compared: number;
  found: Suggestion[];
}

/**
 * For each path, in the order given, up to three targets of the ruleset's literal rules, the most similar first. A path is not suggested
 * to itself. Gives the event loop a turn every few milliseconds.
 */
export async function suggestTargets(ruleset: Ruleset, paths: readonly string[]): Promise<Suggestion[][]> {
  if (paths.length === 0 || ruleset.size === 0) return paths.map(() => []);
  const slice = createTimeSlice();
  const looked: Looked[] = [];
  for (const path of paths) {
    looked.push(lookedFor(path));
    if (slice.isOver()) await slice.yield();
  }
  const telling = await tellingTrigrams(ruleset, looked, slice);
  for (const target of ruleset.targets()) {
    for (const each of consider(target, telling)) {
      compare(each, target);
      if (slice.isOver()) await slice.yield();
    }
    if (slice.isOver()) await slice.yield();
  }
  return looked.map(({ found }) => found);
}

/** Paths of one ruleset whose suggestions are kept. */
const KEPT = 5_000;
/** By the ruleset, since nothing else decides: an edit makes a new one, and what was found goes with the old. */
const kept = new WeakMap<Ruleset, Map<string, Suggestion[]>>();

/** The same; paths that were looked up before in the same ruleset are not looked up again. */
export async function suggestTargetsOnce(
  ruleset: Ruleset,
  paths: readonly string[],
): Promise<Map<string, Suggestion[]>> {
  let known = kept.get(ruleset);
  if (!known || known.size > KEPT) kept.set(ruleset, (known = new Map()));
  const found = new Map<string, Suggestion[]>();
  const unknown: string[] = [];
  for (const path of paths) {
    const before = known.get(path);
    if (before) found.set(path, before);
    else unknown.push(path);
  }
  const suggested = await suggestTargets(ruleset, unknown);
  for (const [i, path] of unknown.entries()) {
    const suggestions = suggested[i] ?? [];
    known.set(path, suggestions);
    found.set(path, suggestions);
  }
  return found;
}

function lookedFor(path: string): Looked {
  const words = wordsOf(path);
  return { words, trigrams: trigramsOf(words), met: 0, needed: 1, telling: 0, compared: 0, found: [] };
}

/** By which trigrams candidates are found. */
interface Telling {
  wanted: Uint8Array;
  /** by hash, the paths that the trigram tells something about */
  paths: Map<number, Looked[]>;
}

async function tellingTrigrams(ruleset: Ruleset, looked: Looked[], slice: TimeSlice): Promise<Telling> {
  const seen = await sampleTrigrams(ruleset, slice);
  const telling: Telling = { wanted: new Uint8Array(2 ** HASH_BITS), paths: new Map() };
  const common = ruleset.size > SAMPLE ? SAMPLE / COMMON_SHARE : Infinity;
  for (const each of looked) {
    const rarest = rarestOf(each.trigrams, seen, common);
    each.telling = rarest.length;
    each.needed = Math.max(1, Math.floor(rarest.length / TELLING_SHARE));
    for (const hash of rarest) {
      telling.wanted[hash] = 1;
      const paths = telling.paths.get(hash);
      if (paths) paths.push(each);
      else telling.paths.set(hash, [each]);
    }
    if (slice.isOver()) await slice.yield();
  }
  return telling;
}

/** A few at least, however common they are. */
function rarestOf(trigrams: Set<number>, seen: Map<number, number>, common: number): number[] {
  const times = (hash: number): number => seen.get(hash) ?? 0;
  const rarest = [...trigrams].sort((a, b) => times(a) - times(b)).slice(0, TELLING);
  return rarest.filter((hash, i) => i < TELLING_SHARE || times(hash) < common);
}

/** In how many targets of the sample each trigram is. */
async function sampleTrigrams(ruleset: Ruleset, slice: TimeSlice): Promise<Map<number, number>> {
  const seen = new Map<number, number>();
  let left = SAMPLE;
  for (const { newPath } of ruleset.rules()) {
    for (const hash of trigramsOf(wordsOf(newPath ?? ''))) seen.set(hash, (seen.get(hash) ?? 0) + 1);
    if (--left === 0) break;
    if (slice.isOver()) await slice.yield();
  }
  return seen;
}

const NONE: Looked[] = [];

/** The paths that the target may be like. */
function consider(target: ListedTarget, { wanted, paths }: Telling): Looked[] {
  const met: number[] = [];
  if (!meetTrigrams(target.newPath, wanted, met)) met.push(...trigramsOf(wordsOf(target.newPath)));
  if (met.length === 0) return NONE;
  const touched: Looked[] = [];
  for (const hash of met)
    for (const each of paths.get(hash) ?? NONE) if (each.met++ === 0) touched.push(each);
  const near = touched.filter((each) => each.met >= each.needed);
  for (const each of touched) each.met = 0;
  return near;
}

function compare(each: Looked, target: ListedTarget): void {
  each.compared++;
  if (each.compared % PATIENCE === 0) each.needed = each.needed < each.telling ? each.needed + 1 : Infinity;
  const words = wordsOf(target.newPath);
  if (each.words !== words) keep(each, target, similarityOf(each.trigrams, trigramsOf(words)));
}

function keep({ found }: Looked, { newPath, isCurrent }: ListedTarget, similarity: number): void {
  const worst = found[MAX_SUGGESTIONS - 1]?.similarity ?? MIN_SIMILARITY;
  if (similarity < worst || found.some((other) => other.newPath === newPath) || !isCurrent()) return;
  found.push({ newPath, similarity });
  found.sort((a, b) => b.similarity - a.similarity || (a.newPath < b.newPath ? -1 : 1));
  found.length = Math.min(found.length, MAX_SUGGESTIONS);
}
