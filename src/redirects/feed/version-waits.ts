/** Requests that wait for a newer version. They hold no connection of the database. */
import { Gauge, type Registry } from 'prom-client';
import type { LiveRegistry } from '../../deployments/live/live-registry.ts';
import { type Environment, ENVIRONMENTS } from '../../vocabulary/environment.ts';
import { DomainError } from '../../vocabulary/error.ts';

export interface VersionWait {
  accountId: number;
  websiteId: number;
  environment: Environment;
  /** called after each change of the website or of its live version in this process */
  hasNews: () => boolean;
  timeoutMs: number;
  /** ends the wait: the client has left */
  signal: AbortSignal;
}

export interface VersionWaits {
  /**
   * Resolves to true once `hasNews` returns true, and to false at the timeout, the signal or the stop of the process.
   * Throws BUSY above the limits.
   */
  wait(wait: VersionWait): Promise<boolean>;
  /** Ends all waits. Later ones end at once. */
  stop(): void;
}

/** An account with hundreds of websites has a follower of each on several machines. */
const LIMITS = { perAccount: 1_000, inAll: 4_000 };
const RETRY_SECONDS = 10;

interface Waiter {
  accountId: number;
  check: () => void;
  end: () => void;
}

/** Creates the waits of a process. */
export function createVersionWaits(
  registry: Pick<LiveRegistry, 'observe'>,
  metrics: Registry,
  limits = LIMITS,
): VersionWaits {
  const waiters = new Map<string, Set<Waiter>>();
  const ofAccount = new Map<number, number>();
  let inAll = 0;
  let isStopped = false;
  const keyOf = (websiteId: number, environment: Environment): string => `${websiteId} ${environment}`;

  measure(metrics, () => inAll);
  registry.observe((websiteId, environment) => {
    for (const each of environment ? [environment] : ENVIRONMENTS)
      for (const waiter of waiters.get(keyOf(websiteId, each)) ?? []) waiter.check();
  });

  function add(key: string, waiter: Waiter): void {
    const count = ofAccount.get(waiter.accountId) ?? 0;
    if (count >= limits.perAccount || inAll >= limits.inAll) throw tooMany(limits.perAccount);
    ofAccount.set(waiter.accountId, count + 1);
    inAll++;
    const others = waiters.get(key) ?? new Set();
    waiters.set(key, others.add(waiter));
  }

  function remove(key: string, waiter: Waiter): void {
    const others = waiters.get(key);
    others?.delete(waiter);
    if (others?.size === 0) waiters.delete(key);
    const count = (ofAccount.get(waiter.accountId) ?? 0) - 1;
    if (count > 0) ofAccount.set(waiter.accountId, count);
    else ofAccount.delete(waiter.accountId);
    inAll--;
  }

  return {
    async wait({ accountId, websiteId, environment, hasNews, timeoutMs, signal }) {
      if (hasNews()) return true;
      if (isStopped || signal.aborted) return false;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const end = (): void => resolve(false);
      const waiter = { accountId, check: () => void (hasNews() && resolve(true)), end };
      const key = keyOf(websiteId, environment);
      add(key, waiter);
      const timer = setTimeout(end, timeoutMs);
      signal.addEventListener('abort', end);
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        remove(key, waiter);
      }
    },
    stop() {
      isStopped = true;
      for (const each of waiters.values()) for (const waiter of each) waiter.end();
    },
  };
}

function measure(metrics: Registry, count: () => number): void {
  new Gauge({
    name: 'detour_feed_waits',
    help: 'Requests of followers of a feed that wait for a newer version',
    registers: [metrics],
    collect() {
      this.set(count());
    },
  });
}

function tooMany(perAccount: number): DomainError {
  const details = `At most ${perAccount} requests of an account wait for a newer version, and the service has a limit for all; retry after the Retry-After delay, or without wait`;
  return new DomainError('BUSY', 'The service is busy', { details, retryAfter: RETRY_SECONDS });
}
