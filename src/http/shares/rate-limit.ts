/**
 * The rate limit. @fastify/rate-limit decides; the headers and the 429 are written here: X-RateLimit-Reset is the
 * second at which the window ends, where the plugin sends the seconds left, and the plugin's body cannot be replaced.
 */
import fastifyRateLimit, { type FastifyRateLimitStoreCtor } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { Counter, type Registry } from 'prom-client';
import type { Clock } from '../../platform/clock.ts';
import { createBoundedCache } from '../../platform/bounded-cache.ts';
import { withoutPort } from '../../platform/network/forwarded-address.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { ANONYMOUS_REQUESTS_PER_MINUTE, PLANS } from '../../vocabulary/plan.ts';
import type { RequestCounter } from './rate-limit-counter.ts';
import type { Caller } from '../request.ts';

export interface RateLimit {
  /** Counts the request and sets the three headers. Throws RATE_LIMIT_EXCEEDED (429) above the limit. */
  spend(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Like `spend`, from the budget of questions about certificates: one per client address, with or without credentials. */
  spendTlsAsk(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /**
   * Runs `authenticate`, and remembers the client address of a valid credential. Throws RATE_LIMIT_EXCEEDED without
   * calling it if the address has spent its budget this minute and has sent no valid credential: unknown credentials
   * cost a query each. If it throws, sets the headers and counts nothing.
   */
  authenticate(
    request: FastifyRequest,
    reply: FastifyReply,
    authenticate: () => Promise<Caller | null>,
  ): Promise<Caller | null>;
}

const MINUTE_MS = 60_000;
const MAX_ADDRESSES = 10_000;
/** A proxy that starts asks once for each of its certificates. */
const TLS_ASKS_PER_MINUTE = 6_000;

/**
 * One budget per account, over all keys, users and surfaces, by its current plan; without credentials, one per client
 * address. Windows are the minutes of the clock, so every response of a minute has the same reset. One instance serves
 * all surfaces; registers the plugin on `app`.
 */
export async function createRateLimit(
  app: FastifyInstance,
  { clock, metrics }: { clock: Clock; metrics: Registry },
  counter: RequestCounter,
): Promise<RateLimit> {
  const limited = new Counter({
    name: 'detour_rate_limited_requests_total',
    help: 'Requests above the rate limit of their account, or of their address without credentials',
    labelNames: ['budget'],
    registers: [metrics],
  });
  for (const budget of ['account', 'address', 'tls']) limited.inc({ budget }, 0);
  await app.register(fastifyRateLimit, { global: false, store: storeOf(clock, counter) });
  const ofCaller = app.createRateLimit({ timeWindow: MINUTE_MS, keyGenerator: budgetOf, max: limitOf });
  const ofTlsAsks = app.createRateLimit({ timeWindow: MINUTE_MS, keyGenerator: tlsBudgetOf, max: TLS_ASKS_PER_MINUTE });
  /** the minute in which an address has spent its budget, in this process */
  const spentIn = createBoundedCache<number>(MAX_ADDRESSES);
  const known = createBoundedCache<true>(MAX_ADDRESSES);
  const minuteNow = (): number => Math.floor(clock.now().getTime() / MINUTE_MS);

  async function spendOf(
    budget: 'account' | 'address' | 'tls',
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const now = clock.now().getTime();
    const spent = await (budget === 'tls' ? ofTlsAsks : ofCaller)(request);
    // Never true without an allowList; narrows the type.
    if (spent.isAllowed) return;
    const { max: limit, remaining, ttl } = spent;
    // The store read the clock a moment later, but windows end on whole minutes.
    setHeaders(reply, { limit, remaining, minute: Math.round((now + ttl) / MINUTE_MS) });
    if (remaining === 0 && budget === 'address') spentIn.set(budgetOf(request), minuteNow());
    if (!spent.isExceeded) return;
    limited.inc({ budget });
    throw new DomainError('RATE_LIMIT_EXCEEDED', 'Rate limit exceeded', {
      limit,
      retryAfter: spent.ttlInSeconds,
    });
  }

  const spend: RateLimit['spend'] = (request, reply) => spendOf(request.caller ? 'account' : 'address', request, reply);

  return {
    spend,
    spendTlsAsk: (request, reply) => spendOf('tls', request, reply),
    async authenticate(request, reply, authenticate) {
      const budget = budgetOf(request);
      if (spentIn.get(budget) === minuteNow() && !known.get(budget)) await spend(request, reply);
      try {
        const caller = await authenticate();
        if (caller) known.set(budget, true);
        return caller;
      } catch (error) {
        const minute = minuteNow();
        const limit = ANONYMOUS_REQUESTS_PER_MINUTE;
        const used = await counter.count(minute, budget, 0);
        setHeaders(reply, { limit, remaining: Math.max(0, limit - used), minute: minute + 1 });
        throw error;
      }
    },
  };
}

/** `minute` is the one at whose begin the budget is full again. */
function setHeaders(
  reply: FastifyReply,
  { limit, remaining, minute }: { limit: number; remaining: number; minute: number },
): void {
  void reply.headers({
    'X-RateLimit-Limit': limit,
    'X-RateLimit-Remaining': remaining,
    'X-RateLimit-Reset': minute * (MINUTE_MS / 1000),
  });
}

/** The plugin's store over our counter: windows begin with the clock's minute, not with the first request. */
function storeOf(clock: Clock, counter: RequestCounter): FastifyRateLimitStoreCtor {
  // A class because the plugin calls it with `new`.
  return class MinuteStore {
    incr(budget: string, done: (error: Error | null, counted?: { current: number; ttl: number }) => void): void {
      const now = clock.now().getTime();
      const minute = Math.floor(now / MINUTE_MS);
      const ttl = (minute + 1) * MINUTE_MS - now;
      counter.count(minute, budget, 1).then((current) => done(null, { current, ttl }), done);
    }
    /** One store serves all limiters: the names of budgets are unique. */
    child(): MinuteStore {
      return this;
    }
  };
}

function limitOf({ caller }: { caller: Caller | null }): number {
  const plan = caller?.actor.plan;
  return plan ? PLANS[plan].requestsPerMinute : ANONYMOUS_REQUESTS_PER_MINUTE;
}

function budgetOf(request: FastifyRequest): string {
  return request.caller ? `account:${request.caller.actor.accountId}` : `address:${clientNetwork(request.ip)}`;
}

const tlsBudgetOf = (request: FastifyRequest): string => `tls:${clientNetwork(request.ip)}`;

/** The client's address without a port; for IPv6 the /64 network, which belongs to one subscriber. */
export function clientNetwork(address: string): string {
  const host = withoutPort(address);
  if (!ipaddr.isValid(host)) return address;
  const parsed = ipaddr.process(host);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${parsed.toNormalizedString().split(':').slice(0, 4).join(':')}::/64`;
}
