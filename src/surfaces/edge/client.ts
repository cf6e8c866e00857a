/**
 * The client of a request, by the same rules as the rate limit (http/server-options.ts): trusted proxies may forward an
 * address.
 */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { createBoundedCache } from '../../platform/bounded-cache.ts';
import type { Config } from '../../platform/config.ts';
import { detachString } from '../../platform/detach-string.ts';
import { joinedValues } from './raw-headers.ts';

export interface Client {
  /** as the connection or a proxy reports it; empty if the connection is already closed */
  address: string;
  /** the header named by COUNTRY_HEADER, if a trusted proxy sent it */
  country: string | undefined;
}

/** Peers whose trust is cached. */
const MAX_CACHED_PEERS = 4_096;
type Trust = (address: string, hop: number) => boolean;

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
  return ({ rawHeaders }) => {
    const scheme = joinedValues(rawHeaders, 'x-forwarded-proto');
    return scheme === 'http' || scheme === 'https' ? scheme : undefined;
  };
}

function createTrust(setting: number | string[]): Trust {
  if (typeof setting === 'number') return (_address, hop) => hop < setting;
  const networks = new BlockList();
  for (const network of setting) {
    const [address = '', prefix] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    networks.addSubnet(address, prefix === undefined ? (family === 'ipv6' ? 128 : 32) : Number(prefix), family);
  }
  const known = createBoundedCache<boolean>(MAX_CACHED_PEERS);
  return (address) => {
    let trusted = known.get(address);
    if (trusted === undefined) known.set(detachString(address), (trusted = isWithin(networks, address)));
    return trusted;
  };
}

/** Compares an IPv4-mapped IPv6 address, which a dual-stack listener reports, as IPv4. */
function isWithin(networks: BlockList, address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const canonical = ipaddr.process(address);
  return networks.check(canonical.toString(), canonical.kind());
}
