import type { ColumnRole } from '../column-role.ts';
import type { Tool } from '../csv-formats.ts';

/** Options of the website by the cells of a row. They precede those of the tool. */
export interface RowOptions extends Pick<Tool, 'query' | 'patterns' | 'trailingSlash' | 'caseSensitive'> {
  /** the tool compares the whole query, but a redirect here requires pairs and allows others */
  isQueryLoosened?: boolean;
  /** `false`: the tool finds the path with any query; whether it passes it on is unknown */
  comparesQuery?: boolean;
}

/** The cells of a row by role or, in columns of the role `tool`, by normal header; '' if the file has no such column. */
export interface ToolCells {
  cell(name: ColumnRole | (string & {})): string;
  replace(name: ColumnRole, text: string): void;
  /** of the columns of the role `tool` with true or false, by normal header */
  flags: Readonly<Record<string, boolean | undefined>>;
}
