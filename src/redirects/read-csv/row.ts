/** One data row as fields of a redirect. `undefined`: not specified; `null`: explicitly none. */
export interface CsvRow {
  /** physical line where the row begins; the first line of the file is 1 */
  line: number;
  oldPath: string;
  newPath: string | null | undefined;
  /** a whole number; check-row.ts checks that a redirect may have it */
  statusCode: number | undefined;
  isRegex: boolean | undefined;
  groupId: string | null | undefined;
  notes: string | null | undefined;
  /** the comma-separated names of the cell; '' is a draft */
  environments: string | undefined;
  /** the file marks the rule as disabled */
  draft: boolean;
  websiteId: number | undefined;
}

/** How often a value was read but not stored, or stored in another form. */
export interface CsvNotice {
  code: NoticeCode;
  /** the header in the file, or our field if no single column is concerned */
  column: string;
  count: number;
}

/** COLUMN_IGNORED and WEBSITE_OPTION count cells with content, the others rows. Invalid rows are not counted. */
export type NoticeCode =
  | 'COLUMN_IGNORED'
  | 'WEBSITE_OPTION'
  | 'HOST_REMOVED'
  | 'SLASH_ADDED'
  | 'CONVERTED_TO_PATTERN'
  | 'DISABLED_AS_DRAFT'
  | 'EMPTY_ROWS';
