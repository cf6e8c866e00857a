import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** Closes the connection of a client that reads nothing for this long: it keeps a database snapshot open. */
const MAX_STALL_MS = 30_000;
/** The limit for a whole response. */
const MAX_DURATION_MS = 30 * 60_000;

/**
 * Streams text, or its UTF-8 bytes, with backpressure. Awaits the first chunk before the headers, so early errors get
 * their status. Later errors close the connection, so the client sees a failed transfer.
 */
export async function sendStream(
  reply: FastifyReply,
  chunks: AsyncGenerator<Chunk>,
  limits: { maxStallMs?: number; maxDurationMs?: number } = {},
): Promise<FastifyReply> {
  const first = await chunks.next();
  const guard = createGuard(limits.maxStallMs ?? MAX_STALL_MS, limits.maxDurationMs ?? MAX_DURATION_MS);
  const source = guard.watch(first, chunks, (error) =>
    reply.log.error({ err: error }, 'a streamed response failed; its connection is closed'),
  );
  // Buffers at most one chunk, which is a page of rows.
  const stream = Readable.from(source, { objectMode: true, highWaterMark: 1 });
  guard.onAbort = (reason) => stream.destroy(new Error(reason));
  // Also if the client left before the first read: a generator that never started does not run its finally block.
  stream.once('close', () => void chunks.return(undefined).catch(() => {}));
  return reply.send(stream);
}

type Chunk = string | Buffer;

interface Guard {
  onAbort: (reason: string) => void;
  watch(
    first: IteratorResult<Chunk>,
    rest: AsyncGenerator<Chunk>,
    onError: (error: unknown) => void,
  ): AsyncGenerator<Chunk>;
}

/** Aborts if the client does not request the next chunk in time, or the whole response takes too long. */
function createGuard(maxStallMs: number, maxDurationMs: number): Guard {
  const guard: Guard = {
    onAbort: () => {},
    async *watch(first, rest, onError) {
      const whole = setTimeout(() => guard.onAbort('the response took too long'), maxDurationMs);
      let stalled: NodeJS.Timeout | undefined;
      try {
        for (let chunk = first; !chunk.done; chunk = await rest.next()) {
          stalled = setTimeout(() => guard.onAbort('the client reads nothing'), maxStallMs);
          yield chunk.value;
          clearTimeout(stalled);
        }
      } catch (error) {
        onError(error);
        throw error;
      } finally {
        clearTimeout(whole);
        clearTimeout(stalled);
      }
    },
  };
  return guard;
}

/** Writes `{"<name>":[...]}` from pages of rows, each row as the JSON text of `toJson`. */
export async function* jsonList<Row>(
  name: string,
  pages: AsyncIterable<Row[]>,
  toJson: (row: Row) => string,
): AsyncGenerator<string> {
  let separator = `{${JSON.stringify(name)}:[`;
  for await (const rows of pages) {
    if (rows.length === 0) continue;
    yield separator + rows.map(toJson).join(',');
    separator = ',';
  }
  yield separator === ',' ? ']}' : `${separator}]}`;
}
