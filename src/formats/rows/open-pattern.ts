/**
 * Patterns of tools that search for them anywhere in the address, as patterns of the whole path: an open beginning or
 * end becomes `.*`. Sources: the documentation of WordPress Redirection, Rank Math, Yoast and SEOPress, and the
 * code of Flecto.
 */
import type { Issue } from '../../vocabulary/error.ts';
import { alternativesOf, demandsQuery } from '../../rules/demands-query.ts';
import { show, unsupported } from './cells.ts';
import type { FormatName } from '../read/csv/csv-formats.ts';

const SEARCHED: ReadonlySet<FormatName> = new Set([
  'flecto',
  'wordpress-redirection',
  'rank-math',
  'yoast',
  'seopress',
]);

/** True if the tool finds a pattern anywhere in the address. */
export function isSearched(format: FormatName): boolean {
  return SEARCHED.has(format);
}

export interface AnchoredPattern {
  /** a pattern of the whole path; or a path with the query pairs that it needs, if `isLiteral` */
  text: string;
  isLiteral: boolean;
  /** an open beginning or end was completed */
  isChanged: boolean;
}

/** Returns the equal pattern of the whole path. An issue if it needs a query that a redirect here cannot express. */
export function anchorPattern(text: string): AnchoredPattern | Issue {
  const alternatives = alternativesOf(text);
  if (alternatives.some(demandsQuery)) return alternatives.length === 1 ? withQuery(text) : noQuery(text);
  if (alternatives.length === 1) {
    const anchored = anchor(text);
    return { text: anchored, isLiteral: false, isChanged: anchored !== text };
  }
  // Each alternative has its own anchors, and all paths begin with a slash.
  const rest = alternatives.map((alternative) => anchor(alternative).replace(/^\^\//, '').replace(/\$$/, ''));
  return { text: `^/(?:${rest.join('|')})$`, isLiteral: false, isChanged: true };
}

function anchor(text: string): string {
  const [isStart, isEnd] = [text.startsWith('^'), endsWithAnchor(text)];
  const body = text.slice(isStart ? 1 : 0, isEnd ? -1 : undefined);
  const before = isStart ? '' : /^\/(?![?*+{])/.test(body) ? '/(?:.*/)?' : '/.*';
  const after = isEnd || /(?:^|[^\\])\.\*\)?$/.test(body) ? '' : '.*';
  if (before === '' && after === '') return text;
  return `^${before}${before.endsWith('?') ? body.slice(1) : body}${after}$`;
}

/** True if the last character is `$` without a backslash that escapes it. */
function endsWithAnchor(text: string): boolean {
  const backslashes = /(\\*)\$$/.exec(text)?.[1];
  return backslashes !== undefined && backslashes.length % 2 === 0;
}

/** A path with exact pairs: `^/q\?id=5$`. Anything else finds addresses that no rule with a query finds. */
const EXACT_QUERY = /^\^(\/(?:[\w/~%-]|\\[.\-/+])*)\\\?((?:[\w~%=&-]|\\[.\-+])+)\$$/;

function withQuery(text: string): AnchoredPattern | Issue {
  const [, path, query] = EXACT_QUERY.exec(text) ?? [];
  if (path === undefined || query === undefined) return noQuery(text);
  const plain = (part: string): string => part.replaceAll('\\', '');
  return { text: `${plain(path)}?${plain(query)}`, isLiteral: true, isChanged: true };
}

function noQuery(text: string): Issue {
  const remedy = 'write a path with its query, such as /page?id=5, with is_regex false';
  return unsupported(`old_path is ${show(text)}: a pattern does not see the query; ${remedy}`, 'old_path');
}
