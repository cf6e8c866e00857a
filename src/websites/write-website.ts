import type { Db, Queryable, Tx } from '../db/client.ts';
import { isLockTimeout } from '../db/errors.ts';
import { queryRows } from '../db/rows.ts';
import { createKeyedSemaphore } from '../platform/semaphore.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import { type WebsiteRow, websiteNotFound } from './website.ts';

/** A locked website. `rev` is the revision that this transaction writes, and `now` its time in milliseconds. */
export interface LockedWebsite extends WebsiteRow {
  rev: number;
  now: Date;
}

type LockedRow = Omit<LockedWebsite, 'rev' | 'createdAt' | 'updatedAt' | 'now'> &
  Record<'createdAt' | 'updatedAt' | 'now', string>;

/**
 * Locks a website, checks its account and takes its next revision, in one statement. Every write of redirects starts
 * here, so the order of revisions is the order of ids and of commits. Throws WEBSITE_NOT_FOUND if the account has no
 * such website.
 */
export async function lockWebsite(tx: Queryable, actor: Actor, id: number): Promise<LockedWebsite> {
  const [row] = await queryRows<LockedRow>(tx)`
    update websites set head_rev = head_rev + 1
    where id = ${id} and account_id = ${actor.accountId} and deleting_since is null
    returning id, account_id, name, case_sensitive, trailing_slash, query, fallback_url, allowed_target_hosts, auto_deploy,
      on_loop, head_rev, created_at, updated_at, date_trunc('milliseconds', clock_timestamp()) as now`;
  if (!row) throw websiteNotFound(id);
  const { createdAt, updatedAt, now, ...fields } = row;
  const times = { createdAt: new Date(createdAt), updatedAt: new Date(updatedAt), now: new Date(now) };
  return { ...fields, ...times, rev: fields.headRev };
}

/**
 * Concurrent writes of one account in this process. Each holds a connection, even while it waits for a website that an
 * import locks, so without the limit one account could take every connection.
 */
const MAX_CONCURRENT_WRITES = 8;
/** The wait for the row lock of the website has a separate timeout (db/client.ts). */
const PERMIT_TIMEOUT_MS = 10_000;

const withWritePermit = createKeyedSemaphore<number>(MAX_CONCURRENT_WRITES);

/**
 * Runs `work` in a write transaction. Throws BUSY, and changes nothing, if the website or a permit of the account stays
 * taken.
 */
export async function writeTransaction<T>(db: Db, actor: Actor, work: (tx: Tx) => Promise<T>): Promise<T> {
  const timeout = { timeoutMs: PERMIT_TIMEOUT_MS, error: busy };
  try {
    return await withWritePermit(actor.accountId, () => db.transaction(work), timeout);
  } catch (error) {
    throw isLockTimeout(error) ? busy() : error;
  }
}

function busy(): DomainError {
  return new DomainError('BUSY', 'The website is busy', {
    details: 'Another call is writing to this website, such as an import; retry in a few seconds',
    retryAfter: 5,
  });
}
