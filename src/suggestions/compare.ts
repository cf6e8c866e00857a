/** Compares a page with a candidate, word by word and by the form of their URLs. */
import { type CandidateIndex, IN, PLACE_BITS, PLACES, rarityOf, urlOf } from './candidates.ts';
import { type UrlParts, urlParts } from './page-words.ts';
import type { Query } from './query.ts';
import { squash } from './spelling.ts';
import { trigramSimilarity, trigramsOf } from './trigrams.ts';

/** A candidate with its comparison. */
export interface Compared {
  candidate: number;
  url: string;
  /** key of its name without a number at its end: equal for `news` and `news--2` */
  base: string;
  comparison: Comparison;
}

/** From 0 to 1 each. "Rare share" is the share of the sum of rarities. */
export interface Comparison {
  /** rare share of the words of the page's name that the candidate has in its name or title, or anywhere */
  nameInName: number;
  nameInAny: number;
  /** rare share of the words of the candidate's name that the page has in its name or title, or anywhere */
  nameBack: number;
  anyBack: number;
  /** the URLs end with the same letters and digits, at least as many as both names have: `A.b` and `A/b` too */
  sameName: number;
  /** same letters and digits before that, at most 24 */
  tail: number;
  /** similarity of the trigrams of the names */
  trigrams: number;
  /** rare share of the words of the folders, in both directions */
  folders: number;
  foldersBack: number;
  /** similarity of the titles; with the candidate's name if it has no title */
  title: number;
  sameTitle: number;
  description: number;
  /** the candidate is a folder above the page; directly above it */
  above: number;
  parent: number;
  /** the candidate has the name of a folder of the page; 1 for the nearest folder */
  folderName: number;
  /** sum of rarities of the shared words of the names; 1 if they tell a candidate from all others twice */
  evidence: number;
  /** rarity of the rarest word of the page's name that the candidate lacks, and the other way */
  missing: number;
  extra: number;
  /** both are documents with the same extension; one of them is a document and the other is not */
  sameFile: number;
  otherFile: number;
  /** share of the words with digits that the other page lacks */
  digitsMissing: number;
  digitsExtra: number;
}

const MAX_TAIL = 24;
const NAME = IN.name | IN.title;
const ratio = (part: number, whole: number): number => (whole > 0 ? Math.min(1, part / whole) : 0);

export function compare(index: CandidateIndex, query: Query, candidate: number): Compared {
  const scale = Math.log(index.size + 2);
  const own = sumWords(index, query, candidate);
  const url = urlOf(index, candidate);
  const theirs = urlParts(url);
  const { total } = query;
  const nameLength = Math.max(query.key.length, theirs.key.length);
  const sameEnd = commonSuffix(query.joined, squash(theirs.segments.join('')));
  const sameName = nameLength > 0 && sameEnd >= nameLength;
  const levels = levelsAbove(query.segments, theirs.segments);
  const comparison: Comparison = {
    nameInName: ratio(own.nameInName, total.name),
    nameInAny: ratio(own.nameInAny, total.name),
    nameBack: ratio(own.nameBack, own.name),
    anyBack: ratio(own.anyBack, own.name),
    sameName: sameName ? 1 : 0,
    tail: sameName ? Math.min(1, (sameEnd - nameLength) / MAX_TAIL) : 0,
    trigrams: query.key === '' ? 0 : trigramSimilarity(query.trigrams, trigramsOf(theirs.key)),
    folders: ratio(own.foldersBoth, total.folders),
    foldersBack: ratio(own.foldersBack, own.folders),
    title: ratio(own.titleBoth, Math.sqrt(total.title * (own.title || own.name))),
    sameTitle: total.title > 0 && own.titleBoth >= Math.max(total.title, own.title || Infinity) - 0.001 ? 1 : 0,
    description: ratio(own.descriptionBoth, Math.sqrt(total.description * own.description)),
    above: levels > 0 ? 1 : 0,
    parent: levels === 1 ? 1 : 0,
    folderName: folderNameOf(query, theirs),
    evidence: Math.min(1, own.evidence / (2 * scale)),
    missing: own.missing / scale,
    extra: own.extra / scale,
    sameFile: theirs.extension !== '' && theirs.extension === query.extension ? 1 : 0,
    otherFile: theirs.extension !== query.extension ? 1 : 0,
    digitsMissing: ratio(query.digits - own.digitsBoth, query.digits),
    digitsExtra: ratio(own.digitsExtra, own.digits),
  };
  return { candidate, url, base: squash((theirs.segments.at(-1) ?? '').replace(/[-_ ]+\d{1,2}$/, '')), comparison };
}

