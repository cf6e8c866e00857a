// Which physical lines make one row. csv-parse alone cannot say: it counts a quoted CRLF as two lines, knows one kind
// of line end per file, and after a quote that is never closed takes the rest of the file for one cell. So the lines
// are put together here, by the parity of their quotes, and csv-parse judges and cuts what was put together.
import { MAX_ROW_BYTES, type TextBlock } from './lines.ts';
import {
  type Delimiter,
  isWellFormed,
  QUOTE,
  RECORD_SEPARATOR,
  splitPlain,
  tokenizeAll,
} from './tokenize.ts';

/** One row as it stands in the file. `problem`: why it cannot be read; then it has no cells. */
export interface RawRecord {
  /** physical line where it begins, the first of the file being 1 */
  line: number;
  cells: readonly string[];
  problem: string | undefined;
}

export interface Framer {
  /** adds whole lines; `last`: no more will come */
  push(block: TextBlock, last: boolean): void;
  /** the next rows: at most `max`, fewer where they are long; none when more lines are needed */
  take(max: number): RawRecord[];
}

/** Rows of quotes alone cost csv-parse 100 ns a character, so a batch of long rows is a short one. */
const BATCH_CHARACTERS = 32 * 1024;

const TOO_LARGE = `the row is larger than ${MAX_ROW_BYTES / 1024} KiB`;
const NOT_DECODABLE = 'the row is not valid text in the encoding of the file; save the file as UTF-8';
const BAD_QUOTES =
  'a quote opens here that is not closed, or stands inside a cell; put the cell in quotes and write "" for a quote';
const SEPARATOR_INSIDE = 'the row holds the control character U+001E; remove it';

/** Lines that are not yet part of a row that was taken. */
interface Queue {
  lines: string[];
  /** the line ends, kept only where a cell may run over them */
  ends: string[];
  at: number;
  /** the number of lines[0] in the file */
  firstLine: number;
  damaged: boolean;
  finished: boolean;
}

/** Puts physical lines together to rows. Blank lines count as lines and make no row. */
export function createFramer(delimiter: Delimiter): Framer {
  const queue: Queue = { lines: [], ends: [], at: 0, firstLine: 1, damaged: false, finished: false };
  return {
    push: (block, last) => append(queue, block, last),
    take: (max) => takeRecords(queue, delimiter, max),
  };
}

function append(queue: Queue, block: TextBlock, last: boolean): void {
  const waiting = queue.at < queue.lines.length;
  const { lines, ends } = splitLines(block.text, waiting || block.text.includes(QUOTE));
  queue.lines = waiting ? queue.lines.slice(queue.at).concat(lines) : lines;
  queue.ends = waiting ? queue.ends.slice(queue.at).concat(ends) : ends;
  queue.firstLine += queue.at;
  queue.at = 0;
  // Lines that wait have been looked at: endOfRun waits on none that is damaged.
  queue.damaged = block.damaged;
  queue.finished = last;
}

function takeRecords(queue: Queue, delimiter: Delimiter, max: number): RawRecord[] {
  const records: RawRecord[] = [];
  const quoted: RawRecord[] = [];
  const texts: string[] = [];
  let size = 0;
  while (queue.at < queue.lines.length && records.length < max && size < BATCH_CHARACTERS) {
    const line = queue.firstLine + queue.at;
    const row = takeRow(queue, delimiter);
    if (row === 'unknown') break;
    if (row === 'blank') continue;
    size += row.text.length;
    const record: RawRecord = { line, cells: [], problem: row.problem };
    records.push(record);
    if (row.problem !== undefined) continue;
    if (!row.text.includes(QUOTE)) {
      record.cells = splitPlain(row.text, delimiter);
    } else {
      quoted.push(record);
      texts.push(row.text);
    }
  }
  tokenizeAll(texts, delimiter).forEach((cells, nth) => {
    const record = quoted[nth];
    if (record) record.cells = cells;
  });
  return records;
}

type Taken = { text: string; problem: string | undefined };

/**
 * Takes the lines of one row. One with an odd number of quotes goes on to the next such line; where there is none
 * near, or the lines together are no CSV row, its first line alone is refused and a row begins again in the next.
 */
function takeRow(queue: Queue, delimiter: Delimiter): Taken | 'blank' | 'unknown' {
  const { lines, at, damaged } = queue;
  const text = lines[at] ?? '';
  const problem = problemOf(text, damaged);
  const isOdd = problem === undefined && text.includes(QUOTE) && !hasEvenQuotes(text);
  const end = isOdd ? endOfRun(queue) : at;
  if (end === 'unknown') return 'unknown';
  const row = end === 'none' || end === at ? text : joinLines(queue, at, end);
  const isRow = problem === undefined && end !== 'none' && isWellFormed(row, delimiter);
  queue.at = isRow ? end + 1 : at + 1;
  if (isRow) return row.trim() === '' ? 'blank' : { text: row, problem };
  return { text, problem: problem ?? BAD_QUOTES };
}

function endOfRun({ lines, at, damaged, finished }: Queue): number | 'none' | 'unknown' {
  let bytes = Buffer.byteLength(lines[at] ?? '');
  for (let next = at + 1; next < lines.length; next++) {
    const added = lines[next] ?? '';
    bytes += Buffer.byteLength(added) + 2;
    // A lost quote is likelier than a cell of 64 KiB, so the rest of the file is not taken for one.
    if (bytes > MAX_ROW_BYTES || problemOf(added, damaged) !== undefined) return 'none';
    if (!hasEvenQuotes(added)) return next;
  }
  return finished ? 'none' : 'unknown';
}

function joinLines({ lines, ends }: Queue, start: number, last: number): string {
  const pieces: string[] = [];
  for (let nth = start; nth < last; nth++) pieces.push(lines[nth] ?? '', ends[nth] ?? '');
  return pieces.join('') + (lines[last] ?? '');
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

function splitLines(text: string, keepEnds: boolean): { lines: string[]; ends: string[] } {
  const lines: string[] = [];
  const ends: string[] = [];
  if (!keepEnds) {
    const plain = text.includes('\r') ? text.split(/\r\n|\n|\r/) : text.split('\n');
    if (plain.at(-1) === '') plain.pop();
    return { lines: plain, ends };
  }
  const parts = text.split(/(\r\n|\n|\r)/);
  for (let at = 0; at < parts.length; at += 2) {
    const line = parts[at] ?? '';
    const end = parts[at + 1] ?? '';
    if (line === '' && end === '') continue;
    lines.push(line);
    ends.push(end);
  }
  return { lines, ends };
}
