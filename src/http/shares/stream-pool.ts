/**
 * The connections of one pool, for streamed responses. While others wait for one, a client that reads too little gives
 * its connection back: it is cut off.
 */
import { stopwatch } from '../../platform/clock.ts';
import type { AcquireTimeout } from '../../platform/scheduling/semaphore.ts';

/** The longest wait of a request for its turn, if clients that read too little hold all connections. */
const PATIENCE_MS = 3_000;
/** The bytes that a client must take on average while others wait. */
const BYTES_PER_MS = 128;
/** A client that reads fast enough has a smaller debt at all times. */
const MIN_DEBT_MS = 250;
const TICK_MS = 100;

/** One stream, as its sender reports it. */
export interface Reader {
  /** The stream waits for its client from now on; `cut` ends it. */
  waits(cut: (reason: string) => void): void;
  took(bytes: number): void;
}

/** Runs work that holds a connection. An account that holds fewer comes first, then the one whose last turn was longest ago. */
export type StreamPool = <T>(
  accountId: number,
  work: (reader: Reader) => Promise<T>,
  timeout: AcquireTimeout,
) => Promise<T>;

interface Waiter {
  accountId: number;
  since: number;
  grant: (holder: Holder) => void;
}

interface Holder {
  accountId: number;
  /** how long the client has made others wait, less the time that its bytes are worth */
  debtMs: number;
  /** undefined while the stream does not wait for its client */
  waits: { since: number; cut: (reason: string) => void } | undefined;
  isCut: boolean;
}

interface PoolState {
  waiting: Set<Waiter>;
  holders: Set<Holder>;
  /** the time of an account's last turn, or later if its client was cut; while one of its requests waits */
  lastTurns: Map<number, number>;
}

export function createStreamPool(size: number, patienceMs = PATIENCE_MS): StreamPool {
  const state: PoolState = { waiting: new Set(), holders: new Set(), lastTurns: new Map() };
  const { waiting, holders, lastTurns } = state;
  let ticks: NodeJS.Timeout | undefined;

  function hold(accountId: number): Holder {
    const holder: Holder = { accountId, debtMs: 0, waits: undefined, isCut: false };
    holders.add(holder);
    lastTurns.set(accountId, stopwatch());
    return holder;
  }

  function grantNext(): void {
    const waiter = turnsOf(state)[0]?.waiter;
    waiter?.grant(hold(waiter.accountId));
  }

  function wait(accountId: number, { timeoutMs, error }: AcquireTimeout): Promise<Holder> {
    const { promise, resolve, reject } = Promise.withResolvers<Holder>();
    const leave = (): void => {
      clearTimeout(timer);
      waiting.delete(waiter);
      if (waiting.size === 0) ticks = void clearInterval(ticks);
    };
    const waiter: Waiter = {
      accountId,
      since: stopwatch(),
      grant(holder) {
        leave();
        resolve(holder);
      },
    };
    const timer = setTimeout(() => {
      leave();
      reject(error());
    }, timeoutMs);
    waiting.add(waiter);
    ticks ??= setInterval(() => cutSlow(state, size, patienceMs), TICK_MS);
    return promise;
  }

  return async (accountId, work, timeout) => {
    const holder = holders.size < size ? hold(accountId) : await wait(accountId, timeout);
    try {
      return await work(readerOf(holder));
    } finally {
      holders.delete(holder);
      grantNext();
    }
  };
}

/** The first request of each account that waits, in the order of their turns, and the time since which it waits. */
function turnsOf({ waiting, holders, lastTurns }: PoolState): { waiter: Waiter; held: number; since: number }[] {
  const first = new Map<number, Waiter>();
  for (const waiter of waiting) if (!first.has(waiter.accountId)) first.set(waiter.accountId, waiter);
  for (const accountId of lastTurns.keys()) if (!first.has(accountId)) lastTurns.delete(accountId);
  const held = Map.groupBy(holders, ({ accountId }) => accountId);
  return [...first.values()]
    .map((waiter) => ({
      waiter,
      held: held.get(waiter.accountId)?.length ?? 0,
      since: Math.max(waiter.since, lastTurns.get(waiter.accountId) ?? 0),
    }))
    .toSorted((one, other) => one.held - other.held || one.since - other.since);
}

/** Cuts the clients that read least, at most as many as requests wait. */
function cutSlow(state: PoolState, size: number, patienceMs: number): void {
  const { waiting, holders } = state;
  const now = stopwatch();
  const slow = [...holders].filter(({ waits, isCut }) => waits && !isCut);
  for (const holder of slow) holder.debtMs = Math.max(holder.debtMs + TICK_MS, now - (holder.waits?.since ?? now));
  // The age of the request, so that the second one of an account waits no longer than the first.
  const waits = turnsOf(state).flatMap(({ held, waiter }) => (held === 0 ? now - waiter.since : []));
  const maxDebtMs = debtAllowed(waits, size, patienceMs);
  const leaving = [...holders].filter(({ isCut }) => isCut).length;
  const due = slow.filter(({ debtMs }) => debtMs >= maxDebtMs).toSorted((one, other) => other.debtMs - one.debtMs);
  for (const holder of due.slice(0, Math.max(0, waiting.size - leaving))) {
    holder.isCut = true;
    // Its account comes after those that read: its next requests count as if they came later.
    state.lastTurns.set(holder.accountId, now + patienceMs);
    holder.waits?.cut('the client reads too slowly while others wait');
  }
}

function readerOf(holder: Holder): Reader {
  return {
    waits(cut) {
      holder.waits = { since: stopwatch(), cut };
    },
    took(bytes) {
      holder.waits = undefined;
      holder.debtMs = Math.max(0, holder.debtMs - bytes / BYTES_PER_MS);
    },
  };
}

/**
 * The debt that a client may have. `waitsMs` are those of the first requests of accounts that hold nothing, in the
 * order of their turns: each connection must pass on often enough for the last of them to wait at most `patienceMs`.
 */
export function debtAllowed(waitsMs: number[], connections: number, patienceMs: number): number {
  let allowed = patienceMs;
  for (const [index, waitMs] of waitsMs.entries()) {
    const leftMs = patienceMs - waitMs;
    const turnsBefore = Math.floor(index / connections);
    if (turnsBefore > 0) allowed = Math.min(allowed, leftMs / turnsBefore);
    else if (leftMs <= 0) allowed = 0;
  }
  return Math.max(MIN_DEBT_MS, allowed);
}
