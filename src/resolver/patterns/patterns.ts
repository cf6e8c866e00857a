/**
 * The patterns of a ruleset. Their automata are built when a draft is sealed and depend on the texts of the patterns
 * only, so that other edits share them.
 */
import { foldPath } from '../spelling/case-fold.ts';
import { addToSum, EMPTY_SUM, removeFromSum } from '../checksum.ts';
import { MAX_PATTERN_PATH_BYTES, matchForm, programSize, storedPatternForm } from './pattern.ts';
import { MAX_PATH_UNITS } from './cost-limit.ts';
import type { PatternForm } from './pattern-form.ts';
import {
  comparePrecedence,
  createLayerBuilder,
  matchLayer,
  openLayer,
  type PatternLayer,
  type SharedLayer,
  shareLayer,
} from './pattern-layer.ts';
import type { MatchOptions, Rule } from '../rule.ts';
import { type Captures, type TargetPart, targetParts } from '../target.ts';

interface PatternRule extends Rule {
  form?: PatternForm | undefined;
  target?: TargetPart[];
}

export type Patterns = ReturnType<typeof emptyPatterns>;

/** Patterns of the small layer. With more, or if half of the large layer is removed, one new layer gets all. */
const MAX_ADDED = 64;

export function emptyPatterns() {
  return {
    /** the number of the only draft that may change it */
    owner: 0,
    byText: new Map<string, PatternRule>(),
    scheduled: 0,
    /** of the patterns, see resolver/checksum.ts */
    sum: EMPTY_SUM,
    /**
     * The automata: a large one, and a small one of patterns that were added later, so that one edit among 10,000
     * patterns takes milliseconds. A layer may have patterns that were removed since, and never one of the other.
     */
    layers: [] as PatternLayer[],
    /** the next small layer, of the draft that owns this */
    pending: undefined as ReturnType<typeof createLayerBuilder> | undefined,
  };
}

export interface SharedPatterns {
  rules: Rule[];
  layers: SharedLayer[];
}

export function sharePatterns({ byText, layers }: Patterns): SharedPatterns {
  const rules = Array.from(byText.values(), plainRule);
  return { rules, layers: layers.map(shareLayer) };
}

/** Returns the rule without what its first match parsed. */
export function plainRule({ id, key, isRegex, newPath, statusCode, window }: Rule): Rule {
  return { id, key, isRegex, newPath, statusCode, ...(window && { window }) };
}

export function openPatterns({ rules, layers }: SharedPatterns): Patterns {
  const byText = new Map(rules.map((rule) => [rule.key, { ...rule }]));
  const scheduled = rules.reduce((count, { window }) => count + (window ? 1 : 0), 0);
  const sum = rules.reduce(addToSum, EMPTY_SUM);
  return { owner: 0, byText, scheduled, sum, layers: layers.map(openLayer), pending: undefined };
}

/** Returns patterns that the draft may change: a copy, unless the draft owns it. */
export function ownedPatterns(patterns: Patterns, owner: number): Patterns {
  if (patterns.owner === owner) return patterns;
  return { ...patterns, owner, byText: new Map(patterns.byText), pending: undefined };
}

/** Adds a pattern whose text does not exist. The draft must own `patterns`. */
export function addPattern(patterns: Patterns, rule: Rule): void {
  patterns.byText.set(rule.key, { ...rule });
  if (rule.window) patterns.scheduled++;
  patterns.sum = addToSum(patterns.sum, rule);
  if (patterns.layers.some((layer) => layer.has(rule.key))) return;
  patterns.pending ??= createLayerBuilder();
  if (!patterns.pending.has(rule.key)) patterns.pending.add(rule.key);
}

/** Removes a pattern. False if it does not exist. The draft must own `patterns`. */
export function removePattern(patterns: Patterns, text: string): boolean {
  const rule = patterns.byText.get(text);
  if (!rule) return false;
  if (rule.window) patterns.scheduled--;
  patterns.sum = removeFromSum(patterns.sum, rule);
  return patterns.byText.delete(text);
}

