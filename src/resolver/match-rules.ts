import { matchPlainEntry } from './entries.ts';
import { foldPath } from './case-fold.ts';
import { findKey, type Literals } from './literals.ts';
import { redirectsToItself } from './location.ts';
import { type Patterns, targetOf } from './patterns.ts';
import { type Found, inPrecedence, slashTwin } from './precedence.ts';
import type { Candidate, Match, MatchOptions, MatchRequest } from './rule.ts';
import { locationFor, renderParts } from './target.ts';

/** The rule that answers the request, or undefined where none does. */
export function matchRules(
  literals: Literals,
  patterns: Patterns,
  request: MatchRequest,
  options: MatchOptions,
): Match | undefined {
  const hasQuery = request.query !== null && request.query !== '';
  // The way of nearly all requests; whatever it cannot say for certain goes the long way, which says the same.
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
  for (const found of inPrecedence(literals, patterns, request, options)) {
    const match = answerOf(found, request, options);
    if (match.location === null || !redirectsToItself(match.location, request)) return match;
  }
  return undefined;
}

function slashMayMatch(literals: Literals, path: string, options: MatchOptions): boolean {
  const twin = options.trailingSlash === 'ignore' ? slashTwin(path) : undefined;
  return twin !== undefined && findKey(literals, twin) !== 0;
}

/** Every rule that the request meets, in order of precedence. */
export function candidateRules(
  literals: Literals,
  patterns: Patterns,
  request: MatchRequest,
  options: MatchOptions,
): Candidate[] {
  const candidates: Candidate[] = [];
  let fired = false;
  for (const found of inPrecedence(literals, patterns, request, options)) {
    const match = answerOf(found, request, options);
    const self = match.location !== null && redirectsToItself(match.location, request);
    candidates.push({ ...match, outcome: self ? 'self' : fired ? 'beaten' : 'fired' });
    fired ||= !self;
  }
  return candidates;
}

function answerOf(found: Found, request: MatchRequest, options: MatchOptions): Match {
  const { id, key, statusCode, isRegex, newPath } = found.rule;
  const answer = { id, key, statusCode, isRegex, kind: found.kind };
  if (newPath === null) return { ...answer, location: null };
  const literal = found.kind !== 'pattern';
  const text = literal ? newPath : renderParts(targetOf(found.rule), found.captures);
  return {
    ...answer,
    location: locationFor(text, request.query, options.query, literal ? found.required : []),
  };
}
