/**
 * The rules of one website in one environment, ready to answer. A ruleset never changes: a draft made from it can, and shares with it what
 * stays the same, so that one edit among a million rules costs microseconds and the old ruleset goes on answering meanwhile.
 */
import { candidateRules, matchRules } from './match-rules.ts';
import { readEntry } from './entries.ts';
import {
  addLiteral,
  bytesOf,
  emptyLiterals,
  findKey,
  forkLiterals,
  literalRules,
  type Literals,
  literalTargets,
  removeLiteral,
  wastedBytesOf,
} from './literals.ts';
import {
  addPattern,
  emptyPatterns,
  ownedPatterns,
  patternBytes,
  type Patterns,
  removePattern,
} from './patterns.ts';
import type { Candidate, ListedTarget, Match, MatchOptions, MatchRequest, Rule } from './rule.ts';

export type { Candidate, ListedTarget, Match, MatchRequest } from './rule.ts';

export interface Ruleset {
  /** number of rules */
  readonly size: number;
  /** own bytes, those shared with other rulesets and those wasted included; without compiled patterns, which all share */
  readonly bytes: number;
  /** bytes of rules that were removed or replaced; `compact` gives them back */
  readonly wastedBytes: number;
  /** whether any of the rules requires a query */
  readonly requiresQueries: boolean;
  /** The rule that answers and its Location, or undefined where none does. Linear in the request, and never slow. */
  match(request: MatchRequest, options: MatchOptions): Match | undefined;
  /** Every rule that the request meets, in order of precedence, and what became of it. Tries every pattern that could match. */
  candidates(request: MatchRequest, options: MatchOptions): Candidate[];
  /** The rule with this key. */
  get(key: string): Rule | undefined;
  /** All rules, in no order, read as they are asked for. */
  rules(): Iterable<Rule>;
  /** The targets of literal rules, four times as fast as `rules`; among them those of some that were removed. */
  targets(): Iterable<ListedTarget>;
  /** A draft with the same rules, to change. This ruleset stays as it is. */
  fork(): RulesetDraft;
  /** Builds the same ruleset without waste, a few hundred rules at each step; the generator's result is the new ruleset. */
  compact(): Generator<void, Ruleset>;
}

/** Rules on their way to a ruleset. Each call takes microseconds, whatever the size: nothing is ever rehashed as a whole. */
export interface RulesetDraft {
  readonly size: number;
  /** Removes the rule with this key; false where there is none. */
  remove(key: string): boolean;
  /** Adds a rule. Throws where its key is there already. */
  add(rule: Rule): void;
  /** The rule with this key, as the draft has it. */
  get(key: string): Rule | undefined;
  /** The rules as they are now, for ever. The draft is of no more use. */
  seal(): Ruleset;
}

/** A ruleset without rules. */
export function emptyRuleset(): Ruleset {
  return createRuleset(emptyLiterals(), emptyPatterns());
}

/** Rules that are built anew before the caller gets a turn: about a millisecond's work. */
const COMPACT_SLICE = 500;

function createRuleset(literals: Literals, patterns: Patterns): Ruleset {
  return {
    size: literals.size + patterns.byText.size,
    requiresQueries: literals.withQuery > 0,
    get bytes() {
      return bytesOf(literals) + patternBytes(patterns);
    },
    get wastedBytes() {
      return wastedBytesOf(literals);
    },
    match: (request, options) => matchRules(literals, patterns, request, options),
    candidates: (request, options) => candidateRules(literals, patterns, request, options),
    get: (key) => getRule(literals, patterns, key),
    rules: () => allRules(literals, patterns),
    targets: () => literalTargets(literals),
    fork: () => createDraft(literals, patterns),
    *compact() {
      const draft = createDraft(emptyLiterals(), emptyPatterns());
      for (const rule of allRules(literals, patterns)) {
        draft.add(rule);
        if (draft.size % COMPACT_SLICE === 0) yield;
      }
      return draft.seal();
    },
  };
}

function* allRules(literals: Literals, patterns: Patterns): Generator<Rule> {
  yield* literalRules(literals);
  for (const { id, key, isRegex, newPath, statusCode } of patterns.byText.values()) {
    yield { id, key, isRegex, newPath, statusCode };
  }
}

function getRule(literals: Literals, patterns: Patterns, key: string): Rule | undefined {
  const reference = findKey(literals, key);
  const rule = reference === 0 ? patterns.byText.get(key) : readEntry(literals.pages, reference);
  if (!rule) return undefined;
  const { id, isRegex, newPath, statusCode } = rule;
  return { id, key, isRegex, newPath, statusCode };
}

const thereAlready = (key: string): Error => new Error(`a rule with the key ${key} is there already`);

/** The name of the draft that may write to what carries it; 0 is nobody's. */
let lastOwner = 0;

function createDraft(from: Literals, patternsBefore: Patterns): RulesetDraft {
  const owner = ++lastOwner;
  const literals = forkLiterals(from);
  let patterns = patternsBefore;
  let sealed = false;
  const whileOpen = (): void => {
    if (sealed) throw new Error('the draft is sealed; fork the ruleset that it became');
  };
  return {
    get size() {
      return literals.size + patterns.byText.size;
    },
    remove(key) {
      whileOpen();
      if (removeLiteral(literals, owner, key)) return true;
      if (!patterns.byText.has(key)) return false;
      patterns = ownedPatterns(patterns, owner);
      return removePattern(patterns, key);
    },
    add(rule) {
      whileOpen();
      if (patterns.byText.has(rule.key)) throw thereAlready(rule.key);
      if (!rule.isRegex) {
        if (!addLiteral(literals, owner, rule)) throw thereAlready(rule.key);
        return;
      }
      if (findKey(literals, rule.key) !== 0) throw thereAlready(rule.key);
      patterns = ownedPatterns(patterns, owner);
      addPattern(patterns, rule);
    },
    get: (key) => getRule(literals, patterns, key),
    seal() {
      whileOpen();
      sealed = true;
      return createRuleset(literals, patterns);
    },
  };
}
