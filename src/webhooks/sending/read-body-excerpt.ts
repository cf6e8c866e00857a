import type { Readable } from 'node:stream';

const READ_BYTES = 16 * 1024;
const KEPT_BYTES = 4 * 1024;

/**
 * The first 4 KiB of an answer's body as text that PostgreSQL takes; null where there is none. Reads up to 16 KiB for up to
 * `withinMs`: a body that ends within that leaves its connection good for the next attempt, any other one is cut. Never throws.
 */
export async function readBodyExcerpt(body: Readable, withinMs: number): Promise<string | null> {
  const pieces: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => body.destroy(), withinMs);
  // Cutting it is an error to the stream, and a connection that breaks changes nothing any more.
  body.on('error', () => undefined);
  try {
    for await (const piece of body) {
      if (!Buffer.isBuffer(piece)) break;
      pieces.push(piece);
      size += piece.length;
      if (size >= READ_BYTES) break;
    }
  } catch {
    // What came until then is what there is.
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
  return size === 0 ? null : toText(Buffer.concat(pieces).subarray(0, KEPT_BYTES));
}

/** UTF-8 with U+FFFD for what is not; as a stream, so that a character that the cut goes through is left out. */
function toText(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\u0000', '\ufffd');
}
