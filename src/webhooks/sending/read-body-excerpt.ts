import type { Readable } from 'node:stream';

const MAX_READ_BYTES = 16 * 1024;
const EXCERPT_BYTES = 4 * 1024;

/**
 * Returns the first 4 KiB of a response body as text that PostgreSQL can store, or null if it is empty. Reads up to 16
 * KiB for up to `withinMs`, so that a short body leaves the connection reusable; a longer one closes it. Never throws.
 */
export async function readBodyExcerpt(body: Readable, withinMs: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => body.destroy(), withinMs);
  // The outcome is known already, so neither closing the stream nor a lost connection is an error.
  body.on('error', () => undefined);
  try {
    for await (const chunk of body) {
      if (!Buffer.isBuffer(chunk)) break;
      chunks.push(chunk);
      size += chunk.length;
      if (size >= MAX_READ_BYTES) break;
    }
  } catch {
    // The excerpt ends with the data received so far.
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
  return size === 0 ? null : toText(Buffer.concat(chunks).subarray(0, EXCERPT_BYTES));
}

/** Decodes UTF-8, with U+FFFD for invalid bytes. `stream` omits a character that the excerpt cuts in two. */
function toText(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\u0000', '\ufffd');
}
