/** Codes of the notices and row errors of an import. docs/import.md lists both. */
import type { ErrorCode } from '../error.ts';

/** COLUMN_IGNORED counts cells with content, WEBSITE_OPTION such cells or, with a value, rows; the others rows. */
export const NOTICE_CODES = [
  'COLUMN_IGNORED',
  'WEBSITE_OPTION',
  'HOST_REMOVED',
  'SLASH_ADDED',
  'CONVERTED_TO_PATTERN',
  'PATTERN_ANCHORED',
  'DISABLED_AS_DRAFT',
  'NOT_A_REDIRECT',
  'QUERY_PAIRS',
  'ORDER_DIFFERS',
  'EMPTY_ROWS',
] as const;

export type NoticeCode = (typeof NOTICE_CODES)[number];

/** The codes that a row of a file may have. */
export const ROW_ERROR_CODES = [
  'MALFORMED_ROW',
  'INVALID_JSON',
  'MISSING_PARAMETER',
  'INVALID_PARAMETER',
  'UNKNOWN_FIELD',
  'VALIDATION_ERROR',
  'INVALID_OLD_PATH',
  'INVALID_NEW_PATH',
  'TARGET_REQUIRED',
  'TARGET_NOT_ALLOWED',
  'TARGET_HOST_NOT_ALLOWED',
  'INVALID_STATUS_CODE',
  'INVALID_REGEX',
  'TOO_MANY_PATTERNS',
  'REDIRECT_LOOP',
  'INVALID_ENVIRONMENT',
  'INVALID_SCHEDULE',
  'INVALID_BOOLEAN',
  'TOO_LONG',
  'CONTROL_CHARACTER',
  'SOURCE_HOST_MISMATCH',
  'WEBSITE_MISMATCH',
  'DELETE_NOT_SUPPORTED',
  'AMBIGUOUS_WILDCARD',
  'CONDITION_NOT_SUPPORTED',
  'ORDER_CONFLICT',
  'CONFLICT',
] as const satisfies readonly ErrorCode[];

export type RowErrorCode = (typeof ROW_ERROR_CODES)[number];

/** Between the reason of an invalid row and the statement of a server file that it quotes. */
export const STATEMENT_FOLLOWS = '; statement: ';
