import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { stopwatch } from '../platform/clock.ts';
import { compressed } from './content-encoding.ts';
import { releaseRead } from './shares/read-shares.ts';
import type { Reader } from './shares/stream-pool.ts';
import type { StreamShare } from './shares/stream-shares.ts';

/** Closes the connection of a client that reads nothing for this long: it keeps a database snapshot open. */
const MAX_STALL_MS = 30_000;
/** The minimum rate of a client, averaged over all the time that the response has waited for it. */
const MIN_BYTES_PER_SECOND = 16 * 1024;
/** Time to wait for a client in all before the minimum rate applies. */
const RATE_AFTER_MS = 60_000;
/** The limit for a whole response. */
const MAX_DURATION_MS = 30 * 60_000;
/** Longer text is sent in parts, so that the time for one part is fair to a slow client. */
const PART_BYTES = 256 * 1024;

const LIMITS = {
  maxStallMs: MAX_STALL_MS,
  minBytesPerSecond: MIN_BYTES_PER_SECOND,
  rateAfterMs: RATE_AFTER_MS,
  maxDurationMs: MAX_DURATION_MS,
};
type Limits = typeof LIMITS;

/**
 * Streams text, or its UTF-8 bytes, with backpressure, once `share` has room. Awaits the first chunk before the
 * headers, so early errors get their status. Later errors close the connection, so the client sees a failed transfer.
 * `open` receives the milliseconds that it may still wait.
 */
export async function sendStream(
  reply: FastifyReply,
  share: StreamShare,
  open: (leftMs: number) => AsyncGenerator<Chunk>,
  limits: Partial<Limits> = {},
): Promise<FastifyReply> {
  const started = Promise.withResolvers<FastifyReply>();
  releaseRead(reply.request);
  share(async (leftMs, reader) => {
    // The client may have left while the request waited.
    if (reply.raw.destroyed) return started.resolve(reply.hijack());
    const stream = await startStream(reply, open(leftMs), createGuard({ ...LIMITS, ...limits }, reader));
    // Once the source has ended, a client that does not take the last part holds no connection.
    const ended = new Promise<void>((resolve) => stream.once('close', resolve).once('sourceEnd', resolve));
    started.resolve(reply.send(compressed(reply, stream)));
    await ended;
  }).catch(started.reject);
  return started.promise;
}

async function startStream(reply: FastifyReply, chunks: AsyncGenerator<Chunk>, guard: Guard): Promise<Readable> {
  const first = await chunks.next();
  const source = guard.watch(first, chunks, (error) => {
    if (!hasLeft(error)) reply.log.error({ err: error }, 'a streamed response failed; its connection is closed');
  });
  // Buffers at most one chunk, which is a page of rows.
  const stream = Readable.from(source, { objectMode: true, highWaterMark: 1 });
  guard.onAbort = (reason) => stream.destroy(new Error(reason));
  guard.onEnd = () => stream.emit('sourceEnd');
  // Also if the client left before the first read: a generator that never started does not run its finally block.
  stream.once('close', () => void chunks.return(undefined).catch(() => {}));
  return stream;
}

/** Compression ends its source with this error when the client leaves. */
const hasLeft = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';

type Chunk = string | Buffer;

interface Guard {
  onAbort: (reason: string) => void;
  onEnd: () => void;
  watch(
    first: IteratorResult<Chunk>,
    rest: AsyncGenerator<Chunk>,
    onError: (error: unknown) => void,
  ): AsyncGenerator<Buffer>;
}

/**
 * Aborts if the client stalls or reads below the minimum rate, or the whole response takes too long. The `reader` aborts
 * earlier while others wait.
 */
function createGuard(
  { maxStallMs, minBytesPerSecond, rateAfterMs, maxDurationMs }: Limits,
  reader: Reader | undefined,
): Guard {
  let [bytes, waitedMs] = [0, 0];
  const guard: Guard = {
    onAbort: () => {},
    onEnd: () => {},
    async *watch(first, rest, onError) {
      const whole = setTimeout(() => guard.onAbort('the response took too long'), maxDurationMs);
      let stalled: NodeJS.Timeout | undefined;
      try {
        for (let chunk = first; !chunk.done; chunk = await rest.next()) {
          for (const part of partsOf(chunk.value)) {
            const askedAt = stopwatch();
            bytes += part.length;
            const allowedMs = Math.max(rateAfterMs, (bytes / minBytesPerSecond) * 1_000) - waitedMs;
            stalled = setTimeout(() => guard.onAbort('the client reads too slowly'), Math.min(maxStallMs, allowedMs));
            reader?.waits((reason) => guard.onAbort(reason));
            yield part;
            reader?.took(part.length);
            clearTimeout(stalled);
            waitedMs += stopwatch() - askedAt;
          }
        }
      } catch (error) {
        onError(error);
        throw error;
      } finally {
        clearTimeout(whole);
        clearTimeout(stalled);
        guard.onEnd();
      }
    },
  };
  return guard;
}

/** Bytes as they are: their sender has bounded them, and their memory must not be split (platform/jobs/flow.ts). */
function* partsOf(chunk: Chunk): Generator<Buffer> {
  if (typeof chunk !== 'string') return yield chunk;
  const bytes = Buffer.from(chunk);
  for (let start = 0; start < bytes.length; start += PART_BYTES) yield bytes.subarray(start, start + PART_BYTES);
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
