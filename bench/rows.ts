/**
 * Seeded redirects in almost random order. Old paths have about 33 characters and targets about 43, as on real sites.
 */
import { openAsBlob } from 'node:fs';

const WORDS = 'blog news shop docs help about goods archive guides support topics story'.split(' ');
const THINGS = 'summer winter classic modern silver garden travel coffee camera kitchen'.split(' ');

export interface BenchRow {
  oldPath: string;
  newPath: string;
  status: number;
}

function scramble(index: number): number {
  let value = Math.imul(index ^ (index >>> 16), 0x45d9f3b);
  value = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
  return (value ^ (value >>> 16)) >>> 0;
}

/** Returns the row with this number, the same in each run. `generation` changes its target. */
export function benchRow(index: number, generation = 0): BenchRow {
  const seed = scramble(index + 1);
  const word = WORDS[seed % WORDS.length] ?? '';
  const thing = THINGS[(seed >>> 8) % THINGS.length] ?? '';
  const tail = seed.toString(36);
  return {
    oldPath: `/${word}/${2005 + (seed % 20)}/${thing}-${tail}-${index}`,
    newPath: `/en/${word}/${thing}-collection/page-${index}-${tail}${generation > 0 ? `-${generation}` : ''}`,
    status: seed % 8 === 0 ? 302 : 301,
  };
}

/** Yields the rows as text in chunks of about 64 KB. */
export function* rowText(count: number, line: (row: BenchRow) => string, generation = 0): Generator<string> {
  let text = '';
  for (let index = 0; index < count; index++) {
    text += line(benchRow(index, generation));
    if (text.length < 65_536) continue;
    yield text;
    text = '';
  }
  yield text;
}

/** The body of a bulk import, streamed from a file with one redirect a line. */
export async function* bulkBody(websiteId: number, file: string): AsyncGenerator<Buffer> {
  const blob = await openAsBlob(file);
  yield Buffer.from(`{"website_id":"${websiteId}","redirects":[`);
  let last: Buffer | undefined;
  for await (const chunk of blob.stream()) {
    if (last) yield last;
    last = commas(Buffer.from(chunk));
  }
  // Drop the comma after the last entry.
  if (last) yield last.subarray(0, last.length - 1);
  yield Buffer.from(']}');
}

function commas(lines: Buffer): Buffer {
  for (let at = lines.indexOf(10); at >= 0; at = lines.indexOf(10, at + 1)) lines[at] = 44;
  return lines;
}
