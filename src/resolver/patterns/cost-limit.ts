/**
 * The work that patterns may cost a request. A unit takes 2 to 5 ns: about the test of one transition of the automaton
 * (automaton/states.ts). All budgets are counts, so that a response never depends on how fast the machine is.
 */
import { type CanonicalToken, type PatternForm, patternTokens } from './pattern-form.ts';
import { createPatternLoad } from './automaton/cost-bound.ts';
import { MAX_PATTERN_PATH_BYTES, programSize, storedPatternForm } from './pattern.ts';
import { transitionsOf } from './pattern-size.ts';
import { patternTree, type PatternTree } from './pattern-tree.ts';

/** Units that the patterns of a website may cost at one character of a path. */
const MAX_UNITS = 325;

/** Units of a request: a ruleset has up to two automata, each with an accepted set of patterns. */
export const MAX_PATH_UNITS = 2 * MAX_UNITS * (MAX_PATTERN_PATH_BYTES + 2);

const LIMITS = { states: 1_000_000, pairs: 2_000_000, pairsPerPattern: 200_000 };
const MAX_TRANSITIONS = 8_000;

const UNITS_PER_INSTRUCTION = 7;

/** Accepts patterns as long as their work is bounded. Independent of the options of the website. */
export function createPatternBudget() {
  const limits = { ...LIMITS, units: MAX_UNITS };
  const load = createPatternLoad(limits);
  return {
    /** False, and nothing changes, if the set would become too expensive with this pattern. Takes about 50 µs. */
    add(text: string): boolean {
      const tokens = patternTokens(text);
      // An invalid pattern, of an earlier version of this service, matches nothing.
      if ('reason' in tokens) return true;
      const tree = automatonTree(tokens);
      if (tree) return load.add(tree);
      const form = storedPatternForm(text);
      const left = limits.units - (form ? individualUnits(form) : 0);
      if (load.units > left) return false;
      limits.units = left;
      return true;
    },
  };
}

/** The tree of a pattern for the automaton. Undefined for a pattern that RE2 matches individually. */
export function automatonTree(tokens: CanonicalToken[]): PatternTree | undefined {
  const tree = patternTree(tokens);
  return tree && transitionsOf(tree, MAX_TRANSITIONS) <= MAX_TRANSITIONS ? tree : undefined;
}

export function individualUnits(form: PatternForm): number {
  return UNITS_PER_INSTRUCTION * programSize(form, false);
}
