/** Rules of a server file as rows of an import, and what differs because it is an option of the website here. */
import type { Issue } from '../../../vocabulary/error.ts';
import { foldPath } from '../../../resolver/spelling/case-fold.ts';
import type { Count, FileRow } from '../../rows/row.ts';
import { readTarget } from '../../rows/source.ts';
import type { FoundRule, ServerContext } from './statement.ts';

/** The rule with its source as this website needs it: `^/a/?$` is a pattern if the website compares the final slash. */
export function forWebsite(rule: FoundRule, { trailingSlash }: ServerContext): FoundRule {
  const { source } = rule;
  if (source.kind !== 'path' || source.orPattern === undefined || trailingSlash === 'ignore') return rule;
  return { ...rule, source: { kind: 'pattern', pattern: source.orPattern }, conversion: 'CONVERTED_TO_PATTERN' };
}

export function toRow(
  { source, target, statusCode, isDisabled = false }: FoundRule,
  line: number,
  context: ServerContext,
): FileRow {
  const isRegex = source.kind === 'pattern';
  const oldPath = source.kind === 'pattern' ? source.pattern : source.path;
  const newPath = isRegex ? patternTarget(target, context) : readTarget(target, oldPath, context, false);
  return { line, oldPath, newPath, statusCode, isRegex, draft: isDisabled };
}

/** A pattern may redirect to the same path on another of the website's hosts, so only a fixed beginning loses its host. */
function patternTarget(target: string | null, context: ServerContext): string | null | undefined {
  if (target === null || /^https?:\/\/[^/?#]*(?:\/?$|\/?\$|\/?[?#])/i.test(target)) return target;
  return readTarget(target, '', context, false);
}

/** Counts what is stored in another form, and what an option of the website decides. */
export function countNotices(rule: FoundRule, row: FileRow, context: ServerContext, count: Count): void {
  const { source, target, query, ignoresCase, conversion, isQueryLoosened, isDisabled } = rule;
  if (isDisabled === true) count('DISABLED_AS_DRAFT', 'target_environments');
  if (conversion) count(conversion, 'old_path');
  if (typeof row.newPath === 'string' && row.newPath.startsWith('/') && /^https?:/i.test(target ?? ''))
    count('HOST_REMOVED', 'new_path');
  if (isQueryLoosened === true) count('QUERY_PAIRS', 'old_path');
  const isExact = query === 'exact' || context.query === 'exact';
  const isOtherQuery = query !== context.query && (isExact || target !== null);
  if (query !== undefined && isOtherQuery) count('WEBSITE_OPTION', 'query');
  if (source.kind === 'path' && source.slash !== context.trailingSlash && source.path !== '/')
    count('WEBSITE_OPTION', 'trailing_slash');
  if (ignoresCase === context.caseSensitive && hasLetters(row.oldPath)) count('WEBSITE_OPTION', 'case_sensitive');
}

function hasLetters(path: string): boolean {
  const folded = foldPath(path);
  return folded !== path || folded !== path.toUpperCase();
}

/** The cells of a statement in the list of errors, which imports as CSV once they are fixed. */
export const STATEMENT_HEADERS = ['old_path', 'new_path', 'status_code', 'is_regex', 'statement'] as const;

export function statementCells(text: string, row?: FileRow | Issue): string[] {
  if (!row || 'code' in row) return ['', '', '', '', text];
  return [row.oldPath, row.newPath ?? '', String(row.statusCode ?? ''), String(row.isRegex ?? false), text];
}
