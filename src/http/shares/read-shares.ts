/** Fair shares of the database connections that requests read with. */
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import { mainPoolShares } from '../../db/connection/pool-sizes.ts';
import { createKeyedPermits } from '../../platform/scheduling/semaphore.ts';
import { busy, type DomainError } from '../../vocabulary/error.ts';
import { PLANS } from '../../vocabulary/plan.ts';
import { SAFE_METHODS } from '../server/same-origin.ts';

/** Reads of an account that may wait at a time: as many as the largest plan may send in a minute. */
const MAX_WAITING = PLANS.enterprise.requestsPerMinute;
const WAIT_MS = 10_000;

/** Waits until the account of the caller may read. The request holds its share until `releaseRead`. */
export type ReadShares = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Bounds the reads of an account at a time, so that slow searches do not take every connection of the pool. Streamed
 * responses release the share when they begin (http/stream.ts): they have connections of another pool. Throws BUSY after
 * 10 s.
 */
export function createReadShares(poolSize: number, waitMs = WAIT_MS): ReadShares {
  const { readsOfAccount } = mainPoolShares(poolSize);
  const acquire = createKeyedPermits<number>(readsOfAccount);
  const timeout = { timeoutMs: waitMs, error: () => tooManyReads(readsOfAccount), maxWaiting: MAX_WAITING };
  return async (request, reply) => {
    if (!request.caller || !isRead(request.method, request.routeOptions.config)) return;
    request.releaseRead = await acquire(request.caller.actor.accountId, timeout);
    // No client receives this.
    if (reply.raw.destroyed) throw timeout.error();
  };
}

/** Releases the share of a request. May be called again. */
export function releaseRead(request: FastifyRequest): void {
  request.releaseRead?.();
}

/** Must a request to this route have a share? Streams have shares of their own (stream-shares.ts). */
function isRead(method: string, { reads, gives }: Pick<FastifyContextConfig, 'reads' | 'gives'>): boolean {
  return reads ?? (SAFE_METHODS.has(method) && !gives);
}

const tooManyReads = (max: number): DomainError =>
  busy(
    `The account has ${max} ${max === 1 ? 'read' : 'reads'} in progress and others waiting; retry in a few seconds, with fewer requests at a time`,
  );
