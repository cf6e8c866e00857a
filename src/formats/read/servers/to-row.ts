/** Rules of a server file as rows of an import, and what differs because it is an option of the website here. */
import { addressParts } from '../../../rules/own-target.ts';
import type { Issue } from '../../../vocabulary/error.ts';
import { foldPath } from '../../../resolver/spelling/case-fold.ts';
import type { RowNotices } from '../../rows/notices.ts';
import type { FileRow } from '../../rows/row.ts';
import { readTarget } from '../../rows/source.ts';
import { groupBody } from './search-pattern.ts';
import type { FoundRule, ServerContext } from './statement.ts';

/** The rule with its source as this website needs it: `^/a/?$` is a pattern if the website compares the final slash. */
export function forWebsite(rule: FoundRule, { trailingSlash }: ServerContext): FoundRule {
  const { source } = rule;
  if (source.kind !== 'path' || source.orPattern === undefined || trailingSlash === 'ignore') return rule;
  return { ...rule, source: { kind: 'pattern', pattern: source.orPattern }, conversion: 'CONVERTED_TO_PATTERN' };
}

/** True if the rule redirects each path to itself on a host of the website: it only changes the scheme or the host. */
export function isItself({ source, target }: FoundRule, { ownHosts }: ServerContext): boolean {
  const address = addressParts(target ?? '');
  const path = address && ownHosts.has(address.host) ? address.path : target;
  return source.kind === 'pattern' && path === '/$1' && source.pattern === `^/(${groupBody(source.pattern)})$`;
}

export function toRow(
  { source, target, statusCode, isDisabled = false }: FoundRule,
  line: number,
  context: ServerContext,
): FileRow {
  const isRegex = source.kind === 'pattern';
  const oldPath = source.kind === 'pattern' ? source.pattern : source.path;
  const newPath = readTarget(target, oldPath, context, false);
  return { line, oldPath, newPath, statusCode, isRegex, draft: isDisabled };
}

/** Counts what is stored in another form, and the options of the website with which it would do as the server. */
export function countNotices(rule: FoundRule, row: FileRow, context: ServerContext, notices: RowNotices): void {
  const { source, target, query, ignoresCase, conversion, isQueryLoosened, isDisabled, hasOwnHost } = rule;
  const { line } = row;
  if (isDisabled === true) notices.count('DISABLED_AS_DRAFT', 'target_environments', line);
  if (conversion) notices.count(conversion, 'old_path', line);
  const isRemoved = row.newPath?.startsWith('/') === true && /^https?:/i.test(target ?? '');
  if (isRemoved || hasOwnHost === true) notices.count('HOST_REMOVED', 'new_path', line);
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
