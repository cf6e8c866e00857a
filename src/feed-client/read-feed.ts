/** Reads the body of a feed from a web stream, in batches that take less than a millisecond each. */
import { FeedFormatError, type FeedHead, type FeedLine, parseHead, parseLine } from './feed-lines.ts';
import type { Slices } from './slices.ts';

/** Lines that are parsed in one step. */
const BATCH_SIZE = 100;
/** A head with 10,000 hosts has about 2 MB. */
const MAX_LINE_LENGTH = 64_000_000;

export interface FeedBody {
  head: FeedHead;
  /** Every line after the head, in order. Throws FeedFormatError if the feed is damaged or has no end. */
  lines: AsyncGenerator<FeedLine[]>;
}

/**
 * Reads the head, and returns it with the lines that follow. Calls `onChunk` for each part that arrives. Throws
 * FeedFormatError.
 */
export async function readFeed(
  body: ReadableStream<Uint8Array>,
  slices: Slices,
  onChunk: () => void,
): Promise<FeedBody> {
  const texts = readTexts(body, onChunk);
  try {
    for (;;) {
      const first = await texts.next();
      if (first.done) throw new FeedFormatError('the feed is empty');
      const [head, ...rest] = first.value;
      if (head !== undefined) return { head: parseHead(head), lines: parseAll(rest, texts, slices) };
    }
  } catch (error) {
    await texts.return(undefined);
    throw error;
  }
}

async function* parseAll(first: string[], texts: AsyncGenerator<string[]>, slices: Slices): AsyncGenerator<FeedLine[]> {
  try {
    for (let part: IteratorResult<string[]> = { value: first }; !part.done; part = await texts.next()) {
      for (let start = 0; start < part.value.length; start += BATCH_SIZE) {
        await slices.next();
        const lines = part.value.slice(start, start + BATCH_SIZE).map(parseLine);
        const end = lines.findIndex(({ kind }) => kind === 'end');
        yield end < 0 ? lines : lines.slice(0, end);
        if (end >= 0) return;
      }
    }
    throw new FeedFormatError('the feed ends before its last line');
  } finally {
    await texts.return(undefined);
  }
}

/** Yields the lines of a stream of UTF-8 as they arrive, without empty ones. */
async function* readTexts(body: ReadableStream<Uint8Array>, onChunk: () => void): AsyncGenerator<string[]> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  /** of a line whose end has not arrived */
  let parts: string[] = [];
  let length = 0;
  try {
    for (let done = false; !done;) {
      const chunk = await reader.read();
      done = chunk.done;
      onChunk();
      const lines = decoder.decode(chunk.value, { stream: !done }).split('\n');
      const tail = lines.pop() ?? '';
      if (lines.length > 0) {
        lines[0] = parts.join('') + (lines[0] ?? '');
        parts = [];
        length = 0;
        yield lines.filter((line) => line !== '');
      }
      parts.push(tail);
      length += tail.length;
      if (length > MAX_LINE_LENGTH) throw new FeedFormatError('a line is too long');
    }
    const last = parts.join('');
    if (last !== '') yield [last];
  } finally {
    // Ends the transfer if the reader has stopped early.
    await reader.cancel().catch(() => {});
  }
}
