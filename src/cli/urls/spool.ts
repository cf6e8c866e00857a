/** Files that wait to be sent: a body must be readable again for a retry. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Body } from '../client.ts';

/** Runs work with a temporary folder, which is deleted afterwards. */
export async function withTempFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'detour-urls-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes lines to gzipped files of at most `linesPerFile` lines, and returns their paths. */
export async function spoolLines(
  lines: AsyncIterable<string>,
  folder: string,
  linesPerFile: number,
): Promise<string[]> {
  const iterator = lines[Symbol.asyncIterator]();
  const paths: string[] = [];
  let next = await iterator.next();
  async function* part(): AsyncGenerator<string> {
    for (let count = 0; count < linesPerFile && next.done !== true; count++) {
      yield next.value;
      next = await iterator.next();
    }
  }
  while (next.done !== true) {
    const path = join(folder, `${paths.length}.ndjson.gz`);
    await pipeline(part, createGzip(), createWriteStream(path));
    paths.push(path);
  }
  return paths;
}

/** A list of URLs as a body. The service recognizes its format, also gzipped, by its content. */
export function bodyOf(path: string): Body {
  return { type: 'application/octet-stream', open: () => createReadStream(path), isReplayable: true };
}
