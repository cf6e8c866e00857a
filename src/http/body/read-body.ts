/** Reading bodies that a client may send slowly. */
import type { IncomingMessage } from 'node:http';
import { stopwatch } from '../../platform/clock.ts';
import { DomainError } from '../../vocabulary/error.ts';

/** The minimum rate of a streamed body. */
const WINDOW_MS = 30_000;
const MIN_BYTES = 16 * 1024;

/**
 * Yields the chunks of a request's body. Throws REQUEST_TIMEOUT (408) below the minimum rate of 16 KiB in 30 s; the
 * time that the consumer spends on a chunk does not count. Throws INVALID_PARAMETER if the connection closes before the
 * end. A consumer that stops early leaves the request open for a response.
 */
export async function* readAtMinRate(request: IncomingMessage, windowMs = WINDOW_MS): AsyncGenerator<Buffer> {
  let bytes = 0;
  let left = windowMs;
  let isLate = false;
  const chunks = request.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const began = stopwatch();
      const late = Promise.withResolvers<undefined>();
      const timer = setTimeout(() => late.resolve(undefined), left);
      const read = await Promise.race([nextOf(chunks), late.promise]).finally(() => clearTimeout(timer));
      isLate = read === undefined;
      if (!read) throw bodyTooSlow('at least 16 KiB in each 30 s');
      if (read.done) return;
      // Buffers, because no encoding is set on the request.
      const chunk = read.value as Buffer;
      bytes += chunk.length;
      left = Math.max(left - (stopwatch() - began), 1);
      if (bytes >= MIN_BYTES) [bytes, left] = [0, windowMs];
      yield chunk;
    }
  } finally {
    // After a timeout this would wait for a chunk that may never come.
    const ended = chunks.return?.(undefined).catch(() => {});
    if (!isLate) await ended;
  }
}

async function nextOf(chunks: AsyncIterableIterator<unknown>): Promise<IteratorResult<unknown>> {
  try {
    return await chunks.next();
  } catch {
    throw bodyBroken();
  }
}

/** Yields the chunks of a body of at most `max` bytes. Throws BODY_TOO_LARGE for a longer one. */
export async function* limitBytes(body: AsyncIterable<Buffer>, max: number, details: string): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > max) throw new DomainError('BODY_TOO_LARGE', 'The body is too large', { details });
    yield chunk;
  }
}

/** The error of a body whose connection closes before its end. */
export function bodyBroken(): DomainError {
  return new DomainError('INVALID_PARAMETER', 'The body is incomplete', {
    details: 'body: the connection closed before its end; nothing was applied, send it again',
  });
}

/** The 408 for a body that arrives too slowly. `required` completes "must arrive with". */
export function bodyTooSlow(required: string): DomainError {
  return new DomainError('REQUEST_TIMEOUT', 'The body arrives too slowly', {
    details: `body: must arrive with ${required}; nothing was applied, send it again`,
  });
}
