/** How a file is read: decided by plan-csv.ts before its rows are read. */
import type { MatchOptions } from '../../../resolver/rule.ts';
import type { RowField } from '../../../vocabulary/import/verdict.ts';
import type { Plan } from '../../../vocabulary/plan.ts';
import { type ColumnRole, normalHeader } from './column-role.ts';
import type { Encoding } from '../../rows/encoding.ts';
import type { FormatName } from './csv-formats.ts';
import type { FileNotice } from '../../rows/notices.ts';
import type { Delimiter } from './tokenize.ts';
import type { WildcardMode } from '../../rows/wildcards.ts';

/** Values of a row by field, in the forms that a cell of the file may have. */
export type Correction = Readonly<Partial<Record<RowField, string>>>;

/** By the line where the row begins. */
export type Corrections = ReadonlyMap<number, Correction>;

/** The options of the import, and what the website adds to them. */
export interface CsvOptions {
  /** bounds the rows and blank lines of the file */
  plan: Plan;
  /** adds a leading slash to a source without one; otherwise such a row is invalid */
  addSlash: boolean;
  /** how a wildcard is read in a file of no known tool, in a row without is_regex; `refuse` if absent */
  wildcards?: WildcardMode | undefined;
  /** ignores columns with an unknown header; otherwise the file is rejected */
  ignoreUnknown: boolean;
  /** header as in the file -> field (snake_case), '' to ignore the column */
  columns: Record<string, string>;
  /** cells to read in place of those of the file */
  corrections?: Corrections | undefined;
  /** the website's hostnames, lower-case IDNA ASCII */
  ownHosts: { has(host: string): boolean };
  /** those whose rules answer every request: a target on one of them becomes a path; all of `ownHosts` if absent */
  ruleHosts?: { has(host: string): boolean };
  /** the form field website_id; a row with another one is invalid */
  websiteId: number | null;
  /** the website's query option, with which a file's query mode must agree; `pass` if absent */
  query?: MatchOptions['query'] | undefined;
  /** the website's options for comparing paths; a notice tells if the file's tool compares otherwise */
  caseSensitive?: boolean | undefined;
  trailingSlash?: MatchOptions['trailingSlash'] | undefined;
}

export interface CsvLayout {
  path: string;
  options: CsvOptions;
  encoding: Encoding;
  delimiter: Delimiter;
  format: FormatName;
  /** the line of the header row; undefined if the first row is data */
  headerLine: number | undefined;
  columns: readonly CsvColumn[];
  /** lines that begin with `#` are comments, as in Akamai's exports */
  comments: boolean;
  /** complete when the last row has been read */
  notices: FileNotice[];
}

/** The website's options for comparing paths, or the defaults of a new website. */
export function matchOptions({ options }: Pick<CsvLayout, 'options'>): MatchOptions {
  const { query = 'pass', caseSensitive = true, trailingSlash = 'ignore' } = options;
  return { query, caseSensitive, trailingSlash };
}

export interface CsvColumn {
  /** as in the file; without a header row, the name that the tool gives the column */
  header: string;
  role: ColumnRole;
}

export interface PlacedColumn extends CsvColumn {
  at: number;
}

export function columnsWith(columns: readonly CsvColumn[], role: ColumnRole): PlacedColumn[] {
  const placed = columns.map((column, at) => ({ ...column, at }));
  return placed.filter((column) => column.role === role);
}

export function columnWith(columns: readonly CsvColumn[], role: ColumnRole): PlacedColumn | undefined {
  return columnsWith(columns, role)[0];
}

/**
 * Returns the cell of a row. Undefined if the file has no such column or the row ends before it: a short row leaves a
 * field unspecified, an empty cell clears it.
 */
export function cellOf(cells: readonly string[], column: PlacedColumn | undefined): string | undefined {
  return column && cells[column.at];
}

/** The columns of our own exports that no other file has together. */
const EXPORTED = 'id oldpath newpath statuscode isregex targetenvironments groupid notes createdat'.split(' ');

/** True for an export of this service, which is imported without loss: each cell means what it says. */
export function isOwnExport(columns: readonly CsvColumn[]): boolean {
  const headers = new Set(columns.map(({ header }) => normalHeader(header)));
  return EXPORTED.every((header) => headers.has(header));
}
