/**
 * The order of precedence: literals with a required query, literals with the same final slash, literals with the other
 * final slash, patterns. Lazy: a rule is looked up when the generator reaches it.
 */
import { readEntry } from './entries.ts';
import { foldPath } from './case-fold.ts';
import { findKey, type Literals, rulesWithFold, rulesWithPair } from './literals.ts';
import { type PatternMatch, patternMatches, type Patterns } from './patterns.ts';
import { canonicalPair, rawParameters } from './query.ts';
import { type MatchOptions, type MatchRequest, parseKey, type Rule } from './rule.ts';

/** A rule that matches the request; `required` are the query pairs that it consumes. */
export type Found =
  { kind: 'query' | 'exact' | 'slash'; rule: Rule; required: string[] } | ({ kind: 'pattern' } & PatternMatch);

/** The literal rules and patterns of a ruleset. */
export interface Rules {
  readonly literals: Literals;
  readonly patterns: Patterns;
}

/** Yields the rules that match the request, in order of precedence. */
export function* inPrecedence(
  { literals, patterns }: Rules,
  request: MatchRequest,
  options: MatchOptions,
): Generator<Found> {
  const parameters = rawParameters(request.query);
  if (literals.withQuery > 0 && parameters.length > 0)
    yield* rulesWithQuery(literals, request.path, parameters, options);
  if (options.query === 'exact' && parameters.length > 0) return;
  for (const rule of samePath(literals, request.path, options)) yield { kind: 'exact', rule, required: [] };
  const twin = options.trailingSlash === 'ignore' ? slashTwin(request.path) : undefined;
  if (twin !== undefined) {
    for (const rule of samePath(literals, twin, options)) yield { kind: 'slash', rule, required: [] };
  }
  if (patterns.byText.size === 0) return;
  for (const match of patternMatches(patterns, request.path, options)) yield { kind: 'pattern', ...match };
}

/** The path with its final slash removed or added; undefined for `/`. */
export function slashTwin(path: string): string | undefined {
  if (path === '/') return undefined;
  return path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
}

/** Literals without a required query: the exact path first, then, if case is ignored, the others in byte order. */
function* samePath(literals: Literals, path: string, { caseSensitive }: MatchOptions): Generator<Rule> {
  const exact = findKey(literals, path);
  if (exact !== 0) yield readEntry(literals.pages, exact);
  if (caseSensitive) return;
  const folded = foldPath(path);
  const others = literals.withCase === 0 ? [] : [...rulesWithFold(literals, folded)];
  if (folded !== path) {
    const lower = findKey(literals, folded);
    if (lower !== 0) others.push(lower);
  }
  const different = others.filter((reference) => reference !== exact);
  yield* different.map((reference) => readEntry(literals.pages, reference)).sort(byKey);
}

const byKey = (one: Rule, other: Rule): number => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0);

type QueryFound = Extract<Found, { rule: Rule; required: string[] }> & { isTwin: boolean; sameCase: boolean };

/** Rules whose required pairs are all present: same slash first, then most pairs, then same case, then byte order. */
function rulesWithQuery(literals: Literals, path: string, parameters: string[], options: MatchOptions) {
  const pairs = new Set(parameters.map(canonicalPair));
  const found = queryRulesAt(literals, path, pairs, options, false);
  const twin = options.trailingSlash === 'ignore' ? slashTwin(path) : undefined;
  if (twin !== undefined) found.push(...queryRulesAt(literals, twin, pairs, options, true));
  return found.sort(
    (one, other) =>
      Number(one.isTwin) - Number(other.isTwin) ||
      other.required.length - one.required.length ||
      Number(other.sameCase) - Number(one.sameCase) ||
      byKey(one.rule, other.rule),
  );
}

function queryRulesAt(
  literals: Literals,
  path: string,
  pairs: ReadonlySet<string>,
  options: MatchOptions,
  isTwin: boolean,
): QueryFound[] {
  const folded = foldPath(path);
  const found: QueryFound[] = [];
  for (const pair of pairs) {
    for (const reference of rulesWithPair(literals, folded, pair)) {
      const rule = readEntry(literals.pages, reference);
      const { path: rulePath, pairs: required } = parseKey(rule.key);
      const sameCase = rulePath === path;
      if (!sameCase && (options.caseSensitive || foldPath(rulePath) !== folded)) continue;
      const whole = options.query !== 'exact' || required.length === pairs.size;
      if (whole && required.every((each) => pairs.has(each)))
        found.push({ kind: 'query', rule, required, isTwin, sameCase });
    }
  }
  return found;
}
