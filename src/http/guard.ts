import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PlanFeature } from '../vocabulary/plan.ts';
import { nothingHere, unauthorized } from './errors.ts';
import { checkRole, checkSameOrigin } from './roles.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Caller } from './request.ts';
import { requirePlan } from '../accounts/permissions.ts';

/** Finds who is asking; null for no valid credential. Refuses nothing itself. */
export type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<Caller | null>;

export interface GuardOptions {
  authenticate: Authenticate;
  rateLimit: RateLimit;
  /** origin of PUBLIC_URL, which cookie-authenticated writes may come from */
  publicUrl: string;
  /** WWW-Authenticate of its 401s (RFC 9110 section 11.6.1), where the credential has a registered scheme */
  challenge?: string;
  /** what the plan must have for the whole surface */
  feature?: PlanFeature;
}

/**
 * What every request of a surface passes before its body is read, in this order: who is it, has it budget left (so that each
 * later refusal carries the rate-limit headers too), is there such an address, may this caller do this here.
 * Belongs at the top of the surface's plugin: routes registered in the same scope cannot be reached around it.
 */
export function guard(
  app: FastifyInstance,
  { authenticate, rateLimit, publicUrl, challenge, feature }: GuardOptions,
): void {
  app.addHook('onRequest', async (request, reply) => {
    try {
      request.caller = await authenticate(request, reply);
    } finally {
      // Also where the database could not say who it is: no answer is without the headers.
      await rateLimit(request, reply);
    }
    if (request.is404) throw nothingHere(request);
    const { public: isPublic } = request.routeOptions.config;
    if (!request.caller && !isPublic) {
      if (challenge) void reply.header('WWW-Authenticate', challenge);
      throw unauthorized();
    }
    checkSameOrigin(request, publicUrl);
    checkFeature(request, feature);
    checkFeature(request, request.routeOptions.config.feature);
    checkRole(request);
  });
}

/** 403 PLAN_REQUIRED where the surface or the route (`config.feature`) needs a feature that the caller's plan lacks. */
export function checkFeature(request: FastifyRequest, feature: PlanFeature | undefined): void {
  if (feature && request.caller) requirePlan(request.caller.actor, feature);
}
