/** Checks where hosts point to and which certificate they have, within bounds, and remembers the results for a while. */
import { createBoundedCache } from '../platform/bounded-cache.ts';
import type { Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config/config.ts';
import { createKeyedSemaphore, createSemaphore } from '../platform/scheduling/semaphore.ts';
import { type CertificateState, HTTPS_PORT, readCertificate } from './certificate.ts';
import { type DnsState, readDnsState, readServiceAddresses, type ServiceAddresses } from './dns-state.ts';

export interface HostState {
  dns: DnsState;
  /** null if there was no handshake: the host is not verified, has no address or is a wildcard */
  certificate: CertificateState | null;
  /** null if the check has not ended yet, or found no permit */
  checkedAt: Date | null;
}

export interface HostChecks {
  /** Returns the state of each host after at most WAIT_MS; a check that takes longer goes on for the next call. */
  check(accountId: number, hosts: { hostname: string; verified: boolean }[]): Promise<HostState[]>;
}

/** A host is checked again after this time. */
const FRESH_MS = 30_000;
const WAIT_MS = 8_000;
const MAX_CACHED = 20_000;
const MAX_CHECKS_OF_ACCOUNT = 8;
const MAX_CHECKS = 32;
const MAX_WAITING_OF_ACCOUNT = 1_000;
const PERMIT_TIMEOUT_MS = 60_000;

type Settings = Pick<Config, 'publicUrl' | 'publicAddresses' | 'dnsServers' | 'webhookEgress'>;

export function createHostChecks(
  config: Settings,
  clock: Clock,
  { port = HTTPS_PORT, waitMs = WAIT_MS } = {},
): HostChecks {
  const ofAccount = createKeyedSemaphore<number>(MAX_CHECKS_OF_ACCOUNT);
  const ofAll = createSemaphore(MAX_CHECKS);
  const states = createExpiringCache<HostState>(clock);
  const service = createExpiringCache<ServiceAddresses>(clock);

  async function checkNow(hostname: string, verified: boolean): Promise<HostState> {
    const { publicUrl, publicAddresses, dnsServers, webhookEgress: egress } = config;
    const own = await service.get('', () => readServiceAddresses(publicUrl, publicAddresses, dnsServers));
    const dns = await readDnsState(hostname, own, dnsServers);
    const { addresses } = dns;
    const hasHandshake = verified && addresses.length > 0 && !hostname.startsWith('*.');
    const certificate = hasHandshake ? await readCertificate(hostname, { addresses, egress, port }) : null;
    return { dns, certificate, checkedAt: clock.now() };
  }

  function checkOne(accountId: number, hostname: string, verified: boolean): Promise<HostState> {
    const work = (): Promise<HostState> => ofAll(() => checkNow(hostname, verified));
    const timeout = {
      timeoutMs: PERMIT_TIMEOUT_MS,
      error: () => new Error('too many checks'),
      maxWaiting: MAX_WAITING_OF_ACCOUNT,
    };
    return states.get(`${verified} ${hostname}`, () => ofAccount(accountId, work, timeout)).catch(() => UNCHECKED);
  }

  return {
    async check(accountId, hosts) {
      const late = Promise.withResolvers<HostState>();
      const timer = setTimeout(() => late.resolve(UNCHECKED), waitMs);
      const checks = hosts.map(({ hostname, verified }) => checkOne(accountId, hostname, verified));
      const found = await Promise.all(checks.map((check) => Promise.race([check, late.promise])));
      clearTimeout(timer);
      return found;
    },
  };
}

const UNCHECKED: HostState = {
  dns: { state: 'unknown', addresses: [], problem: 'the check has not ended yet; retry in a few seconds' },
  certificate: null,
  checkedAt: null,
};

/** A cache of results in progress and of the last 30 s. A failed one is not cached. */
function createExpiringCache<T>(clock: Clock): { get(key: string, read: () => Promise<T>): Promise<T> } {
  const entries = createBoundedCache<{ result: Promise<T>; endsAt: number }>(MAX_CACHED);
  return {
    get(key, read) {
      const existing = entries.get(key);
      if (existing && existing.endsAt > clock.now().getTime()) return existing.result;
      const entry = { result: read(), endsAt: Infinity };
      entries.set(key, entry);
      entry.result.then(
        () => (entry.endsAt = clock.now().getTime() + FRESH_MS),
        () => (entry.endsAt = 0),
      );
      return entry.result;
    },
  };
}
