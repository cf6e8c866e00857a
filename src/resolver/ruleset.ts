/**
 * The immutable rules of one website in one environment, ready for matching (picture: README.md). A draft shares what
 * does not change, so that one edit among a million rules takes microseconds.
 */
import { checksumOf, joinSums } from './checksum.ts';
import { readEntry, readKey } from './literals/entries.ts';
import {
  addLiteral,
  bytesOf,
  emptyLiterals,
  findKey,
  forkLiterals,
  literalRules,
  literalTargets,
  removeLiteral,
  wastedBytesOf,
} from './literals/literals.ts';
import { candidateRules, matchRules } from './match-rules.ts';
import {
  addPattern,
  emptyPatterns,
  openPatterns,
  ownedPatterns,
  patternBytes,
  plainRule,
  removePattern,
  sealPatterns,
  type SharedPatterns,
  sharePatterns,
} from './patterns/patterns.ts';
import type { Rules } from './precedence.ts';
import { openLiterals, sealLiterals, type SharedLiterals, shareLiterals } from './literals/share-literals.ts';
import { allocatedBytes } from './literals/shared-memory.ts';
import type { Candidate, ListedTarget, Match, MatchOptions, MatchRequest, Rule } from './rule.ts';

export type { Candidate, ListedTarget, Match, MatchRequest } from './rule.ts';

export interface Ruleset {
  readonly size: number;
  /** memory, including shared and wasted bytes, without compiled patterns */
  readonly bytes: number;
  /** bytes of removed and replaced rules; `compact` frees them */
  readonly wastedBytes: number;
  readonly requiresQueries: boolean;
  /** whether a rule has a window; without one, the time of a request does not matter */
  readonly isScheduled: boolean;
  /** of all rules, whatever their order: equal rulesets have equal ones. Undefined if a file of the rules had none. */
  readonly checksum: string | undefined;
  /**
   * The winning rule and its Location. Takes linear time in the length of the request. Rules that do not exist at the
   * time `at` (milliseconds since 1970) are skipped; without `at`, every rule exists.
   */
  match(request: MatchRequest, options: MatchOptions, at?: number): Match | undefined;
  /** Every rule that matches, in order of precedence, with its outcome. Lazy: thousands of patterns can match. */
  candidates(request: MatchRequest, options: MatchOptions, at?: number): Iterable<Candidate>;
  get(key: string): Rule | undefined;
  /** All rules, in no particular order. Lazy. */
  rules(): Iterable<Rule>;
  /** The rules that are patterns. Lazy. */
  patterns(): Iterable<Rule>;
  /** The targets of literal rules, including removed ones. Four times as fast as `rules`. */
  targets(): Iterable<ListedTarget>;
  /** The key of the rule of a listed target. */
  keyAt(reference: number): string;
  fork(): ReturnType<typeof createDraft>;
  /** Returns what another thread needs to open this ruleset. Copies no literals. */
  share(): SharedRuleset;
  /** Builds the same ruleset without wasted bytes, 500 rules per step. The generator returns the new ruleset. */
  compact(): Generator<void, Ruleset>;
}

/** A ruleset that can be sent to another thread by postMessage. Both threads may use and fork it. */
export interface SharedRuleset {
  literals: SharedLiterals;
  patterns: SharedPatterns;
}

export function emptyRuleset(): Ruleset {
  return createRuleset({ literals: emptyLiterals(), patterns: emptyPatterns() });
}

/** Opens a ruleset that a thread shared. Takes about a millisecond for a million literals. */
export function openRuleset({ literals, patterns }: SharedRuleset): Ruleset {
  return createRuleset({ literals: openLiterals(literals), patterns: openPatterns(patterns) });
}

/** Rules per step of `compact`: about a millisecond. */
const COMPACT_STEP = 500;

function createRuleset(rules: Rules): Ruleset {
  const { literals, patterns } = rules;
  return {
    size: sizeOf(rules),
    requiresQueries: literals.withQuery > 0,
    isScheduled: literals.scheduled > 0 || patterns.scheduled > 0,
    get checksum() {
      return checksumOf(joinSums(literals.sum, patterns.sum));
    },
    get bytes() {
      return bytesOf(literals) + patternBytes(patterns);
    },
    get wastedBytes() {
      return wastedBytesOf(literals);
    },
    match: (request, options, at) => matchRules(rules, request, options, at),
    candidates: (request, options, at) => candidateRules(rules, request, options, at),
    get: (key) => getRule(rules, key),
    rules: () => allRules(rules),
    patterns: () => patternRules(rules),
    targets: () => literalTargets(literals),
    keyAt: (reference) => readKey(literals.pages, reference),
    fork: () => createDraft(rules),
    share: () => ({ literals: shareLiterals(literals), patterns: sharePatterns(patterns) }),
    *compact() {
      const draft = createDraft({ literals: emptyLiterals(), patterns: emptyPatterns() });
      for (const rule of allRules(rules)) {
        draft.add(rule);
        if (draft.size % COMPACT_STEP === 0) yield;
      }
      return draft.seal();
    },
  };
}

const sizeOf = ({ literals, patterns }: Rules): number => literals.size + patterns.byText.size;

function* allRules(rules: Rules): Generator<Rule> {
  yield* literalRules(rules.literals);
  yield* patternRules(rules);
}

function* patternRules({ patterns }: Rules): Generator<Rule> {
  for (const pattern of patterns.byText.values()) yield plainRule(pattern);
}

function getRule({ literals, patterns }: Rules, key: string): Rule | undefined {
  const reference = findKey(literals, key);
  if (reference !== 0) return readEntry(literals.pages, reference);
  const pattern = patterns.byText.get(key);
  return pattern && plainRule(pattern);
}

/**
 * The number of the newest draft of this thread. Data with the number of a draft may be changed by that draft only.
 * Sealed pages, and data from other threads, have the number 0.
 */
let lastOwner = 0;

/** A mutable copy of a ruleset. Each call takes microseconds at any size, because nothing is rehashed as a whole. */
function createDraft(from: Rules) {
  const owner = ++lastOwner;
  const before = allocatedBytes();
  const rules = { literals: forkLiterals(from.literals), patterns: from.patterns };
  const { literals } = rules;
  let isSealed = false;
  const assertOpen = (): void => {
    if (isSealed) throw new Error('the draft is sealed; fork its ruleset instead');
  };
  return {
    get size() {
      return sizeOf(rules);
    },
    /** False if the rule does not exist. */
    remove(key: string): boolean {
      assertOpen();
      if (removeLiteral(literals, owner, key)) return true;
      if (!rules.patterns.byText.has(key)) return false;
      rules.patterns = ownedPatterns(rules.patterns, owner);
      return removePattern(rules.patterns, key);
    },
    add(rule: Rule): void {
      assertOpen();
      const isDuplicate =
        rules.patterns.byText.has(rule.key) ||
        (rule.isRegex ? findKey(literals, rule.key) !== 0 : !addLiteral(literals, owner, rule));
      if (isDuplicate) throw new Error(`a rule with the key ${rule.key} exists`);
      if (!rule.isRegex) return;
      rules.patterns = ownedPatterns(rules.patterns, owner);
      addPattern(rules.patterns, rule);
    },
    get: (key: string) => getRule(rules, key),
    seal(): Ruleset {
      assertOpen();
      isSealed = true;
      sealPatterns(rules.patterns, owner);
      sealLiterals(literals, owner, before);
      return createRuleset(rules);
    },
  };
}