/** Sums of rarity over the words of a candidate. */
function sumWords(index: CandidateIndex, query: Query, candidate: number) {
  const sum = {
    ...{ name: 0, folders: 0, title: 0, description: 0, evidence: 0, missing: query.unknown, extra: 0 },
    ...{ nameInName: 0, nameInAny: 0, nameBack: 0, anyBack: 0, foldersBoth: 0, foldersBack: 0, titleBoth: 0 },
    ...{ descriptionBoth: 0, digits: 0, digitsBoth: 0, digitsExtra: 0 },
  };
  const seen = new Set<number>();
  const start = index.wordEnds[candidate - 1] ?? 0;
  const end = index.wordEnds[candidate] ?? 0;
  let hasTitle = false;
  for (let at = start; at < end; at++) hasTitle ||= ((index.words[at] ?? 0) & IN.title) !== 0;
  for (let at = start; at < end; at++) {
    const entry = index.words[at] ?? 0;
    const word = entry >>> PLACE_BITS;
    const places = entry & PLACES;
    if (places === IN.key) continue;
    const known = query.known.get(word);
    const rarity = known?.rarity ?? rarityOf(index, word);
    const inQuery = known?.places ?? 0;
    if (places & IN.title) sum.title += rarity;
    if (places & IN.description) sum.description += rarity;
    if (places & IN.folders) sum.folders += rarity;
    if (places & IN.folders && known) sum.foldersBack += rarity;
    if (places & IN.name) {
      sum.name += rarity;
      if (known) sum.anyBack += rarity;
      else sum.extra = Math.max(sum.extra, rarity);
      if (inQuery & NAME) sum.nameBack += rarity;
      if (places & IN.digits) sum.digits++;
      if (places & IN.digits && !known) sum.digitsExtra++;
    }
    if (!known) continue;
    seen.add(word);
    if (inQuery & IN.name) sum.nameInAny += rarity;
    if (inQuery & IN.name && places & NAME) sum.nameInName += rarity;
    if (inQuery & IN.name && inQuery & IN.digits) sum.digitsBoth++;
    if (inQuery & NAME && places & NAME) sum.evidence += rarity;
    if (inQuery & IN.folders && places & IN.folders) sum.foldersBoth += rarity;
    if (inQuery & IN.title && places & (hasTitle ? IN.title : IN.name)) sum.titleBoth += rarity;
    if (inQuery & IN.description && places & IN.description) sum.descriptionBoth += rarity;
  }
  for (const [word, { places, rarity }] of query.known)
    if (places & IN.name && !seen.has(word)) sum.missing = Math.max(sum.missing, rarity);
  return sum;
}

function commonSuffix(a: string, b: string): number {
  let length = 0;
  while (
    length < a.length &&
    length < b.length &&
    a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length)
  )
    length++;
  return length;
}

/** Number of levels that the candidate is above the page; 0 if it is not above it. */
function levelsAbove(own: string[], theirs: string[]): number {
  const isAbove = theirs.length < own.length && theirs.every((segment, i) => segment === own[i]);
  return isAbove ? own.length - theirs.length : 0;
}

function folderNameOf({ segments }: Query, { key }: UrlParts): number {
  for (let up = 1; up < segments.length && up <= 4; up++)
    if (key !== '' && squash(segments[segments.length - 1 - up] ?? '') === key) return 1 / up;
  return 0;
}
