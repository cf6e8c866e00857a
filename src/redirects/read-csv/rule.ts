// Source, target and the way they are compared: what a file says in up to seven columns, as one path or pattern.
import { isProblem, type Problem, problem, readBoolean, show } from './cells.ts';
import { cellOf, columnWith, type PlacedColumn, type CsvLayout, type CsvOptions } from './row.ts';
import { deleteNotSupported } from './conditions.ts';
import type { FormatName } from './formats.ts';
import { type MatchKind, readMatchKind, toPattern, toSubpathsPattern } from './match-kind.ts';
import { readPatternSource, readSource, type Source } from './source.ts';

export interface Rule {
  oldPath: string;
  newPath: string | null | undefined;
  isRegex: boolean | undefined;
  source: Source;
  /** the file has no pattern here: it was made from a text that paths begin with, contain or end with */
  converted: boolean;
}

export type RuleReader = (cells: readonly string[]) => Rule | Problem;

interface Columns {
  oldPath: PlacedColumn | undefined;
  newPath: PlacedColumn | undefined;
  isRegex: PlacedColumn | undefined;
  match: PlacedColumn | undefined;
  subpaths: PlacedColumn | undefined;
  suffix: PlacedColumn | undefined;
  oldParts: PlacedColumn | undefined;
  newParts: PlacedColumn | undefined;
}

/** The reader of one file's rules. Errors are of old_path, new_path or is_regex, or of the row as a whole. */
export function createRuleReader(layout: CsvLayout, options: CsvOptions): RuleReader {
  const columns = findColumns(layout);
  const { format } = layout;
  const hostFirst = format === 'cloudflare';
  return (cells) => {
    const written = writtenSource(cells, columns);
    if (isProblem(written)) return written;
    const newPath = writtenTarget(cells, columns);
    if (isProblem(newPath)) return newPath;
    if (format === 'rank-math' && newPath === 'DELETE') return deleteNotSupported();
    const isRegex = readBoolean(
      cellOf(cells, columns.isRegex) ?? '',
      'is_regex',
      columns.isRegex?.header ?? '',
    );
    if (isProblem(isRegex)) return isRegex;
    const kind = kindOf(cells, columns, written.operator);
    if (isProblem(kind)) return kind;
    if (kind === 'regex' || isRegex === true) return pattern(written.text, newPath, options);
    const wildcard = wildcardOf(format, written.text);
    if (wildcard) return wildcard;
    const source = sourceOf(written.text, kind, options, hostFirst);
    if (isProblem(source)) return source;
    if (kind === undefined || kind === 'literal' || kind === 'host') {
      const said = kind === undefined ? isRegex : false;
      return { oldPath: source.path, newPath, isRegex: said, source, converted: false };
    }
    return convert(source, kind, newPath, cells, columns);
  };
}

function findColumns({ columns }: CsvLayout): Columns {
  return {
    oldPath: columnWith(columns, 'old_path'),
    newPath: columnWith(columns, 'new_path'),
    isRegex: columnWith(columns, 'is_regex'),
    match: columnWith(columns, 'match'),
    subpaths: columnWith(columns, 'subpaths'),
    suffix: columnWith(columns, 'suffix'),
    oldParts: columnWith(columns, 'old_path_parts'),
    newParts: columnWith(columns, 'new_path_parts'),
  };
}

/** Pagely writes `/text::starts-with` where a source is more than a path. */
const OPERATOR = /^(.*)::(contains|starts-with|ends-with)$/;

interface Written {
  text: string;
  operator: string;
}

function writtenSource(cells: readonly string[], { oldPath, oldParts }: Columns): Written | Problem {
  const plain = cellOf(cells, oldPath) ?? '';
  const parts = cellOf(cells, oldParts) ?? '';
  if (parts === '') return { text: plain, operator: '' };
  if (plain !== '' && plain !== parts) return twice(oldPath, oldParts);
  const found = OPERATOR.exec(parts);
  return { text: found?.[1] ?? parts, operator: found?.[2] ?? '' };
}

