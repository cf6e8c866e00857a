import { escapeRegex } from '../../resolver/patterns/pattern-syntax.ts';
import type { Issue } from '../../vocabulary/error.ts';
import { show, type Target, unsupported, valueByWord } from './cells.ts';

/** How a source is compared with a path. `host`: the source begins with the host. */
export type MatchKind = 'literal' | 'regex' | 'start' | 'contains' | 'end' | 'host' | 'subpaths' | 'wildcards';

const KINDS = valueByWord<MatchKind>([
  ['literal', 'exact literal plain basic standard'],
  ['regex', 'regex regexp'],
  ['start', 'start starts startswith prefix'],
  ['contains', 'contains'],
  ['end', 'end ends endswith'],
  ['host', 'basichost'],
  ['wildcards', 'flexible flexiblepattern'],
]);

/** Reads the kind by its name in any tool, `starts_with` as well as `Start`; undefined if the cell is empty. */
export function readMatchKind(cell: string, header: string): MatchKind | undefined | Issue {
  if (cell === '') return undefined;
  const remedy = 'write the source as a pattern with is_regex true';
  return kindNamed(cell) ?? unsupported(`${header} is ${show(cell)}, which cannot be expressed; ${remedy}`);
}

export function isMatchWord(cell: string): boolean {
  return kindNamed(cell) !== undefined || cell.toLowerCase() === 'regex_host';
}

function kindNamed(cell: string): MatchKind | undefined {
  return KINDS.get(cell.toLowerCase().replace(/[ _-]/g, ''));
}

/** A pattern made from a text, and its target with `$` escaped. */
type ConvertedPattern = { oldPath: string; newPath: Target };

/**
 * Returns the pattern of the paths that begin with, contain or end with a text, or are below it. `keepRest` (only for
 * `start` and `subpaths`): appends the rest of the path to the target.
 */
export function toPattern(
  kind: 'start' | 'contains' | 'end' | 'subpaths',
  text: string,
  target: Target,
  keepRest: boolean,
): ConvertedPattern {
  if (kind === 'subpaths') return toSubpathsPattern(text, target, keepRest);
  const literal = escapeRegex(text.replace(/^\//, ''));
  // A text with a leading slash may be at the start of the path or after any other part of it.
  const before = text.startsWith('/') ? '(?:.*/)?' : '.*';
  const patterns = {
    start: `^/${literal}${keepRest ? '(.*)' : '.*'}$`,
    contains: `^/${before}${literal}.*$`,
    end: `^/${before}${literal}$`,
  };
  return { oldPath: patterns[kind], newPath: withRest(target, keepRest) };
}

/** The pattern of a path and everything below it, as in Cloudflare's subpath matching: `/foo/bar`, never `/foobar`. */
function toSubpathsPattern(path: string, target: Target, keepRest: boolean): ConvertedPattern {
  const base = `^/${escapeRegex(path.replace(/^\//, '').replace(/\/$/, ''))}`;
  if (!keepRest) return { oldPath: base === '^/' ? '^/.*$' : `${base}(?:/.*)?$`, newPath: withRest(target, false) };
  // If the target ends with a slash or with its host, the slash belongs to the target, not to the rest.
  const folder = typeof target === 'string' && /^https?:\/\/[^/]+$/i.test(target) ? `${target}/` : target;
  if (base === '^/') return { oldPath: '^/(.*)$', newPath: withRest(folder, true) };
  const oldPath = folder?.endsWith('/') === true ? `${base}(?:/(.*))?$` : `${base}(/.*)?$`;
  return { oldPath, newPath: withRest(folder, true) };
}

function withRest(target: Target, keepRest: boolean): Target {
  return typeof target === 'string' ? target.replaceAll('$', '$$$$') + (keepRest ? '$1' : '') : target;
}
