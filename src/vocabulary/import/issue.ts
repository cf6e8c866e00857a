/** Codes of the notices of an import. docs/import.md lists them, and the codes of invalid rows. */

/** COLUMN_IGNORED counts cells with content, WEBSITE_OPTION such cells or, of an option, rows; the others rows. */
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

/** The options of a website about which a notice WEBSITE_OPTION says what the tool of the file does. */
export const WEBSITE_OPTIONS = ['query', 'case_sensitive', 'trailing_slash'] as const;

export type WebsiteOption = (typeof WEBSITE_OPTIONS)[number];

/** Between the reason of an invalid row and the statement of a server file that it quotes. */
export const STATEMENT_FOLLOWS = '; statement: ';
