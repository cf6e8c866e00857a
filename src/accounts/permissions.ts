import { type Actor, ROLES, type Role, type Scope } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import { cheapestPlanWith, type PlanFeature, PLANS } from '../vocabulary/plan.ts';

/**
 * Throws unless the actor has permission. A user needs the role `least` or a higher one (INSUFFICIENT_ROLE). An API key
 * needs `scope` (INSUFFICIENT_SCOPE): by default `read` for what a viewer may do, and `write` for the rest. The system
 * may do everything.
 */
export function requireRole(actor: Actor, least: Role, scope: Scope = least === 'viewer' ? 'read' : 'write'): void {
  if (actor.type === 'key' && scope === 'write' && actor.scope !== 'write') {
    throw new DomainError('INSUFFICIENT_SCOPE', 'This API key can only read', {
      details: 'Authorization: use a key of scope write',
    });
  }
  // ROLES is in descending order.
  if (actor.role !== null && ROLES.indexOf(actor.role) > ROLES.indexOf(least)) {
    throw new DomainError('INSUFFICIENT_ROLE', `The role ${actor.role} does not allow this`, {
      details: `Requires the role ${least}${least === 'owner' ? '' : ' or a higher one'}; an owner of the account can grant it`,
    });
  }
}

/** Throws CONFIRM_PASSWORD unless the session's user has entered the password in the last 30 minutes. */
export function requireConfirmed({ isConfirmed }: { isConfirmed: boolean }): void {
  if (isConfirmed) return;
  throw new DomainError('CONFIRM_PASSWORD', 'Confirm your password', {
    details: 'The last sign-in is more than 30 minutes ago: send the password to POST /api/auth/confirm, then retry',
  });
}

const FEATURE_NAMES = { apiAccess: 'API access', analytics: 'Analytics', webhooks: 'Webhooks' } as const;

/** Throws PLAN_REQUIRED if the plan lacks the feature. `details` names the cheapest plan that has it. */
export function requirePlan(actor: Actor, feature: PlanFeature): void {
  if (PLANS[actor.plan][feature]) return;
  throw new DomainError('PLAN_REQUIRED', `${FEATURE_NAMES[feature]} is not in the plan ${actor.plan}`, {
    details: `Requires the plan ${cheapestPlanWith(feature)} or a higher one`,
  });
}
