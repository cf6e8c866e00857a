import { parse } from 'csv-parse/sync';

export type Delimiter = ',' | ';' | '|' | '\t';

export const QUOTE = '"';

// Records are joined by a character that no record holds (framing.ts refuses it), so that csv-parse cannot move the
// boundary between two of them: it could only swallow one, and then the count tells.
export const RECORD_SEPARATOR = '\u001e';

const WELL_FORMED: Record<Delimiter, RegExp> = {
  ',': wellFormed(','),
  ';': wellFormed(';'),
  '|': wellFormed('|'),
  '\t': wellFormed('\t'),
};

/**
 * Cells that hold no quote, or stand in quotes and double every quote inside; white space around either. Behind a
 * closing quote csv-parse stumbles over white space of more than one byte, so there it is none.
 */
function wellFormed(delimiter: Delimiter): RegExp {
  const before = String.raw`[^\S${delimiter}]*`;
  const behind = delimiter === '\t' ? String.raw`[ \v\f]*` : String.raw`[ \t\v\f]*`;
  const cell = `(?:${before}"[^"]*(?:""[^"]*)*"${behind}|[^"${delimiter}]*)`;
  return new RegExp(`^${cell}(?:[${delimiter}]${cell})*$`);
}

/**
 * Whether csv-parse takes a record. Asked of it, the answer would cost 14 us for a good record and 30 for a bad one,
 * since it would have to be called for each alone; the expression has no nested choice and takes linear time.
 */
export function isWellFormed(record: string, delimiter: Delimiter): boolean {
  return !record.includes(QUOTE) || WELL_FORMED[delimiter].test(record);
}

/** The cells of a record without quotes, trimmed: what csv-parse answers for it, at a tenth of the cost. */
export function splitPlain(record: string, delimiter: Delimiter): string[] {
  return trimAll(record.split(delimiter));
}

/** The cells of well-formed records, trimmed, in their order. They go through csv-parse together: 1.4 us a row. */
export function tokenizeAll(records: readonly string[], delimiter: Delimiter): string[][] {
  if (records.length === 0) return [];
  const rows: string[][] = parse(records.join(RECORD_SEPARATOR), {
    delimiter,
    record_delimiter: RECORD_SEPARATOR,
    relax_column_count: true,
    trim: true,
  });
  if (rows.length !== records.length)
    throw new Error('csv-parse and the framing disagree about the rows of a file');
  return rows.map(trimAll);
}

function trimAll(cells: string[]): string[] {
  for (let at = 0; at < cells.length; at++) cells[at] = (cells[at] ?? '').trim();
  return cells;
}
