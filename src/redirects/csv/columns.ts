import type { Meaning } from './meaning.ts';

export interface CsvColumn {
  /** as the file spells it; for a file without header the name that its tool gives the column */
  header: string;
  meaning: Meaning;
}

/** A column and its place in a row. */
export interface PlacedColumn extends CsvColumn {
  at: number;
}

/** The columns that have a meaning, in the order of the file. */
export function columnsWith(columns: readonly CsvColumn[], meaning: Meaning): PlacedColumn[] {
  const placed = columns.map((column, at) => ({ ...column, at }));
  return placed.filter((column) => column.meaning === meaning);
}

/** The column that has a meaning which only one may have. */
export function columnWith(columns: readonly CsvColumn[], meaning: Meaning): PlacedColumn | undefined {
  return columnsWith(columns, meaning)[0];
}

/**
 * The cell of a row. Undefined where the file has no such column and where the row ends before it: a row that is too
 * short says nothing about what is missing, while an empty cell says "none".
 */
export function cellOf(cells: readonly string[], column: PlacedColumn | undefined): string | undefined {
  return column && cells[column.at];
}
