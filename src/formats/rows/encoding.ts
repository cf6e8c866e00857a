/**
 * Converts every encoding to UTF-8 bytes. Damage becomes the byte 0xFF, which valid UTF-8 never contains, so that
 * lines.ts finds the damaged row.
 */
import { open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { invalid } from '../../vocabulary/error.ts';

export interface Encoding {
  name: 'utf-8' | 'utf-16le' | 'utf-16be';
  bomBytes: number;
}

const CHUNK_BYTES = 128 * 1024;
const SNIFF_BYTES = 4096;
const NOT_UTF8 = Buffer.from([0xff]);

/**
 * Detects the encoding by the byte order mark, else by the positions of zero bytes: in UTF-16 every ASCII character has
 * one. Any other file is read as UTF-8, and each row is validated.
 */
export async function sniffEncoding(path: string): Promise<Encoding> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SNIFF_BYTES), 0, SNIFF_BYTES, 0);
    if (bytesRead === 0) throw invalid('file', 'the file is empty');
    return encodingOf(buffer.subarray(0, bytesRead));
  } finally {
    await handle.close();
  }
}

/** The encoding of a file that begins with these bytes, as `sniffEncoding` finds it. */
export function encodingOf(start: Buffer): Encoding {
  if (start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf) return { name: 'utf-8', bomBytes: 3 };
  if (start[0] === 0xff && start[1] === 0xfe) {
    if (start[2] === 0 && start[3] === 0) throw invalid('file', 'the file is UTF-32; save it as UTF-8');
    return { name: 'utf-16le', bomBytes: 2 };
  }
  if (start[0] === 0xfe && start[1] === 0xff) return { name: 'utf-16be', bomBytes: 2 };
  let [even, odd] = [0, 0];
  for (let at = 0; at + 1 < start.length; at += 2) {
    if (start[at] === 0) even++;
    if (start[at + 1] === 0) odd++;
  }
  const threshold = start.length / 16;
  if (odd > threshold && odd > 2 * even) return { name: 'utf-16le', bomBytes: 0 };
  if (even > threshold && even > 2 * odd) return { name: 'utf-16be', bomBytes: 0 };
  return { name: 'utf-8', bomBytes: 0 };
}

/**
 * Yields the file as UTF-8, without its byte order mark, in chunks of at most a few hundred KiB. All chunks share one
 * buffer: each is valid only until the next. Calls `onRead` with the bytes of the file read so far.
 */
export function utf8Chunks(path: string, encoding: Encoding, onRead?: (bytes: number) => void) {
  return toUtf8Chunks(fileChunks(path, onRead), encoding);
}

async function* fileChunks(path: string, onRead?: (bytes: number) => void) {
  const handle = await open(path);
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    let position = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position);
      position += bytesRead;
      onRead?.(position);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

/** Converts chunks to UTF-8, and removes the byte order mark. Chunks of UTF-8 are passed on as they are. */
export async function* toUtf8Chunks(chunks: AsyncIterable<Buffer>, { name, bomBytes }: Encoding) {
  const toUtf8 = name === 'utf-8' ? undefined : utf16ToUtf8(name);
  let skipped = 0;
  for await (const bytes of chunks) {
    const start = Math.min(bomBytes - skipped, bytes.length);
    skipped += start;
    const chunk = toUtf8 ? toUtf8(bytes.subarray(start), false) : bytes.subarray(start);
    if (chunk.length > 0) yield chunk;
  }
  const rest = toUtf8?.(Buffer.alloc(0), true);
  if (rest && rest.length > 0) yield rest;
}

function utf16ToUtf8(name: 'utf-16le' | 'utf-16be'): (bytes: Buffer, last: boolean) => Buffer {
  const decoder = new StringDecoder('utf16le');
  let half: Buffer = Buffer.alloc(0);
  return (bytes, last) => {
    let pairs = half.length > 0 ? Buffer.concat([half, bytes]) : bytes;
    const even = pairs.length - (pairs.length % 2);
    half = Buffer.from(pairs.subarray(even));
    pairs = pairs.subarray(0, even);
    if (name === 'utf-16be') pairs = Buffer.from(pairs).swap16();
    const text = last ? decoder.write(pairs) + decoder.end() : decoder.write(pairs);
    const utf8 = encode(text);
    return last && half.length > 0 ? Buffer.concat([utf8, NOT_UTF8]) : utf8;
  };
}

/** Buffer.from would replace a lone surrogate by U+FFFD silently. 0xFF keeps it visible as damage. */
function encode(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text);
  const parts = text.split(/\p{Surrogate}/u).flatMap((part) => [Buffer.from(part), NOT_UTF8]);
  return Buffer.concat(parts.slice(0, -1));
}
