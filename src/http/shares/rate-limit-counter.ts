import { once } from 'node:events';
import type { FastifyBaseLogger } from 'fastify';
import type { Registry } from 'prom-client';
import { addGauge } from '../../platform/log/metrics.ts';

/** Counts requests per minute (whole minutes since the epoch) and budget. */
export interface RequestCounter {
  /** Adds `requests` (0 to read); returns the number of requests of the budget in this minute, these included. */
  count(minute: number, budget: string, requests: number): Promise<number>;
  close(): void;
}

export interface CounterOptions {
  config: { redisUrl: string | null };
  /** counts if there is no Redis */
  counter: RequestCounter;
  metrics: Registry;
  log: FastifyBaseLogger;
}

/** Counts in Redis if its URL is given. Waits up to 2 s for the first connection. */
export async function rateLimitCounter({ config, counter, metrics, log }: CounterOptions): Promise<RequestCounter> {
  const redis = config.redisUrl === null ? undefined : await redisCounter(config.redisUrl, counter, log);
  addGauge(metrics, {
    name: 'detour_redis_up',
    help: '1 if Redis counts rate limits, 0 while it is unavailable; no value without REDIS_URL',
    aggregator: 'min',
    read: () => redis && Number(redis.isUp()),
  });
  return redis ?? counter;
}

/** Counts in the process. A new minute clears the counters, so memory is bounded by the requests of one minute. */
export function memoryCounter(): RequestCounter {
  let current = 0;
  const counts = new Map<string, number>();
  return {
    count(minute, budget, requests) {
      if (minute !== current) counts.clear();
      current = minute;
      const count = (counts.get(budget) ?? 0) + requests;
      if (requests > 0) counts.set(budget, count);
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
async function redisCounter(
  url: string,
  fallback: RequestCounter,
  log: FastifyBaseLogger,
): Promise<RequestCounter & { isUp(): boolean }> {
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
  const onSuccess = (): void => {
    if (unavailable) log.warn('REDIS_URL: Redis is available again; it counts rate limits');
    unavailable = false;
  };
  redis.on('error', onFailure);
  redis.on('ready', onSuccess);
  // The service starts without Redis; the error listener has logged the failure.
  await once(redis, 'ready').catch(() => {});
  return {
    async count(minute, budget, requests) {
      if (redis.status !== 'ready') return fallback.count(minute, budget, requests);
      try {
        const key = `detour:requests:${minute}:${budget}`;
        const [counted] = (await redis.multi().incrby(key, requests).expire(key, EXPIRY_SECONDS).exec()) ?? [];
        onSuccess();
        return Number(counted?.[1]);
      } catch (error) {
        onFailure(error instanceof Error ? error : new Error(String(error)));
        return fallback.count(minute, budget, requests);
      }
    },
    isUp: () => redis.status === 'ready' && !unavailable,
    close: () => redis.disconnect(),
  };
}
