/**
 * Patterns of tools that replace the found part of the address and keep the rest, as PHP's preg_replace does:
 * `^/old` to `/new` redirects `/old-shoes` to `/new-shoes`. Sources: the code of WordPress Redirection and Rank Math.
 */
import { isIssue } from '../../vocabulary/error.ts';
import type { Tool } from '../read/csv/csv-formats.ts';
import { type Target } from './cells.ts';
import { anchorPattern, anchorsOf, noQuery, splitFlags, withFlags } from './open-pattern.ts';
import { alternativesOf } from '../../rules/demands-query.ts';

/** Returns the equal pattern of the whole path, and its target. An issue if it needs a query that no rule expresses. */
export function anchorWithTarget(written: string, target: Target, search: NonNullable<Tool['search']>) {
  const { flags, rest } = splitFlags(written);
  const anchored = anchorRest(rest, target, search);
  if (isIssue(anchored) || flags === '') return anchored;
  return anchored.isLiteral ? noQuery(written) : { ...anchored, text: withFlags(anchored.text, flags) };
}

function anchorRest(text: string, target: Target, search: NonNullable<Tool['search']>) {
  const anchored = anchorPattern(text);
  if (isIssue(anchored)) return anchored;
  if (search === 'find' || anchored.isLiteral || alternativesOf(text).length > 1) return { ...anchored, target };
  const written = typeof target === 'string' ? target.replace(/\\(\d)|\$\{(\d{1,2})\}/g, '$$$1$2') : target;
  const replaced = search === 'replace' ? withSlash(text, written) : withoutSlashes(text, written);
  return { ...replaced, isLiteral: false, isChanged: replaced.text !== text };
}

/** WordPress Redirection: a path begins with its slash, and text before and after the found part stays. */
function withSlash(text: string, target: Target): { text: string; target: Target } {
  const { isStart, isEnd, body } = anchorsOf(text);
  const isKept = typeof target === 'string' && !target.includes('://');
  const lead = /^(\()?\.\*(?:\))?/.exec(body);
  if (lead && (lead[1] === undefined) === !lead[0].endsWith(')')) {
    const rest = body.slice(lead[0].length);
    const open = lead[1] === undefined ? '.*' : '(.*)';
    const start = rest.startsWith('/') ? `^/(?:${open}/)?${rest.slice(1)}` : `^/${open}${rest}`;
    // The group begins with the slash of the path.
    const moved = lead[1] === undefined ? target : target?.replace(/\/?\$1(?!\d)/g, '/$$1');
    return withRest(start, moved, isEnd);
  }
  if (isStart) return withRest(`^${body}`, target, isEnd);
  const before = isKept ? '(.*?)' : '.*?';
  const isSegment = /^\/(?![?*+{])/.test(body);
  const start = isSegment ? `^/(?:${before}/)?${body.slice(1)}` : `^/${before}${body}`;
  if (!isKept) return withRest(start, target, isEnd);
  const shifted = target.replace(/\$(\d{1,2})/g, (_, group: string) => `$${Number(group) + 1}`);
  return withRest(start, `/$1${shifted}`, isEnd);
}

/** Rank Math: a path is compared without the slashes at its ends; text after the found part stays. */
function withoutSlashes(text: string, target: Target): { text: string; target: Target } {
  const { isStart, isEnd, body } = anchorsOf(text);
  const path = body.replace(/^\//, '');
  const start = `^/${isStart || path.startsWith('.*') || path.startsWith('(.*)') ? '' : '.*?'}`;
  // A last `.*` must leave the slash at the end to `/?`.
  const lazy = path.replace(/(?<!\\)\.([*+])(\)?)$/, '.$1?$2');
  if (isEnd || lazy !== path) return { text: `${start}${lazy}/?$`, target };
  if (typeof target !== 'string') return { text: `${start}${path}.*$`, target };
  return { text: `${start}${path}(.*?)/?$`, target: `${target}$${groupsOf(path) + 1}` };
}

function withRest(pattern: string, target: Target, isEnd: boolean): { text: string; target: Target } {
  if (isEnd) return { text: `${pattern}$`, target };
  if (/(?:^|[^\\])\.\*\)?$/.test(pattern)) return { text: pattern, target };
  if (typeof target !== 'string') return { text: `${pattern}.*$`, target };
  return { text: `${pattern}(.*)$`, target: `${target}$${groupsOf(pattern) + 1}` };
}

function groupsOf(pattern: string): number {
  const tokens = pattern.matchAll(/\\[^]|\[\^?\]?(?:\\[^]|[^\]\\])*\]|\((?:\?(?!P?<[^=!]))?/g);
  return [...tokens].filter(([token]) => token === '(').length;
}
