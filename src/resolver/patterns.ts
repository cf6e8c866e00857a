/**
 * The patterns of a ruleset, indexed by folded literal prefix: a request takes one lookup per different prefix length,
 * so 10,000 patterns with distinct prefixes cost little more than 100.
 */
import { foldPath } from './case-fold.ts';
import { MAX_PATTERN_PATH_BYTES, mayMatch, matchForm, storedPatternForm } from './pattern.ts';
import type { PatternForm } from './pattern-form.ts';
import type { MatchOptions, Rule } from './rule.ts';
import { type Captures, type TargetPart, targetParts } from './target.ts';

/** A rule with its parsed pattern. `form` is undefined for an invalid pattern, which matches nothing. */
interface PatternRule extends Rule {
  form: PatternForm | undefined;
  /** parsed at the first match */
  target: TargetPart[] | undefined;
}

/** Only the draft with the number `owner` may change it. */
export interface Patterns {
  owner: number;
  byText: Map<string, PatternRule>;
  /** rules by folded prefix, in order of precedence */
  byPrefix: Map<string, PatternRule[]>;
  /** number of prefixes by length */
  lengths: Map<number, number>;
  /** the lengths, longest first */
  order: number[];
}

export function emptyPatterns(): Patterns {
  return { owner: 0, byText: new Map(), byPrefix: new Map(), lengths: new Map(), order: [] };
}

/** Patterns as values that another thread can open. */
export type SharedPatterns = Rule[];

export function sharePatterns(patterns: Patterns): SharedPatterns {
  return Array.from(patterns.byText.values(), ({ id, key, isRegex, newPath, statusCode }) => {
    return { id, key, isRegex, newPath, statusCode };
  });
}

export function openPatterns(shared: SharedPatterns): Patterns {
  const patterns = emptyPatterns();
  for (const rule of shared) addPattern(patterns, rule);
  return patterns;
}

/** Returns an index that the draft may change: a copy, unless the draft owns it. */
export function ownedPatterns(patterns: Patterns, owner: number): Patterns {
  if (patterns.owner === owner) return patterns;
  const { byText, byPrefix, lengths, order } = patterns;
  return { owner, byText: new Map(byText), byPrefix: new Map(byPrefix), lengths: new Map(lengths), order };
}

/** Adds a pattern whose text does not exist. The draft must own `patterns`. */
export function addPattern(patterns: Patterns, rule: Rule): void {
  const added = { ...rule, form: storedPatternForm(rule.key), target: undefined };
  patterns.byText.set(rule.key, added);
  const prefix = prefixOf(added);
  const bucket = patterns.byPrefix.get(prefix) ?? [];
  if (bucket.length === 0) countLength(patterns, prefix.length, 1);
  // Other rulesets may share the bucket, so it is replaced.
  patterns.byPrefix.set(prefix, bucket.toSpliced(indexFor(bucket, added), 0, added));
}

/** Removes a pattern. False if it does not exist. The draft must own `patterns`. */
export function removePattern(patterns: Patterns, text: string): boolean {
  const rule = patterns.byText.get(text);
  if (!rule) return false;
  patterns.byText.delete(text);
  const prefix = prefixOf(rule);
  const rest = (patterns.byPrefix.get(prefix) ?? []).filter((each) => each !== rule);
  if (rest.length > 0) patterns.byPrefix.set(prefix, rest);
  else {
    patterns.byPrefix.delete(prefix);
    countLength(patterns, prefix.length, -1);
  }
  return true;
}

const prefixOf = (rule: PatternRule): string => foldPath(rule.form?.prefix ?? '');

function countLength(patterns: Patterns, length: number, by: 1 | -1): void {
  const count = (patterns.lengths.get(length) ?? 0) + by;
  if (count > 0) patterns.lengths.set(length, count);
  else patterns.lengths.delete(length);
  patterns.order = [...patterns.lengths.keys()].sort((a, b) => b - a);
}

/** Index of a rule in its bucket (binary search): the longest pattern first, then byte order. */
function indexFor(bucket: PatternRule[], rule: PatternRule): number {
  let low = 0;
  let high = bucket.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = bucket[middle];
    if (other && before(other.key, rule.key)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function before(one: string, other: string): boolean {
  if (one.length !== other.length) return one.length > other.length;
  return Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;
}

export interface PatternMatch {
  rule: PatternRule;
  captures: Captures;
}

/** Yields the patterns that match a canonical path, in order of precedence. Lazy. */
export function* patternMatches(
  patterns: Patterns,
  path: string,
  { caseSensitive }: MatchOptions,
): Generator<PatternMatch> {
  if (path.length > MAX_PATTERN_PATH_BYTES) return;
  const folded = foldPath(path);
  for (const length of patterns.order) {
    if (length > folded.length) continue;
    for (const rule of patterns.byPrefix.get(folded.slice(0, length)) ?? []) {
      if (!rule.form || !mayMatch(rule.form, folded)) continue;
      const withGroups = targetOf(rule).some((part) => typeof part !== 'string');
      const captures = matchForm(rule.form, path, caseSensitive, withGroups);
      if (captures) yield { rule, captures };
    }
  }
}

export function targetOf(rule: PatternRule): TargetPart[] {
  return (rule.target ??= targetParts(rule.newPath ?? ''));
}

/** Estimated bytes of the patterns, without compiled programs, which all rulesets share. */
export function patternBytes(patterns: Patterns): number {
  let bytes = 0;
  for (const [text, rule] of patterns.byText) bytes += 600 + 4 * text.length + (rule.newPath?.length ?? 0);
  return bytes;
}
