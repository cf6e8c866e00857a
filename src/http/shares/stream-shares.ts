/** Fair shares of the connections that streamed responses hold. */
import { stopwatch } from '../../platform/clock.ts';
import { createKeyedSemaphore } from '../../platform/scheduling/semaphore.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { busy, type DomainError } from '../../vocabulary/error.ts';
import { createStreamPool, type Reader } from './stream-pool.ts';

/** Streamed responses of an account at a time in a process. */
const MAX_PER_ACCOUNT = 3;
/** Requests of an account that may wait for a stream at a time. */
const MAX_WAITING = 100;
/** One deadline for a stream of the account and for a connection. */
const WAIT_MS = 10_000;

/**
 * Runs the work when the account has a stream free and the pool a connection. The work may wait for `leftMs` more. If it
 * waits for a client, it tells the `reader`.
 */
export type StreamShare = <T>(work: (leftMs: number, reader?: Reader) => Promise<T>) => Promise<T>;

/** The streams of an account, by the pool that they hold a connection of. Throw BUSY after 10 s. */
export interface StreamShares {
  /** of this thread: lists */
  lists(actor: Actor): StreamShare;
  /** of the bulk thread: exports, reports, previews */
  jobs(actor: Actor): StreamShare;
}

/** `connections`: the sizes of the two pools. One account never takes all connections of a pool. */
export function createStreamShares(
  connections: { lists: number; jobs: number },
  waitMs = WAIT_MS,
  patienceMs?: number,
): StreamShares {
  const perAccount = Math.max(1, Math.min(MAX_PER_ACCOUNT, connections.lists - 1, connections.jobs - 1));
  const withAccountStream = createKeyedSemaphore<number>(perAccount);
  const error = (): DomainError =>
    busy(
      `The account has ${perAccount} lists, exports or reports in progress, or the service has too many; retry in a few seconds, or read pages with limit and cursor`,
    );
  const sharesOf = (pool: number): ((actor: Actor) => StreamShare) => {
    const withConnection = createStreamPool(Math.max(1, pool), patienceMs);
    return ({ accountId }) =>
      (work) => {
        const deadline = stopwatch() + waitMs;
        const leftMs = (): number => Math.max(0, deadline - stopwatch());
        const connected = () =>
          withConnection(accountId, (reader) => work(leftMs(), reader), { timeoutMs: leftMs(), error });
        const timeout = { timeoutMs: waitMs, error, maxWaiting: MAX_WAITING };
        return withAccountStream(accountId, connected, timeout);
      };
  };
  return { lists: sharesOf(connections.lists), jobs: sharesOf(connections.jobs) };
}
