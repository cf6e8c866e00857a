import type { FastifyRequest } from 'fastify';
import { DomainError } from '../vocabulary/error.ts';

/** Methods that change nothing (RFC 9110 section 9.2.1). */
export const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/**
 * Throws CROSS_ORIGIN (403) for a write with a session cookie from another origin's page. SameSite=Lax is not enough: a
 * form on a sibling domain can send multipart, such as a CSV import, without a preflight.
 */
export function checkSameOrigin(request: FastifyRequest, publicUrl: string): void {
  if (!request.caller?.session || SAFE_METHODS.has(request.method) || isSameOrigin(request, publicUrl)) return;
  throw new DomainError('CROSS_ORIGIN', 'The request comes from another origin', {
    details: 'Origin: writes with the session cookie must come from pages of this service; use an API key elsewhere',
  });
}

/** Uses fetch metadata, which no page can forge, else Origin. A request with neither was not sent by a browser. */
function isSameOrigin(request: FastifyRequest, publicUrl: string): boolean {
  const site = request.headers['sec-fetch-site'];
  const { origin } = request.headers;
  if (site === 'same-origin' || site === 'none') return true;
  if (origin === undefined) return site === undefined;
  return origin === publicUrl || hostOf(origin) === request.host.toLowerCase();
}

/** `host:port` of an Origin header; undefined for `null` and invalid values. */
function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
