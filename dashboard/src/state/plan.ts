import { isPlan, type PlanFeature, PLANS } from '../../../src/vocabulary/plan.ts';
import { user } from './session.ts';

/** True where the plan of the account has the feature; nobody is led into a 403 by it. */
export function planHas(feature: PlanFeature): boolean {
  const plan = user.value?.plan ?? '';
  return isPlan(plan) && PLANS[plan][feature];
}
