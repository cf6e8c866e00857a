/** Source, target and how the source is compared: up to eight columns of a file as one path or pattern. */
import { isIssue, type Issue } from '../../../vocabulary/error.ts';
import { readBoolean, show, type Target, unsupported } from '../../rows/cells.ts';
import { deleteNotSupported } from './conditions.ts';
import { toolOf } from './csv-formats.ts';
import { cellOf, columnWith, type CsvLayout, isOwnExport, type PlacedColumn } from './layout.ts';
import { type MatchKind, readMatchKind, toPattern } from '../../rows/match-kind.ts';
import { anchorWithTarget } from '../../rows/replaced-pattern.ts';
import { appendPairs, asWritten, readPatternSource, readSource, readTarget, type Source } from '../../rows/source.ts';
import { ambiguousWildcard, convertWildcards, hasWildcard, notConvertible } from '../../rows/wildcards.ts';

export interface CsvRule {
  oldPath: string;
  newPath: Target;
  isRegex: boolean | undefined;
  source: Source;
  /** made a pattern from a text or wildcards, or from a pattern that its tool searches for anywhere */
  conversion?: 'CONVERTED_TO_PATTERN' | 'PATTERN_ANCHORED';
}

type Columns = ReturnType<typeof findColumns>;

/** Returns the reader of one file's rules. Its issues are of old_path, new_path, is_regex or the row as a whole. */
export function createRuleReader(layout: CsvLayout): (cells: readonly string[]) => CsvRule | Issue {
  const columns = findColumns(layout);
  const { format } = layout;
  const addsSlash = toolOf(format).withoutSlash === 'all';
  const isExport = isOwnExport(layout.columns);
  const isRegexHeader = columns.isRegex?.header ?? '';
  return (cells) => {
    const written = readWrittenSource(cells, columns);
    if (isIssue(written)) return written;
    const isPathMatch = format === 'akamai' && (cellOf(cells, columns.oldParts) ?? '') !== '';
    const text = isPathMatch ? akamaiPath(written.text, layout.options) : written.text;
    if (isIssue(text)) return text;
    if (format === 'akamai' && !isPathMatch && /\s/.test(text)) return severalPaths(text);
    const target = readWrittenTarget(cells, columns);
    if (isIssue(target)) return target;
    if (format === 'rank-math' && target === 'DELETE') return deleteNotSupported();
    const read = isExport ? target : readTarget(target, text, layout.options, addsSlash);
    const isRegex = readBoolean(cellOf(cells, columns.isRegex) ?? '', 'is_regex', isRegexHeader);
    if (isIssue(isRegex)) return isRegex;
    const kind = readKind(cells, columns, written.operator);
    if (isIssue(kind)) return kind;
    if (kind === 'regex' || isRegex === true) return patternRule(text, read, layout);
    const newPath = format === 'rank-math' ? withSourceQuery(text, read) : read;
    if (format === 'redirectiq' && text === '') return catchAllRule(newPath);
    const source = sourceOf(text, kind, layout);
    if (isIssue(source)) return source;
    if (kind === 'wildcards') return wildcardRule(source, newPath, layout, 'convert');
    if (kind === undefined && isRegex === undefined && hasWildcard(source.path, newPath, format === 'redirectiq'))
      return wildcardRule(source, newPath, layout);
    if (kind === undefined || kind === 'literal' || kind === 'host') {
      return { oldPath: source.path, newPath, isRegex: kind === undefined ? isRegex : false, source };
    }
    return convert(source, kind, newPath, cells, columns, format === 'rank-math');
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

function readWrittenSource(cells: readonly string[], { oldPath, oldParts }: Columns) {
  const plain = cellOf(cells, oldPath) ?? '';
  const parts = cellOf(cells, oldParts) ?? '';
  if (parts === '') return { text: plain, operator: '' };
  if (plain !== '' && plain !== parts) return contradiction(oldPath, oldParts);
  const found = OPERATOR.exec(parts);
  return { text: found?.[1] ?? parts, operator: found?.[2] ?? '' };
}

function readWrittenTarget(cells: readonly string[], { newPath, newParts }: Columns) {
  if (!newPath && !newParts) return undefined;
  const plain = cellOf(cells, newPath) ?? '';
  const parts = cellOf(cells, newParts) ?? '';
  if (plain !== '' && parts !== '' && plain !== parts) return contradiction(newPath, newParts);
  return (plain === '' ? parts : plain) || null;
}

function contradiction(one: PlacedColumn | undefined, other: PlacedColumn | undefined): Issue {
  const headers = `${one?.header ?? ''} and ${other?.header ?? ''}`;
  return unsupported(`${headers} both have a value and differ; clear one of them`);
}

function readKind(cells: readonly string[], columns: Columns, operator: string): MatchKind | undefined | Issue {
  const { oldParts, match, subpaths, suffix } = columns;
  if (operator !== '') return readMatchKind(operator, oldParts?.header ?? '');
  if (match) return readMatchKind(cellOf(cells, match) ?? '', match.header);
  // A tool without a column for subpaths forwards the rest of the path of everything below the source.
  const below = subpaths ?? suffix;
  if (!below) return undefined;
  const matchesBelow = readBoolean(cellOf(cells, below) ?? '', 'row', below.header);
  if (isIssue(matchesBelow)) return matchesBelow;
  return matchesBelow ? 'subpaths' : undefined;
}

function patternRule(text: string, newPath: Target, { format, options }: CsvLayout): CsvRule | Issue {
  const { search, withoutSlash } = toolOf(format);
  const anchored = search && text !== '' ? anchorWithTarget(text, newPath, search) : undefined;
  if (anchored && isIssue(anchored)) return anchored;
  const addSlash = options.addSlash || withoutSlash !== undefined;
  const source = readPatternSource(anchored?.text ?? text, { addSlash });
  if (isIssue(source)) return source;
  const target = anchored ? anchored.target : newPath;
  const rule = { oldPath: source.path, newPath: target, isRegex: anchored?.isLiteral !== true, source };
  return anchored?.isChanged === true ? { ...rule, conversion: 'PATTERN_ANCHORED' } : rule;
}

/** A text that paths contain or end with needs no leading slash; any other source is a path. */
function sourceOf(text: string, kind: MatchKind | undefined, { format, options }: CsvLayout): Source | Issue {
  const isPart = (kind === 'contains' || kind === 'end') && text !== '' && !text.includes('://');
  if (isPart) return asWritten(format === 'rank-math' ? text.replace(/^\/+|\/+$/g, '') : text);
  const { withoutSlash, hostFirst = false } = toolOf(format);
  const addSlash = options.addSlash || withoutSlash !== undefined;
  return readSource(text, { ...options, addSlash }, hostFirst || kind === 'host');
}

function wildcardRule(source: Source, newPath: Target, { format, options }: CsvLayout, known?: 'convert') {
  const wildcards = known ?? toolOf(format).wildcards;
  const mode = wildcards === 'convert' ? wildcards : (options.wildcards ?? wildcards ?? 'refuse');
  if (mode === 'literal') return { oldPath: source.path, newPath, isRegex: undefined, source };
  if (mode === 'refuse') return ambiguousWildcard(source.path, newPath);
  const converted = convertWildcards(source.path, newPath, format === 'redirectiq' ? '.+' : '.*');
  if (isIssue(converted)) return converted;
  return { ...converted, isRegex: true, source, conversion: 'CONVERTED_TO_PATTERN' as const };
}

/** Rank Math passes the query of the request on, the pairs that the source requires too. */
function withSourceQuery(source: string, target: Target): Target {
  const query = source.split('?')[1];
  if (query === undefined || typeof target !== 'string' || target.includes('#')) return target;
  return appendPairs(target, [query]);
}

/** RedirectIQ uses a rule without a source for every other path. */
function catchAllRule(target: Target): CsvRule {
  const oldPath = '^/.*$';
  const newPath = target?.replaceAll('$', '$$$$') ?? target;
  return { oldPath, newPath, isRegex: true, source: asWritten(oldPath), conversion: 'CONVERTED_TO_PATTERN' };
}

/**
 * Reads the path match of an Akamai rule. A space separates values and `\ ` is a space in one; `?` is any character; `:`
 * in front makes case matter.
 */
function akamaiPath(text: string, { caseSensitive = true }: CsvLayout['options']): string | Issue {
  if (/(?<!\\)\s/.test(text)) return severalPaths(text);
  const path = text.replace(/\\(?=\s)/g, '');
  const invalid = (reason: string): Issue => unsupported(`old_path is ${show(text)}: ${reason}`, 'old_path');
  if (path.includes('?')) return invalid('"?" is any character; write the source as a pattern with is_regex true');
  if (!path.startsWith(':')) return path;
  return caseSensitive ? path.slice(1) : invalid('":" makes case matter, but the website ignores it; remove the ":"');
}

function severalPaths(text: string): Issue {
  return unsupported(`old_path is ${show(text)}, several paths in one cell; write a row for each`, 'old_path');
}

function convert(
  source: Source,
  kind: 'start' | 'contains' | 'end' | 'subpaths',
  newPath: Target,
  cells: readonly string[],
  { suffix }: Columns,
  ignoresLastSlash: boolean,
): CsvRule | Issue {
  const keepsSuffix = readBoolean(cellOf(cells, suffix) ?? '', 'row', suffix?.header ?? '');
  if (isIssue(keepsSuffix)) return keepsSuffix;
  // By default Cloudflare's subpath matching keeps the rest of the path; the other kinds do not.
  const keepRest = (keepsSuffix ?? kind === 'subpaths') && (kind === 'start' || kind === 'subpaths');
  if (source.path.includes('?')) return notConvertible('old_path', source.path, 'a pattern does not see the query');
  if (keepRest && typeof newPath === 'string' && /[?#]/.test(newPath))
    return notConvertible('new_path', newPath, 'the rest of the path cannot follow a query');
  const pattern = toPattern(kind, source.path, newPath, keepRest);
  const oldPath = ignoresLastSlash && kind === 'end' ? pattern.oldPath.replace(/\$$/, '/?$') : pattern.oldPath;
  return { ...pattern, oldPath, isRegex: true, source, conversion: 'CONVERTED_TO_PATTERN' };
}
