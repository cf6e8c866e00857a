import { once } from 'node:events';
import { Redis } from 'ioredis';
import type { FastifyBaseLogger } from 'fastify';

/** Counts requests by minute (whole minutes since the epoch) and by who sends them. */
export interface RequestCounter {
  /** how many this one was of `who` in `minute`: 1 for the first */
  count(minute: number, who: string): Promise<number>;
  close(): void;
}

/** In Redis where its address is given, else in the process. Waits for the first connection, or for it to fail (2 s at most). */
export async function rateLimitCounter(
  redisUrl: string | null,
  log: FastifyBaseLogger,
): Promise<RequestCounter> {
  return redisUrl === null ? memoryCounter() : redisCounter(redisUrl, log);
}

/** Counts in the process. What it holds is bounded by the requests of one minute: a new minute forgets the last. */
export function memoryCounter(): RequestCounter {
  let current = 0;
  const counts = new Map<string, number>();
  return {
    count(minute, who) {
      if (minute !== current) counts.clear();
      current = minute;
      const count = (counts.get(who) ?? 0) + 1;
      counts.set(who, count);
      return Promise.resolve(count);
    },
    close() {},
  };
}

/** Longer than a window, so that a process whose clock is a little behind finds the same counter. */
const KEPT_SECONDS = 120;

/**
 * Counts in Redis, for all processes together. While Redis is away, or slower than 250 ms, each process counts for itself:
 * requests pass, and the log says so once an outage.
 */
export async function redisCounter(url: string, log: FastifyBaseLogger): Promise<RequestCounter> {
  const here = memoryCounter();
  let away = false;
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    commandTimeout: 250,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
  });
  const goneAway = (error: Error): void => {
    if (!away)
      log.error(
        { err: error },
        'REDIS_URL: Redis is away; rate limits are counted in this process meanwhile',
      );
    away = true;
  };
  redis.on('error', goneAway);
  redis.on('ready', () => {
    if (away) log.warn('REDIS_URL: Redis is back; rate limits are counted there again');
    away = false;
  });
  // Its failure is heard above; a service that cannot count in Redis still serves.
  await once(redis, 'ready').catch(() => {});
  return {
    async count(minute, who) {
      if (redis.status !== 'ready') return here.count(minute, who);
      try {
        const key = `detour:requests:${minute}:${who}`;
        const [counted] = (await redis.multi().incr(key).expire(key, KEPT_SECONDS).exec()) ?? [];
        return Number(counted?.[1]);
      } catch (error) {
        goneAway(error instanceof Error ? error : new Error(String(error)));
        return here.count(minute, who);
      }
    },
    close: () => redis.disconnect(),
  };
}
