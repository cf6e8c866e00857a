import type { FastifyRequest } from 'fastify';
import { requireRole } from '../accounts/permissions.ts';
import { DomainError } from '../vocabulary/error.ts';

/** Methods that change nothing (RFC 9110 section 9.2.1). */
export const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/**
 * 403 where the caller's role or scope does not reach what the route needs. A route that says nothing is for viewers when it
 * reads and for editors when it writes, so that a forgotten option opens nothing.
 */
export function checkRole(request: FastifyRequest): void {
  if (!request.caller) return;
  const { role, scope } = request.routeOptions.config;
  requireRole(request.caller.actor, role ?? (SAFE_METHODS.has(request.method) ? 'viewer' : 'editor'), scope);
}

/**
 * 403 CROSS_ORIGIN for a write that a browser sent with our cookie from another site's page. A form can send multipart without
 * asking us first (no preflight), so SameSite=Lax alone does not cover the CSV import from a sibling domain.
 */
export function checkSameOrigin(request: FastifyRequest, publicUrl: string): void {
  if (!request.caller?.session || SAFE_METHODS.has(request.method) || isSameOrigin(request, publicUrl))
    return;
  throw new DomainError('CROSS_ORIGIN', 'The request comes from another origin', {
    details:
      'Origin: writes with the session cookie are taken only from pages of this service; elsewhere use an API key',
  });
}

/** Fetch metadata first, which no page can forge; Origin for browsers without it; neither is no browser. */
function isSameOrigin(request: FastifyRequest, publicUrl: string): boolean {
  const site = request.headers['sec-fetch-site'];
  const { origin } = request.headers;
  if (site === 'same-origin' || site === 'none') return true;
  if (origin === undefined) return site === undefined;
  return origin === publicUrl || hostOf(origin) === request.host.toLowerCase();
}

/** host:port of an Origin header; undefined for `null` and whatever is no address. */
function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
