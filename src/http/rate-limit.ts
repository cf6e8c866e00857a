/**
 * The budget of requests. @fastify/rate-limit does the counting; the headers and the 429 are written here, because its own say how
 * many seconds are left where ours say at which second the window ends, and its body cannot be ours.
 */
import fastifyRateLimit, { type FastifyRateLimitStoreCtor } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Clock } from '../platform/clock.ts';
import { withoutPort } from '../platform/forwarded-address.ts';
import { DomainError } from '../vocabulary/error.ts';
import { ANONYMOUS_REQUESTS_PER_MINUTE, PLANS } from '../vocabulary/plan.ts';
import type { RequestCounter } from './rate-limit-counter.ts';

/** Counts the request, sets the three headers, and throws the 429 when the budget of this minute is spent. */
export type RateLimit = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

const MINUTE_MS = 60_000;

/**
 * One budget an account over all its keys, users and surfaces, by the plan that it has at this moment; without credentials one
 * a client address. Windows are the minutes of the clock, so every answer of a minute names the same reset. One instance
 * serves all surfaces; `app` is where the plugin is registered.
 */
export async function createRateLimit(
  app: FastifyInstance,
  clock: Clock,
  counter: RequestCounter,
): Promise<RateLimit> {
  await app.register(fastifyRateLimit, { global: false, store: storeOf(clock, counter) });
  const spend = app.createRateLimit({ timeWindow: MINUTE_MS, keyGenerator: budgetOf, max: limitOf });
  return async (request, reply) => {
    const asked = clock.now().getTime();
    const spent = await spend(request);
    // No allowList is given, so nobody is let past; the type cannot know.
    if (spent.isAllowed) return;
    const { max: limit, remaining, ttl } = spent;
    // The store may have been asked a moment later, but windows end on whole minutes.
    const reset = Math.round((asked + ttl) / MINUTE_MS) * (MINUTE_MS / 1000);
    void reply.headers({
      'X-RateLimit-Limit': limit,
      'X-RateLimit-Remaining': remaining,
      'X-RateLimit-Reset': reset,
    });
    if (!spent.isExceeded) return;
    throw new DomainError('RATE_LIMIT_EXCEEDED', 'Rate limit exceeded', {
      limit,
      retryAfter: spent.ttlInSeconds,
    });
  };
}

/** The plugin's store over our counter: fixed windows that begin with the clock's minute rather than with a first request. */
function storeOf(clock: Clock, counter: RequestCounter): FastifyRateLimitStoreCtor {
  // A class because the plugin calls it with `new`.
  return class MinuteStore {
    incr(who: string, done: (error: Error | null, counted?: { current: number; ttl: number }) => void): void {
      const now = clock.now().getTime();
      const minute = Math.floor(now / MINUTE_MS);
      const ttl = (minute + 1) * MINUTE_MS - now;
      counter.count(minute, who).then((current) => done(null, { current, ttl }), done);
    }
    /** The plugin asks for one per limiter; budgets are told apart by their names alone. */
    child(): MinuteStore {
      return this;
    }
  };
}

function limitOf(request: FastifyRequest): number {
  const plan = request.caller?.actor.plan;
  return plan ? PLANS[plan].requestsPerMinute : ANONYMOUS_REQUESTS_PER_MINUTE;
}

function budgetOf(request: FastifyRequest): string {
  return request.caller
    ? `account:${request.caller.actor.accountId}`
    : `address:${clientNetwork(request.ip)}`;
}

/** The client's address without port; of IPv6 the /64, since that much belongs to one subscriber. */
export function clientNetwork(address: string): string {
  const alone = withoutPort(address);
  if (!ipaddr.isValid(alone)) return address;
  const parsed = ipaddr.process(alone);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${parsed.toNormalizedString().split(':').slice(0, 4).join(':')}::/64`;
}
