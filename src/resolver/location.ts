import { canonicalPath } from './spelling/canonical-path.ts';
import { sameQuery } from './spelling/query.ts';
import type { MatchRequest } from './rule.ts';

/**
 * Parses a Location as browsers do. The host is in lower case, without final dot, user information and default port.
 */
export function parseLocation(location: string) {
  const absolute = /^(https?):\/\/([^/?#\\]*)/i.exec(location);
  const target = absolute ? location.slice(absolute[0].length) : location;
  const hash = target.indexOf('#');
  const sent = hash < 0 ? target : target.slice(0, hash);
  const mark = sent.indexOf('?');
  const path = (mark < 0 ? sent : sent.slice(0, mark)).replaceAll('\\', '/');
  const scheme = absolute?.[1]?.toLowerCase();
  return {
    scheme,
    host: absolute ? comparableHost(absolute[2] ?? '', scheme === 'https' ? ':443' : ':80') : undefined,
    path: canonicalPath(path),
    query: mark < 0 ? null : sent.slice(mark + 1),
  };
}

function comparableHost(authority: string, defaultPort: string): string {
  const host = authority.slice(authority.lastIndexOf('@') + 1).toLowerCase();
  const bare = host.endsWith(defaultPort) ? host.slice(0, -defaultPort.length) : host;
  return bare.endsWith('.') ? bare.slice(0, -1) : bare;
}

/** True if a browser that follows the Location repeats the request. */
export function redirectsToItself(location: string, request: MatchRequest): boolean {
  const { scheme, host, path, query } = parseLocation(location);
  if (path !== request.path) return false;
  if (host !== undefined && host !== request.host) return false;
  if (scheme !== undefined && request.scheme !== undefined && scheme !== request.scheme) return false;
  return sameQuery(query, request.query);
}

/** The Location of a request that no rule matches, on a website with a fallback. `rawPath` is as the client sent it. */
export function fallbackLocation(fallbackUrl: string, rawPath: string, query: string | null): string {
  return fallbackUrl.replace(/\/$/, '') + locationSafe(rawPath) + (query === null ? '' : `?${locationSafe(query)}`);
}

/** Percent-encodes only characters that a header must not contain. */
function locationSafe(text: string): string {
  return /[^\x21-\x7e]/.test(text) ? encodeURI(text).replaceAll('%25', '%') : text;
}
