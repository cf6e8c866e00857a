import { once } from 'node:events';
import type { FastifyBaseLogger } from 'fastify';

/** Counts requests per minute (whole minutes since the epoch) and budget. */
export interface RequestCounter {
  /** Counts one request; returns the number of requests of the budget in this minute, this one included. */
  count(minute: number, budget: string): Promise<number>;
  close(): void;
}

/** Counts in Redis if its URL is given, else in `local`. Waits up to 2 s for the first connection. */
export async function rateLimitCounter(
  redisUrl: string | null,
  local: RequestCounter,
  log: FastifyBaseLogger,
): Promise<RequestCounter> {
  return redisUrl === null ? local : redisCounter(redisUrl, local, log);
}

/** Counts in the process. A new minute clears the counters, so memory is bounded by the requests of one minute. */
export function memoryCounter(): RequestCounter {
  let current = 0;
  const counts = new Map<string, number>();
  return {
    count(minute, budget) {
      if (minute !== current) counts.clear();
      current = minute;
      const count = (counts.get(budget) ?? 0) + 1;
      counts.set(budget, count);
      return Promise.resolve(count);
    },
    close() {},
  };
}

/** Longer than a window, so that a process with a slower clock finds the same counter. */
const EXPIRY_SECONDS = 120;

/**
 * Counts in Redis, for all machines together. While Redis is unavailable, or slower than 250 ms, each machine counts
 * its own requests. Logs once per outage.
 */
async function redisCounter(url: string, fallback: RequestCounter, log: FastifyBaseLogger): Promise<RequestCounter> {
  const { Redis } = await import('ioredis');
  let unavailable = false;
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    commandTimeout: 250,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
  });
  const onFailure = (error: Error): void => {
    if (!unavailable)
      log.error(
        { err: error },
        'REDIS_URL: Redis is unavailable; each machine counts rate limits on its own until it is back',
      );
    unavailable = true;
  };
  redis.on('error', onFailure);
  redis.on('ready', () => {
    if (unavailable) log.warn('REDIS_URL: Redis is available again; it counts rate limits');
    unavailable = false;
  });
  // The service starts without Redis; the error listener has logged the failure.
  await once(redis, 'ready').catch(() => {});
  return {
    async count(minute, budget) {
      if (redis.status !== 'ready') return fallback.count(minute, budget);
      try {
        const key = `detour:requests:${minute}:${budget}`;
        const [counted] = (await redis.multi().incr(key).expire(key, EXPIRY_SECONDS).exec()) ?? [];
        return Number(counted?.[1]);
      } catch (error) {
        onFailure(error instanceof Error ? error : new Error(String(error)));
        return fallback.count(minute, budget);
      }
    },
    close: () => redis.disconnect(),
  };
}
