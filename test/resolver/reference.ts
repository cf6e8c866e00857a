/**
 * A second, simple implementation of matching: compares the request with every rule and sorts the matches. Independent
 * of tables, hashes, folds and indexes. For ASCII paths without escapes, simple queries and simple patterns.
 */
import type { MatchOptions, MatchRequest, Rule } from '../../src/resolver/rule.ts';

/** The supported patterns, with their literal prefixes determined by hand. */
export const PREFIXES: Record<string, string> = {
  '/(.*)': '/',
  '/a(.*)': '/a',
  '/A(.*)': '/A',
  '/a/(.*)': '/a/',
  '/a/([a-z]*)': '/a/',
  '/(a|b)': '/',
  '/a/b|/b': '/',
  '/ab(a|b)?/?': '/ab',
};

interface Met {
  rule: Rule;
  location: string | null;
  rank: (number | string)[];
}

export function referenceMatch(
  rules: Rule[],
  request: MatchRequest,
  options: MatchOptions,
): { id: number; location: string | null } | undefined {
  const met = rules.map((rule) => meet(rule, request, options)).filter((each) => each !== undefined);
  const asked = request.query === null || request.query === '' ? request.path : `${request.path}?${request.query}`;
  const first = met.sort((a, b) => compare(a.rank, b.rank)).find(({ location }) => location !== asked);
  return first && { id: first.rule.id, location: first.location };
}

function compare(one: (number | string)[], other: (number | string)[]): number {
  for (const [i, mine] of one.entries()) {
    const theirs = other[i] ?? 0;
    if (mine !== theirs) return mine < theirs ? -1 : 1;
  }
  return 0;
}

function meet(rule: Rule, request: MatchRequest, options: MatchOptions): Met | undefined {
  const parameters = (request.query ?? '').split('&').filter(Boolean);
  return rule.isRegex
    ? meetPattern(rule, request, options, parameters)
    : meetLiteral(rule, request, options, parameters);
}

function meetPattern(rule: Rule, request: MatchRequest, options: MatchOptions, parameters: string[]): Met | undefined {
  if (options.query === 'exact' && parameters.length > 0) return undefined;
  const found = new RegExp(`^(?:${rule.key})$`, options.caseSensitive ? '' : 'i').exec(request.path);
  if (!found) return undefined;
  const prefix = PREFIXES[rule.key] ?? '';
  const target = rule.newPath?.replace('$1', () => found[1] ?? '') ?? null;
  return {
    rule,
    location: locate(target, parameters, options),
    rank: [4, -prefix.length, -rule.key.length, rule.key],
  };
}

function meetLiteral(rule: Rule, request: MatchRequest, options: MatchOptions, parameters: string[]): Met | undefined {
  const [path = '', query = ''] = rule.key.split('?');
  const required = query.split('&').filter(Boolean);
  if (!required.every((pair) => parameters.includes(pair))) return undefined;
  if (options.query === 'exact' && !parameters.every((pair) => required.includes(pair))) return undefined;
  const like = (text: string): string => (options.caseSensitive ? text : text.toLowerCase());
  const sameSlash = like(path) === like(request.path);
  const slashed = like(`${path}/`) === like(request.path) || like(path) === like(`${request.path}/`);
  if (!sameSlash && !(slashed && options.trailingSlash === 'ignore' && path !== '/' && request.path !== '/'))
    return undefined;
  const sameCase = [path, `${path}/`, path.replace(/\/$/, '')].includes(request.path) ? 0 : 1;
  const left = parameters.filter((pair) => !required.includes(pair));
  const kind = required.length > 0 ? 1 : sameSlash ? 2 : 3;
  return {
    rule,
    location: locate(rule.newPath, left, options),
    rank: [kind, sameSlash ? 0 : 1, -required.length, sameCase, rule.key],
  };
}

function locate(target: string | null, parameters: string[], options: MatchOptions): string | null {
  if (target === null) return null;
  const location = target.replace(/^\/+/, '/');
  return options.query === 'pass' && parameters.length > 0 ? `${location}?${parameters.join('&')}` : location;
}
