/**
 * Resolves the names of receivers. getaddrinfo blocks one of libuv's four threads, which files and passwords need too,
 * for as long as the name server takes. So DNS is queried directly, without a thread. Only names that DNS does not know
 * (the hosts file, search domains) go to getaddrinfo.
 */
import { lookup, Resolver } from 'node:dns/promises';
import { createSemaphore } from '../semaphore.ts';

/** Returns the addresses of a host name; rejects if it has none. */
export type Resolve = (host: string) => Promise<string[]>;

const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;
const MAX_SYSTEM_LOOKUPS = 2;

const withSystemLookup = createSemaphore(MAX_SYSTEM_LOOKUPS);

export const resolveHost: Resolve = createDnsResolver();

/** Creates a resolver. `servers` replaces the name servers of the system. */
export function createDnsResolver(servers?: string[]): Resolve {
  return async (host) => {
    // RFC 6761: these names always mean loopback.
    if (/(^|\.)localhost\.?$/i.test(host)) return ['127.0.0.1', '::1'];
    // A new resolver for each lookup (30 µs), because it reads the system's name servers only when it is created.
    const dns = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
    if (servers) dns.setServers(servers);
    const answers = await Promise.allSettled([dns.resolve4(host), dns.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    const found = await withSystemLookup(() => lookup(host, { all: true }));
    return found.map(({ address }) => address);
  };
}
