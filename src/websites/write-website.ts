import { isOwnWebsite } from '../accounts/website-scope.ts';
import type { Db, Queryable, Tx } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { isLockTimeout } from '../db/errors.ts';
import { mainPoolShares } from '../db/connection/pool-sizes.ts';
import { queryRows } from '../db/rows.ts';
import { stopwatch, systemClock } from '../platform/clock.ts';
import { type AcquireTimeout, createKeyedSemaphore, createSemaphore } from '../platform/scheduling/semaphore.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { busy, type DomainError } from '../vocabulary/error.ts';
import { requireRoleAt, requireWebsiteRow, type WebsiteRow, websiteNotFound } from './website.ts';

/** A locked website. */
export interface LockedWebsite extends WebsiteRow {
  /** the revision that this transaction writes */
  rev: number;
  /** its time in milliseconds */
  now: Date;
  /** the last id that any redirect got: those that this transaction creates have larger ids */
  lastRedirectId: number;
}

/** A revision of a website. */
export interface RevisionId {
  revision: number;
  /** random id of the revision: a database that goes back in time assigns the same numbers again; null if it has none */
  history: string | null;
}

type LockedRow = Omit<LockedWebsite, 'rev' | 'createdAt' | 'updatedAt' | 'now'> &
  Record<'createdAt' | 'updatedAt' | 'now', string>;

/**
 * Locks a website, checks its account and takes its next revision, in one statement. Every write of redirects starts
 * here, so the order of revisions is the order of ids and of commits. Throws WEBSITE_NOT_FOUND if the account has no
 * such website, and INSUFFICIENT_ROLE if the user is no editor there by now.
 */
export async function lockWebsite(tx: Queryable, actor: Actor, id: number): Promise<LockedWebsite> {
  const [row] = await queryRows<LockedRow>(tx)`
    update websites set head_rev = head_rev + 1, history = array[gen_random_uuid(), history[1]]
    where id = ${id} and ${isOwnWebsite(actor)}
    returning id, account_id, name, case_sensitive, trailing_slash, query, fallback_url, allowed_target_hosts, auto_deploy,
      on_loop, gated_environments, url_gate, page_parameters, sitemap_urls, check_schedule, check_after_deployment, head_rev, history, created_at,
      updated_at, date_trunc('milliseconds', clock_timestamp()) as now,
      (select case when is_called then last_value else 0 end from redirects_id_seq) as last_redirect_id`;
  if (!row) throw websiteNotFound(id);
  await limitLockWait(tx);
  await requireRoleAt(tx, actor, id, 'editor');
  const { createdAt, updatedAt, now, ...fields } = row;
  const times = { createdAt: new Date(createdAt), updatedAt: new Date(updatedAt), now: new Date(now) };
  return { ...fields, ...times, rev: fields.headRev };
}

/** Returns a website as `lockWebsite` does, without a lock and without taking the revision: for dry runs in a snapshot. */
export async function peekWebsite(snapshot: Queryable, actor: Actor, id: number): Promise<LockedWebsite> {
  const website = await requireWebsiteRow(snapshot, actor, id);
  const history = ['', ...(website.history ?? [])];
  return { ...website, history, rev: website.headRev + 1, now: systemClock.now(), lastRedirectId: 0 };
}

/** The revision that the transaction writes, and the one that it has found. */
export function revisionsOf({ rev, history }: LockedWebsite): { written: RevisionId; found: RevisionId } {
  const [written = null, found = null] = history ?? [];
  return { written: { revision: rev, history: written }, found: { revision: rev - 1, history: found } };
}

/** Returns the revision of a transaction that has written no redirect, so that the website keeps its previous one. */
export async function releaseRevision(tx: Queryable, { id, rev }: LockedWebsite): Promise<void> {
  await tx.execute(sql`update websites set head_rev = ${rev - 1}, history = history[2:2] where id = ${id}`);
}

/** For a permit, a connection and all locks together: a client waits at most this long for BUSY. */
const WRITE_TIMEOUT_MS = 10_000;
/** Below it, the timeout of the connection (db/connection/client.ts) is good enough, and a write saves a statement. */
const SHORT_WAIT_MS = 1_000;
const MIN_LOCK_TIMEOUT_MS = 100;

/** Time, by stopwatch, until which a write transaction may wait. */
const deadlines = new WeakMap<Queryable, number>();

interface WritePermits {
  ofAccount: <T>(accountId: number, work: () => Promise<T>, timeout: AcquireTimeout) => Promise<T>;
  ofAll: <T>(work: () => Promise<T>, timeout: AcquireTimeout) => Promise<T>;
}

const permits = new WeakMap<Db, WritePermits>();

/**
 * Permits for concurrent writes in this process. A write holds a connection, even while it waits for a website that an
 * import locks. Without the limits, a few accounts could take every connection, also those for reads.
 */
function permitsOf(db: Db): WritePermits {
  const { writes } = mainPoolShares(db.$client.options.max);
  const found = permits.get(db) ?? {
    ofAccount: createKeyedSemaphore<number>(Math.ceil(writes * MAX_SHARE_OF_ACCOUNT)),
    ofAll: createSemaphore(writes),
  };
  permits.set(db, found);
  return found;
}

const MAX_SHARE_OF_ACCOUNT = 0.6;

/**
 * Runs `work` in a write transaction. Throws BUSY, and changes nothing, if a permit, a connection or a lock is not free
 * within 10 s of the arrival of the request. After that it takes what is free at once.
 */
export async function writeTransaction<T>(db: Db, actor: Actor, work: (tx: Tx) => Promise<T>): Promise<T> {
  const deadline = (actor.origin?.arrivedAt ?? stopwatch()) + WRITE_TIMEOUT_MS;
  const timeout = (): AcquireTimeout => ({ timeoutMs: Math.max(0, deadline - stopwatch()), error: isWritten });
  const { ofAccount, ofAll } = permitsOf(db);
  const transaction = (): Promise<T> =>
    db.transaction(async (tx) => {
      deadlines.set(tx, deadline);
      await limitLockWait(tx);
      return work(tx);
    });
  try {
    return await ofAccount(actor.accountId, () => ofAll(transaction, timeout()), timeout());
  } catch (error) {
    throw isLockTimeout(error) ? isWritten() : error;
  }
}

/** Shortens the lock timeout to what is left until the deadline, if the transaction has waited for long. */
async function limitLockWait(tx: Queryable): Promise<void> {
  const deadline = deadlines.get(tx);
  if (deadline === undefined) return;
  const leftMs = deadline - stopwatch();
  if (leftMs > WRITE_TIMEOUT_MS - SHORT_WAIT_MS) return;
  await tx.execute(sql.raw(`set local lock_timeout = ${Math.max(MIN_LOCK_TIMEOUT_MS, Math.round(leftMs))}`));
}

function isWritten(): DomainError {
  const details = 'Another call is writing to this website, such as an import; retry in a few seconds';
  return busy(details, 5, 'The website is busy');
}
