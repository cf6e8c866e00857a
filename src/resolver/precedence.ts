/**
 * The order of precedence: literals with a required query, literals with the same final slash, literals with the other
 * final slash, patterns. Lazy: a rule is looked up when the generator reaches it.
 */
import { readEntry } from './literals/entries.ts';
import { foldPath } from './spelling/case-fold.ts';
import {
  type ChainBudget,
  type Chained,
  findKey,
  type Literals,
  MAX_CHAIN_CHARACTERS,
  rulesWithFold,
  rulesWithPair,
} from './literals/literals.ts';
import { type PatternMatch, patternMatches, type Patterns } from './patterns/patterns.ts';
import { canonicalPair, rawParameters } from './spelling/query.ts';
import { type MatchOptions, type MatchRequest, parseKey, type Rule } from './rule.ts';

/** A rule that matches the request; `required` are the query pairs that it consumes. */
export type Found =
  { kind: 'query' | 'exact' | 'slash'; rule: Rule; required: string[] } | ({ kind: 'pattern' } & PatternMatch);

/** The literal rules and patterns of a ruleset. */
export interface Rules {
  readonly literals: Literals;
  readonly patterns: Patterns;
}

export function* inPrecedence(
  { literals, patterns }: Rules,
  request: MatchRequest,
  options: MatchOptions,
): Generator<Found> {
  const parameters = rawParameters(request.query);
  const budget = { characters: MAX_CHAIN_CHARACTERS };
  if (literals.withQuery > 0 && parameters.length > 0)
    yield* rulesWithQuery(literals, { path: request.path, parameters, budget }, options);
  if (options.query === 'exact' && parameters.length > 0) return;
  for (const rule of samePath(literals, request.path, options, budget)) yield { kind: 'exact', rule, required: [] };
  const twin = options.trailingSlash === 'ignore' ? slashTwin(request.path) : undefined;
  if (twin !== undefined) {
    for (const rule of samePath(literals, twin, options, budget)) yield { kind: 'slash', rule, required: [] };
  }
  if (patterns.byText.size === 0) return;
  for (const match of patternMatches(patterns, request.path, options)) yield { kind: 'pattern', ...match };
}

/** The path with its final slash removed or added; undefined for `/`. */
export function slashTwin(path: string): string | undefined {
  if (path === '/') return undefined;
  return path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
}

/**
 * Literals without a required query: the exact path first, then, if case is ignored, the others in byte order. Without
 * the others if they exceed the budget.
 */
function* samePath(
  literals: Literals,
  path: string,
  { caseSensitive }: MatchOptions,
  budget: ChainBudget,
): Generator<Rule> {
  const exact = findKey(literals, path);
  if (exact !== 0) yield readEntry(literals.pages, exact);
  if (caseSensitive) return;
  const folded = foldPath(path);
  const others = literals.withCase === 0 ? [] : [...rulesWithFold(literals, folded, budget)];
  if (budget.characters < 0) others.length = 0;
  if (folded !== path) {
    const lower = findKey(literals, folded);
    if (lower !== 0) others.push({ reference: lower, key: folded });
  }
  const different = others.filter(({ reference }) => reference !== exact);
  for (const { reference } of different.sort(byKey)) yield readEntry(literals.pages, reference);
}

const byKey = (one: Chained, other: Chained): number => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0);

interface QueryFound extends Chained {
  required: string[];
  isTwin: boolean;
  sameCase: boolean;
}

/** Above it, the sets of required pairs that a request may match, 255, are too many to look up. */
const MAX_LOOKUP_PAIRS = 8;

/**
 * Rules whose required pairs are all present: same slash first, then most pairs, then same case, then byte order. If
 * the chains exceed the budget, each set of the request's pairs is looked up instead, in the request's case; none if
 * the request has too many pairs for that.
 */
function* rulesWithQuery(
  literals: Literals,
  { path, parameters, budget }: { path: string; parameters: string[]; budget: ChainBudget },
  options: MatchOptions,
): Generator<Found> {
  const pairs = new Set(parameters.map(canonicalPair));
  const twin = options.trailingSlash === 'ignore' ? slashTwin(path) : undefined;
  const paths = twin === undefined ? [path] : [path, twin];
  let found = paths.flatMap((each) => [
    ...queryRulesAt(literals, each, { pairs, budget, isTwin: each === twin }, options),
  ]);
  if (budget.characters < 0) {
    if (pairs.size > MAX_LOOKUP_PAIRS) return;
    found = paths.flatMap((each) => [...lookUpQueryRules(literals, each, { pairs, isTwin: each === twin }, options)]);
  }
  found.sort(
    (one, other) =>
      Number(one.isTwin) - Number(other.isTwin) ||
      other.required.length - one.required.length ||
      Number(other.sameCase) - Number(one.sameCase) ||
      byKey(one, other),
  );
  for (const { reference, required } of found)
    yield { kind: 'query', rule: readEntry(literals.pages, reference), required };
}

function* queryRulesAt(
  literals: Literals,
  path: string,
  { pairs, budget, isTwin }: { pairs: ReadonlySet<string>; budget: ChainBudget; isTwin: boolean },
  options: MatchOptions,
): Generator<QueryFound> {
  const folded = foldPath(path);
  for (const pair of pairs) {
    for (const chained of rulesWithPair(literals, folded, pair, budget)) {
      const { path: rulePath, pairs: required } = parseKey(chained.key);
      const sameCase = rulePath === path;
      if (!sameCase && (options.caseSensitive || foldPath(rulePath) !== folded)) continue;
      const whole = options.query !== 'exact' || required.length === pairs.size;
      if (whole && required.every((each) => pairs.has(each))) yield { ...chained, required, isTwin, sameCase };
    }
    if (budget.characters < 0) return;
  }
}

/** Yields the rules of exactly this path whose required pairs are a subset of `pairs`, found by their keys. */
function* lookUpQueryRules(
  literals: Literals,
  path: string,
  { pairs, isTwin }: { pairs: ReadonlySet<string>; isTwin: boolean },
  options: MatchOptions,
): Generator<QueryFound> {
  const sorted = [...pairs].sort();
  const all = 2 ** sorted.length - 1;
  for (let subset = options.query === 'exact' ? all : 1; subset <= all; subset++) {
    const required = sorted.filter((_, i) => (subset >> i) & 1);
    const key = `${path}?${required.join('&')}`;
    const reference = findKey(literals, key);
    if (reference !== 0) yield { reference, key, required, isTwin, sameCase: true };
  }
}
