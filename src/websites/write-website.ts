import { sql } from 'drizzle-orm';
import type { Db, Queryable, Tx } from '../db/client.ts';
import { isLockTimeout } from '../db/errors.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import { createKeyedSemaphore } from '../platform/semaphore.ts';
import { type WebsiteRow, websiteNotFound } from './website.ts';

/** A website under its writer's lock; `rev` is the revision that this transaction writes, `now` its time. */
export interface LockedWebsite extends WebsiteRow {
  rev: number;
  now: Date;
}

/**
 * Lock, tenant check and clock of a website in one statement: every writer of its redirects begins here. The order of
 * revisions is therefore the order of ids and of commits. WEBSITE_NOT_FOUND where it is not the account's.
 */
export async function lockWebsite(tx: Queryable, actor: Actor, id: number): Promise<LockedWebsite> {
  const { rows } = await tx.execute<LockedRow>(sql`
    update websites set head_rev = head_rev + 1
    where id = ${id} and account_id = ${actor.accountId} and deleting_since is null
    returning id, account_id, name, case_sensitive, trailing_slash, query, fallback_url, allowed_target_hosts, auto_deploy,
      on_loop, head_rev, created_at, updated_at, date_trunc('milliseconds', clock_timestamp()) as now`);
  const row = rows[0];
  if (!row) throw websiteNotFound(id);
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    caseSensitive: row.case_sensitive,
    trailingSlash: row.trailing_slash,
    query: row.query,
    fallbackUrl: row.fallback_url,
    allowedTargetHosts: row.allowed_target_hosts,
    autoDeploy: row.auto_deploy,
    onLoop: row.on_loop,
    headRev: row.head_rev,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
    rev: row.head_rev,
    now: new Date(row.now),
  };
}

/**
 * Concurrent writes of one account in this process. Each holds a connection, also while it waits for a website that an import is merging
 * into, so that without the bound one account could take every connection.
 */
const MAX_CONCURRENT_WRITES = 8;
/** Afterwards the write may wait as long again for the row lock of the website (db/client.ts). */
const PERMIT_TIMEOUT_MS = 10_000;

const withWritePermit = createKeyedSemaphore<number>(MAX_CONCURRENT_WRITES);

/** Runs `work` in one write transaction. Throws BUSY, and changes nothing, if the website or a permit of the account does not become free. */
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

interface LockedRow extends Record<string, unknown> {
  id: number;
  account_id: number;
  name: string;
  case_sensitive: boolean;
  trailing_slash: 'ignore' | 'exact';
  query: 'pass' | 'drop' | 'exact';
  fallback_url: string | null;
  allowed_target_hosts: string[];
  auto_deploy: boolean;
  on_loop: 'warn' | 'fail';
  head_rev: number;
  created_at: string;
  updated_at: string;
  now: string;
}
