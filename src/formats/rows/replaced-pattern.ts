/**
 * Patterns of tools that replace the found part of the address and keep the rest, as PHP's preg_replace does:
 * `^/old` to `/new` redirects `/old-shoes` to `/new-shoes`. Sources: the code of WordPress Redirection and Rank Math.
 */
import type { Issue } from '../../vocabulary/error.ts';
import { isIssue } from './cells.ts';
import type { FormatName } from '../read/csv/csv-formats.ts';
import { type AnchoredPattern, anchorPattern } from './open-pattern.ts';
import { alternativesOf } from '../../rules/demands-query.ts';

type Target = string | null | undefined;

/** The tools, and the slash at both ends of a path: Rank Math removes it before it compares. */
const REPLACING: Partial<Record<FormatName, { trimsSlashes: boolean }>> = {
  'wordpress-redirection': { trimsSlashes: false },
  'rank-math': { trimsSlashes: true },
};

/** Returns the equal pattern of the whole path, and its target. An issue if it needs a query that no rule expresses. */
export function anchorWithTarget(
  text: string,
  target: Target,
  format: FormatName,
): (AnchoredPattern & { target: Target }) | Issue {
  const anchored = anchorPattern(text);
  if (isIssue(anchored)) return anchored;
  const tool = REPLACING[format];
  if (!tool || anchored.isLiteral || alternativesOf(text).length > 1) return { ...anchored, target };
  const written = typeof target === 'string' ? target.replace(/\\(\d)|\$\{(\d{1,2})\}/g, '$$$1$2') : target;
  const replaced = tool.trimsSlashes ? withoutSlashes(text, written) : withSlash(text, written);
  return { ...replaced, isLiteral: false, isChanged: replaced.text !== text };
}

/** WordPress Redirection: a path begins with its slash, and text before and after the found part stays. */
function withSlash(text: string, target: Target): { text: string; target: Target } {
  const { isStart, isEnd, body } = partsOf(text);
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
  return withRest(start, isKept ? `/$1${shifted(target)}` : target, isEnd);
}

/** Rank Math: a path is compared without its slashes; text after the found part stays. */
function withoutSlashes(text: string, target: Target): { text: string; target: Target } {
  const { isStart, isEnd, body } = partsOf(text);
  const path = body.replace(/^\//, '');
  const start = `^/${isStart || path.startsWith('.*') || path.startsWith('(.*)') ? '' : '.*?'}`;
  // A last `.*` must leave the slash at the end to `/?`.
  const lazy = path.replace(/(?<!\\)\.([*+])(\)?)$/, '.$1?$2');
  if (isEnd || lazy !== path) return { text: `${start}${lazy}/?$`, target };
  if (typeof target !== 'string') return { text: `${start}${path}.*$`, target };
  return { text: `${start}${path}(.*?)/?$`, target: `${target}$${groupsOf(path) + 1}` };
}

function partsOf(text: string): { isStart: boolean; isEnd: boolean; body: string } {
  const isStart = text.startsWith('^');
  const backslashes = /(\\*)\$$/.exec(text)?.[1];
  const isEnd = backslashes !== undefined && backslashes.length % 2 === 0;
  return { isStart, isEnd, body: text.slice(isStart ? 1 : 0, isEnd ? -1 : undefined) };
}

/** Appends what follows the found part to the target. */
function withRest(pattern: string, target: Target, isEnd: boolean): { text: string; target: Target } {
  if (isEnd) return { text: `${pattern}$`, target };
  if (/(?:^|[^\\])\.\*\)?$/.test(pattern)) return { text: pattern, target };
  if (typeof target !== 'string') return { text: `${pattern}.*$`, target };
  return { text: `${pattern}(.*)$`, target: `${target}$${groupsOf(pattern) + 1}` };
}

/** The number of capturing groups. */
function groupsOf(pattern: string): number {
  const tokens = pattern.matchAll(/\\[^]|\[\^?\]?(?:\\[^]|[^\]\\])*\]|\((?:\?(?!P?<[^=!]))?/g);
  return [...tokens].filter(([token]) => token === '(').length;
}

/** The target for a pattern with one more group in front. */
function shifted(target: string): string {
  return target.replace(/\$(\d{1,2})/g, (_, number: string) => `$${Number(number) + 1}`);
}
