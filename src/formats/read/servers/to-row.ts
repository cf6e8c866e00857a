/** Rules of a server file as rows of an import, and what differs because it is an option of the website here. */
import type { Issue } from '../../../vocabulary/error.ts';
import { foldPath } from '../../../resolver/spelling/case-fold.ts';
import type { RowNotices } from '../../rows/notices.ts';
import type { FileRow } from '../../rows/row.ts';
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

/** Counts what is stored in another form, and the options of the website with which it would do as the server. */
export function countNotices(rule: FoundRule, row: FileRow, context: ServerContext, notices: RowNotices): void {
  const { source, target, query, ignoresCase, conversion, isQueryLoosened, isDisabled } = rule;
  const { line } = row;
  if (isDisabled === true) notices.count('DISABLED_AS_DRAFT', 'target_environments', line);
  if (conversion) notices.count(conversion, 'old_path', line);
  if (typeof row.newPath === 'string' && row.newPath.startsWith('/') && /^https?:/i.test(target ?? ''))
    notices.count('HOST_REMOVED', 'new_path', line);
  if (isQueryLoosened === true) notices.count('QUERY_PAIRS', 'old_path', line);
  // Without a target, passing and dropping the query are the same.
  const isDecided = target !== null || query === 'exact' || context.query === 'exact';
  if (query !== undefined && isDecided) notices.want('query', query, line);
  // A website that compares the slash gets a pattern of both spellings.
  if (source.kind === 'path' && source.path !== '/' && source.orPattern === undefined)
    notices.want('trailing_slash', source.slash, line);
  if (hasLetters(row.oldPath)) notices.want('case_sensitive', String(!ignoresCase), line);
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
