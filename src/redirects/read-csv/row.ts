import type { ErrorCode } from '../../vocabulary/error.ts';
import type { ColumnRole } from './column-role.ts';
import type { Encoding } from './encoding.ts';
import type { FormatName } from './formats.ts';
import type { Delimiter } from './tokenize.ts';

/** What the person who imports says about the file, and what the website says about itself. */
export interface CsvOptions {
  /** give a source without leading slash one, instead of refusing the row */
  addSlash: boolean;
  /** read past columns whose header is not known, instead of refusing the file */
  ignoreUnknown: boolean;
  /** header as the file spells it -> our field (snake_case), '' to ignore the column */
  columns: Record<string, string>;
  /** the website's hostnames, lower-case IDNA ASCII */
  ownHosts: ReadonlySet<string>;
  /** the form field website_id, which no row may contradict */
  websiteId: number | null;
  /** the website's query option, which a file's query mode is held against; `pass` where left out */
  query?: QueryOption;
}

export type QueryOption = 'pass' | 'drop' | 'exact';

/** One data row in our words. `undefined`: the file does not say; `null`: the file says "none". */
export interface CsvRow {
  /** physical line where the row begins; the first line of the file is 1 */
  line: number;
  oldPath: string;
  newPath: string | null | undefined;
  /** a whole number; whether it is one that a redirect may have is not checked here */
  statusCode: number | undefined;
  isRegex: boolean | undefined;
  groupId: string | null | undefined;
  notes: string | null | undefined;
  /** the comma string of the cell; '' is a draft */
  environments: string | undefined;
  /** the file says that the rule is disabled */
  draft: boolean;
  websiteId: number | undefined;
}

export interface CsvRowError {
  line: number;
  /** our name of the field, or `row` where the error is of no field of ours */
  column: string;
  code: ErrorCode;
  message: string;
  /** the source as the file spells it, where the row could be read that far */
  oldPath: string | null;
}

/** Something that was read and not kept, or kept in another form, and in how many rows. */
export interface CsvNotice {
  code: NoticeCode;
  /** the file's header, or our field where the notice is of no single column of the file */
  column: string;
  count: number;
}

/**
 * COLUMN_IGNORED and WEBSITE_OPTION count cells with content, the others rows; rows that are refused are in none but
 * their errors.
 */
export type NoticeCode =
  | 'COLUMN_IGNORED'
  | 'WEBSITE_OPTION'
  | 'HOST_REMOVED'
  | 'SLASH_ADDED'
  | 'CONVERTED_TO_PATTERN'
  | 'DISABLED_AS_DRAFT'
  | 'EMPTY_ROWS';

export function isRowError(row: CsvRow | CsvRowError): row is CsvRowError {
  return 'code' in row;
}

/** Everything that is decided about a file before its rows are read. */
export interface CsvLayout {
  encoding: Encoding;
  delimiter: Delimiter;
  format: FormatName;
  /** the line of the header row; undefined where the first row is data */
  headerLine: number | undefined;
  columns: readonly CsvColumn[];
  /** lines that begin with `#` are comments, as in Akamai's exports */
  comments: boolean;
  /** filled when the last row has been read */
  notices: CsvNotice[];
}

export interface CsvColumn {
  /** as the file spells it; for a file without header the name that its tool gives the column */
  header: string;
  meaning: ColumnRole;
}

/** A column and its place in a row. */
export interface PlacedColumn extends CsvColumn {
  at: number;
}

/** The columns that have a meaning, in the order of the file. */
export function columnsWith(columns: readonly CsvColumn[], meaning: ColumnRole): PlacedColumn[] {
  const placed = columns.map((column, at) => ({ ...column, at }));
  return placed.filter((column) => column.meaning === meaning);
}

/** The column that has a meaning which only one may have. */
export function columnWith(columns: readonly CsvColumn[], meaning: ColumnRole): PlacedColumn | undefined {
  return columnsWith(columns, meaning)[0];
}

/**
 * The cell of a row. Undefined where the file has no such column and where the row ends before it: a row that is too
 * short says nothing about what is missing, while an empty cell says "none".
 */
export function cellOf(cells: readonly string[], column: PlacedColumn | undefined): string | undefined {
  return column && cells[column.at];
}
