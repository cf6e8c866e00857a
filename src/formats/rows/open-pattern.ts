/**
 * Patterns of tools that search for them anywhere in the address, as patterns of the whole path: an open beginning or
 * end becomes `.*`. Sources: the documentation of WordPress Redirection, Rank Math, Yoast and SEOPress, and the
 * code of Flecto.
 */
import { tokenize } from '../../resolver/patterns/pattern-syntax.ts';
import type { Issue } from '../../vocabulary/error.ts';
import { alternativesOf, demandsQuery } from '../../rules/demands-query.ts';
import { show, unsupported } from './cells.ts';

export interface AnchoredPattern {
  /** a pattern of the whole path; or a path with the query pairs that it needs, if `isLiteral` */
  text: string;
  isLiteral: boolean;
  /** an open beginning or end was completed */
  isChanged: boolean;
}

/** Flags such as `(?i)` at the beginning of a pattern, and the rest of it. */
export function splitFlags(text: string): { flags: string; rest: string } {
  const [flags] = /^\(\?[a-zA-Z]+\)/.exec(text) ?? [''];
  return { flags, rest: text.slice(flags.length) };
}

/** The pattern with flags after its anchor and its first slash. */
export const withFlags = (pattern: string, flags: string): string =>
  pattern.replace(/^\^?\/?/, (start) => start + flags);

/**
 * Returns the equal pattern of the whole path. An issue if it needs a query that a redirect here cannot express, or has
 * an anchor in the middle, which would never match after the text that completes it.
 */
export function anchorPattern(text: string): AnchoredPattern | Issue {
  const alternatives = alternativesOf(text);
  if (alternatives.some(hasInnerAnchor)) return innerAnchor(text);
  if (alternatives.some(demandsQuery)) return alternatives.length === 1 ? withQuery(text) : noQuery(text);
  if (alternatives.length === 1) {
    const anchored = anchor(text);
    return { text: anchored, isLiteral: false, isChanged: anchored !== text };
  }
  // Each alternative has its own anchors, and all paths begin with a slash.
  const rest = alternatives.map((alternative) => anchor(alternative).replace(/^\^\//, '').replace(/\$$/, ''));
  return { text: `^/(?:${rest.join('|')})$`, isLiteral: false, isChanged: true };
}

function hasInnerAnchor(text: string): boolean {
  const tokens = /.\^|\\A/s.test(text) ? tokenize(text) : [];
  return (
    !('reason' in tokens) &&
    tokens.some(({ kind, text: sign }, at) => kind === 'anchor' && (sign === '^' ? at > 0 : sign === '\\A'))
  );
}

function innerAnchor(text: string): Issue {
  const remedy = 'write a row for each place, with the "^" at the beginning';
  return unsupported(`old_path is ${show(text)}: a "^" inside of a pattern cannot be converted; ${remedy}`, 'old_path');
}

function anchor(text: string): string {
  const { isStart, isEnd, body } = anchorsOf(text);
  const before = isStart ? '' : /^\/(?![?*+{])/.test(body) ? '/(?:.*/)?' : '/.*';
  const after = isEnd || /(?:^|[^\\])\.\*\)?$/.test(body) ? '' : '.*';
  if (before === '' && after === '') return text;
  return `^${before}${before.endsWith('?') ? body.slice(1) : body}${after}$`;
}

/** Whether a pattern has anchors at its ends, and the text between. A last `$` may be escaped. */
export function anchorsOf(text: string): { isStart: boolean; isEnd: boolean; body: string } {
  const isStart = text.startsWith('^');
  const backslashes = /(\\*)\$$/.exec(text)?.[1];
  const isEnd = backslashes !== undefined && backslashes.length % 2 === 0;
  return { isStart, isEnd, body: text.slice(isStart ? 1 : 0, isEnd ? -1 : undefined) };
}

/** A path with exact pairs: `^/q\?id=5$`. Anything else finds addresses that no rule with a query finds. */
const EXACT_QUERY = /^\^(\/(?:[\w/~%-]|\\[.\-/+])*)\\\?((?:[\w~%=&-]|\\[.\-+])+)\$$/;

function withQuery(text: string): AnchoredPattern | Issue {
  const [, path, query] = EXACT_QUERY.exec(text) ?? [];
  if (path === undefined || query === undefined) return noQuery(text);
  const plain = (part: string): string => part.replaceAll('\\', '');
  return { text: `${plain(path)}?${plain(query)}`, isLiteral: true, isChanged: true };
}

export function noQuery(text: string): Issue {
  const remedy = 'write a path with its query, such as /page?id=5, with is_regex false';
  return unsupported(`old_path is ${show(text)}: a pattern does not see the query; ${remedy}`, 'old_path');
}
