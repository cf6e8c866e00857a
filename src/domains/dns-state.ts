/** Compares the addresses of a host in DNS with those of the service. */
import type { Resolver } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { getDomain } from 'tldts';
import { dnsCode, isNoRecord, queryDns } from '../platform/network/dns.ts';

/** `here`: every address is one of the service's. `unknown`: the name servers do not say, or the service's are unknown. */
export const DNS_STATES = ['here', 'elsewhere', 'nowhere', 'unknown'] as const;

export interface DnsState {
  state: (typeof DNS_STATES)[number];
  /** at most MAX_ADDRESSES */
  addresses: string[];
  /** what is wrong, and what to do; null if the state is `here` */
  problem: string | null;
}

/** The service, as hosts of websites point to it. */
export interface ServiceAddresses {
  /** the host of PUBLIC_URL */
  host: string;
  /** addresses and networks */
  addresses: string[];
}

export const MAX_ADDRESSES = 20;
/** Steps of CNAME that are followed to the host of the service. */
const MAX_CNAMES = 5;
/** A name below a wildcard that no visitor uses. */
const PROBE_LABEL = 'detour-check';

/** Returns the addresses that the host of PUBLIC_URL has in DNS, and those of PUBLIC_ADDRESSES. Never throws. */
export async function readServiceAddresses(
  publicUrl: string,
  publicAddresses: string[],
  dnsServers: string[] | null,
): Promise<ServiceAddresses> {
  const host = new URL(publicUrl).hostname;
  const { addresses } = await queryDns(dnsServers, (dns) => addressesOf(dns, host));
  return { host, addresses: [...addresses, ...publicAddresses] };
}

/** Returns where a host of a website points to. For a wildcard, looks up a name below it. Never throws. */
export async function readDnsState(
  hostname: string,
  service: ServiceAddresses,
  dnsServers: string[] | null,
): Promise<DnsState> {
  const name = hostname.startsWith('*.') ? `${PROBE_LABEL}.${hostname.slice(2)}` : hostname;
  return queryDns(dnsServers, async (dns) => {
    const found = await addressesOf(dns, name);
    const addresses = found.addresses.slice(0, MAX_ADDRESSES);
    if (addresses.length === 0) return { ...missingState(found), addresses };
    // Addresses of a load balancer may differ from one query to the next.
    if (await isAliasOf(dns, name, service.host)) return { state: 'here', addresses, problem: null };
    if (service.addresses.length === 0) return { state: 'unknown', addresses, problem: serviceUnknown(service.host) };
    const isOwn = rangeOf(service.addresses);
    const strays = found.addresses.filter((address) => !isOwn(address));
    if (strays.length === 0) return { state: 'here', addresses, problem: null };
    return { state: 'elsewhere', addresses, problem: elsewhere(found.addresses, strays, service.addresses) };
  });
}

interface Found {
  addresses: string[];
  /** the code of a query that got no response; undefined if DNS has no address */
  failure?: string | undefined;
}

async function addressesOf(dns: Resolver, host: string): Promise<Found> {
  const literal = host.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0) return { addresses: [literal] };
  // RFC 6761: these names always mean loopback.
  if (/(^|\.)localhost$/.test(host)) return { addresses: ['127.0.0.1', '::1'] };
  const answers = await Promise.allSettled([dns.resolve4(host), dns.resolve6(host)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const failed = answers.find((answer) => answer.status === 'rejected' && !isNoRecord(answer.reason));
  return { addresses, failure: failed && dnsCode((failed as PromiseRejectedResult).reason) };
}

function missingState({ failure }: Found): Pick<DnsState, 'state' | 'problem'> {
  if (failure === undefined)
    return { state: 'nowhere', problem: 'DNS has no A or AAAA record of it; add one, or a CNAME below a domain' };
  return { state: 'unknown', problem: `the name servers did not answer (${failure}); retry later` };
}

const serviceUnknown = (host: string): string =>
  `the addresses of the service are unknown: DNS has none of ${host} (PUBLIC_URL); set PUBLIC_ADDRESSES`;

function elsewhere(addresses: string[], strays: string[], service: string[]): string {
  const shown = (list: string[]): string =>
    list.slice(0, 3).join(', ') + (list.length > 3 ? ` and ${list.length - 3} more` : '');
  const own = `those of the service are ${shown(service)}`;
  if (strays.length === addresses.length) return `its addresses are not those of the service; ${own}`;
  return `some visitors reach another server: ${shown(strays)} is not an address of the service; remove it; ${own}`;
}

function rangeOf(networks: string[]): (address: string) => boolean {
  const list = new BlockList();
  const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6');
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    if (prefix === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return (address) => list.check(address, familyOf(address));
}

/** Whether the CNAME records of a name end at, or pass, the host of the service. */
async function isAliasOf(dns: Resolver, name: string, ownHost: string): Promise<boolean> {
  let at = name;
  for (let step = 0; step < MAX_CNAMES; step++) {
    const [next] = await dns.resolveCname(at).catch((): string[] => []);
    if (next === undefined) return false;
    if (next.toLowerCase() === ownHost) return true;
    at = next;
  }
  return false;
}

/**
 * Returns true for a registered domain itself, such as `example.co.uk`, by the public suffix list. It cannot have a
 * CNAME record. Names below `localhost` are not domains.
 */
export const isApex = (hostname: string): boolean =>
  getDomain(hostname) === hostname && !hostname.endsWith('.localhost');