function writtenTarget(
  cells: readonly string[],
  { newPath, newParts }: Columns,
): string | null | undefined | Problem {
  if (!newPath && !newParts) return undefined;
  const plain = cellOf(cells, newPath) ?? '';
  const parts = cellOf(cells, newParts) ?? '';
  if (plain !== '' && parts !== '' && plain !== parts) return twice(newPath, newParts);
  return (plain === '' ? parts : plain) || null;
}

function twice(one: PlacedColumn | undefined, other: PlacedColumn | undefined): Problem {
  const message = `${one?.header ?? ''} and ${other?.header ?? ''} are both given and differ; clear one of them`;
  return problem('row', 'CONDITION_NOT_SUPPORTED', message);
}

function kindOf(
  cells: readonly string[],
  columns: Columns,
  operator: string,
): MatchKind | undefined | Problem {
  if (operator !== '') return readMatchKind(operator, columns.oldParts?.header ?? '');
  const { match, subpaths } = columns;
  if (match) return readMatchKind(cellOf(cells, match) ?? '', match.header);
  if (!subpaths) return undefined;
  const below = readBoolean(cellOf(cells, subpaths) ?? '', 'row', subpaths.header);
  if (isProblem(below)) return below;
  return below ? 'subpaths' : undefined;
}

function pattern(text: string, newPath: string | null | undefined, options: CsvOptions): Rule | Problem {
  const source = readPatternSource(text, options);
  if (isProblem(source)) return source;
  return { oldPath: source.path, newPath, isRegex: true, source, converted: false };
}

/** A text that paths contain or end with needs no slash in front; all others are paths. */
function sourceOf(
  text: string,
  kind: MatchKind | undefined,
  options: CsvOptions,
  hostFirst: boolean,
): Source | Problem {
  const isPart = (kind === 'contains' || kind === 'end') && text !== '' && !text.includes('://');
  if (isPart) return { path: text, hostRemoved: false, slashAdded: false };
  return readSource(text, options, hostFirst || kind === 'host');
}

/** In these tools' files `*` and `[name]` stand for any text, which as a literal path would never match. */
const WILDCARDS: Partial<Record<FormatName, RegExp>> = { redirectiq: /\*|\[.*\]/, akamai: /[*\s]/ };

function wildcardOf(format: FormatName, text: string): Problem | undefined {
  if (WILDCARDS[format]?.test(text) !== true) return undefined;
  const remedy = 'write it as a pattern, such as ^/blog/(.*)$, with is_regex true';
  return problem(
    'old_path',
    'CONDITION_NOT_SUPPORTED',
    `old_path is ${show(text)}, with a wildcard; ${remedy}`,
  );
}

function convert(
  source: Source,
  kind: 'start' | 'contains' | 'end' | 'subpaths',
  newPath: string | null | undefined,
  cells: readonly string[],
  { suffix }: Columns,
): Rule | Problem {
  const said = readBoolean(cellOf(cells, suffix) ?? '', 'row', suffix?.header ?? '');
  if (isProblem(said)) return said;
  // Cloudflare keeps what stands behind the source unless told otherwise; other tools only if told to.
  const keepRest = (said ?? kind === 'subpaths') && (kind === 'start' || kind === 'subpaths');
  const remedy = 'write it as a pattern with is_regex true';
  if (source.path.includes('?')) {
    const message = `old_path is ${show(source.path)}: a pattern does not see the query; ${remedy}`;
    return problem('old_path', 'CONDITION_NOT_SUPPORTED', message);
  }
  if (keepRest && typeof newPath === 'string' && /[?#]/.test(newPath)) {
    const message = `new_path is ${show(newPath)}: the rest of the path cannot go behind a query; ${remedy}`;
    return problem('new_path', 'CONDITION_NOT_SUPPORTED', message);
  }
  const made =
    kind === 'subpaths'
      ? toSubpathsPattern(source.path, newPath, keepRest)
      : toPattern(kind, source.path, newPath, keepRest);
  return { ...made, isRegex: true, source, converted: true };
}
