import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { takesGzip } from '../content-encoding.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { createHash } from 'node:crypto';

export const newRequestId = (): string => uuidv7();

export function addRequestId(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => void reply.header('X-Request-Id', request.id));
}

const EVERY_RESPONSE = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Content-Security-Policy': "frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

/** A year. Without subdomains, because hosts of websites may be below the service's. */
const HSTS = { 'Strict-Transport-Security': 'max-age=31536000' } as const;

/** Paths of the API. */
const API = /^\/(api|v1)(\/|\?|$)/;

export const isApiPath = (url: string): boolean => API.test(url);

/**
 * Returns the headers of a response of the service. A surface with pages sets a stricter policy for scripts and styles,
 * and a route may allow its response to be stored.
 */
export function securityHeaders(url: string, publicUrl: string): Record<string, string> {
  return {
    ...EVERY_RESPONSE,
    ...(publicUrl.startsWith('https:') && HSTS),
    ...(isApiPath(url) && { 'Cache-Control': 'no-store' }),
  };
}

export function addSecurityHeaders(app: FastifyInstance, publicUrl: string): void {
  app.addHook('onRequest', async (request, reply) => void reply.headers(securityHeaders(request.url, publicUrl)));
}

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
 * Sets the ETag, as a weak one if the content is compressed: its bytes then differ (RFC 9110, 8.8.3.3).
 */
export function setEtag(request: FastifyRequest, reply: FastifyReply, etag: string): void {
  void reply.header('ETag', takesGzip(request) ? `W/${etag}` : etag);
  if (!reply.hasHeader('Vary')) void reply.header('Vary', 'Accept-Encoding');
}

/**
 * Sends the ETag, and 304 without a body if the client has the content. Returns true if that was the whole response.
 */
export function sendIfUnchanged(request: FastifyRequest, reply: FastifyReply, etag: string): boolean {
  setEtag(request, reply, etag);
  if (!hasContent(request, etag)) return false;
  void reply.code(304).send();
  return true;
}
