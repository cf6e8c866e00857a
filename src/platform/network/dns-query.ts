import { Resolver } from 'node:dns/promises';
import { isErrorCode } from '../error-summary.ts';

/** For all queries of one call, with their tries. */
const TIMEOUT_MS = 5_000;
const TRIES = 2;
const FIRST_TRY_MS = 1_500;

/**
 * Runs queries within 5 s, then cancels those that are left. `servers` replaces the name servers of the system. Asks
 * DNS directly, without the hosts file and without a thread.
 */
export async function queryDns<T>(servers: string[] | null, work: (dns: Resolver) => Promise<T>): Promise<T> {
  // A new resolver for each call, because it reads the system's name servers only when it is created.
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