/** Builds the automata of what was added. The draft must own `patterns`, which do not change any more. */
export function sealPatterns(patterns: Patterns, owner: number): void {
  if (patterns.owner !== owner) return;
  const { byText, pending } = patterns;
  const [large, small] = patterns.layers;
  patterns.pending = undefined;
  patterns.owner = 0;
  const kept = large?.texts.filter((text) => byText.has(text)) ?? [];
  const added = pending ?? createLayerBuilder();
  const earlier = small?.texts.filter((text) => byText.has(text)) ?? [];
  const isLarge = !large || added.size + earlier.length > MAX_ADDED || 2 * kept.length < large.texts.length;
  if (!isLarge && !pending) return;
  for (const text of isLarge ? [...kept, ...earlier] : earlier) added.add(text);
  patterns.layers = isLarge ? [added.build()] : [large, added.build()];
}

export interface PatternMatch {
  rule: PatternRule;
  /** work of `captures` and of rendering, in instructions of RE2 */
  cost: () => number;
  /** Undefined if the rule is no valid pattern. */
  captures: () => Captures | undefined;
}

/** Instructions times bytes of the most expensive pattern on the longest path: 5 ms of RE2. */
export const MAX_MATCH_COST = 120 * MAX_PATTERN_PATH_BYTES;
/** Rendering, and compiling. The cache of programs saves that sometimes, but a response must not depend on it. */
const RENDER_COST = 250;
const COMPILE_COST = 5_000;

/** Yields the patterns that match a canonical path, in order of precedence. One pass finds them all. */
export function* patternMatches(
  patterns: Patterns,
  path: string,
  { caseSensitive }: MatchOptions,
): Generator<PatternMatch> {
  if (path.length > MAX_PATTERN_PATH_BYTES) return;
  const request = { path, folded: foldPath(path), caseSensitive };
  const budget = { units: MAX_PATH_UNITS };
  const found = patterns.layers.map((layer) => ({ layer, next: 0, indexes: matchLayer(layer, request, budget) }));
  // Accepted patterns never cost that much. Others, of earlier versions of this service, do not match such a path.
  if (budget.units < 0) return;
  for (;;) {
    const left = found.filter(({ next, indexes }) => next < indexes.length);
    const [first] = left.sort((a, b) => comparePrecedence(top(a), top(b)));
    if (!first) return;
    const rule = patterns.byText.get(top(first).text);
    first.next++;
    // Without a rule, the pattern was removed after its layer was built.
    if (rule)
      yield {
        rule,
        cost: () => costOf(rule, path, caseSensitive),
        captures: () => capturesOf(rule, path, caseSensitive),
      };
  }
}

/** The first pattern of a layer's matches that is left. */
function top({ layer, next, indexes }: { layer: PatternLayer; next: number; indexes: number[] }) {
  const index = indexes[next] ?? 0;
  return { text: layer.texts[index] ?? '', prefixLength: layer.prefixLengths[index] ?? 0 };
}

const hasGroups = (rule: PatternRule): boolean => targetOf(rule).some((part) => typeof part !== 'string');

function costOf(rule: PatternRule, path: string, caseSensitive: boolean): number {
  if (!hasGroups(rule)) return RENDER_COST;
  const form = formOf(rule);
  return RENDER_COST + COMPILE_COST + (form ? programSize(form, caseSensitive) * path.length : 0);
}

function capturesOf(rule: PatternRule, path: string, caseSensitive: boolean): Captures | undefined {
  if (!hasGroups(rule)) return { values: [path], names: {} };
  const form = formOf(rule);
  return form && matchForm(form, path, caseSensitive, true);
}

const formOf = (rule: PatternRule): PatternForm | undefined => (rule.form ??= storedPatternForm(rule.key));

export function targetOf(rule: PatternRule): TargetPart[] {
  return (rule.target ??= targetParts(rule.newPath ?? ''));
}

/** Estimated bytes of the patterns, without compiled programs, which all rulesets share. */
export function patternBytes({ byText, layers }: Patterns): number {
  let bytes = layers.reduce((sum, { automaton }) => sum + automaton.buffer.byteLength, 0);
  for (const [text, rule] of byText) bytes += 300 + 2 * text.length + (rule.newPath?.length ?? 0);
  return bytes;
}
