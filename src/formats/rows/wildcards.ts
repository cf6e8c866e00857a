/** Sources with the wildcards of other tools, as the equal patterns. */
import type { Issue } from '../../vocabulary/error.ts';
import { AMBIGUOUS_SOURCE, AMBIGUOUS_TARGET } from '../../vocabulary/wildcards.ts';
import { issue, show, type Target, unsupported } from './cells.ts';
import { escapeRegex } from '../../resolver/patterns/pattern-syntax.ts';

/** Bounds the comparisons of a source and its target. */
const MAX_WILDCARDS = 100;

/** How a wildcard is read in a row that says nothing about it. */
export type WildcardMode = 'refuse' | 'convert' | 'literal';

const BRACKETS = /\[(?:\.\.\.)?[A-Za-z_]\w*\]/;

/** True if the row may have a wildcard. `hasBrackets`: the tool writes `[name]`. */
export function hasWildcard(source: string, target: Target, hasBrackets: boolean): boolean {
  if (AMBIGUOUS_SOURCE.test(source) || (hasBrackets && BRACKETS.test(source))) return true;
  return typeof target === 'string' && AMBIGUOUS_TARGET.test(target);
}

export function ambiguousWildcard(source: string, target: Target): Issue {
  const isSource = AMBIGUOUS_SOURCE.test(source);
  const [field, value] = isSource ? ['old_path', source] : ['new_path', String(target)];
  const remedy = 'set is_regex in the row, or import with wildcards=convert or wildcards=literal';
  return issue(field, 'AMBIGUOUS_WILDCARD', `${field} is ${show(value)}, which may have a wildcard; ${remedy}`);
}

/**
 * A wildcard of a source: `(.*)` and `*` are any text; `/:name` is one segment, with `*` any number, with `+` at least
 * one, with `?` one or none, and `/:name(\d+)` has its own pattern; `[name]` is one segment, `[...name]` are several.
 */
const WILDCARD =
  /\(\.\*\)|\*|(?<before>[/.-]):(?<name>[A-Za-z_]\w*)(?:\((?<own>(?:[^()\\]|\\.)+)\))?(?<many>(?:[*+]|\?(?=\/|$))?)|\[(?<rest>\.\.\.)?(?<slug>[A-Za-z_]\w*)\]/g;

/**
 * Returns the pattern, and the target with references to its groups. An issue if there is no equal pattern. `star`: the
 * text of a `*`.
 */
export function convertWildcards(
  source: string,
  target: Target,
  star: '.*' | '.+' = '.*',
): { oldPath: string; newPath: Target } | Issue {
  if (source.replaceAll(WILDCARD, '').includes('?'))
    return notConvertible('old_path', source, 'a pattern does not see the query');
  const names: string[] = [];
  let pattern = '^';
  let end = 0;
  for (const match of source.matchAll(WILDCARD)) {
    const { before = '', name, own, many = '', rest, slug } = match.groups ?? {};
    pattern += escapeRegex(source.slice(end, match.index));
    end = match.index + match[0].length;
    if (name !== undefined) pattern += named(before, own ?? '[^/]+', many, joinsTarget(target, name));
    else pattern += slug === undefined ? `(${star})` : rest === undefined ? '([^/]+)' : '(.+)';
    names.push(name ?? slug ?? '');
  }
  if (names.length === 0) return notConvertible('old_path', source, 'the pattern of the target is missing');
  if (names.length > MAX_WILDCARDS) return notConvertible('old_path', source, `it has over ${MAX_WILDCARDS} wildcards`);
  const newPath = typeof target === 'string' ? convertTarget(target, names, source) : target;
  if (typeof newPath === 'object' && newPath !== null) return newPath;
  return { oldPath: `${pattern}${escapeRegex(source.slice(end))}$`, newPath };
}

/** `joins`: the target appends the group with its slash, so that nothing remains of it if the path ends before. */
function named(before: string, one: string, many: string, joins: boolean): string {
  if (many === '+') return `${escapeRegex(before)}(.+)`;
  const text = many === '*' ? '.*' : one;
  if (many === '' || before !== '/') return `${escapeRegex(before)}(${text})${many === '?' ? '?' : ''}`;
  return joins ? `(/${text})?` : `(?:/(${text}))?`;
}

/** True if the target has the name once, after a path that stays without it: `/docs/:path*`. */
function joinsTarget(target: Target, name: string): boolean {
  if (typeof target !== 'string') return false;
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '');
  const at = path.search(new RegExp(`/:${name}(?!\\w)`));
  return at > 0 && path.split(`:${name}`).length === 2 && !/[?#]/.test(path.slice(0, at));
}

/** A `?` after a name begins the query, unless it ends the segment. */
const REFERENCE =
  /\$(?<group>\d)|\\(?<slash>\d)|\$|\*|(?<before>\/?):(?<name>[A-Za-z_]\w*)(?:[*+]|\?(?=[/#]|$))?|\[(?:\.\.\.)?(?<slug>[A-Za-z_]\w*)\]/g;

function convertTarget(target: string, names: readonly string[], source: string): string | Issue {
  let problem: Issue | undefined;
  let star = 0;
  const unnamed = names.flatMap((name, index) => (name === '' ? [index + 1] : []));
  const converted = target.replaceAll(REFERENCE, (...args): string => {
    const text = String(args[0]);
    const { group, slash, before = '', name, slug } = args.at(-1) as Record<string, string | undefined>;
    if (text === '$') return '$$';
    const number = group ?? slash;
    if (number !== undefined) {
      if (Number(number) >= 1 && Number(number) <= names.length) return `$${number}`;
      problem ??= notConvertible('new_path', target, `the source has ${names.length} wildcards`);
      return text;
    }
    if (text === '*') {
      const index = unnamed[star++];
      if (index === undefined) problem ??= notConvertible('new_path', target, `${show(source)} has fewer "*"`);
      return `$${index ?? 0}`;
    }
    const wanted = name ?? slug ?? '';
    const index = names.indexOf(wanted) + 1 || (wanted === 'splat' ? unnamed[0] : undefined);
    if (index !== undefined) return isJoined(source, wanted, target) ? `$${index}` : `${before}$${index}`;
    // After a slash it is a name; elsewhere, as in a time or a port, it is text.
    if (before === '/' || slug !== undefined)
      problem ??= notConvertible('new_path', target, `${show(source)} has no ${text.replace(/^\//, '')}`);
    return text;
  });
  return problem ?? converted;
}

/** True if the group of the name contains the slash before it. */
function isJoined(source: string, name: string, target: string): boolean {
  return new RegExp(`/:${name}(?:\\([^)]*\\))?[*?]`).test(source) && joinsTarget(target, name);
}

export function notConvertible(field: string, value: string, reason: string): Issue {
  return unsupported(`${field} is ${show(value)}: ${reason}; write it as a pattern with is_regex true`, field);
}
