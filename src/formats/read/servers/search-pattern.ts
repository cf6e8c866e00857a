/** Expressions that a server searches in the decoded path, as a path or as a pattern of the whole path. */
import { tokenize } from '../../../resolver/patterns/pattern-syntax.ts';
import { isIssue, type Issue } from '../../../vocabulary/error.ts';
import { anchorPattern, splitFlags, withFlags } from '../../rows/open-pattern.ts';
import { alternativesOf } from '../../../rules/demands-query.ts';
import { inexact, type RuleSource } from './statement.ts';

export interface SearchedPattern {
  source: RuleSource;
  /** set if an open beginning or end was completed */
  conversion: 'PATTERN_ANCHORED' | undefined;
  /** the first group began with the slash that all paths have, and no longer has it */
  hasSlashInGroup: boolean;
  /** the first group was `(.*)` before a slash, and empty for a path that begins with this slash */
  isFolder?: boolean;
}

/** A path that is compared as it is written. */
export const plainPath = (path: string, slash: 'exact' | 'ignore' = 'exact'): SearchedPattern => ({
  ...{ source: { kind: 'path', path, slash }, conversion: undefined, hasSlashInGroup: false },
});

/**
 * Returns the equal path or pattern. `isRelative`: the server compares the path without its leading slash, as Apache
 * does in an .htaccess. An issue if there is no equal one.
 */
export function searchedPattern(expression: string, isRelative: boolean): SearchedPattern | Issue {
  const { flags, rest: text } = splitFlags(expression.replaceAll('\\/', '/'));
  if (/%[0-9A-Fa-f]{2}/.test(text)) return inexact(ESCAPES);
  if (/\\\?(?![?*{])/.test(text))
    return inexact('an expression for the path cannot see the query; use a condition on the query');
  if (isRelative && /^\^\/(?!\?)/.test(text)) return inexact(LEADING_SLASH);
  const whole = isRelative ? withSlash(text) : text;
  const { pattern, hasSlashInGroup } = slashBeforeGroup(whole);
  const anchored = anchorPattern(pattern);
  if (isIssue(anchored)) return anchored;
  const source = asSource(flags === '' ? anchored.text : withFlags(anchored.text, flags));
  const conversion = anchored.isChanged ? ('PATTERN_ANCHORED' as const) : undefined;
  const isFolder = hasSlashInGroup && /^\^?\(\.\*\)\//.test(whole);
  return isIssue(source) ? source : { source, conversion, hasSlashInGroup, isFolder };
}

const ESCAPES = 'the server compares decoded paths, so an escape such as %20 never matches; write the character itself';
const SPACES = 'the server compares decoded paths, but a space is %20 here; write a space for "\\s"';
const LEADING_SLASH =
  'in an .htaccess the expression is compared with a path without its leading slash; remove the slash after "^"';

/** Adds the leading slash that the server removes. */
function withSlash(text: string): string {
  const alternatives = alternativesOf(text).map((each) => {
    if (each.startsWith('^')) return `^/${each.slice(1).replace(/^\/\?/, '')}`;
    if (/^\(?\.\*/.test(each)) return `^/${each}`;
    return each === '' ? '^/' : `^/.*${each}`;
  });
  return alternatives.join('|');
}

/** `^(.*)$` and `^(/a.*)$` capture the leading slash. A pattern here begins with it, so it goes before the group. */
function slashBeforeGroup(text: string): { pattern: string; hasSlashInGroup: boolean } {
  if (alternativesOf(text).length > 1) return { pattern: text, hasSlashInGroup: false };
  const group = /^\^?\((?:\/|(?=\.[*+]))(?![?*+{])/.exec(text)?.[0];
  if (group !== undefined && !alternativesOf(groupBody(text)).slice(1).length)
    return { pattern: `^/(${text.slice(group.length).replace(/^\.\+/, '.*')}`, hasSlashInGroup: true };
  // The expression matches any path, so the slash changes nothing.
  if (/^\^?\.[*+]/.test(text))
    return { pattern: `^/${text.replace(/^\^/, '').replace(/^\.\+/, '.*')}`, hasSlashInGroup: false };
  return { pattern: text === '^' || text === '' ? '^/.*$' : text, hasSlashInGroup: false };
}

/** The content of the first group. */
export function groupBody(text: string): string {
  const start = text.indexOf('(') + 1;
  let depth = 1;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '(') depth++;
    else if (text[at] === ')' && --depth === 0) return text.slice(start, at);
  }
  return text.slice(start);
}

/** A pattern of nothing but characters is a path. `/?` at its end is the final slash of either spelling. */
function asSource(pattern: string): RuleSource | Issue {
  const tokens = tokenize(pattern);
  if ('reason' in tokens) return inexact(tokens.reason);
  const inner = tokens.slice(tokens[0]?.text === '^' ? 1 : 0, tokens.at(-1)?.text === '$' ? -1 : undefined);
  const isOpen = tokens.at(-1)?.text !== '$';
  const [slash, optional] = inner.slice(-2);
  const isEither =
    slash?.kind === 'literal' && slash.text === '/' && optional?.kind === 'repeat' && optional.text === '?';
  const literals = isEither ? inner.slice(0, -2) : inner;
  if (tokens.some(({ kind, text }) => kind === 'class' && /(?<!\[\^.*)\\s/.test(text))) return inexact(SPACES);
  if (isOpen || literals.length === 0 || literals.some(({ kind }) => kind !== 'literal'))
    return { kind: 'pattern', pattern };
  const path = literals.map(({ text }) => (/[?#%]/.test(text) ? encodeURIComponent(text) : text)).join('');
  return isEither
    ? { kind: 'path', path, slash: 'ignore', orPattern: pattern }
    : { kind: 'path', path, slash: 'exact' };
}
