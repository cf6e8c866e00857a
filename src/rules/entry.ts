import { isOwnAddress } from '../resolver/follow.ts';
import type { Environment } from '../vocabulary/environment.ts';
import type { ErrorCode, Issue } from '../vocabulary/error.ts';
import { checkLabels } from './check-fields.ts';
import { withoutOwnHost } from './own-target.ts';
import { type AllowedHosts, checkRedirect, type TargetHosts } from './check-redirect.ts';

/**
 * A redirect of a bulk body or file that is valid by itself. Undefined: not provided (a new redirect takes the default,
 * an existing one keeps its value). null: explicitly none.
 */
export interface ImportEntry {
  /** line of the file, or index in the body, for errors */
  line: number;
  key: string;
  oldPath: string;
  newPath: string | null;
  statusCode: number | undefined;
  isRegex: boolean | undefined;
  groupId: string | null | undefined;
  notes: string | null | undefined;
  environments: Environment[] | undefined;
  activeFrom: Date | null | undefined;
  activeUntil: Date | null | undefined;
  /** an existing redirect gets the spelling of `oldPath` */
  isExact?: boolean;
  /**
   * the merge checks the target again: the website was unknown, or the target is the path itself on one of its hosts,
   * which is a loop in the environments of this host
   */
  isUndecided?: boolean;
}

/** Checks the fields of an entry together. Returns the entry, or its first issue. */
export function checkedEntry(
  fields: Omit<ImportEntry, 'key' | 'isExact' | 'isUndecided'>,
  { allowedTargetHosts, servesRules }: TargetHosts<AllowedHosts>,
): ImportEntry | Issue {
  const newPath =
    fields.newPath === null || fields.newPath.startsWith('/') || allowedTargetHosts === 'any'
      ? fields.newPath
      : withoutOwnHost(fields.newPath, fields.oldPath, { allowedTargetHosts, servesRules });
  const { oldPath, statusCode = 301, isRegex = false, activeFrom = null, activeUntil = null } = fields;
  const rule = { oldPath, newPath, statusCode, isRegex, activeFrom, activeUntil };
  const { key, issues } = checkRedirect(rule, allowedTargetHosts);
  const problem = issues[0] ?? checkLabels(fields.groupId ?? null, fields.notes ?? null)[0];
  if (problem) return problem;
  const isAddress = newPath !== null && !newPath.startsWith('/');
  const isUndecided = isAddress && (allowedTargetHosts === 'any' || isOwnAddress({ ...rule, key }, servesRules));
  return { ...fields, newPath, key, isUndecided };
}

/** Values of the call for entries that do not provide them. */
export interface CallDefaults {
  groupId: string | null | undefined;
  environments: Environment[] | undefined;
}

/** How an import treats an entry whose path has a redirect: `skip` leaves it unchanged. */
export type ConflictMode = 'skip' | 'update';

export interface RowError {
  line: number;
  /** the field's name on the wire, or `row` if the error concerns the row as a whole */
  column: string;
  code: ErrorCode;
  message: string;
  /** the source as sent; null if it could not be read */
  oldPath: string | null;
  /** of TARGET_HOST_NOT_ALLOWED: the host that the website does not allow */
  host?: string;
}

/** Places an issue in the file or body. */
export function rowError(line: number, oldPath: string | null, { path, code, message }: Issue): RowError {
  return { line, column: path, code, message, oldPath };
}

export function isRowError<Row extends object>(row: Row | RowError): row is RowError {
  return 'code' in row;
}
