/**
 * The client of a request, by the same rules as the rate limit (http/server/server-options.ts): trusted proxies may forward an
 * address.
 */
import type { IncomingMessage } from 'node:http';
import type { Config } from '../../platform/config/config.ts';
import { joinedValues } from '../../http/server/raw-headers.ts';
import { createTrust, type Trust } from '../../http/server/trusted-proxy.ts';

export interface Client {
  /** as the connection or a proxy reports it; empty if the connection is already closed */
  address: string;
  /** the header named by COUNTRY_HEADER, if a trusted proxy sent it */
  country: string | undefined;
}

/** Returns a function that reads the client of a request by TRUST_PROXY and COUNTRY_HEADER. */
export function createClientReader({
  trustProxy,
  countryHeader,
}: Pick<Config, 'trustProxy' | 'countryHeader'>): (request: IncomingMessage) => Client {
  if (trustProxy === false) return ({ socket }) => ({ address: socket.remoteAddress ?? '', country: undefined });
  const trust = createTrust(trustProxy);
  return ({ socket, rawHeaders }) => {
    const peer = socket.remoteAddress ?? '';
    if (!trust(peer, 0)) return { address: peer, country: undefined };
    return {
      address: clientBehind(peer, joinedValues(rawHeaders, 'x-forwarded-for'), trust),
      country: countryHeader === null ? undefined : joinedValues(rawHeaders, countryHeader),
    };
  };
}

/** The last address that a trusted proxy did not add; the first one if all are trusted. */
function clientBehind(peer: string, forwarded: string | undefined, trust: Trust): string {
  let address = peer;
  let end = forwarded?.length ?? -1;
  for (let hop = 0; forwarded !== undefined && end >= 0 && trust(address, hop); hop++) {
    const comma = end === 0 ? -1 : forwarded.lastIndexOf(',', end - 1);
    address = forwarded.slice(comma + 1, end).trim();
    end = comma;
  }
  return address;
}

/** Returns the scheme that the client used, if a trusted proxy sends X-Forwarded-Proto; undefined if it is unknown. */
export function createSchemeReader({
  trustProxy,
}: Pick<Config, 'trustProxy'>): (request: IncomingMessage) => string | undefined {
  if (trustProxy === false) return () => undefined;
  const trust = createTrust(trustProxy);
  return ({ rawHeaders, socket }) => {
    const scheme = joinedValues(rawHeaders, 'x-forwarded-proto');
    if (scheme === undefined || !trust(socket.remoteAddress ?? '', 0)) return undefined;
    return scheme === 'http' || scheme === 'https' ? scheme : undefined;
  };
}
