import type { IncomingMessage } from 'node:http';

/** In each such time a body must bring this much, or end: whoever sends less would hold an import's place for hours. */
const WINDOW_MS = 30_000;
const LEAST_BYTES = 16 * 1024;

/**
 * The pieces of a request's body as they come. One that all but stops (16 KiB in 30 s) is cut off, and reading it throws; the time that
 * the reader takes for a piece does not count. Leaving off early leaves the request alive, so that an answer can still be sent.
 */
export async function* movingBody(request: IncomingMessage, windowMs = WINDOW_MS): AsyncGenerator<Buffer> {
  const cut = (): void => void request.destroy(new Error('the client stopped sending'));
  let bytes = 0;
  let left = windowMs;
  const pieces = request.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const began = performance.now();
      const timer = setTimeout(cut, left);
      const piece = await pieces.next().finally(() => clearTimeout(timer));
      if (piece.done) return;
      // A request is read as Buffers: nobody gives it an encoding.
      const chunk = piece.value as Buffer;
      bytes += chunk.length;
      left = Math.max(left - (performance.now() - began), 1);
      if (bytes >= LEAST_BYTES) [bytes, left] = [0, windowMs];
      yield chunk;
    }
  } finally {
    await pieces.return?.(undefined);
  }
}
