import type { Issue } from '../../vocabulary/error.ts';
import { show, unsupported } from './cells.ts';

/** How a source is compared with a path. `host`: the source begins with the host. */
export type MatchKind = 'literal' | 'regex' | 'start' | 'contains' | 'end' | 'host' | 'subpaths';

const KINDS: Record<string, MatchKind> = {
  exact: 'literal',
  literal: 'literal',
  plain: 'literal',
  basic: 'literal',
  regex: 'regex',
  regexp: 'regex',
  start: 'start',
  starts: 'start',
  startswith: 'start',
  prefix: 'start',
  contains: 'contains',
  end: 'end',
  ends: 'end',
  endswith: 'end',
  basichost: 'host',
};

/** Reads the kind by its name in any tool, `starts_with` as well as `Start`; undefined if the cell is empty. */
export function readMatchKind(cell: string, header: string): MatchKind | undefined | Issue {
  if (cell === '') return undefined;
  const kind = kindNamed(cell);
  if (kind !== undefined) return kind;
  const remedy = 'write the source as a pattern with is_regex true';
  return unsupported(`${header} is ${show(cell)}, which cannot be expressed; ${remedy}`);
}

export function isMatchWord(cell: string): boolean {
  return kindNamed(cell) !== undefined || cell.toLowerCase() === 'regex_host';
}

function kindNamed(cell: string): MatchKind | undefined {
  const name = cell.toLowerCase().replace(/[ _-]/g, '');
  return Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
}

/** A pattern made from a text, and its target with `$` escaped. */
export interface ConvertedPattern {
  oldPath: string;
  newPath: string | null | undefined;
}

/**
 * Returns the pattern of the paths that begin with, contain or end with a text. `keepRest` (only for `start`): appends
 * the rest of the path to the target.
 */
export function toPattern(
  kind: 'start' | 'contains' | 'end',
  text: string,
  target: string | null | undefined,
  keepRest: boolean,
): ConvertedPattern {
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

/**
 * Returns the pattern of a path and everything below it, as in Cloudflare's subpath matching: `/foo/bar`, never
 * `/foobar`. `keepRest`: appends the part below the source to the target.
 */
export function toSubpathsPattern(
  path: string,
  target: string | null | undefined,
  keepRest: boolean,
): ConvertedPattern {
  const base = `^/${escapeRegex(path.replace(/^\//, '').replace(/\/$/, ''))}`;
  if (!keepRest)
    return { oldPath: base === '^/' ? '^/.*$' : `${base}(?:/.*)?$`, newPath: withRest(target, false) };
  // If the target ends with a slash or with its host, the slash belongs to the target, not to the rest.
  const folder = typeof target === 'string' && /^https?:\/\/[^/]+$/i.test(target) ? `${target}/` : target;
  if (base === '^/') return { oldPath: '^/(.*)$', newPath: withRest(folder, true) };
  const oldPath = folder?.endsWith('/') === true ? `${base}(?:/(.*))?$` : `${base}(/.*)?$`;
  return { oldPath, newPath: withRest(folder, true) };
}

function withRest(target: string | null | undefined, keepRest: boolean): string | null | undefined {
  return typeof target === 'string' ? target.replaceAll('$', '$$$$') + (keepRest ? '$1' : '') : target;
}

function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
