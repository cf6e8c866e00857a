/**
 * Own code rather than a plugin: with windows on the clock's minute, epoch seconds in the header and this 429 body, a plugin
 * would be left with the subtraction.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Clock } from '../platform/clock.ts';
import { DomainError } from '../vocabulary/error.ts';
import { ANONYMOUS_REQUESTS_PER_MINUTE, PLANS } from '../vocabulary/plan.ts';
import type { RequestCounter } from './rate-limit-counter.ts';

/** Counts the request, sets the three headers, and throws the 429 when the budget of this minute is spent. */
export type RateLimit = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * One budget an account over all its keys, users and surfaces, by the plan that it has at this moment; without credentials one
 * a client address. Windows are the minutes of the clock, so every answer of a minute names the same reset. One instance
 * serves all surfaces.
 */
export function createRateLimit(clock: Clock, counter: RequestCounter): RateLimit {
  return async (request, reply) => {
    const now = clock.now().getTime();
    const minute = Math.floor(now / 60_000);
    const reset = (minute + 1) * 60;
    const plan = request.caller?.actor.plan;
    const limit = plan ? PLANS[plan].requestsPerMinute : ANONYMOUS_REQUESTS_PER_MINUTE;
    const count = await counter.count(minute, budgetOf(request));
    void reply.headers({
      'X-RateLimit-Limit': limit,
      'X-RateLimit-Remaining': Math.max(0, limit - count),
      'X-RateLimit-Reset': reset,
    });
    if (count <= limit) return;
    throw new DomainError('RATE_LIMIT_EXCEEDED', 'Rate limit exceeded', {
      limit,
      retryAfter: Math.ceil(reset - now / 1000),
    });
  };
}

function budgetOf(request: FastifyRequest): string {
  return request.caller
    ? `account:${request.caller.actor.accountId}`
    : `address:${clientNetwork(request.ip)}`;
}

/** The client's address; of IPv6 the /64, since that much belongs to one subscriber. */
export function clientNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${parsed.toNormalizedString().split(':').slice(0, 4).join(':')}::/64`;
}
