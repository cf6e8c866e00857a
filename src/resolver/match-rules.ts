import { matchPlainEntry } from './literals/entries.ts';
import { foldPath } from './spelling/case-fold.ts';
import { findKey, type Literals } from './literals/literals.ts';
import { redirectsToItself } from './location.ts';
import { MAX_MATCH_COST, targetOf } from './patterns/patterns.ts';
import { type Found, inPrecedence, type Rules, slashTwin } from './precedence.ts';
import type { Candidate, CandidateMatch, Match, MatchOptions, MatchRequest } from './rule.ts';
import { locationFor, renderParts } from './target.ts';
import { isActive, nextChange } from './window.ts';

/** Returns the rule that wins for the request, with its Location. Without `at`, every rule exists. */
export function matchRules(rules: Rules, request: MatchRequest, options: MatchOptions, at?: number): Match | undefined {
  const { literals, patterns } = rules;
  const hasQuery = request.query !== null && request.query !== '';
  // Fast path of nearly all requests: one lookup. Whatever it cannot decide takes the slow path below.
  if (!hasQuery && (options.caseSensitive || literals.withCase === 0)) {
    const path = options.caseSensitive ? request.path : foldPath(request.path);
    const reference = findKey(literals, path);
    if (reference === 0) {
      if (patterns.byText.size === 0 && !slashMayMatch(literals, path, options)) return undefined;
    } else {
      const match = matchPlainEntry(literals.pages, reference, path, request.path);
      if (match) return match;
    }
  }
  const limit = createCostLimit();
  // A rule of higher precedence may begin to exist.
  let validUntil = Infinity;
  for (const found of inPrecedence(rules, request, options)) {
    const { window } = found.rule;
    if (window && at !== undefined) validUntil = Math.min(validUntil, nextChange(window, at));
    if (!exists(found, at)) continue;
    if (limit.isOver(found)) return undefined;
    const match = matchOf(found, request, options);
    if (!match) continue;
    if (!isSelf(match, request)) return validUntil === Infinity ? match : { ...match, validUntil };
    limit.addSelf(match, request);
  }
  return undefined;
}

function exists({ rule }: Found, at: number | undefined): boolean {
  return at === undefined || !rule.window || isActive(rule.window, at);
}

const isSelf = ({ location }: Match, request: MatchRequest): boolean =>
  location !== null && redirectsToItself(location, request);

/** Characters of the Locations and queries of rules that redirect to the request itself: 5 ms. */
const MAX_SELF_CHARACTERS = 100_000;
const CHARACTERS_PER_RULE = 50;

/**
 * Bounds the work for rules that redirect to the request itself: after those, no further rule is tried if that would
 * exceed a limit. For patterns, that takes several on a path of 2,048 bytes, and more than 40 on a short one. Literals
 * and the query count by their length: more than 1,000 short ones.
 */
function createCostLimit() {
  let cost = 0;
  let characters = 0;
  let before: (() => number) | undefined;
  return {
    isOver(found: Found): boolean {
      if (characters > MAX_SELF_CHARACTERS) return true;
      if (found.kind !== 'pattern') return false;
      const isFirst = before === undefined;
      cost += before?.() ?? 0;
      before = found.cost;
      return !isFirst && cost + found.cost() > MAX_MATCH_COST;
    },
    addSelf({ location }: Match, { query }: MatchRequest): void {
      characters += CHARACTERS_PER_RULE + (location?.length ?? 0) + (query?.length ?? 0);
    },
  };
}

function slashMayMatch(literals: Literals, path: string, options: MatchOptions): boolean {
  const twin = options.trailingSlash === 'ignore' ? slashTwin(path) : undefined;
  if (twin === undefined) return false;
  // On most websites all keys are written the same way, which saves the lookup.
  if (literals.withSlash === (twin.endsWith('/') ? 0 : literals.size)) return false;
  return findKey(literals, twin) !== 0;
}

/** Yields every rule that matches the request, in order of precedence, with its outcome. */
export function* candidateRules(
  rules: Rules,
  request: MatchRequest,
  options: MatchOptions,
  at?: number,
): Generator<Candidate> {
  const limit = createCostLimit();
  let fired = false;
  for (const found of inPrecedence(rules, request, options)) {
    if (!exists(found, at)) continue;
    const read = (): CandidateMatch | undefined => {
      const match = matchOf(found, request, options);
      return match && { ...match, outcome: isSelf(match, request) ? 'self' : 'beaten' };
    };
    if (fired) {
      yield { id: found.rule.id, wins: false, read };
      continue;
    }
    if (limit.isOver(found)) return;
    const match = read();
    if (!match) continue;
    if (match.outcome === 'self') limit.addSelf(match, request);
    fired = match.outcome !== 'self';
    const known: CandidateMatch = fired ? { ...match, outcome: 'fired' } : match;
    yield { id: match.id, wins: fired, read: () => known };
  }
}

/** Undefined if the rule is a pattern that is not valid any more, or whose Location would be too long. */
function matchOf(found: Found, request: MatchRequest, options: MatchOptions): Match | undefined {
  const { id, key, statusCode, isRegex, newPath, window } = found.rule;
  const match: Omit<Match, 'location'> = { id, key, statusCode, isRegex, kind: found.kind };
  if (window) match.window = window;
  if (newPath === null) return { ...match, location: null };
  if (found.kind !== 'pattern')
    return { ...match, location: locationFor(newPath, request.query, options.query, found.required) };
  const captures = found.captures();
  const text = captures && renderParts(targetOf(found.rule), captures);
  return text === undefined ? undefined : { ...match, location: locationFor(text, request.query, options.query, []) };
}
