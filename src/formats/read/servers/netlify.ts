/**
 * A `_redirects` file of Netlify: `/from [name=value ...] /to [status[!]] [Condition=value ...]` in each line. The first
 * line that matches answers. Paths match with and without their final slash, and the query is passed on.
 */
import type { Issue } from '../../../vocabulary/error.ts';
import { issue } from '../../rows/cells.ts';
import { escapeRegex } from '../../../resolver/patterns/pattern-syntax.ts';
import { readSource } from '../../rows/source.ts';
import {
  type Finding,
  type FoundRule,
  inexact,
  lineReader,
  malformed,
  type RuleSource,
  type ServerContext,
} from './statement.ts';

export const readNetlify = lineReader((text, context) => {
  const parts = withoutComment(text.split(/\s+/));
  return parts.length === 0 ? undefined : readLine(parts, context);
});

function withoutComment(parts: string[]): string[] {
  const comment = parts.findIndex((part) => part === '' || part.startsWith('#'));
  return comment < 0 ? parts : parts.slice(0, comment);
}

const isTarget = (part: string): boolean => /^(?:\/|https?:\/\/)/i.test(part);
const STATUS = /^(\d{3})(!?)$/;

function readLine([from = '', ...parts]: string[], context: ServerContext): Finding {
  const at = parts.findIndex(isTarget);
  const [status = '301', ...conditions] = parts.slice(at + 1);
  if (at < 0) return noTarget(parts);
  const [, code] = STATUS.exec(status) ?? [];
  // Without a status, a condition may follow the target.
  const isStatus = code !== undefined;
  if (!isStatus && !/^[A-Za-z]\w*=/.test(status))
    return malformed(`"${status}" is not a status; write one such as 301`);
  const condition = isStatus ? conditions[0] : status;
  if (condition !== undefined) return inexact(`a redirect has no condition such as ${condition}; remove it`);
  const statusCode = isStatus ? Number(code) : 301;
  if (statusCode < 300 || statusCode > 399) return notRedirect(statusCode);
  const to = parts[at] ?? '';
  const read = readSource(from, { addSlash: false, ownHosts: context.ownHosts }, false);
  if ('code' in read) return read;
  const rule = convert(read.path, parts.slice(0, at), to);
  if ('code' in rule) return rule;
  return { ...rule, statusCode, query: 'pass', ignoresCase: false, phase: 0 };
}

function noTarget(parts: readonly string[]): Issue {
  const [, code] = STATUS.exec(parts[0] ?? '') ?? [];
  if (code !== undefined && !/^3/.test(code)) return notRedirect(Number(code));
  return malformed('the target is missing; write a path, or an address with https://');
}

function notRedirect(status: number): Issue {
  const what = status === 200 ? 'a 200 is a rewrite, which shows another page' : `a ${status} shows a page`;
  return inexact(`${what}, and is not a redirect; remove the line`);
}

type Converted = Pick<FoundRule, 'source' | 'conversion' | 'isQueryLoosened'> & { target: string };

function convert(path: string, pairs: readonly string[], to: string): Converted | Issue {
  const hasPlaceholder = /\*|\/:[A-Za-z]/.test(path);
  const conflict = pairs.find((pair) => !/^[^=]+=/.test(pair));
  if (conflict !== undefined) return malformed(`"${conflict}" is not a name=value of the query`);
  if (pairs.some((pair) => /=:/.test(pair)))
    return inexact('a value of the query cannot be captured; write a line for each value');
  if (pairs.length > 0 && hasPlaceholder)
    return inexact('a pattern does not see the query; write a line for each path');
  if (/[?#]/.test(path)) return issue('old_path', 'INVALID_OLD_PATH', 'the source has a "?" or "#"; write name=value');
  if (hasPlaceholder) return wildcardRule(path, to);
  if (/\*|\/:[A-Za-z]/.test(to.replace(/^https?:\/\//i, '')))
    return inexact('the target has a wildcard, and the source has none; add it to the source');
  const query = pairs.length > 0 ? `?${pairs.join('&')}` : '';
  const source: RuleSource = { kind: 'path', path: path + query, slash: 'ignore' };
  return pairs.length > 0 ? { source, target: to, isQueryLoosened: true } : { source, target: to };
}

/** `/news/*` also matches `/news`, and `:name` is one segment. */
function wildcardRule(path: string, to: string): Converted | Issue {
  const star = path.indexOf('*');
  if (star >= 0 && (star < path.length - 1 || path.at(-2) !== '/'))
    return inexact('Netlify reads "*" only at the end; write it as in /blog/*');
  const body = star < 0 ? path.replace(/\/$/, '') : path.slice(0, -2);
  const names: string[] = [];
  const pattern = body
    .split('/')
    .slice(1)
    .map((segment) => {
      if (!/^:[A-Za-z]/.test(segment)) return `/${escapeRegex(segment)}`;
      names.push(segment.slice(1));
      return '/([^/]+)';
    })
    .join('');
  if (names.some((name) => !/^\w+$/.test(name)))
    return inexact('a placeholder must be a whole segment; write it as in /:year/:month');
  if (star >= 0) names.push('splat');
  const target = wildcardTarget(to, names);
  if (typeof target !== 'string') return target;
  const end = star < 0 ? '/?' : pattern === '' ? '/(.*)' : '(?:/(.*))?';
  return { source: { kind: 'pattern', pattern: `^${pattern}${end}$` }, target, conversion: 'CONVERTED_TO_PATTERN' };
}

/** Only names of the source are placeholders; another `:name` is text, as in a time. */
function wildcardTarget(to: string, names: readonly string[]): string | Issue {
  const [origin = ''] = /^https?:\/\/[^/]*/i.exec(to) ?? [];
  const rest = to.slice(origin.length) || '/';
  if (rest.includes('*')) return inexact('write :splat in the target instead of "*"');
  let unknown: string | undefined;
  const target = rest.replace(/\$|:([A-Za-z]\w*)/g, (text, name?: string) => {
    if (name === undefined) return '$$';
    const at = names.indexOf(name);
    if (at < 0) unknown ??= text;
    return at < 0 ? text : `\${${at + 1}}`;
  });
  if (unknown !== undefined) return inexact(`${unknown} of the target is not in the source; add it there`);
  return origin + target.replace(/\$\{(\d+)\}(?!\d)/g, '$$$1');
}
