/** Sources of Vercel and Next.js (path-to-regexp 6, strict) as patterns, and their destinations. */
import { isIssue, type Issue } from '../../../vocabulary/error.ts';
import { escapeRegex } from '../../../resolver/patterns/pattern-syntax.ts';
import { inexact, type RuleSource } from './statement.ts';

interface Group {
  name: string;
  /** the group contains the slash before the name, because the name may be absent */
  hasSlash: boolean;
}

const TOKEN =
  /\\([^])|(\/?):([A-Za-z_]\w*)(\((?:[^()\\]|\\[^]|\((?:[^()\\]|\\[^])*\))*\))?([*+?]?)|(\((?:[^()\\]|\\[^]|\((?:[^()\\]|\\[^])*\))*\))|([{}*+?()])|([^\\:({})*+?/]+|\/|:)/g;

export function pathPattern(source: string, destination: string): { source: RuleSource; target: string } | Issue {
  const groups: Group[] = [];
  let pattern = '';
  let plain = '';
  for (const [, escaped, slash = '', name, own, modifier = '', unnamed, other, text = ''] of source.matchAll(TOKEN)) {
    if (other !== undefined) return inexact(`"${other}" is not a wildcard that can be converted; write :name or (.*)`);
    const expression = (own ?? unnamed)?.slice(1, -1);
    if (expression !== undefined && /\((?!\?)/.test(expression.replace(/\\./g, '')))
      return inexact('a group inside of a parameter cannot be converted; write (?:...)');
    if (name !== undefined) {
      const isRoot = new RegExp(`^https?://[^/?#]*/:${name}(?!\\w)`, 'i').test(destination);
      // Every path has the first slash.
      const isOutside = isRoot && pattern === '';
      pattern +=
        (isOutside ? slash : '') + namedPattern(isOutside ? '' : slash, expression ?? '[^/]+', modifier, isRoot);
      groups.push({ name, hasSlash: !isRoot && slash !== '' && (modifier === '*' || modifier === '?') });
    } else if (expression !== undefined) {
      pattern += `(${expression})`;
      groups.push({ name: '', hasSlash: false });
    } else {
      plain += escaped ?? text;
      pattern += escapeRegex(escaped ?? text);
    }
  }
  if (groups.length === 0) {
    const path = plain.replace(/[?#]/g, encodeURIComponent);
    return { source: { kind: 'path', path, slash: 'exact' }, target: destination.replaceAll('\\', '') };
  }
  // Every path has the first slash, so it stays outside of the group.
  if (pattern.startsWith('(/') && groups[0]) groups[0].hasSlash = false;
  const target = targetOf(destination, groups);
  if (isIssue(target)) return target;
  return { source: { kind: 'pattern', pattern: slashFirst(pattern) }, target };
}

/**
 * A parameter that repeats has segments of its own expression, with slashes between them. `isRoot`: it follows the host of
 * the target, whose slash stays without it.
 */
function namedPattern(slash: string, one: string, modifier: string, isRoot: boolean): string {
  const many = one === '[^/]+' ? '[^/]+(?:/[^/]+)*' : `(?:${one})(?:/(?:${one}))*`;
  if (modifier === '') return `${slash}(${one})`;
  if (modifier === '+') return `${slash}(${many})`;
  const text = modifier === '*' ? many : one;
  if (slash === '') return `(${text})?`;
  return isRoot ? `(?:/(${text}))?` : `(/${text})?`;
}

/** A pattern begins with a slash: `/:path*` matches `/` itself as well. */
function slashFirst(pattern: string): string {
  return pattern.startsWith('(/') ? `^/${pattern.replace(/^\(\//, '(')}$` : `^${pattern}$`;
}

function targetOf(destination: string, groups: readonly Group[]): string | Issue {
  const [origin = ''] = /^https?:\/\/[^/?#]*/i.exec(destination) ?? [];
  if (/:[A-Za-z_]/.test(origin.replace(/^https?:/i, ''))) return inexact('a wildcard cannot be the host of the target');
  const rest = destination.slice(origin.length) || '/';
  let unknown: string | undefined;
  const target = rest.replace(
    // A `?` after a name begins the query, unless it ends the segment.
    /\\([^])|(\/?):([A-Za-z_]\w*)(?:[*+]|\?(?=[/#]|$))?|\$(\d)|\$/g,
    (text, ...found: (string | undefined)[]) => {
      const [escaped, slash = '', name, digit] = found;
      if (escaped !== undefined) return escaped;
      if (text === '$') return '$$';
      const at = name === undefined ? Number(digit) - 1 : groups.findIndex((group) => group.name === name);
      const group = groups[at];
      if (!group) {
        unknown ??= text;
        return text;
      }
      return `${group.hasSlash ? '' : slash}\${${at + 1}}`;
    },
  );
  if (unknown !== undefined) return inexact(`${unknown} of the destination is not in the source; add it there`);
  const absolute = /^(?:\/|\$)/.test(target) ? target : `/${target}`;
  return (origin + absolute).replace(/\$\{(\d+)\}(?!\d)/g, '$$$1');
}
