import { matchPlainEntry } from './entries.ts';
import { foldPath } from './case-fold.ts';
import { findKey, type Literals } from './literals.ts';
import { redirectsToItself } from './location.ts';
import { targetOf } from './patterns.ts';
import { type Found, inPrecedence, type Rules, slashTwin } from './precedence.ts';
import type { Candidate, Match, MatchOptions, MatchRequest } from './rule.ts';
import { locationFor, renderParts } from './target.ts';

/** Returns the rule that wins for the request, with its Location. */
export function matchRules(rules: Rules, request: MatchRequest, options: MatchOptions): Match | undefined {
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
  for (const found of inPrecedence(rules, request, options)) {
    const match = matchOf(found, request, options);
    if (match.location === null || !redirectsToItself(match.location, request)) return match;
  }
  return undefined;
}

function slashMayMatch(literals: Literals, path: string, options: MatchOptions): boolean {
  const twin = options.trailingSlash === 'ignore' ? slashTwin(path) : undefined;
  return twin !== undefined && findKey(literals, twin) !== 0;
}

/** Returns every rule that matches the request, in order of precedence, with its outcome. */
export function candidateRules(rules: Rules, request: MatchRequest, options: MatchOptions): Candidate[] {
  const candidates: Candidate[] = [];
  let fired = false;
  for (const found of inPrecedence(rules, request, options)) {
    const match = matchOf(found, request, options);
    const self = match.location !== null && redirectsToItself(match.location, request);
    candidates.push({ ...match, outcome: self ? 'self' : fired ? 'beaten' : 'fired' });
    fired ||= !self;
  }
  return candidates;
}

function matchOf(found: Found, request: MatchRequest, options: MatchOptions): Match {
  const { id, key, statusCode, isRegex, newPath } = found.rule;
  const match = { id, key, statusCode, isRegex, kind: found.kind };
  if (newPath === null) return { ...match, location: null };
  const literal = found.kind !== 'pattern';
  const text = literal ? newPath : renderParts(targetOf(found.rule), found.captures);
  const required = literal ? found.required : [];
  return { ...match, location: locationFor(text, request.query, options.query, required) };
}
