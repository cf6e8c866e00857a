/** Source, target and how the source is compared: up to eight columns of a file as one path or pattern. */
import type { Issue } from '../../vocabulary/error.ts';
import { isIssue, readBoolean, show, unsupported } from './cells.ts';
import { deleteNotSupported } from './conditions.ts';
import type { FormatName } from './formats.ts';
import { cellOf, columnWith, type CsvLayout, type CsvOptions, type PlacedColumn } from './layout.ts';
import { type MatchKind, readMatchKind, toPattern, toSubpathsPattern } from './match-kind.ts';
import { readPatternSource, readSource, type Source } from './source.ts';

export interface CsvRule {
  oldPath: string;
  newPath: string | null | undefined;
  isRegex: boolean | undefined;
  source: Source;
  /** made a pattern from a text that paths begin with, contain or end with */
  isConverted: boolean;
}

export type RuleReader = (cells: readonly string[]) => CsvRule | Issue;

type Columns = ReturnType<typeof findColumns>;

/** Returns the reader of one file's rules. Its issues are of old_path, new_path, is_regex or the row as a whole. */
export function createRuleReader(layout: CsvLayout, options: CsvOptions): RuleReader {
  const columns = findColumns(layout);
  const { format } = layout;
  const hostFirst = format === 'cloudflare';
  const isRegexHeader = columns.isRegex?.header ?? '';
  return (cells) => {
    const written = readWrittenSource(cells, columns);
    if (isIssue(written)) return written;
    const newPath = readWrittenTarget(cells, columns);
    if (isIssue(newPath)) return newPath;
    if (format === 'rank-math' && newPath === 'DELETE') return deleteNotSupported();
    const isRegex = readBoolean(cellOf(cells, columns.isRegex) ?? '', 'is_regex', isRegexHeader);
    if (isIssue(isRegex)) return isRegex;
    const kind = readKind(cells, columns, written.operator);
    if (isIssue(kind)) return kind;
    if (kind === 'regex' || isRegex === true) return patternRule(written.text, newPath, options);
    const wildcard = wildcardIssue(format, written.text);
    if (wildcard) return wildcard;
    const source = sourceOf(written.text, kind, options, hostFirst);
    if (isIssue(source)) return source;
    if (kind === undefined) return { oldPath: source.path, newPath, isRegex, source, isConverted: false };
    if (kind === 'literal' || kind === 'host')
      return { oldPath: source.path, newPath, isRegex: false, source, isConverted: false };
    return convert(source, kind, newPath, cells, columns);
  };
}

function findColumns({ columns }: CsvLayout) {
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

/** Pagely writes `/text::starts-with` if a source is more than a path. */
const OPERATOR = /^(.*)::(contains|starts-with|ends-with)$/;

interface WrittenSource {
  text: string;
  operator: string;
}

function readWrittenSource(cells: readonly string[], { oldPath, oldParts }: Columns): WrittenSource | Issue {
  const plain = cellOf(cells, oldPath) ?? '';
  const parts = cellOf(cells, oldParts) ?? '';
  if (parts === '') return { text: plain, operator: '' };
  if (plain !== '' && plain !== parts) return contradiction(oldPath, oldParts);
  const found = OPERATOR.exec(parts);
  return { text: found?.[1] ?? parts, operator: found?.[2] ?? '' };
}

function readWrittenTarget(
  cells: readonly string[],
  { newPath, newParts }: Columns,
): string | null | undefined | Issue {
  if (!newPath && !newParts) return undefined;
  const plain = cellOf(cells, newPath) ?? '';
  const parts = cellOf(cells, newParts) ?? '';
  if (plain !== '' && parts !== '' && plain !== parts) return contradiction(newPath, newParts);
  return (plain === '' ? parts : plain) || null;
}

function contradiction(one: PlacedColumn | undefined, other: PlacedColumn | undefined): Issue {
  return unsupported(
    `${one?.header ?? ''} and ${other?.header ?? ''} both have a value and differ; clear one of them`,
  );
}

function readKind(
  cells: readonly string[],
  { oldParts, match, subpaths }: Columns,
  operator: string,
): MatchKind | undefined | Issue {
  if (operator !== '') return readMatchKind(operator, oldParts?.header ?? '');
  if (match) return readMatchKind(cellOf(cells, match) ?? '', match.header);
  if (!subpaths) return undefined;
  const matchesBelow = readBoolean(cellOf(cells, subpaths) ?? '', 'row', subpaths.header);
  if (isIssue(matchesBelow)) return matchesBelow;
  return matchesBelow ? 'subpaths' : undefined;
}

function patternRule(text: string, newPath: string | null | undefined, options: CsvOptions): CsvRule | Issue {
  const source = readPatternSource(text, options);
  if (isIssue(source)) return source;
  return { oldPath: source.path, newPath, isRegex: true, source, isConverted: false };
}

/** A text that paths contain or end with needs no leading slash; any other source is a path. */
function sourceOf(
  text: string,
  kind: MatchKind | undefined,
  options: CsvOptions,
  hostFirst: boolean,
): Source | Issue {
  const isPart = (kind === 'contains' || kind === 'end') && text !== '' && !text.includes('://');
  if (isPart) return { path: text, hostRemoved: false, slashAdded: false };
  return readSource(text, options, hostFirst || kind === 'host');
}

/** In these tools' files `*` and `[name]` mean any text, which a literal path would never match. */
const WILDCARDS: Partial<Record<FormatName, RegExp>> = { redirectiq: /\*|\[.*\]/, akamai: /[*\s]/ };

function wildcardIssue(format: FormatName, text: string): Issue | undefined {
  if (WILDCARDS[format]?.test(text) !== true) return undefined;
  const remedy = 'write it as a pattern, such as ^/blog/(.*)$, with is_regex true';
  return unsupported(`old_path is ${show(text)}, with a wildcard; ${remedy}`, 'old_path');
}

function convert(
  source: Source,
  kind: 'start' | 'contains' | 'end' | 'subpaths',
  newPath: string | null | undefined,
  cells: readonly string[],
  { suffix }: Columns,
): CsvRule | Issue {
  const keepsSuffix = readBoolean(cellOf(cells, suffix) ?? '', 'row', suffix?.header ?? '');
  if (isIssue(keepsSuffix)) return keepsSuffix;
  // By default Cloudflare's subpath matching keeps the rest of the path; the other kinds do not.
  const keepRest = (keepsSuffix ?? kind === 'subpaths') && (kind === 'start' || kind === 'subpaths');
  const remedy = 'write it as a pattern with is_regex true';
  if (source.path.includes('?')) {
    const message = `old_path is ${show(source.path)}: a pattern does not see the query; ${remedy}`;
    return unsupported(message, 'old_path');
  }
  if (keepRest && typeof newPath === 'string' && /[?#]/.test(newPath)) {
    const message = `new_path is ${show(newPath)}: the rest of the path cannot follow a query; ${remedy}`;
    return unsupported(message, 'new_path');
  }
  const pattern =
    kind === 'subpaths'
      ? toSubpathsPattern(source.path, newPath, keepRest)
      : toPattern(kind, source.path, newPath, keepRest);
  return { ...pattern, isRegex: true, source, isConverted: true };
}
