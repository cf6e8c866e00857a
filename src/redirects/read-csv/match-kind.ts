import { type Problem, problem, show } from './cells.ts';

/** How a file wants a source to be compared. `host`: the source begins with the host. */
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

/** The kind by its name in any tool, `starts_with` as well as `Start`; undefined where the cell is empty. */
export function readMatchKind(cell: string, header: string): MatchKind | undefined | Problem {
  if (cell === '') return undefined;
  const kind = kindNamed(cell);
  if (kind !== undefined) return kind;
  const remedy = 'write the source as a pattern with is_regex true';
  return problem(
    'row',
    'CONDITION_NOT_SUPPORTED',
    `${header} is ${show(cell)}, which cannot be expressed; ${remedy}`,
  );
}

export function isMatchWord(cell: string): boolean {
  return kindNamed(cell) !== undefined || cell.toLowerCase() === 'regex_host';
}

function kindNamed(cell: string): MatchKind | undefined {
  const name = cell.toLowerCase().replace(/[ _-]/g, '');
  return Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
}

/** A pattern made from a text, and its target: `$` in it is escaped so that it stays text. */
export interface Pattern {
  oldPath: string;
  newPath: string | null | undefined;
}

/**
 * The pattern that matches the paths which begin with, contain or end with a text. `keepRest` (for `start` alone):
 * what stands behind the text goes behind the target.
 */
export function toPattern(
  kind: 'start' | 'contains' | 'end',
  text: string,
  target: string | null | undefined,
  keepRest: boolean,
): Pattern {
  const literal = escapeRegex(text.replace(/^\//, ''));
  // Text with a leading slash may stand at the start of the path or behind any other part of it.
  const before = text.startsWith('/') ? '(?:.*/)?' : '.*';
  const patterns = {
    start: `^/${literal}${keepRest ? '(.*)' : '.*'}$`,
    contains: `^/${before}${literal}.*$`,
    end: `^/${before}${literal}$`,
  };
  return { oldPath: patterns[kind], newPath: withRest(target, keepRest) };
}

/**
 * The pattern that matches a path and everything below it, as Cloudflare's subpath matching does: `/foo/bar`, never
 * `/foobar`. `keepRest`: what is below the source is sought below the target.
 */
export function toSubpathsPattern(
  path: string,
  target: string | null | undefined,
  keepRest: boolean,
): Pattern {
  const base = `^/${escapeRegex(path.replace(/^\//, '').replace(/\/$/, ''))}`;
  if (!keepRest)
    return { oldPath: base === '^/' ? '^/.*$' : `${base}(?:/.*)?$`, newPath: withRest(target, false) };
  // The slash is the target's where it has one, and where the rest would otherwise run into the host.
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
