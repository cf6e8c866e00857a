import type { PoolClient } from 'pg';
import { type Db, queryableOf } from '../../db/client.ts';
import { copyRows } from '../../db/copy-rows.ts';
import type { SQL } from '../../db/drizzle.ts';
import { createKeyedSemaphore, createSemaphore } from '../../platform/semaphore.ts';
import { createTimeSlice } from '../../platform/time-slice.ts';
import { DomainError, type Issue } from '../../vocabulary/error.ts';
import { limitIssue, readAllowance } from '../rule/pattern-limit.ts';

/** An import stages on one connection, merges on a second, and reports errors and progress on a third. */
const CONNECTIONS_PER_IMPORT = 3;
/** The wait for a turn, and for each permit. */
const WAIT_MS = 30_000;
/** Imports of an account that may wait for their turn at a time. Those that wait read nothing of their body. */
const MAX_WAITING = 1_000;

/** Bounds the imports of a process. Both waits throw BUSY after 30 s. */
export interface ImportPermits {
  /** the pool that is reserved for imports; only for work with a permit */
  db: Db;
  /** Runs the imports of one account one after the other. */
  withTurn<T>(accountId: number, work: () => Promise<T>): Promise<T>;
  /** Runs work of an import that may use three connections of the pool. Not to be held while a client is waited for. */
  withPermit<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Bounds concurrent work to what a dedicated pool can serve, three connections each. Without the bound, imports that each
 * hold one connection would wait forever for each other's second one. Without the dedicated pool, single writes that wait
 * for a website would hold the connections that the import of that website needs to finish.
 */
export function createImportPermits(pool: Db, waitMs = WAIT_MS): ImportPermits {
  const withTurn = createKeyedSemaphore<number>(1);
  const withPermit = createSemaphore(Math.max(1, Math.floor(pool.$client.options.max / CONNECTIONS_PER_IMPORT)));
  return {
    db: pool,
    withTurn: (accountId, work) =>
      withTurn(accountId, work, { timeoutMs: waitMs, error: importRunning, maxWaiting: MAX_WAITING }),
    withPermit: (work) => withPermit(work, { timeoutMs: waitMs, error: tooManyImports }),
  };
}

const importRunning = (): DomainError =>
  busy('Another import of the account is running, or its body has not arrived yet');
const tooManyImports = (): DomainError => busy('Too many imports are running');

function busy(reason: string): DomainError {
  const details = `${reason}; nothing was applied, send it again when that has ended`;
  return new DomainError('BUSY', 'The service is busy', { details, retryAfter: 30 });
}

/** Returns why the website has no room for a new pattern; undefined if it has. */
export type AdmitPattern = (key: string) => Issue | undefined;

/**
 * Decides which of the staged new patterns the website has room for: the first ones in the order of the import. The
 * limit itself bounds the memory. `table` is the staging table's name, `kept` as in readAllowance.
 */
export async function admitPatterns(
  client: PoolClient,
  websiteId: number,
  table: string,
  kept?: SQL,
): Promise<AdmitPattern> {
  // COPY takes no parameters.
  const added = `select s.key from ${table} s where s.is_regex
      and not exists (select 1 from redirects r where r.website_id = ${websiteId} and r.key = s.key and r.is_regex)
    group by s.key order by min(s.seq)`;
  const allowance = await readAllowance(queryableOf(client), websiteId, kept);
  const slice = createTimeSlice();
  for await (const rows of copyRows(client, added)) {
    for (const [key] of rows) {
      if (key == null) continue;
      if (slice.isOver()) await slice.yield();
      allowance.add(key);
    }
  }
  // A pattern that the allowance has is admitted; any other one still finds no room.
  return (key) => limitIssue(allowance, key);
}
