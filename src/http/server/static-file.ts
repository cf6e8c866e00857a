/** Files served from memory: compressed once, with an ETag of their content. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { takesGzip } from '../content-encoding.ts';
import { etagOf, sendIfUnchanged } from './response-headers.ts';

export interface StaticFile {
  type: string;
  etag: string;
  body: Buffer;
  /** null if compression does not make it smaller */
  gzipped: Buffer | null;
}

export async function createStaticFile(type: string, text: string | Buffer): Promise<StaticFile> {
  const body = Buffer.from(text);
  const gzipped = await promisify(gzip)(body, { level: 9 });
  return { type, etag: etagOf(body), body, gzipped: gzipped.length < body.length ? gzipped : null };
}

/** Responds with 304 if the client's ETag matches. `vary`: the request headers on which the response depends. */
export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: StaticFile,
  vary = 'Accept-Encoding',
): FastifyReply {
  void reply.header('Vary', vary);
  if (sendIfUnchanged(request, reply, file.etag)) return reply;
  void reply.type(file.type);
  if (!file.gzipped || !takesGzip(request)) return reply.send(file.body);
  return reply.header('Content-Encoding', 'gzip').send(file.gzipped);
}
