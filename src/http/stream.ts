import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** A reader that takes nothing for this long is cut off: it holds a snapshot of the database open. */
const STALLED_MS = 30_000;
/** A whole answer may take this long. */
const LONGEST_MS = 30 * 60_000;

/**
 * Answers with text (or its UTF-8 bytes) as it is made, no faster than the client reads. The first piece is awaited before the headers go, so what is
 * wrong from the start gets its proper status; what breaks later cuts the connection, so that nobody takes a part for the whole.
 */
export async function sendStream(
  reply: FastifyReply,
  pieces: AsyncGenerator<Piece>,
  limits: { stalledMs?: number; longestMs?: number } = {},
): Promise<FastifyReply> {
  const first = await pieces.next();
  const guard = createGuard(limits.stalledMs ?? STALLED_MS, limits.longestMs ?? LONGEST_MS);
  const source = guard.watch(first, pieces, (error) =>
    reply.log.error({ err: error }, 'an answer broke off half-way; its connection is cut'),
  );
  // One piece ahead and no more: a piece is a page of rows.
  const stream = Readable.from(source, { objectMode: true, highWaterMark: 1 });
  guard.onCut = (reason) => stream.destroy(new Error(reason));
  // Also where the client left before the first read: a generator that never began runs no finally of its own.
  stream.once('close', () => void pieces.return(undefined).catch(() => {}));
  return reply.send(stream);
}

type Piece = string | Buffer;

interface Guard {
  onCut: (reason: string) => void;
  watch(
    first: IteratorResult<Piece>,
    rest: AsyncGenerator<Piece>,
    onError: (error: unknown) => void,
  ): AsyncGenerator<Piece>;
}

/** Measures how long a made piece lies before the next one is asked for. */
function createGuard(stalledMs: number, longestMs: number): Guard {
  const guard: Guard = {
    onCut: () => {},
    async *watch(first, rest, onError) {
      const whole = setTimeout(() => guard.onCut('the answer took too long'), longestMs);
      let stalled: NodeJS.Timeout | undefined;
      try {
        for (let piece = first; !piece.done; piece = await rest.next()) {
          stalled = setTimeout(() => guard.onCut('the client reads nothing'), stalledMs);
          yield piece.value;
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

/** `{"<name>":[...]}` from pages of rows, each row already JSON text. */
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
