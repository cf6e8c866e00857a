/**
 * Rules with a required query, of one parameter. Servers try them before all others, each with one expression for the
 * text of path, space, `&` and query, which is in the common part of PCRE and RE2.
 */
import { escapeRegex } from '../../../resolver/patterns/pattern-syntax.ts';
import { type MatchOptions, parseKey } from '../../../resolver/rule.ts';
import { anySpelling } from './passed-query.ts';
import type { LiteralServerRule } from './server-format.ts';

/** The reason why no server can express the required query of a key. */
export function requiredReason(key: string): string | undefined {
  const { pairs } = parseKey(key);
  if (pairs.length > 1) return 'it requires a query of several parameters';
  if (pairs[0]?.includes('%25'))
    return 'it requires a query with a percent sign, which clients also send without an escape';
  return undefined;
}

/** Groups of the expression, if queries are passed. They are together the query without the parameter. */
const GROUPS = 2;

/** The expression of a rule. Its pair is compared in every spelling, except of Unicode in other normalization forms. */
export function requiredExpression(
  { paths, required }: LiteralServerRule,
  { caseSensitive, query }: MatchOptions,
  open: (group: number) => string = () => '(',
): string {
  const path = `(?${caseSensitive ? '' : 'i'}:${paths.map(escapeRegex).join('|')})`;
  const pair = pairExpression(required ?? '');
  if (query === 'exact') return `^${path} (?:&+${pair})+&*$`;
  const opening = query === 'pass' ? open : () => '(?:';
  return `^${path} ${opening(1)}(?:&+[^&]+)*?)&+${pair}${opening(2)}(?:&.*)?)$`;
}

/** The query without the parameter: empty, or begins with `&`. */
export const restText = ({ query }: MatchOptions, write: (group: number) => string): string =>
  query === 'pass' ? Array.from({ length: GROUPS }, (_, at) => write(at + 1)).join('') : '';

function pairExpression(pair: string): string {
  const sign = pair.indexOf('=');
  if (sign < 0) return `${anySpelling(pair)}=?`;
  const value = anySpelling(pair.slice(sign + 1)).replaceAll('%3[Dd]', '(?:=|%3[Dd])');
  return `${anySpelling(pair.slice(0, sign))}=${value}`;
}
