import type { FastifyRequest } from 'fastify';
import { requirePlan } from '../accounts/permissions.ts';
import type { PlanFeature } from '../vocabulary/plan.ts';

/** 403 PLAN_REQUIRED where the surface or the route (`config.feature`) needs a feature that the caller's plan lacks. */
export function checkFeature(request: FastifyRequest, feature: PlanFeature | undefined): void {
  if (feature && request.caller) requirePlan(request.caller.actor, feature);
}
