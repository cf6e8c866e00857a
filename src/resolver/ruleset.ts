/**
 * The rules of one website in one environment, ready for matching. A ruleset is immutable. A draft of it shares what
 * does not change, so that one edit among a million rules takes microseconds and the old ruleset stays in use.
 * README.md has a picture.
 */
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
import { candidateRules, matchRules } from './match-rules.ts';
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
  /** memory, including shared and wasted bytes, without compiled patterns */
  readonly bytes: number;
  /** bytes of removed and replaced rules; `compact` frees them */
  readonly wastedBytes: number;
  /** true if any rule requires a query */
  readonly requiresQueries: boolean;
  /**
   * The winning rule and its Location; undefined if no rule matches. Takes linear time in the length of the request.
   */
  match(request: MatchRequest, options: MatchOptions): Match | undefined;
  /** Every rule that matches, in order of precedence, with its outcome. Tries every pattern that could match. */
  candidates(request: MatchRequest, options: MatchOptions): Candidate[];
  /** The rule with this key. */
  get(key: string): Rule | undefined;
  /** All rules, in no particular order. Lazy. */
  rules(): Iterable<Rule>;
  /** The targets of literal rules, including removed ones. Four times as fast as `rules`. */
  targets(): Iterable<ListedTarget>;
  /** A draft with the same rules. */
  fork(): RulesetDraft;
  /** Builds the same ruleset without wasted bytes, 500 rules per step. The generator returns the new ruleset. */
  compact(): Generator<void, Ruleset>;
}

/** A mutable copy of a ruleset. Each call takes microseconds at any size, because nothing is rehashed as a whole. */
export interface RulesetDraft {
  readonly size: number;
  /** Removes the rule with this key. False if it does not exist. */
  remove(key: string): boolean;
  /** Adds a rule. Throws if its key exists. */
  add(rule: Rule): void;
  /** The rule with this key in the draft. */
  get(key: string): Rule | undefined;
  /** Returns the ruleset. The draft cannot change any more. */
  seal(): Ruleset;
}

/** A ruleset without rules. */
export function emptyRuleset(): Ruleset {
  return createRuleset(emptyLiterals(), emptyPatterns());
}

/** Rules per step of `compact`: about a millisecond. */
const COMPACT_STEP = 500;

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
        if (draft.size % COMPACT_STEP === 0) yield;
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

const duplicateKey = (key: string): Error => new Error(`a rule with the key ${key} exists`);

/** The number of the newest draft. Data with the number of a draft may be changed by that draft only; 0 is no draft. */
let lastOwner = 0;

function createDraft(from: Literals, initialPatterns: Patterns): RulesetDraft {
  const owner = ++lastOwner;
  const literals = forkLiterals(from);
  let patterns = initialPatterns;
  let isSealed = false;
  const assertOpen = (): void => {
    if (isSealed) throw new Error('the draft is sealed; fork its ruleset instead');
  };
  return {
    get size() {
      return literals.size + patterns.byText.size;
    },
    remove(key) {
      assertOpen();
      if (removeLiteral(literals, owner, key)) return true;
      if (!patterns.byText.has(key)) return false;
      patterns = ownedPatterns(patterns, owner);
      return removePattern(patterns, key);
    },
    add(rule) {
      assertOpen();
      if (patterns.byText.has(rule.key)) throw duplicateKey(rule.key);
      if (!rule.isRegex) {
        if (!addLiteral(literals, owner, rule)) throw duplicateKey(rule.key);
        return;
      }
      if (findKey(literals, rule.key) !== 0) throw duplicateKey(rule.key);
      patterns = ownedPatterns(patterns, owner);
      addPattern(patterns, rule);
    },
    get: (key) => getRule(literals, patterns, key),
    seal() {
      assertOpen();
      isSealed = true;
      return createRuleset(literals, patterns);
    },
  };
}
