/** Files that are sent as they are, again and again: known by their content, compressed once. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

export interface FileAnswer {
  type: string;
  etag: string;
  body: Buffer;
  /** null where compressing gains nothing */
  gzipped: Buffer | null;
}

/** Compresses beside the event loop. */
export async function fileAnswer(type: string, text: string | Buffer): Promise<FileAnswer> {
  const body = Buffer.from(text);
  const gzipped = await promisify(gzip)(body);
  return { type, etag: etagOf(body), body, gzipped: gzipped.length < body.length ? gzipped : null };
}

export function etagOf(body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}

/** 304 where the client has it already. */
export function sendFile(request: FastifyRequest, reply: FastifyReply, file: FileAnswer): FastifyReply {
  void reply.headers({ ETag: file.etag, Vary: 'Accept-Encoding' });
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
  void reply.type(file.type);
  const takesGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  if (!file.gzipped || !takesGzip) return reply.send(file.body);
  return reply.header('Content-Encoding', 'gzip').send(file.gzipped);
}
