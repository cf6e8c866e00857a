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

/**
 * The pattern that matches the paths which begin with, contain or end with a text, its target's `$` escaped so that
 * it stays text. `keepRest`: what stands behind the source goes behind the target, as a group does.
 */
export function toPattern(
  kind: 'start' | 'contains' | 'end' | 'subpaths',
  text: string,
  target: string | null | undefined,
  keepRest: boolean,
): { oldPath: string; newPath: string | null | undefined } {
  const literal = escapeRegex(text.replace(/^\//, ''));
  // Text with a leading slash may stand at the start of the path or behind any other part of it.
  const before = text.startsWith('/') ? '(?:.*/)?' : '.*';
  const behind = kind === 'subpaths' ? '/.*' : '.*';
  const rest = keepRest ? `(${behind})` : kind === 'subpaths' ? `(?:${behind})` : behind;
  const patterns = {
    start: `^/${literal}${rest}$`,
    contains: `^/${before}${literal}.*$`,
    end: `^/${before}${literal}$`,
    subpaths: `^/${literal.replace(/\/$/, '')}${rest}?$`,
  };
  const newPath =
    typeof target === 'string' ? target.replaceAll('$', '$$$$') + (keepRest ? '$1' : '') : target;
  return { oldPath: patterns[kind], newPath };
}

function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
