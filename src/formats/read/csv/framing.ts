/**
 * Joins physical lines to rows by the parity of their quotes; csv-parse then splits the rows into cells. csv-parse
 * alone would count a quoted CRLF as two lines, allow one kind of line end per file, and read the rest of the file as
 * one cell after an unclosed quote.
 */
import { MAX_ROW_BYTES, type TextBlock } from '../../rows/lines.ts';
import { type Delimiter, isWellFormed, QUOTE, RECORD_SEPARATOR, splitPlain, tokenizeAll } from './tokenize.ts';

/** One row of the file. `problem`: why it cannot be read; then it has no cells. */
export interface RawRecord {
  /** physical line where it begins; the first line of the file is 1 */
  line: number;
  cells: readonly string[];
  problem: string | undefined;
  /** the start of a row with a problem */
  text?: string;
}

export type Framer = ReturnType<typeof createFramer>;

/** Rows, and the number of blank lines among them: together at most `max`. */
export interface Rows {
  records: RawRecord[];
  blank: number;
}

/** Characters kept of a row with a problem. */
export const MAX_TEXT_KEPT = 2_048;

/** Rows of quotes alone cost csv-parse 100 ns a character, so a batch of long rows has few of them. */
const BATCH_CHARACTERS = 32 * 1024;

const TOO_LARGE = `the row is larger than ${MAX_ROW_BYTES / 1024} KiB`;
const NOT_DECODABLE = 'the row is not valid text in the encoding of the file; save the file as UTF-8';
const BAD_QUOTES =
  'a quote opens here that is not closed, or is inside a cell; put the cell in quotes and write "" for a quote';
const SEPARATOR_INSIDE = 'the row contains the control character U+001E; remove it';

/** Lines that are not part of a returned row yet. */
interface Queue {
  /** with their line ends, which a cell may contain */
  lines: string[];
  at: number;
  /** the number of lines[0] in the file */
  firstLine: number;
  damaged: boolean;
  finished: boolean;
}

/** Blank lines count as lines, but are not rows. */
export function createFramer(delimiter: Delimiter) {
  const queue: Queue = { lines: [], at: 0, firstLine: 1, damaged: false, finished: false };
  return {
    /** Adds whole lines; `last`: no more follow. */
    push: (block: TextBlock, last: boolean): void => append(queue, block, last),
    /** Returns the next rows: fewer than `max` if they are long. Undefined if more lines are needed. */
    take: (max: number): Rows | undefined => takeRecords(queue, delimiter, max),
  };
}

function append(queue: Queue, block: TextBlock, last: boolean): void {
  const lines: string[] = block.text.match(LINES) ?? [];
  queue.lines = queue.at < queue.lines.length ? queue.lines.slice(queue.at).concat(lines) : lines;
  queue.firstLine += queue.at;
  queue.at = 0;
  // Waiting lines were checked before: endOfRun waits only on undamaged ones.
  queue.damaged = block.damaged;
  queue.finished = last;
}

function takeRecords(queue: Queue, delimiter: Delimiter, max: number): Rows | undefined {
  const records: RawRecord[] = [];
  const quoted: { record: RawRecord; text: string }[] = [];
  let [size, blank] = [0, 0];
  while (queue.at < queue.lines.length && records.length + blank < max && size < BATCH_CHARACTERS) {
    const line = queue.firstLine + queue.at;
    const row = takeRow(queue, delimiter);
    if (row === 'unknown') break;
    size += row.text.length;
    if (row.problem === undefined && row.text.trim() === '') {
      blank++;
      continue;
    }
    const record: RawRecord = { line, cells: [], problem: row.problem };
    records.push(record);
    if (row.problem !== undefined) {
      record.text = row.text.slice(0, MAX_TEXT_KEPT);
      continue;
    }
    if (row.text.includes(QUOTE)) quoted.push({ record, text: row.text });
    else record.cells = splitPlain(row.text, delimiter);
  }
  const texts = quoted.map(({ text }) => text);
  const cells = tokenizeAll(texts, delimiter);
  quoted.forEach(({ record }, nth) => (record.cells = cells[nth] ?? []));
  return records.length + blank > 0 ? { records, blank } : undefined;
}

type Taken = { text: string; problem: string | undefined };

/**
 * Takes the lines of one row. A line with an odd number of quotes continues to the next such line. If there is no such
 * line nearby, or the joined lines are not a CSV row, the first line alone is invalid and the next line begins a row.
 */
function takeRow(queue: Queue, delimiter: Delimiter): Taken | 'unknown' {
  const { lines, at, damaged } = queue;
  const text = withoutEnd(lines[at] ?? '');
  const problem = problemOf(text, damaged);
  const isOdd = problem === undefined && text.includes(QUOTE) && !hasEvenQuotes(text);
  const end = isOdd ? endOfRun(queue) : at;
  if (end === 'unknown') return 'unknown';
  const row = end === 'none' || end === at ? text : withoutEnd(lines.slice(at, end + 1).join(''));
  const isRow = problem === undefined && end !== 'none' && isWellFormed(row, delimiter);
  queue.at = isRow ? end + 1 : at + 1;
  if (isRow) return { text: row, problem };
  return { text, problem: problem ?? BAD_QUOTES };
}

function endOfRun({ lines, at, damaged, finished }: Queue): number | 'none' | 'unknown' {
  let bytes = Buffer.byteLength(withoutEnd(lines[at] ?? ''));
  for (let next = at + 1; next < lines.length; next++) {
    const added = lines[next] ?? '';
    bytes += Buffer.byteLength(added) - endLength(added) + 2;
    // A stray quote is likelier than a cell of 64 KiB, so the rest of the file is not read as one.
    if (bytes > MAX_ROW_BYTES || problemOf(added, damaged) !== undefined) return 'none';
    if (!hasEvenQuotes(added)) return next;
  }
  return finished ? 'none' : 'unknown';
}

function problemOf(text: string, damaged: boolean): string | undefined {
  if (text.length * 3 > MAX_ROW_BYTES && Buffer.byteLength(text) > MAX_ROW_BYTES) return TOO_LARGE;
  if (damaged && !text.isWellFormed()) return NOT_DECODABLE;
  return text.includes(RECORD_SEPARATOR) ? SEPARATOR_INSIDE : undefined;
}

function hasEvenQuotes(text: string): boolean {
  let even = true;
  for (let at = text.indexOf(QUOTE); at !== -1; at = text.indexOf(QUOTE, at + 1)) even = !even;
  return even;
}

const LINES = /[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+/g;

const withoutEnd = (line: string): string => line.slice(0, line.length - endLength(line));

function endLength(line: string): number {
  if (line.endsWith('\r\n')) return 2;
  return line.endsWith('\n') || line.endsWith('\r') ? 1 : 0;
}
