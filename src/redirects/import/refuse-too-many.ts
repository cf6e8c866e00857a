import type { Actor } from '../../vocabulary/actor.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { BULK_IMPORT_MAX, PLAN_NAMES, PLANS } from '../../vocabulary/plan.ts';

/** Nothing of a call beyond the plan's count is applied, rather than a part of it. */
export function refuseTooMany(actor: Actor, total: number): void {
  const max = PLANS[actor.plan].bulkImportMax;
  if (total <= max) return;
  if (max >= BULK_IMPORT_MAX) {
    throw new DomainError('TOO_MANY_REDIRECTS', 'Too many redirects', {
      details: 'One call takes at most 1,000,000 redirects; nothing was applied, split it',
    });
  }
  const next = PLAN_NAMES.find((plan) => PLANS[plan].bulkImportMax > max) ?? 'enterprise';
  throw new DomainError('PLAN_LIMIT_EXCEEDED', "The call is over the plan's count", {
    details: `The ${actor.plan} plan takes ${max.toLocaleString('en')} redirects in one call; nothing was applied, split it or change to ${next}`,
  });
}
