/**
 * Lookups in DNS. getaddrinfo blocks one of libuv's four threads, which files and passwords need too, for as long as the
 * name server takes. So DNS is queried directly, without a thread and without the hosts file.
 */
import { lookup, Resolver } from 'node:dns/promises';
import { isErrorCode } from '../log/error-summary.ts';
import { createSemaphore } from '../scheduling/semaphore.ts';

/** For all queries of one call, with their tries. */
const TIMEOUT_MS = 5_000;
const TRIES = 2;
const FIRST_TRY_MS = 1_500;
const MAX_SYSTEM_LOOKUPS = 2;

/** Runs queries within 5 s, then cancels those that are left. `servers` replaces the name servers of the system. */
export async function queryDns<T>(servers: string[] | null, work: (dns: Resolver) => Promise<T>): Promise<T> {
  // A new resolver for each call (30 µs), because it reads the system's name servers only when it is created.
  const dns = new Resolver({ timeout: FIRST_TRY_MS, tries: TRIES });
  if (servers) dns.setServers(servers);
  const timer = setTimeout(() => dns.cancel(), TIMEOUT_MS);
  try {
    return await work(dns);
  } finally {
    clearTimeout(timer);
  }
}

/** True if DNS says that there is no such name, or no such record of it. */
export function isNoRecord(error: unknown): boolean {
  return isErrorCode(error, 'ENOTFOUND') || isErrorCode(error, 'ENODATA');
}

/** The code of a query that got no usable response, such as ETIMEOUT or ESERVFAIL. */
export function dnsCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}

/** Returns the addresses of a host name; rejects if it has none. */
export type Resolve = (host: string) => Promise<string[]>;

const withSystemLookup = createSemaphore(MAX_SYSTEM_LOOKUPS);

/**
 * Resolves both address families. Only names that DNS does not know (the hosts file, search domains) go to getaddrinfo.
 * `servers` replaces the name servers of the system.
 */
export async function resolveHost(host: string, servers: string[] | null = null): Promise<string[]> {
  // RFC 6761: these names always mean loopback.
  if (/(^|\.)localhost\.?$/i.test(host)) return ['127.0.0.1', '::1'];
  const answers = await queryDns(servers, (dns) => Promise.allSettled([dns.resolve4(host), dns.resolve6(host)]));
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length > 0) return addresses;
  const found = await withSystemLookup(() => lookup(host, { all: true }));
  return found.map(({ address }) => address);
}
