/** Requests that wait for a newer version. They hold no connection of the database. */
import { Gauge, type Registry } from 'prom-client';
import type { LiveRegistry } from '../../deployments/live/live-registry.ts';
import { type Environment, ENVIRONMENTS } from '../../vocabulary/environment.ts';
import { busy, type DomainError } from '../../vocabulary/error.ts';
import { createRechecks, type RecheckedWait, type RecheckOptions } from './recheck-waits.ts';

export interface VersionWait {
  accountId: number;
  websiteId: number;
  environment: Environment;
  /** called after each change of the website or of its live version in this process */
  hasNews: () => boolean;
  /** called after each change of who may wait; throws a DomainError if the request may not */
  recheck: () => Promise<void>;
  timeoutMs: number;
  /** ends the wait: the client has left */
  signal: AbortSignal;
}

export type VersionWaits = ReturnType<typeof createVersionWaits>;

/** An account with hundreds of websites has a follower of each on several machines. */
const LIMITS = { perAccount: 1_000, inAll: 4_000 };
const RETRY_SECONDS = 10;

interface Waiter extends RecheckedWait {
  check: () => void;
  end: () => void;
}

const keyOf = (websiteId: number, environment: Environment): string => `${websiteId} ${environment}`;

/** Creates the waits of a process. */
export function createVersionWaits(
  registry: Pick<LiveRegistry, 'observe'>,
  metrics: Registry,
  { limits = LIMITS, ...rechecked }: RecheckOptions & { limits?: typeof LIMITS },
) {
  const waiters = new Map<string, Set<Waiter>>();
  const ofAccount = new Map<number, number>();
  let inAll = 0;
  let isStopped = false;
  const all = (): Waiter[] => [...waiters.values()].flatMap((each) => [...each]);
  const rechecks = createRechecks(rechecked, all);

  measure(metrics, () => inAll);
  registry.observe((websiteId, environment) => {
    for (const each of environment ? [environment] : ENVIRONMENTS)
      for (const waiter of waiters.get(keyOf(websiteId, each)) ?? []) waiter.check();
  });

  function add(key: string, waiter: Waiter): void {
    const count = ofAccount.get(waiter.accountId) ?? 0;
    if (count >= limits.perAccount || (inAll >= limits.inAll && !endOneOfMost(waiters, ofAccount, count)))
      throw tooMany(limits.perAccount);
    countWait(ofAccount, waiter.accountId, 1);
    inAll++;
    rechecks.start();
    waiters.set(key, (waiters.get(key) ?? new Set()).add(waiter));
  }

  function remove(key: string, waiter: Waiter): void {
    const others = waiters.get(key);
    if (!others?.delete(waiter)) return;
    if (others.size === 0) waiters.delete(key);
    countWait(ofAccount, waiter.accountId, -1);
    if (--inAll === 0) void rechecks.stop();
  }

  return {
    /**
     * Resolves to true once `hasNews` returns true, and to false at the timeout, the signal or the stop of the process.
     * Throws BUSY above the limits, and what `recheck` throws.
     */
    async wait(wait: VersionWait): Promise<boolean> {
      const { websiteId, environment, hasNews, timeoutMs, signal } = wait;
      if (hasNews()) return true;
      if (isStopped || signal.aborted) return false;
      const settle = Promise.withResolvers<boolean>();
      const key = keyOf(websiteId, environment);
      const waiter: Waiter = createWaiter(wait, settle, () => remove(key, waiter));
      add(key, waiter);
      const timer = setTimeout(waiter.end, timeoutMs);
      signal.addEventListener('abort', waiter.end);
      try {
        return await settle.promise;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', waiter.end);
        remove(key, waiter);
      }
    },
    /** Ends all waits. Later ones end at once. */
    stop(): void {
      isStopped = true;
      for (const waiter of all()) waiter.end();
    },
  };
}

function createWaiter(
  { accountId, hasNews, recheck }: VersionWait,
  { resolve, reject }: PromiseWithResolvers<boolean>,
  remove: () => void,
): Waiter {
  return {
    accountId,
    seen: '',
    recheck,
    fail: reject,
    check: () => void (hasNews() && resolve(true)),
    end() {
      remove();
      resolve(false);
    },
  };
}

function countWait(ofAccount: Map<number, number>, accountId: number, change: number): void {
  const count = (ofAccount.get(accountId) ?? 0) + change;
  if (count > 0) ofAccount.set(accountId, count);
  else ofAccount.delete(accountId);
}

/** Ends a wait of the account with the most, unless that has hardly more than `count`. Returns whether it did. */
function endOneOfMost(waiters: Map<string, Set<Waiter>>, ofAccount: Map<number, number>, count: number): boolean {
  const [accountId, most] = [...ofAccount].reduce((one, other) => (other[1] > one[1] ? other : one), [0, 0]);
  if (most <= count + 1) return false;
  const all = [...waiters.values()].flatMap((each) => [...each]);
  all.find((waiter) => waiter.accountId === accountId)?.end();
  return true;
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
  return busy(
    `At most ${perAccount} requests of an account wait for a newer version, and the service has a limit for all; retry after the Retry-After delay, or without wait`,
    RETRY_SECONDS,
  );
}
