/** Finds the candidates that share rare words with a page, and those that its folders name. */
import { type CandidateIndex, findKey, findSpelling, IN, rarityOf } from './candidates.ts';
import type { Query } from './query.ts';
import { pathOf, squash } from './spelling.ts';

/** Candidates that are compared. */
const MAX_FOUND = 28;
/** Candidates that are counted for one page, those of the rarest words first: bounds the cost of a page. */
const MAX_POSTINGS = 8_000;
/** Weight of a word that is only in a folder or description, against one in the name or title. */
const WEAK = 0.3;
const MAX_FOLDERS = 12;
const MAX_NAMED_BY_FOLDER = 4;

interface Scratch {
  /** sum of rarities by candidate, 0 between pages */
  sums: Float32Array;
  touched: Uint32Array;
}

/** Allocated once per index, because clearing it costs more than a page. */
const scratches = new WeakMap<CandidateIndex, Scratch>();

function scratchOf(index: CandidateIndex): Scratch {
  const scratch = scratches.get(index) ?? {
    sums: new Float32Array(index.size),
    touched: new Uint32Array(MAX_POSTINGS),
  };
  scratches.set(index, scratch);
  return scratch;
}

/** Up to 28 candidates with the greatest sums of rarity of shared words, and those that the folders name. */
export function findCandidates(index: CandidateIndex, query: Query): number[] {
  const { sums, touched } = scratchOf(index);
  let touchedCount = 0;
  let left = MAX_POSTINGS;
  const add = (word: number, strong: number, weak: number): void => {
    const start = index.postingEnds[word - 1] ?? 0;
    const end = Math.min(index.postingEnds[word] ?? 0, start + left);
    left -= end - start;
    for (let at = start; at < end; at++) {
      const posting = index.postings[at] ?? 0;
      const before = sums[posting >>> 1] ?? 0;
      if (before === 0) touched[touchedCount++] = posting >>> 1;
      sums[posting >>> 1] = before + ((posting & 1) === 1 ? strong : weak);
    }
  };
  if (query.keyNumber >= 0) add(query.keyNumber, 2 * rarityOf(index, query.keyNumber), 0);
  for (const [word, { places, rarity }] of [...query.known].sort(([, a], [, b]) => b.rarity - a.rarity)) {
    if (left <= 0) break;
    add(word, (places & (IN.name | IN.title)) === 0 ? rarity * WEAK : rarity, rarity * WEAK);
  }
  const candidates = touched.subarray(0, touchedCount);
  const found = new Set(highest(candidates, sums));
  for (const candidate of candidates) sums[candidate] = 0;
  for (const candidate of namedByFolders(index, query)) found.add(candidate);
  const spelled = findSpelling(index, query.url);
  if (spelled >= 0) found.add(spelled);
  return [...found];
}

/** The candidates with the greatest sums, in one pass over a short list. */
function highest(candidates: Uint32Array, sums: Float32Array): number[] {
  const best: number[] = [];
  const sumAt = (i: number): number => sums[best[i] ?? -1] ?? 0;
  let least = 0;
  for (const candidate of candidates) {
    const sum = sums[candidate] ?? 0;
    if (best.length === MAX_FOUND && sum <= least) continue;
    let at = best.length === MAX_FOUND ? MAX_FOUND - 1 : best.length;
    for (; at > 0 && sumAt(at - 1) < sum; at--) best[at] = best[at - 1] ?? 0;
    best[at] = candidate;
    least = sumAt(best.length - 1);
  }
  return best;
}

/** The pages above a page, and pages with the name of one of its folders. */
function* namedByFolders(index: CandidateIndex, query: Query): Generator<number> {
  const path = pathOf(query.url).replace(/\?.*$/s, '').split('/').filter(Boolean).slice(0, MAX_FOLDERS);
  for (let length = path.length - 1; length > 0; length--) {
    const above = findSpelling(index, `/${path.slice(0, length).join('/')}`);
    if (above >= 0) yield above;
  }
  for (const folder of query.segments.slice(0, -1).slice(-MAX_FOLDERS)) {
    const key = findKey(index, squash(folder));
    const start = index.postingEnds[key - 1] ?? 0;
    const end = key < 0 ? 0 : (index.postingEnds[key] ?? 0);
    if (end - start > MAX_NAMED_BY_FOLDER) continue;
    for (let at = start; at < end; at++) yield (index.postings[at] ?? 0) >>> 1;
  }
}
