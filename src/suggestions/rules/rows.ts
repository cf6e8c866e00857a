/** The URLs that rules are measured by, and how they are found by the start of their path. */
import { foldPath } from '../../resolver/spelling/case-fold.ts';
import { splitTarget } from '../../resolver/spelling/canonical-path.ts';
import { MAX_PATTERN_PATH_BYTES } from '../../resolver/patterns/pattern.ts';
import type { MatchOptions } from '../../resolver/rule.ts';
import { canonicalTarget } from './rewrite.ts';

/** A decided row of a move. `url` is canonical, with its query. */
export interface DecidedRow {
  url: string;
  decision: 'redirect' | 'gone' | 'keep' | 'skip';
  /** of a redirect */
  target: string | null;
}

/** The rows of a move and the pages around it. All URLs are canonical paths with their query. */
export interface MoveRows {
  decided: Iterable<DecidedRow>;
  undecided: Iterable<string>;
  /** pages that no rule may answer */
  living: Iterable<string>;
  /** `target` is a Location: a canonical path with the query of the row, or an address */
  isCandidate: (target: string) => boolean;
  website: MatchOptions;
}

/** A URL that a pattern can match. */
export interface Row {
  url: string;
  path: string;
  query: string | null;
  /** the path in the form that patterns are compared with */
  compared: string;
  kind: 'undecided' | 'redirect' | 'gone' | 'keep' | 'skip' | 'living';
  /** of a decided redirect */
  target: string | null;
}

/** Yields all URLs that patterns of the website can match. Others are never answered by a rule. */
export function* matchableRows({ decided, undecided, living, website }: Omit<MoveRows, 'isCandidate'>): Generator<Row> {
  const row = (url: string, kind: Row['kind'], target: string | null = null): Row => {
    const { path, query } = splitTarget(url);
    return { url, path, query, compared: website.caseSensitive ? path : foldPath(path), kind, target };
  };
  const isMatchable = ({ path, query }: Row): boolean =>
    path.length <= MAX_PATTERN_PATH_BYTES && (website.query !== 'exact' || query === null || query === '');
  for (const { url, decision, target } of decided) {
    const each = row(url, decision, target === null ? null : canonicalTarget(target));
    if (isMatchable(each)) yield each;
  }
  for (const url of undecided) if (isMatchable(row(url, 'undecided'))) yield row(url, 'undecided');
  for (const url of living) if (isMatchable(row(url, 'living'))) yield row(url, 'living');
}

/** Finds which of some texts a path begins with, by a binary search. */
export function createStartFinder(texts: Iterable<string>) {
  const sorted = [...new Set(texts)].sort();
  // The longest other text that a text begins with.
  const outer: number[] = [];
  const outward = (at: number, path: string): number => {
    let index = at;
    while (index >= 0 && !path.startsWith(sorted[index] ?? '')) index = outer[index] ?? -1;
    return index;
  };
  for (const [i, text] of sorted.entries()) outer.push(outward(i - 1, text));
  return function* (path: string): Generator<string> {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sorted[middle] ?? '') <= path) low = middle + 1;
      else high = middle;
    }
    for (let index = outward(low - 1, path); index >= 0; index = outer[index] ?? -1) yield sorted[index] ?? '';
  };
}
