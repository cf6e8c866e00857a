import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { createBoundedCache, detachString } from '../../platform/bounded-cache.ts';
import type { Config } from '../../platform/config/config.ts';
import { firstValue } from './raw-headers.ts';

/** Returns whether a proxy is trusted; `hop` is the number of proxies between it and this process. */
export type Trust = (address: string, hop: number) => boolean;

/** Peers whose trust is cached. */
const MAX_CACHED_PEERS = 4_096;

/** Returns the test of TRUST_PROXY: a number of proxies, or their networks. */
export function createTrust(setting: number | string[]): Trust {
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

const REQUEST_ID = /^[\x20-\x7e]{1,100}$/;

/**
 * Returns a function that takes the X-Request-Id of a trusted proxy, of at most 100 printable characters, or else
 * creates one. A client's own id is ignored: it would not identify one request in the log.
 */
export function createRequestIdReader(
  { trustProxy }: Pick<Config, 'trustProxy'>,
  create: () => string,
): (request: IncomingMessage) => string {
  if (trustProxy === false) return create;
  const trust = createTrust(trustProxy);
  return ({ rawHeaders, socket }) => {
    const given = firstValue(rawHeaders, 'x-request-id');
    if (given === undefined || !REQUEST_ID.test(given)) return create();
    return trust(socket.remoteAddress ?? '', 0) ? given : create();
  };
}
