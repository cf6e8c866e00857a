import ipaddr from 'ipaddr.js';

/** Decides which hosts are the service's own. A host is in lower case, without port and final dot. */
export interface ServiceHosts {
  /** True for the host of PUBLIC_URL, localhost and RESERVED_HOSTS: they always reach the service, never a website. */
  isReserved(host: string): boolean;
  /** these hosts */
  reserved: ReadonlySet<string>;
  /**
   * True if a request is for the service, unless the host is a website's. A page of an attacker reaches a private
   * service by a public name (DNS rebinding), so only names that cannot be registered are included. Empty: no Host.
   */
  isServed(host: string): boolean;
  /** whether a host of a website serves only once its owner has proven it: if anyone can sign up */
  needsProof: boolean;
}

/** The rules for hosts of websites. */
export type HostRules = Pick<ServiceHosts, 'isReserved' | 'needsProof'>;

/** Top-level domains that public DNS never delegates (RFC 6761, RFC 6762, and ICANN for `internal`). */
const PRIVATE_NAME = /\.(localhost|local|internal)$/;

/** Address ranges that are not reachable from the internet, as ipaddr.js names them. */
export const PRIVATE_RANGES = new Set(['loopback', 'private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat']);

export function createServiceHosts({
  publicUrl,
  reservedHosts,
  signUp,
}: {
  publicUrl: string;
  reservedHosts: string[];
  signUp: 'open' | 'closed';
}): ServiceHosts {
  const reserved = new Set([new URL(publicUrl).hostname, 'localhost', ...reservedHosts]);
  const isReserved = (host: string): boolean => reserved.has(host);
  return {
    needsProof: signUp === 'open',
    isReserved,
    reserved,
    isServed: (host) => isReserved(host) || isPrivateAddress(host) || !/[.:]/.test(host) || PRIVATE_NAME.test(host),
  };
}

/** IPv6 addresses are in brackets, as in a URL. */
function isPrivateAddress(host: string): boolean {
  const address = host.startsWith('[') ? host.slice(1, -1) : host;
  // Only the usual spellings: `ipaddr` also reads 0177.0.0.1, which browsers never send.
  const isAddress = host === address ? ipaddr.IPv4.isValidFourPartDecimal(host) : ipaddr.IPv6.isValid(address);
  return isAddress && PRIVATE_RANGES.has(ipaddr.process(address).range());
}
