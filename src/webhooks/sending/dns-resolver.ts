/**
 * From a receiver's name to its addresses. The system's own way (getaddrinfo) blocks one of the four threads that files and
 * passwords need as well, for as long as the name's owner likes; so DNS is asked directly, without a thread, and the system only
 * for names that DNS does not know (the hosts file, search domains), few at a time.
 */
import { createSemaphore } from '../../platform/semaphore.ts';
import { lookup, Resolver } from 'node:dns/promises';

/** The addresses of a host name; rejects where there are none. */
export type Resolve = (host: string) => Promise<string[]>;

const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;
const SYSTEM_LOOKUPS = 2;

const withSystemLookup = createSemaphore(SYSTEM_LOOKUPS);

export const resolveHost: Resolve = createDnsResolver();

/** `servers` in place of the system's name servers. */
export function createDnsResolver(servers?: string[]): Resolve {
  return async (host) => {
    // RFC 6761: these names mean loopback, whatever a server says.
    if (/(^|\.)localhost\.?$/i.test(host)) return ['127.0.0.1', '::1'];
    // A new one each time (30 microseconds): it reads which name servers the system has only when it is made.
    const dns = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
    if (servers) dns.setServers(servers);
    const answers = await Promise.allSettled([dns.resolve4(host), dns.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    const found = await withSystemLookup(() => lookup(host, { all: true }));
    return found.map(({ address }) => address);
  };
}
