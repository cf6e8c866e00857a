import { setImmediate } from 'node:timers/promises';
import { type Encoding, utf8Chunks } from './encoding.ts';
import { createFramer, type Framer, type RawRecord } from './framing.ts';
import { type TextBlock, textBlocks } from './lines.ts';
import type { CsvLayout } from './layout.ts';
import { type Delimiter, DELIMITERS } from './tokenize.ts';

const BATCH_ROWS = 500;
const SAMPLE_ROWS = 50;

/**
 * Yields the rows of a file, header included, in batches of at most 500, and yields to the event loop after each. A
 * batch takes about 1 ms; 10 ms in files made to be slow (rows of nothing but quotes).
 */
export async function* readRecords(
  { path, encoding, delimiter }: CsvLayout,
  onRead?: (bytes: number) => void,
): AsyncGenerator<RawRecord[]> {
  const framer = createFramer(delimiter);
  for await (const block of textBlocks(utf8Chunks(path, encoding, onRead))) {
    framer.push(block, false);
    yield* drain(framer);
  }
  framer.push({ text: '', damaged: false }, true);
  yield* drain(framer);
}

async function* drain(framer: Framer): AsyncGenerator<RawRecord[]> {
  for (let batch = framer.take(BATCH_ROWS); batch.length > 0; batch = framer.take(BATCH_ROWS)) {
    yield batch;
    await setImmediate();
  }
}

/** Returns the first rows of a file as each delimiter would split them. */
export async function sampleRecords(path: string, encoding: Encoding): Promise<Map<Delimiter, RawRecord[]>> {
  const framers = DELIMITERS.map((delimiter) => [delimiter, createFramer(delimiter)] as const);
  const samples = new Map<Delimiter, RawRecord[]>();
  async function sample(block: TextBlock, last: boolean): Promise<boolean> {
    for (const [delimiter, framer] of framers) {
      framer.push(block, last);
      samples.set(delimiter, framer.take(SAMPLE_ROWS));
      await setImmediate();
    }
    return samples.values().some((records) => records.length > 0);
  }
  for await (const block of textBlocks(utf8Chunks(path, encoding))) {
    if (await sample(block, false)) return samples;
  }
  await sample({ text: '', damaged: false }, true);
  return samples;
}

export function isComment(cells: readonly string[]): boolean {
  return cells[0]?.startsWith('#') === true;
}
