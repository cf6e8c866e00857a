import { parse } from 'csv-parse/sync';

export const DELIMITERS = [',', ';', '|', '\t'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

export const QUOTE = '"';

// Records are joined by a character that no record contains (framing.ts rejects it), so that csv-parse cannot move the
// boundary between two of them. It could only swallow one, which the count shows.
export const RECORD_SEPARATOR = '\u001e';

const WELL_FORMED = new Map(DELIMITERS.map((delimiter) => [delimiter, wellFormed(delimiter)]));

/**
 * Matches cells without quotes, and quoted cells that double every quote inside; both with white space around them.
 * csv-parse fails on non-ASCII white space after a closing quote, so only ASCII is allowed there.
 */
function wellFormed(delimiter: Delimiter): RegExp {
  const before = String.raw`[^\S${delimiter}]*`;
  const after = delimiter === '\t' ? String.raw`[ \v\f]*` : String.raw`[ \t\v\f]*`;
  const cell = `(?:${before}"[^"]*(?:""[^"]*)*"${after}|[^"${delimiter}]*)`;
  return new RegExp(`^${cell}(?:[${delimiter}]${cell})*$`);
}

/**
 * True if csv-parse would accept the record. Calling csv-parse for a single record costs 14 µs, or 30 µs if it is
 * invalid. The expression has no nested choice and takes linear time.
 */
export function isWellFormed(record: string, delimiter: Delimiter): boolean {
  return !record.includes(QUOTE) || WELL_FORMED.get(delimiter)?.test(record) === true;
}

/** Returns the trimmed cells of a record without quotes, as csv-parse would at ten times the cost. */
export function splitPlain(record: string, delimiter: Delimiter): string[] {
  return trimAll(record.split(delimiter));
}

/** Returns the trimmed cells of well-formed records. One call of csv-parse for all of them: 1.4 µs a row. */
export function tokenizeAll(records: readonly string[], delimiter: Delimiter): string[][] {
  if (records.length === 0) return [];
  const rows: string[][] = parse(records.join(RECORD_SEPARATOR), {
    delimiter,
    record_delimiter: RECORD_SEPARATOR,
    relax_column_count: true,
    trim: true,
  });
  if (rows.length !== records.length) throw new Error('csv-parse and the framing disagree about the rows of a file');
  return rows.map(trimAll);
}

function trimAll(cells: string[]): string[] {
  for (let at = 0; at < cells.length; at++) cells[at] = (cells[at] ?? '').trim();
  return cells;
}
