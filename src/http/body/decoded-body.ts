/** Streamed bodies that may be compressed. */
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DomainError } from '../../vocabulary/error.ts';
import { bodyTooLarge, maxBodyBytes } from '../../vocabulary/call-limits.ts';
import type { Plan } from '../../vocabulary/plan.ts';
import { readAtMinRate } from './read-body.ts';

const CHUNK_BYTES = 64 * 1024;

/**
 * Calls `work` with the body of a request, decompressed as it arrives. The body is read at a minimum rate
 * (read-body.ts). Throws UNSUPPORTED_MEDIA_TYPE for another encoding than gzip, INVALID_JSON for invalid gzip, EMPTY_BODY
 * for NDJSON or CSV of zero bytes, and the error of a body that is larger than the plan allows (vocabulary/call-limits.ts;
 * default: that of the account), all from the body's iterator. If `work` ends early, the rest of the body is discarded.
 */
export async function withDecodedBody<T>(
  request: FastifyRequest,
  work: (body: AsyncIterable<Buffer>) => Promise<T>,
  plan = request.actor.plan,
): Promise<T> {
  const body = limited(request, plan);
  try {
    return await work(body);
  } finally {
    // After an early error, discard the rest of the body, so that the client reads the response. The worker thread may
    // wait for the next chunk of it.
    void body.return(undefined).finally(() => request.raw.resume());
  }
}

/** Gives the routes of the scope unparsed bodies of these media types, for withDecodedBody. Others are rejected with 415. */
export function takeStreams(app: FastifyInstance, mediaTypes: string[]): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(mediaTypes, (_request, payload, done) => done(null, payload));
}

/** The formats of a body with entries, and their media types. */
export const ENTRY_TYPES = { json: 'application/json', ndjson: 'application/x-ndjson', csv: 'text/csv' } as const;

export type EntryFormat = keyof typeof ENTRY_TYPES;

/** The format of a request's body; `json` unless its media type is that of another one. */
export function entryFormat(request: FastifyRequest): EntryFormat {
  const type = mediaType(request);
  return type === ENTRY_TYPES.csv ? 'csv' : type === ENTRY_TYPES.ndjson ? 'ndjson' : 'json';
}

/** The media type of a request without its parameters, in lower case; '' if it has none. */
function mediaType({ headers }: FastifyRequest): string {
  return headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
}

/** JSON of zero bytes is the reader's to reject: it names the field that is missing. */
async function* limited(request: FastifyRequest, plan: Plan): AsyncGenerator<Buffer> {
  const max = maxBodyBytes(plan);
  // Compressed bytes beyond the limit decompress to more.
  if (Number(request.headers['content-length'] ?? 0) > max) throw bodyTooLarge(plan, 'body');
  let bytes = 0;
  for await (const chunk of decoded(request)) {
    bytes += chunk.length;
    if (bytes > max) throw bodyTooLarge(plan, 'body');
    yield chunk;
  }
  if (bytes > 0 || mediaType(request) === 'application/json') return;
  throw new DomainError('EMPTY_BODY', 'The body is empty', {
    details: 'body: has zero bytes, so nothing was applied; check what the file was made from, then send it again',
  });
}

async function* decoded(request: FastifyRequest): AsyncGenerator<Buffer> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity') return yield* readAtMinRate(request.raw);
  if (encoding !== 'gzip') {
    throw new DomainError('UNSUPPORTED_MEDIA_TYPE', 'The content encoding is not supported', {
      details: 'Content-Encoding: send gzip, or omit the header',
    });
  }
  // The usual 16 KiB cost this thread four times as many turns.
  const plain = createGunzip({ chunkSize: CHUNK_BYTES });
  // An error on either side destroys the other stream; the loop below receives it from `plain`.
  const unzipping = pipeline(readAtMinRate(request.raw), plain).catch(() => {});
  try {
    yield* plain as AsyncIterable<Buffer>;
    await unzipping;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))) throw error;
    throw new DomainError('INVALID_JSON', 'The body is not valid gzip', {
      details: 'Content-Encoding: the body cannot be decompressed; nothing was applied',
    });
  } finally {
    // A caller that stops early continues with the request, which must have no other reader then.
    plain.destroy();
    await unzipping;
  }
}
