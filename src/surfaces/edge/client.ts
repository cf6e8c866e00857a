/** Where a request comes from, by the same rules as for the rate limit (http/server-options.ts): forwarded addresses as far as trusted. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Config } from '../../platform/config.ts';
import { detachString } from '../../platform/detach-string.ts';
import { createBoundedCache } from './bounded-cache.ts';

export interface Client {
  /** as the connection or the proxy names it; empty where the connection is gone already */
  address: string;
  /** the header of COUNTRY_HEADER, where a trusted proxy sent it */
  country: string | undefined;
}

const ADDRESSES = 4_096;
type Trust = (address: string, hop: number) => boolean;

/** Tells the client of a request as TRUST_PROXY and COUNTRY_HEADER say. */
export function createClientOf({
  trustProxy,
  countryHeader,
}: Pick<Config, 'trustProxy' | 'countryHeader'>): (request: IncomingMessage) => Client {
  if (trustProxy === false)
    return ({ socket }) => ({ address: socket.remoteAddress ?? '', country: undefined });
  const trust = trusting(trustProxy);
  return ({ socket, headers }) => {
    const peer = socket.remoteAddress ?? '';
    if (!trust(peer, 0)) return { address: peer, country: undefined };
    const country = countryHeader === null ? undefined : headers[countryHeader];
    return {
      address: clientBehind(peer, headers['x-forwarded-for'], trust),
      country: typeof country === 'string' ? country : undefined,
    };
  };
}

/** The last forwarded address that was not added by a proxy that is trusted; the first one where all of them are. */
function clientBehind(peer: string, forwarded: string | string[] | undefined, trust: Trust): string {
  let address = peer;
  const hops = (typeof forwarded === 'string' ? forwarded.split(',') : []).reverse();
  for (const [i, hop] of hops.entries()) {
    if (!trust(address, i)) break;
    address = hop.trim();
  }
  return address;
}

/** Returns the scheme that the client used, if a trusted proxy sends X-Forwarded-Proto; undefined if it is unknown. */
export function createSchemeOf({
  trustProxy,
}: Pick<Config, 'trustProxy'>): (request: IncomingMessage) => string | undefined {
  if (trustProxy === false) return () => undefined;
  return ({ headers }) => {
    const scheme = headers['x-forwarded-proto'];
    return typeof scheme === 'string' && /^https?$/.test(scheme) ? scheme : undefined;
  };
}

function trusting(setting: number | string[]): Trust {
  if (typeof setting === 'number') return (_address, hop) => hop < setting;
  const networks = new BlockList();
  for (const network of setting) {
    const [address = '', prefix] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    networks.addSubnet(
      address,
      prefix === undefined ? (family === 'ipv6' ? 128 : 32) : Number(prefix),
      family,
    );
  }
  const known = createBoundedCache<boolean>(ADDRESSES);
  return (address) => {
    let answer = known.get(address);
    if (answer === undefined) known.set(detachString(address), (answer = isWithin(networks, address)));
    return answer;
  };
}

/** A mapped IPv4 address, as a listener for both families names its peers, is one of IPv4. */
function isWithin(networks: BlockList, address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const canonical = ipaddr.process(address);
  return networks.check(canonical.toString(), canonical.kind());
}
