/**
 * The patterns of a ruleset, found by what a path begins with: a look-up for each length that a literal prefix has. Ten thousand with
 * distinct prefixes cost a request little more than a hundred. Prefixes are kept folded, so that one index serves websites
 * that heed case and those that do not.
 */
import { foldPath } from './case-fold.ts';
import { MAX_PATTERN_PATH_BYTES, mayMatch, matchForm, storedPatternForm } from './pattern.ts';
import type { PatternForm } from './pattern-form.ts';
import type { MatchOptions, Rule } from './rule.ts';
import { type Captures, type TargetPart, targetParts } from './target.ts';

/** A rule with what is known of its pattern; `form` is undefined where the pattern is not one, and matches nothing. */
export interface PatternRule extends Rule {
  form: PatternForm | undefined;
  target: TargetPart[] | undefined;
}

/** Never changed once a ruleset has it, but by the draft named `owner`. */
export interface Patterns {
  owner: number;
  byText: Map<string, PatternRule>;
  /** the rules of each folded prefix, in order of precedence */
  byPrefix: Map<string, PatternRule[]>;
  /** how many prefixes have each length */
  lengths: Map<number, number>;
  /** those lengths, the longest first */
  order: number[];
}

export function emptyPatterns(): Patterns {
  return { owner: 0, byText: new Map(), byPrefix: new Map(), lengths: new Map(), order: [] };
}

/** The index for a draft to change: a copy, unless it is the draft's own already. */
export function ownedPatterns(patterns: Patterns, owner: number): Patterns {
  if (patterns.owner === owner) return patterns;
  const { byText, byPrefix, lengths, order } = patterns;
  return {
    owner,
    byText: new Map(byText),
    byPrefix: new Map(byPrefix),
    lengths: new Map(lengths),
    order: order.slice(),
  };
}

/** Adds a pattern whose text is not there; `patterns` is the draft's own. */
export function addPattern(patterns: Patterns, rule: Rule): void {
  const added = { ...rule, form: storedPatternForm(rule.key), target: undefined };
  patterns.byText.set(rule.key, added);
  const prefix = prefixOf(added);
  const bucket = patterns.byPrefix.get(prefix) ?? [];
  if (bucket.length === 0) countLength(patterns, prefix.length, 1);
  // Other rulesets may have the bucket, so it is replaced rather than changed.
  patterns.byPrefix.set(prefix, bucket.toSpliced(placeFor(bucket, added), 0, added));
}

/** Removes a pattern; false where there is none with this text. `patterns` is the draft's own. */
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

/** Where a rule goes in its bucket, by halving: the longest pattern first, then byte order. */
function placeFor(bucket: PatternRule[], rule: PatternRule): number {
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

/** The patterns that match a canonical path, in order of precedence, each tried when it is asked for. */
export function* patternMatches(
  patterns: Patterns,
  path: string,
  { caseSensitive }: Pick<MatchOptions, 'caseSensitive'>,
): Generator<PatternMatch> {
  if (path.length > MAX_PATTERN_PATH_BYTES) return;
  const folded = foldPath(path);
  for (const length of patterns.order) {
    if (length > folded.length) continue;
    const bucket = patterns.byPrefix.get(folded.slice(0, length));
    if (!bucket) continue;
    for (const rule of bucket) {
      if (!rule.form || !mayMatch(rule.form, folded)) continue;
      const withGroups = targetOf(rule).some((part) => typeof part !== 'string');
      const captures = matchForm(rule.form, path, caseSensitive, withGroups);
      if (captures) yield { rule, captures };
    }
  }
}

/** The target of a rule in pieces, taken apart at the first match. */
export function targetOf(rule: PatternRule): TargetPart[] {
  rule.target ??= targetParts(rule.newPath ?? '');
  return rule.target;
}

/** About the bytes that the patterns take, without those compiled, which all rulesets share. */
export function patternBytes(patterns: Patterns): number {
  let bytes = 0;
  for (const [text, rule] of patterns.byText) bytes += 600 + 4 * text.length + (rule.newPath?.length ?? 0);
  return bytes;
}
