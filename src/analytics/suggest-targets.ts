/**
 * Targets that a website has already and that look like a path nobody serves: a typing error, a moved page. By the trigrams of their
 * words, in this process over the rules that it holds anyway: an index in the database would make an import many times as dear, and
 * pg_trgm may be refused on a managed server. All paths are looked up in one pass, which costs about 0.4 s on a million rules.
 */
import { setImmediate } from 'node:timers/promises';
import type { ListedTarget, Ruleset } from '../resolver/ruleset.ts';
import { HASH_BITS, meetTrigrams, similarityOf, trigramsOf, wordsOf } from './trigrams.ts';

export interface Suggestion {
  newPath: string;
  /** 0 to 1; 1 where both have the same words */
  similarity: number;
}

export const MOST_SUGGESTIONS = 3;
/** Below this two paths share little more than how paths are made; the default of pg_trgm too. */
const LEAST_SIMILARITY = 0.3;
/** Trigrams by which a path's candidates are found: those that the fewest targets have. What shares none of them is like all others. */
const TELLING = 12;
/** A candidate has one in so many of them. */
const TELLING_SHARE = 3;
/** Rules, picked by their hashes, that tell which trigrams are rare. */
const SAMPLE = 2_000;
/** Targets considered before the event loop gets a turn: about a millisecond's work. */
const SLICE = 2_000;

interface Looked {
  words: string;
  trigrams: Set<number>;
  /** of its telling trigrams, how many the target at hand has; may count one twice */
  met: number;
  needed: number;
  found: Suggestion[];
}

/**
 * For each path, in the order given, up to three targets of the ruleset's literal rules, the most similar first. A path is not suggested
 * to itself. Gives the event loop a turn after each few thousand targets.
 */
export async function suggestTargets(ruleset: Ruleset, paths: readonly string[]): Promise<Suggestion[][]> {
  const looked = paths.map(lookedFor);
  if (paths.length === 0 || ruleset.size === 0) return looked.map(({ found }) => found);
  const telling = tellingTrigrams(ruleset, looked);
  let left = SLICE;
  for (const target of ruleset.targets()) {
    consider(target, telling);
    if (--left > 0) continue;
    left = SLICE;
    await setImmediate();
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
  return { words, trigrams: trigramsOf(words), met: 0, needed: 1, found: [] };
}

/** By which trigrams candidates are found. */
interface Telling {
  wanted: Uint8Array;
  /** by hash, the paths that the trigram tells something about */
  paths: Map<number, Looked[]>;
}

function tellingTrigrams(ruleset: Ruleset, looked: Looked[]): Telling {
  const seen = sampleTrigrams(ruleset);
  const telling: Telling = { wanted: new Uint8Array(2 ** HASH_BITS), paths: new Map() };
  for (const each of looked) {
    const rarest = [...each.trigrams]
      .sort((a, b) => (seen.get(a) ?? 0) - (seen.get(b) ?? 0))
      .slice(0, TELLING);
    each.needed = Math.max(1, Math.floor(rarest.length / TELLING_SHARE));
    for (const hash of rarest) {
      telling.wanted[hash] = 1;
      const paths = telling.paths.get(hash);
      if (paths) paths.push(each);
      else telling.paths.set(hash, [each]);
    }
  }
  return telling;
}

/** In how many targets of the sample each trigram is. */
function sampleTrigrams(ruleset: Ruleset): Map<number, number> {
  const seen = new Map<number, number>();
  let left = SAMPLE;
  for (const { newPath } of ruleset.rules()) {
    for (const hash of trigramsOf(wordsOf(newPath ?? ''))) seen.set(hash, (seen.get(hash) ?? 0) + 1);
    if (--left === 0) break;
  }
  return seen;
}

function consider(target: ListedTarget, { wanted, paths }: Telling): void {
  const met: number[] = [];
  if (!meetTrigrams(target.newPath, wanted, met)) met.push(...trigramsOf(wordsOf(target.newPath)));
  if (met.length === 0) return;
  const touched: Looked[] = [];
  for (const hash of met) for (const each of paths.get(hash) ?? []) if (each.met++ === 0) touched.push(each);
  const near = touched.filter((each) => each.met >= each.needed);
  for (const each of touched) each.met = 0;
  if (near.length === 0) return;
  const words = wordsOf(target.newPath);
  const trigrams = trigramsOf(words);
  for (const each of near)
    if (each.words !== words) keep(each, target, similarityOf(each.trigrams, trigrams));
}

function keep({ found }: Looked, { newPath, stands }: ListedTarget, similarity: number): void {
  const worst = found[MOST_SUGGESTIONS - 1]?.similarity ?? LEAST_SIMILARITY;
  if (similarity < worst || found.some((other) => other.newPath === newPath) || !stands()) return;
  found.push({ newPath, similarity });
  found.sort((a, b) => b.similarity - a.similarity || (a.newPath < b.newPath ? -1 : 1));
  found.length = Math.min(found.length, MOST_SUGGESTIONS);
}
