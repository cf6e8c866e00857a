/** Patterns with their automaton. Immutable, and shared between threads. */
import { type Automaton, freeze, openAutomaton } from './automaton/automaton.ts';
import { insertPattern } from './automaton/builder.ts';
import { compareUtf8 } from '../literals/byte-text.ts';
import { createBuilder } from './automaton/states.ts';
import { passOver, type WorkBudget } from './automaton/pass.ts';
import { automatonTree, individualUnits } from './cost-limit.ts';
import { foldedPrefix, type PatternForm, patternTokens } from './pattern-form.ts';
import type { RulesetMemory } from '../literals/shared-memory.ts';
import { mayMatch, matchForm, storedPatternForm } from './pattern.ts';

export interface PatternLayer {
  /** in order of precedence; without patterns that are invalid, which match nothing */
  texts: readonly string[];
  prefixLengths: Uint16Array;
  has(text: string): boolean;
  automaton: Automaton;
  individual: readonly Individual[];
}

/** A pattern that the automaton cannot express. RE2 matches it. */
interface Individual {
  index: number;
  units: number;
  form: PatternForm;
}

export type SharedLayer = Pick<PatternLayer, 'texts' | 'prefixLengths' | 'individual'> & { buffer: RulesetMemory };

export function createLayerBuilder() {
  const known = new Set<string>();
  const added: { text: string; prefixLength: number; isIndividual: boolean }[] = [];
  const builder = createBuilder();
  return {
    get size() {
      return known.size;
    },
    has: (text: string) => known.has(text),
    /** Takes about 30 µs. */
    add(text: string): void {
      known.add(text);
      const tokens = patternTokens(text);
      if ('reason' in tokens) return;
      const tree = automatonTree(tokens);
      if (tree) insertPattern(builder, tree, added.length);
      added.push({ text, prefixLength: foldedPrefix(tokens).length, isIndividual: !tree });
    },
    /** Takes about a millisecond for 500 patterns. */
    build(): PatternLayer {
      const order = added.map((_, index) => index).sort((a, b) => comparePrecedence(added[a], added[b]));
      const sorted = order.flatMap((index) => added[index] ?? []);
      const numberOf = new Uint32Array(order.length);
      for (const [number, index] of order.entries()) numberOf[index] = number;
      return {
        texts: sorted.map(({ text }) => text),
        prefixLengths: Uint16Array.from(sorted, ({ prefixLength }) => prefixLength),
        has: (text) => known.has(text),
        automaton: freeze(builder, numberOf),
        individual: sorted.flatMap(({ text, isIndividual }, index) => (isIndividual ? individualOf(text, index) : [])),
      };
    },
  };
}

function individualOf(text: string, index: number): Individual[] {
  const form = storedPatternForm(text);
  return form ? [{ index, units: individualUnits(form), form }] : [];
}

export function shareLayer({ automaton, texts, prefixLengths, individual }: PatternLayer): SharedLayer {
  return { texts, prefixLengths, individual, buffer: automaton.buffer };
}

export function openLayer({ buffer, ...layer }: SharedLayer): PatternLayer {
  const known = new Set(layer.texts);
  return { ...layer, has: (text) => known.has(text), automaton: openAutomaton(buffer) };
}

/** The patterns that match a canonical path, as ascending indexes. Incomplete if the budget becomes negative. */
export function matchLayer(
  layer: PatternLayer,
  request: { path: string; folded: string; caseSensitive: boolean },
  budget: WorkBudget,
): number[] {
  const { path, folded, caseSensitive } = request;
  const matched = passOver(layer.automaton, path, caseSensitive, budget);
  for (const { index, units, form } of layer.individual) {
    if (!mayMatch(form, folded)) continue;
    budget.units -= units * path.length;
    if (budget.units < 0) break;
    if (matchForm(form, path, caseSensitive, false)) matched.add(index);
  }
  return [...matched].sort((a, b) => a - b);
}

type Ranked = { text: string; prefixLength: number } | undefined;

/** The order of precedence: the longest folded literal prefix first, then the longest pattern, then byte order. */
export function comparePrecedence(one: Ranked, other: Ranked): number {
  if (!one || !other) return 0;
  if (one.prefixLength !== other.prefixLength) return other.prefixLength - one.prefixLength;
  if (one.text.length !== other.text.length) return other.text.length - one.text.length;
  return compareUtf8(one.text, other.text);
}
