import { type Actor, ROLES, type Role, type Scope } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import { cheapestPlanWith, type PlanFeature, PLANS } from '../vocabulary/plan.ts';

/**
 * Refuses an actor that may not do what needs `least`. A user needs that role or a higher one, else INSUFFICIENT_ROLE. A key has
 * no role: what a viewer may do takes any key, the rest a write key, unless `scope` says it; else INSUFFICIENT_SCOPE. The system may
 * do everything.
 */
export function requireRole(
  actor: Actor,
  least: Role,
  scope: Scope = least === 'viewer' ? 'read' : 'write',
): void {
  if (actor.type === 'key' && scope === 'write' && actor.scope !== 'write') {
    throw new DomainError('INSUFFICIENT_SCOPE', 'This API key can only read', {
      details: 'Authorization: use a key of scope write',
    });
  }
  // ROLES begins with the highest.
  if (actor.role !== null && ROLES.indexOf(actor.role) > ROLES.indexOf(least)) {
    throw new DomainError('INSUFFICIENT_ROLE', `The role ${actor.role} does not allow this`, {
      details: `It takes the role ${least}${least === 'owner' ? '' : ' or a higher one'}; an owner of the account can grant it`,
    });
  }
}

const FEATURE_NAMES = { apiAccess: 'API access', analytics: 'Analytics', webhooks: 'Webhooks' } as const;

/** Refuses an account whose plan lacks the feature: PLAN_REQUIRED, `details` names the cheapest plan that has it. */
export function requirePlan(actor: Actor, feature: PlanFeature): void {
  if (PLANS[actor.plan][feature]) return;
  throw new DomainError('PLAN_REQUIRED', `${FEATURE_NAMES[feature]} is not in the plan ${actor.plan}`, {
    details: `It takes the plan ${cheapestPlanWith(feature)} or a higher one`,
  });
}
