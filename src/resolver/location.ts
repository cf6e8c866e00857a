import { canonicalPath } from './canonical-path.ts';
import { sameQuery } from './query.ts';
import type { MatchRequest } from './rule.ts';

/** Where a Location leads, as the next request would be seen; scheme and host are undefined where it stays on the host. */
export interface ParsedLocation {
  scheme: string | undefined;
  host: string | undefined;
  path: string;
  query: string | null;
}

/**
 * Reads a Location as browsers do: a fragment is never sent, a `\` in the path counts as `/`. The host loses case, final dot, user
 * information and the scheme's own port, so that it can be compared.
 */
export function parseLocation(location: string): ParsedLocation {
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

function comparableHost(authority: string, ownPort: string): string {
  const host = authority.slice(authority.lastIndexOf('@') + 1).toLowerCase();
  const bare = host.endsWith(ownPort) ? host.slice(0, -ownPort.length) : host;
  return bare.endsWith('.') ? bare.slice(0, -1) : bare;
}

/** Would following the Location send the same request again? */
export function redirectsToItself(location: string, request: MatchRequest): boolean {
  const { scheme, host, path, query } = parseLocation(location);
  if (path !== request.path) return false;
  if (host !== undefined && host !== request.host) return false;
  if (scheme !== undefined && request.scheme !== undefined && scheme !== request.scheme) return false;
  return sameQuery(query, request.query);
}
