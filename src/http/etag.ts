import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The ETag of a content, or of a text that changes whenever the content does. */
export function etagOf(content: Buffer | string): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
}

/**
 * True if the client has this content. Proxies that compress a response weaken its ETag, which still matches. `*` does
 * not: whether there is a content is known when it is sent, and an error must not be 304.
 */
function hasContent(request: FastifyRequest, etag: string): boolean {
  const header = request.headers['if-none-match'];
  if (header === undefined) return false;
  return header.split(',').some((each) => each.trim().replace(/^W\//, '') === etag);
}

/**
 * Sends the ETag, and 304 without a body if the client has the content. Returns true if that was the whole response.
 */
export function sendIfUnchanged(request: FastifyRequest, reply: FastifyReply, etag: string): boolean {
  void reply.header('ETag', etag);
  if (!hasContent(request, etag)) return false;
  void reply.code(304).send();
  return true;
}
