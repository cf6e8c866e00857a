/** The bytes of a stored list, unpacked if they are gzip. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { DomainError, invalid } from '../../../vocabulary/error.ts';

const CHUNK_BYTES = 64 * 1024;

/** Yields the unpacked bytes. Throws BODY_TOO_LARGE above `maxBytes`, and a validation error for damaged gzip. */
export async function* unpackedChunks(path: string, maxBytes: number): AsyncGenerator<Buffer> {
  const stream = openUnpacked(path, await isGzip(path));
  let bytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))) throw error;
    throw invalid('body', 'the gzip data is damaged or truncated; pack the list again and send it whole');
  }
}

/** The first unpacked bytes, at least `bytes` of them unless the list is shorter. */
export async function unpackedStart(path: string, maxBytes: number, bytes: number) {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of unpackedChunks(path, maxBytes)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= bytes) return { start: Buffer.concat(chunks), isWhole: false };
  }
  return { start: Buffer.concat(chunks), isWhole: true };
}

export const hasGzipMagic = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

async function isGzip(path: string): Promise<boolean> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && hasGzipMagic(buffer);
  } finally {
    await handle.close();
  }
}

function openUnpacked(path: string, isPacked: boolean): Readable {
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  if (!isPacked) return file;
  // An error on either side destroys the other stream; the reader of the last stream receives it.
  return pipeline(file, createGunzip({ chunkSize: CHUNK_BYTES }), () => {});
}

function tooLarge(maxBytes: number): DomainError {
  const details = `body: at most ${maxBytes.toLocaleString('en')} bytes, counted after decompression; nothing was applied, split it`;
  return new DomainError('BODY_TOO_LARGE', 'The body is too large', { details });
}
