import type { FastifyRequest } from 'fastify';
import { DomainError } from '../../vocabulary/error.ts';

/** Methods that change nothing (RFC 9110 section 9.2.1). */
export const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/**
 * Whether a page of this service sent the request, so that its cookie counts where an API key is expected. Browsers omit
 * fetch metadata over plain http. No other page can send the header instead, because no response allows it.
 */
export function isFromDashboard(request: FastifyRequest): boolean {
  return request.headers['sec-fetch-site'] === 'same-origin' || hasDashboardHeader(request);
}

function hasDashboardHeader({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-site'] === undefined && headers['x-detour-dashboard'] === '1';
}

/**
 * Throws CROSS_ORIGIN (403) for a write with a session cookie from another origin's page, and for a read if only the
 * header of the dashboard vouches for it. SameSite=Lax is not enough: a form on a sibling domain can send multipart,
 * such as a CSV import, without a preflight.
 */
export function checkSameOrigin(request: FastifyRequest, publicUrl: string): void {
  if (!request.caller?.session || isSameOrigin(request, publicUrl)) return;
  if (SAFE_METHODS.has(request.method) && !hasDashboardHeader(request)) return;
  throw new DomainError('CROSS_ORIGIN', 'The request comes from another origin', {
    details: 'Origin: requests with the session cookie must come from pages of this service; use an API key elsewhere',
  });
}

/**
 * Uses fetch metadata, which no page can forge, else Origin with its scheme. A request with neither was not sent by a
 * browser. A page of the same host over plain http may be an attacker's in the network.
 */
function isSameOrigin(request: FastifyRequest, publicUrl: string): boolean {
  const site = request.headers['sec-fetch-site'];
  const { origin } = request.headers;
  if (site === 'same-origin' || site === 'none') return true;
  if (site === 'same-site' || site === 'cross-site') return false;
  if (origin === undefined) return site === undefined;
  return origin === publicUrl || origin === ownOrigin(request, publicUrl);
}

/** The scheme is https if a trusted proxy says so, else that of PUBLIC_URL, because few proxies say it. */
function ownOrigin(request: FastifyRequest, publicUrl: string): string | undefined {
  const scheme = request.protocol === 'https' ? 'https:' : new URL(publicUrl).protocol;
  return URL.parse(`${scheme}//${request.host}`)?.origin;
}
