/** Compression of responses by `Accept-Encoding` (RFC 9110, 12.5.3). */
import { pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** A third of the CPU time of level 6, and files that are a tenth longer. */
const LEVEL = 3;

/** Returns true if the client takes gzip, and likes it no less than uncompressed content. */
export function takesGzip({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const weights = new Map<string, number>();
  for (const part of String(headers['accept-encoding'] ?? '').split(',')) {
    const [coding = '', weight] = part.toLowerCase().split(/\s*;\s*q\s*=\s*/);
    weights.set(coding.trim(), weight === undefined ? 1 : Number(weight));
  }
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0;
  return gzip > 0 && gzip >= (weights.get('identity') ?? 0);
}

/**
 * Compresses a stream if the client takes it, in the thread pool and with backpressure: it holds a chunk and some
 * 300 KB. A stream that fails fails its reader, and a reader that leaves ends the stream.
 */
export function compressed(reply: FastifyReply, stream: Readable): Readable {
  void reply.header('Vary', 'Accept-Encoding');
  if (!takesGzip(reply.request)) return stream;
  void reply.header('Content-Encoding', 'gzip');
  // HEAD has the headers of GET; its content is read and discarded.
  if (reply.request.method === 'HEAD') return stream;
  return pipeline(stream, createGzip({ level: LEVEL }), () => {});
}

/** Shorter text gains less than a packet. */
const MIN_CHARACTERS = 4096;
const pack = promisify(gzip);

/** Compresses the text responses of `app`, such as a list of 100 redirects, in the thread pool. */
export function compressText(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < MIN_CHARACTERS) return payload;
    void reply.header('Vary', 'Accept-Encoding');
    if (request.method === 'HEAD' || !takesGzip(request)) return payload;
    const packed = await pack(payload, { level: LEVEL });
    void reply.header('Content-Encoding', 'gzip').header('Content-Length', packed.length);
    return packed;
  });
}
