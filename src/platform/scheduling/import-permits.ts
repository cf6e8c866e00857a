import { busy, type DomainError } from '../../vocabulary/error.ts';
import { createKeyedSemaphore, createSemaphore } from './semaphore.ts';

/** An import stages on one connection, merges on a second, and reports errors and progress on a third. */
const CONNECTIONS_PER_IMPORT = 3;
/** The wait for a turn, and for each permit. */
const WAIT_MS = 30_000;
/** Imports of an account that may wait for their turn at a time. Those that wait read nothing of their body. */
const MAX_WAITING = 1_000;

interface Limited {
  $client: { options: { max: number } };
}

/** Bounds the imports of a process. Both waits throw BUSY after 30 s. */
export type ImportPermits<Pool extends Limited> = ReturnType<typeof createImportPermits<Pool>>;

/**
 * Bounds concurrent work to what a dedicated pool can serve, three connections each. Without the bound, imports that each
 * hold one connection would wait forever for each other's second one. Without the dedicated pool, single writes that wait
 * for a website would hold the connections that the import of that website needs to finish.
 */
export function createImportPermits<Pool extends Limited>(pool: Pool, waitMs = WAIT_MS) {
  const withTurn = createKeyedSemaphore<number>(1);
  const withPermit = createSemaphore(Math.max(1, Math.floor(pool.$client.options.max / CONNECTIONS_PER_IMPORT)));
  return {
    /** the pool that is reserved for imports; only for work with a permit */
    db: pool,
    /** Runs the imports of one account one after the other. */
    withTurn: <T>(accountId: number, work: () => Promise<T>) =>
      withTurn(accountId, work, { timeoutMs: waitMs, error: importRunning, maxWaiting: MAX_WAITING }),
    /** Runs work of an import that may use three connections of the pool. Not to be held while a client is waited for. */
    withPermit: <T>(work: () => Promise<T>) => withPermit(work, { timeoutMs: waitMs, error: tooManyImports }),
  };
}

const importRunning = (): DomainError =>
  busyWith('Another import of the account is running, or its body has not arrived yet');
const tooManyImports = (): DomainError => busyWith('Too many imports are running');

const busyWith = (reason: string): DomainError =>
  busy(`${reason}; nothing was applied, send it again when that has ended`, 30);
